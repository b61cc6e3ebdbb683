// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the system call: every copy from the user, the checks that need no
 * knowledge of a source or target, permission, the fd. Must not know how
 * anything works.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/perf_event.h>
#include <linux/pev.h>
#include <linux/security.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include "catalog.h"
#include "channel.h"
#include "control.h"
#include "event.h"
#include "pmu.h"
#include "refuse.h"
#include "sample.h"
#include "software.h"
#include "target.h"

/*
 * kernel.pev_paranoid, each level adds to the ones before:
 * -1 everything on tasks that one may trace, and all CPUs
 *  0 tracepoints and markers need CAP_PERFMON
 *  1 CPUs, the whole machine and cgroups do too
 *  2 the kernel's side of one's own tasks does too (default)
 *  3 everything does
 *  4 off: nothing is opened but queries and lists
 */
#define PARANOID_MIN		-1
#define PARANOID_TRACE		0
#define PARANOID_MACHINE	1
#define PARANOID_KERNEL		2
#define PARANOID_ALL		3
#define PARANOID_OFF		4

int sysctl_pev_paranoid __read_mostly = PARANOID_KERNEL;

static const int paranoid_min = PARANOID_MIN;
static const int paranoid_max = PARANOID_OFF;

static struct ctl_table pev_sysctls[] = {
	{
		.procname	= "pev_paranoid",
		.data		= &sysctl_pev_paranoid,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= (void *)&paranoid_min,
		.extra2		= (void *)&paranoid_max,
	},
};

static void __maybe_unused build_check_abi(void)
{
	BUILD_BUG_ON(sizeof(struct pev_attr) != PEV_ATTR_SIZE_VER0);
	BUILD_BUG_ON(offsetof(struct pev_attr, refusal) != 120);
	BUILD_BUG_ON(offsetof(struct pev_attr, refusal_size) != 136);
	BUILD_BUG_ON(sizeof(struct pev_refusal) != 24);
	BUILD_BUG_ON(sizeof(struct pev_info) != 152);
	BUILD_BUG_ON(sizeof(struct pev_value) != 48);
	BUILD_BUG_ON(sizeof(struct pev_multiplexed) != 104);
	BUILD_BUG_ON(sizeof(struct pev_user_page) != 40);
	BUILD_BUG_ON(sizeof(struct pev_id) != 16);
	BUILD_BUG_ON(sizeof(struct pev_filter_arg) != 24);
	BUILD_BUG_ON(sizeof(struct pev_cpu_values) != 16);
	BUILD_BUG_ON(sizeof(struct pev_span) != 16);
	BUILD_BUG_ON(sizeof(struct pev_snapshot_arg) != 16);
	BUILD_BUG_ON(sizeof(struct pev_channel_info) != 112);
	BUILD_BUG_ON(sizeof(struct pev_call_text) != 2);
	BUILD_BUG_ON(sizeof(struct pev_packet) != 80);
	BUILD_BUG_ON(offsetof(struct pev_packet, cpu_id) != 72);
	BUILD_BUG_ON(offsetof(struct pev_ring_kernel, head) != 64);
	BUILD_BUG_ON(sizeof(struct pev_ring_kernel) > PAGE_SIZE);
}

int pev_copy_struct_to_user(void __user *to, size_t usize, const void *from, size_t ksize)
{
	size_t size = min(usize, ksize);

	if (copy_to_user(to, from, size))
		return -EFAULT;
	if (usize > size && clear_user(to + size, usize - size))
		return -EFAULT;
	return 0;
}

/* ---- which members go with which type ---- */

#define T(type)		(1U << PEV_TYPE_##type)
#define HARDWARE	(T(HARDWARE) | T(RAW))
#define EVENTS		(T(SOFTWARE) | T(TIMER) | T(TRACEPOINT) | T(MARKER) | T(SIDEBAND) | \
			 HARDWARE)
#define NAMED		(T(TRACEPOINT) | T(MARKER))
#define CONFIGURED	(T(SOFTWARE) | T(TIMER) | T(SIDEBAND) | T(TRACEPOINT) | HARDWARE)

/**
 * struct member - a member of struct pev_attr
 * @name:   for the explanation
 * @offset: where
 * @size:   4 or 8
 * @fd:     -1 counts as unset
 * @types:  mask of types that look at it
 */
struct member {
	const char	*name;
	u16		offset;
	u8		size;
	bool		fd;
	u32		types;
};

#define MEMBER(m, s, f, t) \
	{ .name = #m, .offset = PEV_FIELD(m), .size = (s), .fd = (f), .types = (t) }

static const struct member members[] = {
	MEMBER(target, sizeof(u32), false, EVENTS),
	MEMBER(flags, sizeof(u64), false, EVENTS | T(CHANNEL)),
	MEMBER(sample, sizeof(u64), false, EVENTS),
	MEMBER(config, sizeof(u64), false, CONFIGURED),
	MEMBER(name, sizeof(u64), false, NAMED | HARDWARE),
	MEMBER(filter, sizeof(u64), false, NAMED),
	MEMBER(period, sizeof(u64), false, EVENTS),
	MEMBER(channel_fd, sizeof(s32), true, EVENTS),
	MEMBER(group_fd, sizeof(s32), true, EVENTS),
	MEMBER(target_id, sizeof(s32), true, EVENTS),
	MEMBER(cpus_size, sizeof(u32), false, EVENTS),
	MEMBER(cpus, sizeof(u64), false, EVENTS),
	MEMBER(regs_user, sizeof(u64), false, EVENTS),
	MEMBER(stack_user, sizeof(u32), false, EVENTS),
	MEMBER(max_stack, sizeof(u32), false, EVENTS),
	MEMBER(ring_size, sizeof(u64), false, T(CHANNEL)),
	MEMBER(packet_size, sizeof(u32), false, T(CHANNEL)),
	MEMBER(watermark, sizeof(u32), false, T(CHANNEL)),
	MEMBER(flush_ms, sizeof(u32), false, T(CHANNEL)),
	MEMBER(clock, sizeof(u32), false, T(CHANNEL)),
	MEMBER(info, sizeof(u64), false, T(INFO)),
	MEMBER(info_size, sizeof(u32), false, T(INFO)),
};

static bool member_is_set(const struct pev_attr *attr, const struct member *m)
{
	const void *at = (const void *)attr + m->offset;

	if (m->size == sizeof(u64))
		return *(const u64 *)at;
	if (m->fd && *(const s32 *)at == -1)
		return false;
	return *(const u32 *)at;
}

static int check_members(const struct pev_attr *attr, struct pev_refuse *r)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		const struct member *m = &members[i];

		if (!(m->types & (1U << attr->type)) && member_is_set(attr, m))
			return pev_refuse(r, EINVAL, m->offset,
					  "%s has no meaning for type %u: set it to 0",
					  m->name, attr->type);
	}
	return 0;
}

/* ---- checks of events and channels ---- */

static int check_target(const struct pev_attr *attr, struct pev_refuse *r)
{
	bool cpus = attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP;

	if (attr->target == PEV_TARGET_NONE || attr->target >= PEV_TARGET_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(target), PEV_TARGET_TASK,
					PEV_TARGET_MAX - 1,
					"an event needs a target, %u is none", attr->target);
	if (attr->cpus_size && !cpus)
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus_size),
				  "a CPU mask goes with PEV_TARGET_CPUS and PEV_TARGET_CGROUP only");
	if (attr->cpus_size % sizeof(u64) ||
	    attr->cpus_size > round_up(nr_cpu_ids, 64) / 8)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(cpus_size), 0,
					round_up(nr_cpu_ids, 64) / 8,
					"cpus_size %u is not a multiple of 8 in the range",
					attr->cpus_size);
	if (attr->cpus && !attr->cpus_size)
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus), "a CPU mask needs its cpus_size");
	if (attr->target == PEV_TARGET_CPUS && attr->target_id > 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(target_id),
				  "target_id has no meaning for PEV_TARGET_CPUS: set it to 0");
	if (attr->target_id < 0 && attr->target != PEV_TARGET_CPUS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(target_id), 0, S32_MAX,
					"target_id %d is negative", attr->target_id);
	if (cpus && (attr->flags & PEV_F_ENABLE_ON_EXEC))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_ENABLE_ON_EXEC waits for a task: it goes with task, process and subtree targets");
	return 0;
}

#define HARDWARE_FLAGS	(PEV_F_EXCLUDE_HV | PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST | \
			 PEV_F_PINNED | PEV_F_EXCLUSIVE | PEV_F_MARKED | PEV_F_USER_PAGE)

static int check_flags(const struct pev_attr *attr, struct pev_refuse *r)
{
	u64 unknown;

	unknown = attr->flags & ~(attr->type == PEV_TYPE_CHANNEL ? PEV_CHF_ALL : PEV_F_ALL);
	if (unknown)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "flags has bits that this kernel does not know: 0x%llx",
				  unknown);
	unknown = attr->sample & ~PEV_SAMPLE_ALL;
	if (unknown)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "sample has bits that this kernel does not know: 0x%llx",
				  unknown);
	if (attr->type == PEV_TYPE_CHANNEL)
		return 0;
	if ((attr->flags & PEV_F_FREQ) && !(BIT(attr->type) & (T(TIMER) | HARDWARE)))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_FREQ is for timers and hardware counters: give a period");
	unknown = attr->flags & HARDWARE_FLAGS;
	if (unknown && !(BIT(attr->type) & HARDWARE))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "flags 0x%llx are for hardware counters", unknown);
	if ((attr->flags & PEV_F_TEXT) && attr->type != PEV_TYPE_TRACEPOINT)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_TEXT is for tracepoints of system calls");
	if ((attr->flags & PEV_F_EXCLUDE_USER) && (attr->flags & PEV_F_EXCLUDE_KERNEL))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "excluding user and kernel mode leaves nothing");
	if (attr->channel_fd < -1)
		return pev_refuse(r, EBADF, PEV_FIELD(channel_fd),
				  "channel_fd %d: -1 means none", attr->channel_fd);
	if (attr->group_fd < -1)
		return pev_refuse(r, EBADF, PEV_FIELD(group_fd),
				  "group_fd %d: -1 means none", attr->group_fd);
	return 0;
}

/* Does a record show where the kernel was, or a counter what it did? */
static bool shows_kernel(const struct pev_attr *attr)
{
	if (attr->flags & PEV_F_EXCLUDE_KERNEL)
		return false;
	if (BIT(attr->type) & HARDWARE)
		return true;
	return attr->channel_fd >= 0 &&
	       ((attr->sample & (PEV_SAMPLE_IP | PEV_SAMPLE_KSTACK)) ||
		attr->type == PEV_TYPE_TIMER);
}

/* The levels that refuse whatever is asked for. */
static int check_any(int level, struct pev_refuse *r)
{
	if (level >= PARANOID_OFF)
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "pev is switched off: kernel.pev_paranoid is %d", level);
	if (level >= PARANOID_ALL && !perfmon_capable())
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "CAP_PERFMON is needed for everything: kernel.pev_paranoid is %d",
				  level);
	return 0;
}

static int check_paranoid(const struct pev_attr *attr, struct pev_refuse *r)
{
	int level = READ_ONCE(sysctl_pev_paranoid);
	int err = check_any(level, r);

	if (err || level < PARANOID_TRACE || perfmon_capable())
		return err;
	if (level >= PARANOID_MACHINE &&
	    (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP))
		return pev_refuse(r, EACCES, PEV_FIELD(target),
				  "CPUs, the machine and cgroups need CAP_PERFMON: kernel.pev_paranoid is %d",
				  level);
	if (level >= PARANOID_KERNEL && shows_kernel(attr))
		return pev_refuse(r, EACCES, PEV_FIELD(flags),
				  "what the kernel does needs CAP_PERFMON (kernel.pev_paranoid is %d): set PEV_F_EXCLUDE_KERNEL",
				  level);
	return 0;
}

/* The hooks that Linux has for perf: the same questions are asked here. */
static int check_security(const struct pev_attr *attr, struct pev_refuse *r)
{
	bool named = (1U << attr->type) & NAMED;
	int err;

	err = security_perf_event_open(PERF_SECURITY_OPEN);
	if (!err && (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP))
		err = security_perf_event_open(PERF_SECURITY_CPU);
	if (!err && shows_kernel(attr))
		err = security_perf_event_open(PERF_SECURITY_KERNEL);
	if (!err && named)
		err = security_perf_event_open(PERF_SECURITY_TRACEPOINT);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the security module refuses");
	if (named || shows_kernel(attr)) {
		err = security_locked_down(LOCKDOWN_PERF);
		if (err)
			return pev_refuse(r, -err, PEV_NO_FIELD,
					  "the kernel is locked down: kernel data stays inside");
	}
	return 0;
}

/* ---- what each type does ---- */

static int open_info(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_info info = {
		.size		= sizeof(info),
		.abi_version	= PEV_ABI_VERSION,
		.types		= (1ULL << PEV_TYPE_MAX) - 1,
		.event_flags	= PEV_F_ALL,
		.sample		= PEV_SAMPLE_ALL,
		.channel_flags	= PEV_CHF_ALL,
		.targets	= ((1ULL << PEV_TARGET_MAX) - 1) & ~1ULL,
		.paranoid	= READ_ONCE(sysctl_pev_paranoid),
		.nr_tracepoints	= pev_tracepoint_count(),
		.nr_markers	= pev_marker_count(),
	};
	struct pev_trace_clock clock;
	unsigned int i;

	for (i = 0; i < PEV_SW_MAX; i++)
		if (pev_software_name(i))
			info.software |= 1ULL << i;
	info.regs_user = pev_sample_regs();
	if (!info.regs_user)
		info.sample &= ~PEV_SAMPLE_UREGS;
	if (!IS_ENABLED(CONFIG_CGROUPS))
		info.targets &= ~(1ULL << PEV_TARGET_CGROUP);
	pev_pmu_info(&info);
	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	info.clock = clock.type;
	info.clock_freq = clock.freq;
	if (attr->info_size < sizeof(info.size) || !attr->info)
		return pev_refuse(r, EINVAL, PEV_FIELD(info_size),
				  "a query needs info and at least %zu bytes there",
				  sizeof(info.size));
	if (attr->info_size > PAGE_SIZE)
		return pev_refuse(r, E2BIG, PEV_FIELD(info_size), "info_size is too large");
	return pev_copy_struct_to_user(u64_to_user_ptr(attr->info), attr->info_size, &info,
				       sizeof(info));
}

static struct file *open_channel(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_channel *channel;
	struct file *file;

	if (attr->clock >= PEV_CLOCK_MAX)
		return ERR_PTR(pev_refuse_range(r, EINVAL, PEV_FIELD(clock), 0,
						PEV_CLOCK_MAX - 1,
						"there is no clock %u", attr->clock));
	channel = pev_channel_create(attr, r);
	if (IS_ERR(channel))
		return ERR_CAST(channel);
	file = pev_channel_file(channel);
	if (IS_ERR(file))
		pev_channel_put(channel);
	return file;
}

static struct file *open_event(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_event *event;
	struct file *file;
	int err;

	err = check_target(attr, r);
	if (err)
		return ERR_PTR(err);
	err = check_paranoid(attr, r);
	err = err ?: check_security(attr, r);
	if (err)
		return ERR_PTR(err);
	event = pev_event_create(attr, r);
	if (IS_ERR(event))
		return ERR_CAST(event);
	file = pev_event_file(event);
	if (IS_ERR(file))
		pev_event_close(event);
	return file;
}

static struct file *open_file(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err;

	switch (attr->type) {
	case PEV_TYPE_CATALOG:
		return pev_catalog_file();
	case PEV_TYPE_PMU:
		return pev_pmu_file();
	case PEV_TYPE_CHANNEL:
		err = check_any(READ_ONCE(sysctl_pev_paranoid), r);
		return err ? ERR_PTR(err) : open_channel(attr, r);
	default:
		return open_event(attr, r);
	}
}

static int open_fd(const struct pev_attr *attr, u32 flags, struct pev_refuse *r)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(flags & PEV_OPEN_CLOEXEC ? O_CLOEXEC : 0);
	if (fd < 0)
		return pev_refuse(r, -fd, PEV_NO_FIELD,
				  "this process has no file descriptor left: raise its limit (ulimit -n)");
	file = open_file(attr, r);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static int do_open(const struct pev_attr *attr, u32 flags, struct pev_refuse *r)
{
	int err;

	if (flags & ~PEV_OPEN_CLOEXEC)
		return pev_refuse(r, EINVAL, PEV_NO_FIELD,
				  "the flags argument has bits that this kernel does not know: 0x%x",
				  flags & ~PEV_OPEN_CLOEXEC);
	if (attr->type >= PEV_TYPE_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(type), 0, PEV_TYPE_MAX - 1,
					"this kernel has no type %u", attr->type);
	err = check_members(attr, r);
	err = err ?: check_flags(attr, r);
	if (err)
		return err;
	if (attr->type == PEV_TYPE_INFO)
		return open_info(attr, r);
	return open_fd(attr, flags, r);
}

/* What of a refused structure can be known: where to explain. */
static int refuse_size(const struct pev_attr __user *uattr, size_t size, struct pev_refuse *r)
{
	struct pev_attr attr;

	if (copy_from_user(&attr, uattr, min(size, sizeof(attr))))
		return -EFAULT;
	pev_refuse_range(r, E2BIG, PEV_NO_FIELD, PEV_ATTR_SIZE_VER0, sizeof(attr),
			 "the structure has members beyond %zu bytes that this kernel does not know and that are not 0",
			 sizeof(attr));
	return pev_refuse_report(r, -E2BIG, attr.refusal, attr.refusal_size);
}

/**
 * sys_pev_open - create a channel, an event or a catalog, or query
 * @uattr: what
 * @size:  sizeof(*uattr) as the caller knows it
 * @flags: PEV_OPEN_*
 *
 * Return: a file descriptor (0 for a query), or
 *
 * - %-E2BIG: @size is larger than the kernel's and the rest is not zero, or
 *   larger than a page; info_size is larger than a page
 * - %-EACCES: a right is missing; see kernel.pev_paranoid
 * - %-EBUSY: somebody else has the counters, or the processor's mark
 * - %-EBADF: channel_fd, group_fd, or a cgroup's fd: not open
 * - %-EINTR: a signal came while the target was busy with an exec
 * - %-EFAULT: an address can't be read or written
 * - %-EINVAL: a member's value
 * - %-EMFILE, %-ENFILE: no fd left
 * - %-ENODEV: a CPU of the mask is not online, or there is no PMU
 * - %-ENOENT: no such tracepoint or marker
 * - %-ENOMEM: no memory
 * - %-ENOSPC: the channel has no event id left
 * - %-EOPNOTSUPP: this machine or source can't do that
 * - %-EPERM: RLIMIT_MEMLOCK, or the kernel is locked down
 * - %-ESRCH: no such task, or it has exited
 *
 * and, in the buffer that refusal names, why.
 */
SYSCALL_DEFINE3(pev_open, const struct pev_attr __user *, uattr, size_t, size, __u32, flags)
{
	struct pev_refuse r = {};
	struct pev_attr attr;
	int ret;

	if (size < PEV_ATTR_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&attr, sizeof(attr), uattr, size);
	if (ret == -E2BIG)
		return refuse_size(uattr, size, &r);
	if (ret)
		return ret;
	ret = do_open(&attr, flags, &r);
	PEV_MARK(pev_api, open, "type %u target %u flags %llx result %d", attr.type, attr.target,
		 attr.flags, ret);
	if (ret >= 0)
		return ret;
	return pev_refuse_report(&r, ret, attr.refusal, attr.refusal_size);
}

static int __init pev_init(void)
{
	register_sysctl_init("kernel", pev_sysctls);
	return pev_pmu_setup() ?: pev_target_setup();
}
late_initcall(pev_init);
