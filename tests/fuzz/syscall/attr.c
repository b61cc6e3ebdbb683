// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes: valid ones of every type and target, and what is done to them then.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"

/**
 * struct point - a tracepoint or marker
 * @name:    "system:event"
 * @root:    shows what only root may see
 * @busy:    happens so often that it drowns all else
 * @lens:    texts it has with PEV_F_TEXT, and no structures more with PEV_F_STRUCTS,
 *           -1: don't ask for any
 * @filter:  that it understands
 * @layout:  as the tracing file system describes it
 */
struct point {
	const char	*name;
	bool		root;
	bool		busy;
	int		lens;
	const char	*filter;
	bool		marker;
	struct layout	layout;
};

static struct point points[] = {
	{ "syscalls:sys_enter_getppid", false, false, -1, NULL },
	{ "syscalls:sys_exit_getppid", false, false, -1, "ret > 1" },
	{ "syscalls:sys_enter_getsid", false, false, -1, "pid == 7" },
	{ "syscalls:sys_enter_close", false, false, -1, "fd > 10" },
	{ "syscalls:sys_exit_close", false, false, -1, "ret != 0" },
	{ "syscalls:sys_enter_openat", false, false, 1, "dfd < 0" },
	{ "syscalls:sys_enter_write", false, false, 1, "count > 100" },
	{ "syscalls:sys_enter_read", false, false, -1, "count < 64" },
	{ "syscalls:sys_exit_read", false, false, 1, "ret < 0" },
	{ "syscalls:sys_enter_execve", false, false, 2, NULL },
	{ "syscalls:sys_enter_ioctl", false, false, -1, "fd < 30 && cmd != 0" },
	{ "raw_syscalls:sys_enter", false, false, 6, "id == 39" },
	{ "raw_syscalls:sys_exit", false, false, 6, "ret < 0" },
	{ "sched:sched_switch", true, true, -1, "prev_prio < 100 || next_comm ~ \"k*\"" },
	{ "sched:sched_wakeup", true, true, -1, "target_cpu == 1" },
	{ "sched:sched_migrate_task", true, false, -1, "prio > 5" },
	{ "sched:sched_process_fork", true, false, -1, "parent_pid > 1" },
	{ "sched:sched_process_exec", true, false, -1, "filename ~ \"*fuzz*\"" },
	{ "sched:sched_process_exit", true, false, -1, NULL },
	{ "exceptions:page_fault_user", true, true, -1, NULL },
	{ "exceptions:page_fault_kernel", true, true, -1, "error_code == 2" },
	{ "irq:softirq_entry", true, true, -1, "vec == 1" },
	{ "timer:hrtimer_start", true, true, -1, NULL },
	{ "timer:hrtimer_expire_entry", true, true, -1, NULL },
	{ "kmem:kmalloc", true, true, -1, "bytes_req > 4096" },
	{ "kmem:kfree", true, true, -1, NULL },
	{ "kmem:mm_page_alloc", true, true, -1, "order > 0" },
	{ "signal:signal_generate", true, false, -1, "sig == 14" },
	{ "task:task_newtask", true, false, -1, "comm ~ \"*z*\"" },
	{ "task:task_rename", true, false, -1, NULL },
	{ "rcu:rcu_utilization", true, true, -1, NULL },
	{ "workqueue:workqueue_execute_start", true, false, -1, NULL },
	{ "irq_vectors:local_timer_entry", true, true, -1, NULL },
	{ "power:cpu_idle", true, true, -1, NULL },
	{ "module:module_load", true, false, -1, "name == \"pev_sample\"" },
	{ "cgroup:cgroup_attach_task", true, false, -1, NULL },
	{ "nmi:nmi_handler", true, false, -1, NULL },
	{ .name = "pev_sample:plain", .root = true, .marker = true,
	  .layout = { .known = true } },
	{ .name = "pev_sample:number", .root = true, .marker = true, .filter = "number < -3" },
	{ .name = "pev_sample:text", .root = true, .marker = true, .filter = "length > 3" },
	{ .name = "pev_sample:types", .root = true, .marker = true, .filter = "c == 112" },
	{ .name = "pev_api:control", .root = true, .marker = true },
};

/* Nothing else of this process is that near to a page that calls are let write to. */
#define GUARD	(64 * PAGE)

/* An address is one of a page's last bytes: what is behind it can't be read. */
static uint8_t *last_page;
/* A page for answers. */
static uint8_t *out_page;

/* The line "field:<type> <name>; offset:<n>; size:<n>; ..." of a format. */
static void add_field(struct layout *l, const char *line)
{
	unsigned int offset, size;
	const char *at = strstr(line, "offset:");

	if (!at || sscanf(at, "offset:%u; size:%u;", &offset, &size) != 2 || offset < 8)
		return;
	if (offset + size - 8 > l->fixed)
		l->fixed = offset + size - 8;
	if (strstr(line, "__rel_loc"))
		l->known = false;
	if (!strstr(line, "__data_loc"))
		return;
	if (l->nr_locs == ARRAY_SIZE(l->locs))
		l->known = false;
	else
		l->locs[l->nr_locs++] = offset - 8;
}

static void read_layout(struct point *p)
{
	char path[512], line[1024], *colon;
	FILE *f;

	p->layout.lens = -1;
	p->layout.args = strstr(p->name, "syscalls:");
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/format", p->name);
	colon = strchr(path, ':');
	*colon = '/';
	f = fopen(path, "r");
	if (!f)
		return;
	p->layout.known = true;
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "field:"))
			add_field(&p->layout, line);
	fclose(f);
}

static uint8_t *guarded_page(void)
{
	uint8_t *at = mmap(NULL, 2 * GUARD + PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED || mprotect(at + GUARD, PAGE, PROT_READ | PROT_WRITE))
		exit(2);
	return at + GUARD;
}

void attr_init(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(points); i++)
		if (!points[i].marker)
			read_layout(&points[i]);
	probe_init();
	last_page = guarded_page();
	out_page = guarded_page();
}

/* Of a tracepoint of the table. */
void attr_layout(const char *name, struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	for (unsigned int i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, name))
			*layout = points[i].layout;
}

/* The @i-th tracepoint or marker; NULL behind the last one. */
const char *attr_point(unsigned int i, bool *marker)
{
	if (i >= ARRAY_SIZE(points))
		return NULL;
	*marker = points[i].marker;
	return points[i].name;
}

/* Numbers on the edge of something. */
uint64_t strange(struct rng *r)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 9, 31, 32, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8192, 10000,
		65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, ~0ULL, ~7ULL,
	};

	switch (below(r, 4)) {
	case 0:
		return 1ULL << below(r, 63);
	case 1:		/* what no kernel address begins with */
		return rnd(r) & ~(7ULL << 60);
	default:
		return numbers[below(r, ARRAY_SIZE(numbers))];
	}
}

/* A copy of @data that ends where the memory ends. */
void *edge(struct rng *r, const void *data, size_t size)
{
	size_t over = one_in(r, 3) ? 1 + below(r, size) : 0;

	if (size > PAGE)
		return NULL;
	memset(last_page, 0, PAGE);
	memcpy(last_page + PAGE - size + over, data, size - over);
	return last_page + PAGE - size + over;
}

void attr_channel(struct rng *r, struct pev_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = PEV_TYPE_CHANNEL;
	attr->channel_fd = -1;
	attr->group_fd = -1;
	attr->ring_size = 8192ULL << below(r, one_in(r, 16) ? 6 : 3);
	if (!one_in(r, 4))
		attr->packet_size = 4096;
	if (one_in(r, 4))
		attr->flags = PEV_CHF_OVERWRITE | (one_in(r, 8) ? PEV_CHF_PANIC : 0);
	if (one_in(r, 8))
		attr->flags |= PEV_CHF_STOPPED;
	if (one_in(r, 4))
		attr->watermark = below(r, 4096);
	if (one_in(r, 6))
		attr->flush_ms = (me->root ? 1 : 10) + below(r, 50);
	if (one_in(r, 4))
		attr->clock = PEV_CLOCK_MONOTONIC;
}

const char *attr_filter(struct rng *r, const struct pev_attr *attr)
{
	static const char * const others[] = {
		"common_pid > 1", "common_pid == 0", "nonsense == 1", "(", "common_pid &", "",
		"common_type == 3 && common_pid != 77", "1", "common_pid ~ \"x\"",
		"common_flags & 4 || common_preempt_count > 1000", "common_ip > 0",
		"common_tgid != 1 && COMM ~ \"*a*\"", "CPU & CPUS{0} || common_cgroup < 9",
	};
	const char *name = (const char *)(uintptr_t)attr->name;

	for (unsigned int i = 0; i < ARRAY_SIZE(points); i++)
		if (name == points[i].name && points[i].filter && !one_in(r, 8))
			return points[i].filter;
	if (one_in(r, 2))
		return filter_text(r);
	return others[one_in(r, 2) ? 0 : below(r, ARRAY_SIZE(others))];
}

static void sample(struct player *w, struct rng *r, struct pev_attr *attr)
{
	static const uint64_t cheap = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_PERIOD |
				      PEV_SAMPLE_CPU | PEV_SAMPLE_ADDR;

	if (one_in(r, 3))
		attr->sample = PEV_SAMPLE_TID;
	else
		attr->sample = rnd(r) & (one_in(r, 2) ? PEV_SAMPLE_ALL : cheap) & ~PEV_SAMPLE_PAIR;
	/* it is refused otherwise, and brings nothing alone */
	if (attr->type == PEV_TYPE_USTACK && !one_in(r, 16))
		attr->sample &= ~PEV_SAMPLE_COOKIE;
	else if (attr->type == PEV_TYPE_TIMER || attr->type == PEV_TYPE_WAIT)
		attr->sample |= one_in(r, 2) ? PEV_SAMPLE_COOKIE : 0;
	if ((attr->sample & PEV_SAMPLE_COOKIE || attr->type == PEV_TYPE_USTACK) && !one_in(r, 16))
		attr->sample |= PEV_SAMPLE_USTACK;
	if (attr->sample & PEV_SAMPLE_UREGS)
		attr->regs_user = 1ULL << below(r, 16) | 1ULL << below(r, 8);
	if (attr->sample & PEV_SAMPLE_USTACK_DUMP)
		attr->stack_user = 8 << below(r, one_in(r, 8) ? 12 : 7);
	if (attr->sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK) && one_in(r, 2))
		attr->max_stack = 1 + below(r, PEV_MAX_STACK);
	/* it is root's alone, and refused where KVM is not loaded */
	if (!one_in(r, w->root ? 4 : 16))
		attr->sample &= ~PEV_SAMPLE_EXIT;
	/* it is refused otherwise, mostly */
	if (!w->root && attr->type != PEV_TYPE_USTACK && !one_in(r, 16))
		attr->flags |= PEV_F_EXCLUDE_KERNEL;
}

static void point(struct player *w, struct rng *r, struct pev_attr *attr, struct layout *layout)
{
	struct point *p;
	unsigned int tries = 0;

	do {
		p = &points[below(r, ARRAY_SIZE(points))];
	} while ((p->busy && !one_in(r, 4)) || (p->root && !w->root && ++tries < 20));
	attr->type = p->marker ? PEV_TYPE_MARKER : PEV_TYPE_TRACEPOINT;
	attr->name = (uintptr_t)p->name;
	*layout = p->layout;
	if (p->lens >= 0 && attr->channel_fd >= 0 && one_in(r, 3)) {
		attr->flags |= PEV_F_TEXT;
		layout->lens = p->lens;
		if (one_in(r, 2)) {
			attr->flags |= PEV_F_STRUCTS;
			layout->kinds = true;
		}
		if (one_in(r, 2))
			attr->config = below(r, PEV_MAX_CALL_TEXT + 1);
	}
	if (one_in(r, 5))
		attr->filter = (uintptr_t)attr_filter(r, attr);
}

static void sideband(struct rng *r, struct pev_attr *attr, struct layout *layout)
{
	static const struct layout layouts[PEV_SB_MAX] = {
		[PEV_SB_MMAP]	= { .fixed = 84, .nr_locs = 1, .locs = { 80 } },
		[PEV_SB_COMM]	= { .fixed = 24 },
		[PEV_SB_FORK]	= { .fixed = 32 },
		[PEV_SB_EXEC]	= { .fixed = 16, .nr_locs = 1, .locs = { 12 } },
		[PEV_SB_EXIT]	= { .fixed = 12 },
	};

	attr->type = PEV_TYPE_SIDEBAND;
	attr->config = below(r, PEV_SB_MAX);
	*layout = layouts[attr->config];
	layout->known = true;
	layout->lens = -1;
}

static void target(struct player *w, struct rng *r, struct pev_attr *attr)
{
	static uint64_t mask;
	struct victim *v = &w->victims[below(r, VICTIMS)];

	attr->target = PEV_TARGET_TASK + below(r, 3);
	if (v->pid && one_in(r, 3))
		attr->target_id = v->pid;
	if (one_in(r, 24))	/* some other worker: a refusal, or root */
		attr->target_id = all->pids[below(r, MAX_WORKERS)];
	if (one_in(r, 8) && attr->type != PEV_TYPE_SIDEBAND)
		attr->flags |= PEV_F_ENABLE_ON_EXEC;
	if (one_in(r, attr->type == PEV_TYPE_TIMER ? 6 : 100))
		attr->target = PEV_TARGET_GUEST;
	if (!one_in(r, w->root ? 4 : 40))
		return;
	attr->flags &= ~PEV_F_ENABLE_ON_EXEC;
	attr->target_id = 0;
	attr->target = PEV_TARGET_CPUS;
	if (one_in(r, 3)) {
		mask = 1ULL << below(r, nr_cpus);
		attr->cpus = (uintptr_t)&mask;
		attr->cpus_size = sizeof(mask);
	}
	for (unsigned int i = 0, from = rnd(r); i < CGROUPS && from & 16; i++) {
		int fd = w->cgroups[(from + i) % CGROUPS];

		if (fd < 0)
			continue;
		attr->target = PEV_TARGET_CGROUP;
		attr->target_id = fd;
		break;
	}
}

static void hardware(struct rng *r, struct pev_attr *attr)
{
	static const uint64_t flags[] = {
		PEV_F_EXCLUDE_HV, PEV_F_EXCLUDE_GUEST, PEV_F_EXCLUDE_HOST, PEV_F_PINNED,
		PEV_F_EXCLUSIVE, PEV_F_MARKED, PEV_F_USER_PAGE, PEV_F_FREQ,
	};

	attr->type = one_in(r, 2) ? PEV_TYPE_RAW : PEV_TYPE_HARDWARE;
	attr->config = attr->type == PEV_TYPE_RAW ? (one_in(r, 4) ? strange(r) : 0x1c4) :
						    below(r, PEV_HW_MAX);
	if (one_in(r, 2))
		attr->flags |= flags[below(r, ARRAY_SIZE(flags))];
	if (one_in(r, 6))
		attr->flags |= PEV_F_PRECISE(1 + below(r, 3));
	/* perf's kinds of events, probes among them, and the first PMUs that it has here */
	if (attr->type == PEV_TYPE_RAW && !one_in(r, 3)) {
		attr->pmu = one_in(r, 8) ? (uint32_t)strange(r) : below(r, 16);
		attr->config = one_in(r, 4) ? strange(r) : below(r, 4);
	}
}

/* What it is an event of; the channel is known. */
static void source(struct player *w, struct rng *r, struct pev_attr *attr,
		   struct layout *layout)
{
	unsigned int kind = below(r, 100);

	*layout = (struct layout){ .known = true, .lens = -1 };
	if (kind < 40) {
		point(w, r, attr, layout);
	} else if (kind < 62) {
		attr->type = PEV_TYPE_SOFTWARE;
		attr->config = below(r, PEV_SW_MAX);
		if (attr->channel_fd >= 0 && attr->config < PEV_SW_PAGE_FAULTS)
			attr->config = PEV_SW_CONTEXT_SWITCHES;
	} else if (kind < 70) {
		attr->type = PEV_TYPE_TIMER;
		attr->config = below(r, PEV_TIMER_MAX);
		if (one_in(r, 6))
			attr->flags |= one_in(r, 2) ? PEV_F_EXCLUDE_HOST : PEV_F_EXCLUDE_GUEST;
	} else if (kind < 78 && attr->channel_fd >= 0) {
		sideband(r, attr, layout);
	} else if (kind < 82 && attr->channel_fd >= 0) {
		attr->type = PEV_TYPE_USTACK;
		layout->fixed = sizeof(struct pev_ustack_record);
	} else if (kind < 87) {
		hardware(r, attr);
	} else if (kind < 92) {
		attr->type = PEV_TYPE_WAIT;
	} else {
		attr_probe(r, attr, layout);
	}
}

static void period(struct rng *r, struct pev_attr *attr)
{
	switch (attr->type) {
	case PEV_TYPE_TIMER:
		attr->period = one_in(r, 16) ? PEV_MIN_TIMER_NS : 1000000 << below(r, 6);
		if (slow)
			attr->period *= 50;
		if (one_in(r, 4)) {
			attr->flags |= PEV_F_FREQ;
			attr->period = 1 + below(r, slow ? 20 : 1000);
		}
		break;
	case PEV_TYPE_SIDEBAND:
	case PEV_TYPE_USTACK:
		attr->period = below(r, 2);
		break;
	case PEV_TYPE_WAIT:
		attr->period = one_in(r, 3) ? 1ULL << below(r, 63) : 0;
		break;
	case PEV_TYPE_HARDWARE:
	case PEV_TYPE_RAW:
		if (attr->channel_fd >= 0)
			attr->period = attr->flags & PEV_F_FREQ ? 1000 : 10000 + below(r, 100000);
		break;
	default:
		if (attr->channel_fd >= 0)
			attr->period = one_in(r, 3) ? 1 + below(r, 20) : 1;
	}
}

void attr_event(struct player *w, struct rng *r, struct pev_attr *attr, struct layout *layout)
{
	struct channel *c = one_in(r, 3) ? NULL : pick_channel(w, rnd(r));
	struct event *leader = one_in(r, 4) ? pick_event(w, rnd(r)) : NULL;

	memset(attr, 0, sizeof(*attr));
	attr->channel_fd = c ? c->fd : -1;
	attr->group_fd = -1;
	source(w, r, attr, layout);
	if (c)
		sample(w, r, attr);
	if (attr->type == PEV_TYPE_WAIT)
		layout->fixed = attr->sample & PEV_SAMPLE_KSTACK ?
					sizeof(struct pev_wait_record) :
					offsetof(struct pev_wait_record, stack);
	target(w, r, attr);
	period(r, attr);
	if (leader) {
		attr->group_fd = leader->fd;
		attr->target = leader->attr.target;
		attr->target_id = leader->attr.target_id;
		attr->cpus = leader->attr.cpus;
		attr->cpus_size = leader->attr.cpus_size;
		if (attr->target > PEV_TARGET_SUBTREE)
			attr->flags &= ~PEV_F_ENABLE_ON_EXEC;
	}
	if (one_in(r, 3))
		attr->flags |= PEV_F_DISABLED;
	if (one_in(r, 6))
		attr->flags |= PEV_F_READ_GROUP;
	if (one_in(r, 16))
		attr->flags |= PEV_F_EXCLUDE_USER;
	if (w->root && one_in(r, 8))
		attr->flags |= PEV_F_EXCLUDE_KERNEL;
	if (attr->flags & PEV_F_EXCLUDE_USER)
		attr->flags &= ~PEV_F_EXCLUDE_KERNEL;
	if (attr->channel_fd >= 0 && one_in(r, 8))
		attr->flags |= PEV_F_START << below(r, 3);
	layout->sample = attr->sample;
}

void mutate(struct rng *r, void *data, size_t size)
{
	size_t word = below(r, size / sizeof(uint32_t));
	uint64_t value = one_in(r, 3) ? below(r, 16) : strange(r);
	uint32_t *at = (uint32_t *)data + word;

	switch (below(r, 4)) {
	case 0:
		*at = value;
		break;
	case 1: /* a member of 64 bits */
		at -= word & 1;
		memcpy(at, &value, word / 2 * 2 + 2 > size / sizeof(*at) ? 4 : 8);
		break;
	case 2:		/* a bit */
		*at ^= 1U << below(r, 32);
		break;
	case 3:
		*at += below(r, 5) - 2;
	}
}

void mutate_text(struct rng *r, char *text, size_t size)
{
	static const char bytes[] = { 'a', '\0', ' ', '*', '"', '\\', ':', '_', '9', '\xff' };
	size_t at = below(r, size), n = one_in(r, 4) ? size - at : 1 + below(r, size - at);

	if (one_in(r, 2))
		n = 1;
	memset(text + at, bytes[below(r, sizeof(bytes))], n);
}

static uint64_t bad_pointer(struct rng *r)
{
	switch (below(r, 4)) {
	case 0:
		return below(r, 2 * PAGE);
	case 1:
		return (uintptr_t)last_page + PAGE - below(r, 16);
	case 2:		/* text of this program: can be read and not be written */
		return (uintptr_t)&bad_pointer;
	default:
		return 1ULL << 47;
	}
}

/* A call may write its answer here: the memory around holds no data of this process. */
uint64_t attr_room(struct rng *r)
{
	return (uintptr_t)out_page + below(r, PAGE);
}

/*
 * An address that a call writes to, mutated: it stays one where nothing can be written, or
 * gets one of the page for answers. Anything else is memory of this process, which then
 * breaks by its own fault.
 */
static uint64_t confine(uint64_t address)
{
	if (address < PAGE * 16 || address >= 1ULL << 47 ||
	    address == (uintptr_t)&bad_pointer ||
	    address - (uintptr_t)last_page + GUARD < 2 * GUARD ||
	    address - (uintptr_t)out_page + GUARD < 2 * GUARD)
		return address;
	return (uintptr_t)out_page + address % PAGE;
}

void attr_mutate(struct player *w, struct rng *r, struct pev_attr *attr, size_t *size,
		 uint32_t *flags)
{
	unsigned int n = 1 + below(r, 2);

	while (n--)
		switch (below(r, 12)) {
		case 0:
			*size = one_in(r, 2) ? below(r, 2 * sizeof(*attr)) : strange(r);
			break;
		case 1:
			*flags = strange(r);
			break;
		case 2:
			attr->name = bad_pointer(r);
			break;
		case 3:
			attr->filter = bad_pointer(r);
			break;
		case 4:
			attr->refusal = bad_pointer(r);
			attr->refusal_size = below(r, 600);
			break;
		case 5:
			attr->cpus = bad_pointer(r);
			attr->cpus_size = 8 * below(r, 4);
			break;
		case 6:	/* another descriptor */
			attr->channel_fd = w->others[below(r, OTHERS)];
			break;
		case 7:
			attr->group_fd = below(r, 40);
			break;
		default:
			mutate(r, attr, sizeof(*attr));
		}
	attr->refusal = confine(attr->refusal);
	attr->info = confine(attr->info);
	/* the kernel clears what its answer leaves of the buffer: the guard is to stop that */
	if (attr->info_size > GUARD)
		attr->info_size = GUARD;
	/* whole gigabytes are refused as they should; they are not what is looked for */
	if (attr->type == PEV_TYPE_CHANNEL && attr->ring_size > 1 << 20)
		attr->ring_size = 1 << 20;
	if (attr->type == PEV_TYPE_TIMER && attr->period < 50000 && !(attr->flags & PEV_F_FREQ))
		attr->period *= 10000;
}
