// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the sideband events: what a tool must have seen of a task's life to
 * resolve its samples later. Each is written for the events that count on this
 * CPU when it happens; targets are not this file's business.
 *
 * Locks: pev_control for hooking; the lists of running slots are this CPU's
 * own, with interrupts off.
 */
#include <linux/binfmts.h>
#include <linux/buildid.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb_inline.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pev_hooks.h>
#include <linux/pid_namespace.h>
#include <linux/sched/coredump.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "channel.h"
#include "event.h"
#include "refuse.h"
#include "running.h"
#include "sample.h"
#include "sideband.h"
#include "target.h"

/* Offsets of dynamic data count from 8 bytes before the payload. */
#define DATA_LOC_BASE	8

/* The payloads, as the metadata below describes them. */
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
static_assert(BUILD_ID_SIZE_MAX == 20);
static_assert(TASK_COMM_LEN == 16);

static const char * const sb_names[PEV_SB_MAX] = {
	[PEV_SB_MMAP]	= "pev:mmap",
	[PEV_SB_COMM]	= "pev:comm",
	[PEV_SB_FORK]	= "pev:fork",
	[PEV_SB_EXEC]	= "pev:exec",
	[PEV_SB_EXIT]	= "pev:exit",
};

static const char * const sb_fields[PEV_SB_MAX] = {
	[PEV_SB_MMAP] =
		"\t\txint64_t addr;\n"
		"\t\txint64_t len;\n"
		"\t\txint64_t pgoff;\n"
		"\t\tuint64_t ino;\n"
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t tid;\n"
		"\t\tuint32_t maj;\n"
		"\t\tuint32_t min;\n"
		"\t\tuint32_t prot;\n"
		"\t\tuint32_t flags;\n"
		"\t\tuint32_t build_id_size;\n"
		"\t\tuint8_t build_id[20];\n"
		"\t\tuint16_t filename_off;\n"
		"\t\tuint16_t filename_len;\n"
		"\t\ttext_t filename[filename_len];\n",
	[PEV_SB_COMM] =
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t tid;\n"
		"\t\ttext_t comm[16];\n",
	[PEV_SB_FORK] =
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t tid;\n"
		"\t\tuint32_t ppid;\n"
		"\t\tuint32_t ptid;\n"
		"\t\ttext_t comm[16];\n",
	[PEV_SB_EXEC] =
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t tid;\n"
		"\t\tuint32_t old_tid;\n"
		"\t\tuint16_t filename_off;\n"
		"\t\tuint16_t filename_len;\n"
		"\t\ttext_t filename[filename_len];\n",
	[PEV_SB_EXIT] =
		"\t\tuint32_t pid;\n"
		"\t\tuint32_t tid;\n"
		"\t\tint32_t code;\n",
};

DEFINE_STATIC_KEY_FALSE(pev_mmap_key);

static u32 pid_in(struct pev_event *event, struct task_struct *task)
{
	return task_tgid_nr_ns(task, event->pid_ns);
}

static u32 tid_in(struct pev_event *event, struct task_struct *task)
{
	return task_pid_nr_ns(task, event->pid_ns);
}

/* Count one; room for its record if one is due. Interrupts off. */
static void *sb_begin(struct pev_slot *slot, u32 payload, const struct pev_sample_in *in)
{
	if (!pev_slot_hit(slot->event, slot, 1))
		return NULL;
	return pev_sample_begin(slot->event, slot, payload, in);
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

static void put_mmap(struct pev_slot *slot, const struct mmap_info *m)
{
	struct pev_event *event = slot->event;
	struct sb_mmap *p;

	if (m->hide && !event->privileged)
		return;
	p = sb_begin(slot, offsetof(struct sb_mmap, filename) + m->rec.filename_len, NULL);
	if (!p)
		return;
	memcpy(p, &m->rec, offsetof(struct sb_mmap, filename));
	p->pid = pid_in(event, current);
	p->tid = tid_in(event, current);
	memcpy(p->filename, m->name, m->rec.filename_len);
	pev_sample_end(slot);
}

static void mmap_write(struct mmap_info *m)
{
	struct pev_slot *slot;
	unsigned long flags;

	m->rec.filename_off = DATA_LOC_BASE + offsetof(struct sb_mmap, filename);
	m->rec.filename_len = strlen(m->name) + 1;
	local_irq_save(flags);
	pev_for_each_running(slot, PEV_RUN_SIDEBAND + PEV_SB_MMAP)
		put_mmap(slot, m);
	local_irq_restore(flags);
}

/* On the way back to user mode: no code of the mapping has run yet. */
static void mmap_work(struct callback_head *work)
{
	struct mmap_info *m = container_of(work, struct mmap_info, work);
	/* build_id_parse_file() is not in all of 6.12.y; this looks at no more */
	struct vm_area_struct vma = { .vm_file = m->file };

	build_id_parse(&vma, m->rec.build_id, &m->rec.build_id_size);
	mmap_write(m);
	fput(m->file);
	kfree(m);
}

/*
 * Queue @m if its build id has yet to be read from the disk, which can't be
 * done with the mmap lock held.
 */
static bool mmap_defer(struct mmap_info *m, struct vm_area_struct *vma)
{
	if (build_id_parse_nofault(vma, m->rec.build_id, &m->rec.build_id_size) != -EFAULT)
		return false;
	m->file = get_file(vma->vm_file);
	init_task_work(&m->work, mmap_work);
	if (!task_work_add(current, &m->work, TWA_RESUME))
		return true;
	fput(m->file);
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

static bool anyone_here(unsigned int kind)
{
	bool any;

	preempt_disable();
	any = pev_running_any(PEV_RUN_SIDEBAND + kind);
	preempt_enable();
	return any;
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
		m = kzalloc(struct_size(m, path, PATH_MAX), GFP_KERNEL);
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
	if (m != &small && mmap_defer(m, vma))
		return;
	mmap_write(m);
	if (m != &small)
		kfree(m);
}

/* ---- comm ---- */

/* The name that a task is about to get; interrupts are off while it is set. */
static DEFINE_PER_CPU(const char *, new_comm);

static void put_comm(struct pev_event *event, struct task_struct *task)
{
	struct pev_slot *slot = this_cpu_ptr(event->slots);
	struct pev_sample_in in = { .task = task };
	struct sb_comm *p = sb_begin(slot, sizeof(*p), task == current ? NULL : &in);

	if (!p)
		return;
	p->pid = pid_in(event, task);
	p->tid = tid_in(event, task);
	strscpy_pad(p->comm, this_cpu_read(new_comm), sizeof(p->comm));
	pev_sample_end(slot);
}

static void put_comm_other(struct pev_event *event, struct task_struct *task)
{
	if (event->ops == &pev_sideband_source && event->config == PEV_SB_COMM)
		put_comm(event, task);
}

/* A thread may name another: that one's events are found through it. */
static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	struct pev_slot *slot;
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(new_comm, comm);
	if (task != current) {
		pev_target_each(task, put_comm_other);
	} else {
		pev_for_each_running(slot, PEV_RUN_SIDEBAND + PEV_SB_COMM)
			put_comm(slot->event, task);
	}
	local_irq_restore(flags);
}

/* ---- fork, exec, exit ---- */

static void put_fork(struct pev_slot *slot, struct task_struct *child)
{
	struct sb_fork *p = sb_begin(slot, sizeof(*p), NULL);

	if (!p)
		return;
	p->pid = pid_in(slot->event, child);
	p->tid = tid_in(slot->event, child);
	p->ppid = pid_in(slot->event, current);
	p->ptid = tid_in(slot->event, current);
	strscpy_pad(p->comm, child->comm, sizeof(p->comm));
	pev_sample_end(slot);
}

/**
 * pev_sideband_fork() - the current task has a child, which has its events
 * @child: the new task
 *
 * Context: tasklist_lock held for writing.
 */
void pev_sideband_fork(struct task_struct *child)
{
	struct pev_slot *slot;

	lockdep_assert_irqs_disabled();
	pev_for_each_running(slot, PEV_RUN_SIDEBAND + PEV_SB_FORK)
		put_fork(slot, child);
}

static void put_exec(struct pev_slot *slot, const char *filename)
{
	u32 len = strlen(filename) + 1;
	struct sb_exec *p = sb_begin(slot, offsetof(struct sb_exec, filename) + len, NULL);

	if (!p)
		return;
	p->pid = pid_in(slot->event, current);
	p->tid = p->pid;
	p->old_tid = tid_in(slot->event, current);
	p->filename_off = DATA_LOC_BASE + offsetof(struct sb_exec, filename);
	p->filename_len = len;
	memcpy(p->filename, filename, len);
	pev_sample_end(slot);
}

/*
 * The point of no return: the task still has its old name, mappings and tid,
 * and the records of the new ones follow.
 */
static void probe_exec(void *data, struct task_struct *task, struct linux_binprm *bprm)
{
	struct pev_slot *slot;
	unsigned long flags;

	local_irq_save(flags);
	pev_for_each_running(slot, PEV_RUN_SIDEBAND + PEV_SB_EXEC)
		put_exec(slot, bprm->filename);
	local_irq_restore(flags);
}

static void put_exit(struct pev_slot *slot, struct task_struct *task)
{
	struct sb_exit *p = sb_begin(slot, sizeof(*p), NULL);

	if (!p)
		return;
	p->pid = pid_in(slot->event, task);
	p->tid = tid_in(slot->event, task);
	p->code = task->exit_code;
	pev_sample_end(slot);
}

/**
 * pev_sideband_exit() - the current task is exiting and still has its events
 * @task: current
 *
 * Context: Process context.
 */
void pev_sideband_exit(struct task_struct *task)
{
	struct pev_slot *slot;
	unsigned long flags;

	local_irq_save(flags);
	pev_for_each_running(slot, PEV_RUN_SIDEBAND + PEV_SB_EXIT)
		put_exit(slot, task);
	local_irq_restore(flags);
}

/* ---- the source ---- */

/* Events of each kind, under pev_control. */
static unsigned int users[PEV_SB_MAX];

static int sideband_open(struct pev_event *event, const struct pev_attr *attr,
			 struct pev_refuse *r)
{
	if (attr->config >= PEV_SB_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_SB_MAX - 1,
					"there is no sideband event %llu", attr->config);
	if (attr->flags & PEV_F_FREQ)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "sideband events are recorded one by one: PEV_F_FREQ is for timers");
	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "sideband events are records: they need a channel");
	event->name = kstrdup(sb_names[attr->config], GFP_KERNEL_ACCOUNT);
	return event->name ? 0 : -ENOMEM;
}

static int sideband_hook(struct pev_event *event, struct pev_refuse *r)
{
	int err = 0;

	lockdep_assert_held(&pev_control);

	if (users[event->config]++)
		return 0;
	switch (event->config) {
	case PEV_SB_MMAP:
		static_branch_enable(&pev_mmap_key);
		break;
	case PEV_SB_COMM:
		err = register_trace_task_rename(probe_rename, NULL);
		break;
	case PEV_SB_EXEC:
		/* after target.c's, which may switch the event on */
		err = register_trace_prio_sched_prepare_exec(probe_exec, NULL, 0);
		break;
	default:
		err = pev_target_hooks_get();
	}
	if (err) {
		users[event->config]--;
		return pev_refuse(r, -err, PEV_NO_FIELD, "%s can't be hooked", event->name);
	}
	return 0;
}

static void sideband_unhook(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);

	if (--users[event->config])
		return;
	switch (event->config) {
	case PEV_SB_MMAP:
		static_branch_disable(&pev_mmap_key);
		break;
	case PEV_SB_COMM:
		unregister_trace_task_rename(probe_rename, NULL);
		break;
	case PEV_SB_EXEC:
		unregister_trace_sched_prepare_exec(probe_exec, NULL);
		break;
	default:
		pev_target_hooks_put();
	}
}

static void sideband_start(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	pev_running_add(PEV_RUN_SIDEBAND + event->config, slot);
}

static void sideband_stop(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	pev_running_del(slot);
}

static void sideband_fields(struct pev_event *event, struct pev_text *text)
{
	pev_text_printf(text, "%s", sb_fields[event->config]);
}

const struct pev_source_ops pev_sideband_source = {
	.type	= "sideband",
	.open	= sideband_open,
	.hook	= sideband_hook,
	.unhook	= sideband_unhook,
	.start	= sideband_start,
	.stop	= sideband_stop,
	.fields	= sideband_fields,
};
