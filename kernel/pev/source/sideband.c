// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sideband events: what a tool must have seen of a task's life to
 * resolve its samples later. Each is written for the events that count on this
 * CPU when it happens; targets are not this file's business.
 *
 * Locks: the lists of running events are this CPU's own, with interrupts off.
 */
#include <linux/binfmts.h>
#include <linux/buildid.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/hugetlb_inline.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/pev_hooks.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/sched/coredump.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "base/hooks.h"
#include "base/strbuf.h"
#include "base/task.h"
#include "base/work.h"
#include "glue/linux.h"
#include "glue/watch.h"
#include "record/payload.h"
#include "record/sample.h"
#include "source/list.h"
#include "target/rights.h"
#include "target/running.h"
#include "target/target.h"
#include "types.h"
#include "sideband.h"

/* Offsets of dynamic data count from 8 bytes before the payload, as in trace events. */
#define DATA_LOC_BASE	8

/* The payloads, as the tables below describe them. */
struct sb_mmap {
	u64	addr;
	u64	len;
	u64	pgoff;
	u64	ino;
	u32	pid;
	u32	tid;
	u32	maj;
	u32	min;
	u32	prot;
	u32	flags;
	u32	build_id_size;
	u8	build_id[BUILD_ID_SIZE_MAX];
	u16	filename_off;
	u16	filename_len;
	char	filename[];
};

struct sb_comm {
	u32	pid;
	u32	tid;
	char	comm[TASK_COMM_LEN];
};

struct sb_fork {
	u32	pid;
	u32	tid;
	u32	ppid;
	u32	ptid;
	char	comm[TASK_COMM_LEN];
};

struct sb_exec {
	u32	pid;
	u32	tid;
	u32	old_tid;
	u16	filename_off;
	u16	filename_len;
	char	filename[];
};

struct sb_exit {
	u32	pid;
	u32	tid;
	s32	code;
};

static_assert(offsetof(struct sb_mmap, filename) == 84);
static_assert(offsetof(struct sb_exec, filename) == 16);
/* the records are ABI */
static_assert(BUILD_ID_SIZE_MAX == 20);
static_assert(TASK_COMM_LEN == 16);

static const struct pev_field_desc mmap_fields[] = {
	PEV_FIELD_NUMBER("xint64_t", addr),
	PEV_FIELD_NUMBER("xint64_t", len),
	PEV_FIELD_NUMBER("xint64_t", pgoff),
	PEV_FIELD_NUMBER("uint64_t", ino),
	PEV_FIELD_NUMBER("uint32_t", pid),
	PEV_FIELD_NUMBER("uint32_t", tid),
	PEV_FIELD_NUMBER("uint32_t", maj),
	PEV_FIELD_NUMBER("uint32_t", min),
	PEV_FIELD_NUMBER("uint32_t", prot),
	PEV_FIELD_NUMBER("uint32_t", flags),
	PEV_FIELD_NUMBER("uint32_t", build_id_size),
	PEV_FIELD_ARRAY("uint8_t", build_id, BUILD_ID_SIZE_MAX),
	PEV_FIELD_NUMBER("uint16_t", filename_off),
	PEV_FIELD_NUMBER("uint16_t", filename_len),
	PEV_FIELD_DYNAMIC(sb_mmap, "text_t", filename),
	{ }
};

static const struct pev_field_desc comm_fields[] = {
	PEV_FIELD_NUMBER("uint32_t", pid),
	PEV_FIELD_NUMBER("uint32_t", tid),
	PEV_FIELD_ARRAY("text_t", comm, TASK_COMM_LEN),
	{ }
};

static const struct pev_field_desc fork_fields[] = {
	PEV_FIELD_NUMBER("uint32_t", pid),
	PEV_FIELD_NUMBER("uint32_t", tid),
	PEV_FIELD_NUMBER("uint32_t", ppid),
	PEV_FIELD_NUMBER("uint32_t", ptid),
	PEV_FIELD_ARRAY("text_t", comm, TASK_COMM_LEN),
	{ }
};

static const struct pev_field_desc exec_fields[] = {
	PEV_FIELD_NUMBER("uint32_t", pid),
	PEV_FIELD_NUMBER("uint32_t", tid),
	PEV_FIELD_NUMBER("uint32_t", old_tid),
	PEV_FIELD_NUMBER("uint16_t", filename_off),
	PEV_FIELD_NUMBER("uint16_t", filename_len),
	PEV_FIELD_DYNAMIC(sb_exec, "text_t", filename),
	{ }
};

static const struct pev_field_desc exit_fields[] = {
	PEV_FIELD_NUMBER("uint32_t", pid),
	PEV_FIELD_NUMBER("uint32_t", tid),
	PEV_FIELD_NUMBER("int32_t", code),
	{ }
};

static const struct pev_payload_desc kinds[PEV_SB_MAX] = {
	[PEV_SB_MMAP]	= { "mmap", offsetof(struct sb_mmap, filename), mmap_fields },
	[PEV_SB_COMM]	= { "comm", sizeof(struct sb_comm), comm_fields },
	[PEV_SB_FORK]	= { "fork", sizeof(struct sb_fork), fork_fields },
	[PEV_SB_EXEC]	= { "exec", offsetof(struct sb_exec, filename), exec_fields },
	[PEV_SB_EXIT]	= { "exit", sizeof(struct sb_exit), exit_fields },
};

static u32 pid_in(struct pev_event *event, struct task_struct *task)
{
	return task_tgid_nr_ns(task, event->pid_ns);
}

static u32 tid_in(struct pev_event *event, struct task_struct *task)
{
	return task_pid_nr_ns(task, event->pid_ns);
}

/* Count an occurrence, and reserve its record if one is due. Interrupts off. */
static void *sb_begin(struct pev_event_cpu *ec, u32 payload, const struct pev_sample_in *in)
{
	if (!pev_event_sees_task(ec->event, in && in->task ? in->task : current) ||
	    !pev_event_hit(ec->event, ec, 1))
		return NULL;
	return pev_sample_begin(ec->event, ec, payload, in);
}

static bool anyone_here(unsigned int kind)
{
	bool any;

	preempt_disable();
	any = pev_running_any(PEV_RUN_SIDEBAND + kind);
	preempt_enable();
	return any;
}

/* ---- mmap ---- */

/**
 * struct mmap_info - a mapping on its way to the rings
 * @work: for when the build id can't be read at once
 * @file: referenced while @work is queued
 * @name: of the file, or of what else it is
 * @hide: the task has gained rights: only for those who may watch it
 * @rec:  all but the ids, which depend on the reader's namespace
 * @path: where @name is built
 */
struct mmap_info {
	struct callback_head	work;
	struct file		*file;
	const char		*name;
	bool			hide;
	struct sb_mmap		rec;
	char			path[];
};

static void put_mmap(struct pev_event_cpu *ec, const struct mmap_info *m)
{
	struct pev_event *event = ec->event;
	struct sb_mmap *p;

	if (m->hide && !event->privileged)
		return;
	p = sb_begin(ec, offsetof(struct sb_mmap, filename) + m->rec.filename_len, NULL);
	if (!p)
		return;
	memcpy(p, &m->rec, offsetof(struct sb_mmap, filename));
	p->pid = pid_in(event, current);
	p->tid = tid_in(event, current);
	memcpy(p->filename, m->name, m->rec.filename_len);
	pev_sample_end(ec);
}

static void mmap_write(struct mmap_info *m)
{
	struct pev_event_cpu *ec;
	unsigned long flags;

	m->rec.filename_off = DATA_LOC_BASE + offsetof(struct sb_mmap, filename);
	m->rec.filename_len = strlen(m->name) + 1;
	local_irq_save(flags);
	pev_for_each_running(ec, PEV_RUN_SIDEBAND + PEV_SB_MMAP)
		put_mmap(ec, m);
	local_irq_restore(flags);
}

/* Records that wait for their task. */
static atomic_t deferred;

/* Runs before the task returns to user mode: no code of the mapping has run yet. */
static void mmap_work(struct callback_head *work)
{
	struct mmap_info *m = container_of(work, struct mmap_info, work);
	/* build_id_parse() reads only vm_file; build_id_parse_file() is not in all of 6.12.y */
	struct vm_area_struct vma = { .vm_file = m->file };

	if (anyone_here(PEV_SB_MMAP)) {
		/* the end of a task waits for no file's server */
		if (!pev_task_is_exiting(current))
			build_id_parse(&vma, m->rec.build_id, &m->rec.build_id_size);
		mmap_write(m);
	}
	fput(m->file);
	kfree(m);
	module_put(THIS_MODULE);
	atomic_dec(&deferred);
}

void __pev_teardown pev_sideband_teardown(void)
{
	/* they have given the module back, and are about to leave it */
	while (atomic_read(&deferred))
		schedule_timeout_uninterruptible(1);
}

/* By what is in memory. */
static bool is_elf(struct file *file)
{
	struct page *page = find_get_page(file->f_mapping, 0);
	bool is = false;
	void *head;

	if (!page)
		return false;
	if (PageUptodate(page)) {
		head = kmap_local_page(page);
		is = !memcmp(head, ELFMAG, SELFMAG);
		kunmap_local(head);
	}
	put_page(page);
	return is;
}

/* Linux says of a program whose notes are not in memory what it says of one without a build id. */
static bool is_to_be_read(struct mmap_info *m, struct vm_area_struct *vma)
{
	int err = build_id_parse_nofault(vma, m->rec.build_id, &m->rec.build_id_size);

	return err == -EFAULT || (err == -EINVAL && is_elf(vma->vm_file));
}

/* One call may change the rights of all mappings of a process: each keeps no more than its path. */
static struct mmap_info *mmap_copy(const struct mmap_info *m)
{
	size_t size = strlen(m->name) + 1;
	struct mmap_info *copy;

	copy = kmalloc(struct_size(copy, path, size), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!copy)
		return NULL;
	*copy = *m;
	memcpy(copy->path, m->name, size);
	copy->name = copy->path;
	return copy;
}

/*
 * Queue a copy of @m if its build id has yet to be read from the disk, which can't be
 * done with the mmap lock held. A device may do anything when it is read.
 */
static bool mmap_defer(struct mmap_info *m, struct vm_area_struct *vma)
{
	if (!is_to_be_read(m, vma) || !S_ISREG(file_inode(vma->vm_file)->i_mode))
		return false;
	m = mmap_copy(m);
	if (!m)
		return false;
	/* the module's exit must not wait for a file whose server never answers */
	if (!try_module_get(THIS_MODULE))
		goto err_copy;
	m->file = get_file(vma->vm_file);
	init_task_work(&m->work, mmap_work);
	atomic_inc(&deferred);
	if (!task_work_add(current, &m->work, TWA_RESUME))
		return true;
	fput(m->file);
	module_put(THIS_MODULE);
	atomic_dec(&deferred);
err_copy:
	kfree(m);
	return false;
}

static const char *mmap_name(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (!name)
		name = arch_vma_name(vma);
	if (name)
		return name;
	if (vma_is_initial_heap(vma))
		return "[heap]";
	if (vma_is_initial_stack(vma))
		return "[stack]";
	return "//anon";
}

static void mmap_fill(struct sb_mmap *rec, struct vm_area_struct *vma)
{
	rec->addr = vma->vm_start;
	rec->len = vma->vm_end - vma->vm_start;
	rec->pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT;
	rec->prot = (vma->vm_flags & VM_READ ? PROT_READ : 0) |
		    (vma->vm_flags & VM_WRITE ? PROT_WRITE : 0) | PROT_EXEC;
	rec->flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	if (vma->vm_flags & VM_LOCKED)
		rec->flags |= MAP_LOCKED;
	if (is_vm_hugetlb_page(vma))
		rec->flags |= MAP_HUGETLB;
	if (vma->vm_file) {
		const struct inode *inode = d_inode(file_user_path(vma->vm_file)->dentry);

		rec->maj = MAJOR(inode->i_sb->s_dev);
		rec->min = MINOR(inode->i_sb->s_dev);
		rec->ino = inode->i_ino;
	}
}

/**
 * __pev_mmap() - a mapping is new, or its rights changed
 * @vma: the mapping
 *
 * Context: Process context, mmap lock of current->mm held for writing.
 */
void __pev_mmap(struct vm_area_struct *vma)
{
	struct mmap_info small = {}, *m = NULL;
	struct file *file = vma->vm_file;

	if (!(vma->vm_flags & VM_EXEC) || !anyone_here(PEV_SB_MMAP))
		return;
	if (file)
		m = kzalloc(struct_size(m, path, PATH_MAX), GFP_KERNEL_ACCOUNT);
	if (m) {
		m->name = d_path(file_user_path(file), m->path, PATH_MAX);
		if (IS_ERR(m->name))
			m->name = "//toolong";
	} else {
		m = &small;
		m->name = file ? "//enomem" : mmap_name(vma);
	}
	m->hide = get_dumpable(vma->vm_mm) != SUID_DUMP_USER;
	mmap_fill(&m->rec, vma);
	if (m == &small || !mmap_defer(m, vma))
		mmap_write(m);
	if (m != &small)
		kfree(m);
}

/* ---- comm ---- */

/* The name that a task is about to get; valid while interrupts are off. */
static DEFINE_PER_CPU(const char *, new_comm);

static void put_comm(struct pev_event *event, struct task_struct *task)
{
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);
	struct pev_sample_in in = { .task = task };
	struct sb_comm *p = sb_begin(ec, sizeof(*p), task == current ? NULL : &in);

	if (!p)
		return;
	p->pid = pid_in(event, task);
	p->tid = tid_in(event, task);
	strscpy_pad(p->comm, this_cpu_read(new_comm), sizeof(p->comm));
	pev_sample_end(ec);
}

static void put_comm_other(struct pev_event *event, struct task_struct *task)
{
	if (event->ops == &pev_sideband_source && event->config == PEV_SB_COMM)
		put_comm(event, task);
}

/* A thread may rename another: find that one's events through the task. */
static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	struct pev_event_cpu *ec;
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(new_comm, comm);
	if (task != current) {
		pev_target_each(task, put_comm_other);
	} else {
		pev_for_each_running(ec, PEV_RUN_SIDEBAND + PEV_SB_COMM)
			put_comm(ec->event, task);
	}
	local_irq_restore(flags);
}

/* ---- fork, exec, exit ---- */

static void put_fork(struct pev_event_cpu *ec, struct task_struct *child)
{
	struct sb_fork *p = sb_begin(ec, sizeof(*p), NULL);

	if (!p)
		return;
	p->pid = pid_in(ec->event, child);
	p->tid = tid_in(ec->event, child);
	p->ppid = pid_in(ec->event, current);
	p->ptid = tid_in(ec->event, current);
	strscpy_pad(p->comm, child->comm, sizeof(p->comm));
	pev_sample_end(ec);
}

/* The child has its parent's events, and has not run yet. */
static void probe_fork(void *data, struct task_struct *child, unsigned long clone_flags)
{
	struct pev_event_cpu *ec;
	unsigned long flags;

	local_irq_save(flags);
	pev_for_each_running(ec, PEV_RUN_SIDEBAND + PEV_SB_FORK)
		put_fork(ec, child);
	local_irq_restore(flags);
}

static void put_exec(struct pev_event_cpu *ec, const char *filename, u32 len)
{
	struct sb_exec *p = sb_begin(ec, offsetof(struct sb_exec, filename) + len, NULL);

	if (!p)
		return;
	p->pid = pid_in(ec->event, current);
	p->tid = p->pid;
	p->old_tid = tid_in(ec->event, current);
	p->filename_off = DATA_LOC_BASE + offsetof(struct sb_exec, filename);
	p->filename_len = len;
	memcpy(p->filename, filename, len);
	pev_sample_end(ec);
}

/*
 * The point of no return: the task still has its old name, mappings and tid,
 * and the records of the new ones follow.
 */
static void probe_exec(void *data, struct task_struct *task, struct linux_binprm *bprm)
{
	u32 len = strlen(bprm->filename) + 1;
	struct pev_event_cpu *ec;
	unsigned long flags;

	local_irq_save(flags);
	pev_for_each_running(ec, PEV_RUN_SIDEBAND + PEV_SB_EXEC)
		put_exec(ec, bprm->filename, len);
	local_irq_restore(flags);
}

static void put_exit(struct pev_event_cpu *ec, struct task_struct *task)
{
	struct sb_exit *p = sb_begin(ec, sizeof(*p), NULL);

	if (!p)
		return;
	p->pid = pid_in(ec->event, task);
	p->tid = tid_in(ec->event, task);
	p->code = task->exit_code;
	pev_sample_end(ec);
}

/**
 * pev_sideband_exit() - the current task is exiting and still has its events
 * @task: current
 *
 * Context: Process context.
 */
void pev_sideband_exit(struct task_struct *task)
{
	struct pev_event_cpu *ec;
	unsigned long flags;

	local_irq_save(flags);
	pev_for_each_running(ec, PEV_RUN_SIDEBAND + PEV_SB_EXIT)
		put_exit(ec, task);
	local_irq_restore(flags);
}

/* ---- the source ---- */

static int comm_place(void)
{
	return pev_tracepoint_hook(task_rename, probe_rename);
}

static void comm_remove(void)
{
	pev_tracepoint_unhook(task_rename, probe_rename);
}

static int fork_place(void)
{
	return pev_tracepoint_hook(task_newtask, probe_fork);
}

static void fork_remove(void)
{
	pev_tracepoint_unhook(task_newtask, probe_fork);
}

/* Runs after the probe of target.c, which may switch the event on. */
static int exec_place(void)
{
	return pev_tracepoint_hook_last(sched_prepare_exec, probe_exec);
}

static void exec_remove(void)
{
	pev_tracepoint_unhook(sched_prepare_exec, probe_exec);
}

static struct pev_hookpoint sb_hooks[PEV_SB_MAX] = {
	[PEV_SB_MMAP]	= { .place = pev_watch_mmaps, .remove = pev_unwatch_mmaps },
	[PEV_SB_COMM]	= { .place = comm_place, .remove = comm_remove },
	[PEV_SB_FORK]	= { .place = fork_place, .remove = fork_remove },
	[PEV_SB_EXEC]	= { .place = exec_place, .remove = exec_remove },
};

/*
 * For how many events one counts that writes paths, with interrupts off; that is found through its
 * task, where the scheduler comes by all of these when it moves the task, on any CPU; or that says
 * what tasks are. All of them leave room for as many system calls as there are.
 */
#define PATH_WEIGHT	16
#define NAME_WEIGHT	8
#define TASK_WEIGHT	5

static u32 weight_of(u64 config)
{
	switch (config) {
	case PEV_SB_COMM:
		return NAME_WEIGHT;
	case PEV_SB_MMAP:
	case PEV_SB_EXEC:
		return PATH_WEIGHT;
	default:
		return TASK_WEIGHT;
	}
}

static int sideband_open(struct pev_event *event, const struct pev_attr *attr,
			 struct pev_refuse *r)
{
	if (attr->config >= PEV_SB_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_SB_MAX - 1,
					"there is no sideband event %llu", attr->config);
	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "sideband events are records: they need a channel");
	event->by_others = attr->config == PEV_SB_COMM;
	event->weight = weight_of(attr->config);
	event->name = kasprintf(GFP_KERNEL_ACCOUNT, "pev:%s",
				kinds[array_index_nospec(attr->config, PEV_SB_MAX)].name);
	return event->name ? 0 : -ENOMEM;
}

/* Exits are seen in pev_exit(), which the hooks of target.c enable. */
static int sideband_hook(struct pev_event *event, struct pev_refuse *r)
{
	int err;

	if (event->config == PEV_SB_EXIT)
		err = pev_target_hooks_get();
	else
		err = pev_hook_get(&sb_hooks[event->config]);
	if (err)
		return pev_hook_refuse(err, event->name, r);
	return 0;
}

static void sideband_unhook(struct pev_event *event)
{
	if (event->config == PEV_SB_EXIT)
		pev_target_hooks_put();
	else
		pev_hook_put(&sb_hooks[event->config]);
}

static void sideband_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	pev_running_add(PEV_RUN_SIDEBAND + event->config, ec);
}

static void sideband_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	pev_running_del(ec);
}

static void sideband_fields(struct pev_event *event, struct pev_strbuf *text)
{
	pev_payload_tsdl(&kinds[event->config], text);
}

static void sideband_layout(struct pev_event *event, struct pev_layout *layout)
{
	pev_payload_layout(&kinds[event->config], layout);
}

static void sideband_catalog(struct pev_strbuf *text)
{
	for (unsigned int i = 0; i < PEV_SB_MAX; i++) {
		pev_strbuf_printf(text, "sideband %s ", kinds[i].name);
		pev_payload_catalog(&kinds[i], text);
		pev_strbuf_printf(text, "\n");
	}
}

const struct pev_source_ops pev_sideband_source = {
	.type		= "sideband",
	.attrs		= PEV_ATTR_CONFIG,
	.periods	= PEV_PERIOD_NEVER,
	.open		= sideband_open,
	.hook		= sideband_hook,
	.unhook		= sideband_unhook,
	.start		= sideband_start,
	.stop		= sideband_stop,
	.fields		= sideband_fields,
	.layout		= sideband_layout,
	.catalog	= sideband_catalog,
};
