// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Turns our attributes into perf's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "engine/perf/attr.h"
#include "engine/perf/calls.h"
#include "engine/perf/error.h"
#include "engine/perf/tracepoint.h"

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const uint8_t software[] = {
	[PEV_SW_CPU_CLOCK] = PERF_COUNT_SW_CPU_CLOCK,
	[PEV_SW_TASK_CLOCK] = PERF_COUNT_SW_TASK_CLOCK,
	[PEV_SW_PAGE_FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
	[PEV_SW_PAGE_FAULTS_MIN] = PERF_COUNT_SW_PAGE_FAULTS_MIN,
	[PEV_SW_PAGE_FAULTS_MAJ] = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	[PEV_SW_CONTEXT_SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	[PEV_SW_CPU_MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
	[PEV_SW_ALIGNMENT_FAULTS] = PERF_COUNT_SW_ALIGNMENT_FAULTS,
	[PEV_SW_EMULATION_FAULTS] = PERF_COUNT_SW_EMULATION_FAULTS,
};

static const struct {
	uint32_t type;
	uint64_t config;
} hardware[] = {
	[PEV_HW_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[PEV_HW_REF_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	[PEV_HW_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[PEV_HW_BRANCHES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	[PEV_HW_BRANCH_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	[PEV_HW_CACHE_REFS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	[PEV_HW_CACHE_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	[PEV_HW_STALLED_FRONT] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	[PEV_HW_STALLED_BACK] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	[PEV_HW_BUS_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	[PEV_HW_L1D_LOADS] = { PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
	[PEV_HW_L1D_MISSES] = { PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	[PEV_HW_L1I_MISSES] = { PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS) },
	[PEV_HW_LLC_LOADS] = { PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS) },
	[PEV_HW_LLC_MISSES] = { PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS) },
	[PEV_HW_DTLB_LOADS] = { PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS) },
	[PEV_HW_DTLB_MISSES] = { PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS) },
	[PEV_HW_ITLB_MISSES] = { PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS) },
};

static const uint8_t timers[] = {
	[PEV_TIMER_CPU_CLOCK] = PERF_COUNT_SW_CPU_CLOCK,
	[PEV_TIMER_TASK_CLOCK] = PERF_COUNT_SW_TASK_CLOCK,
};

_Static_assert(ARRAY_SIZE(timers) == PEV_TIMER_MAX, "a timer has no counterpart");
_Static_assert(ARRAY_SIZE(software) == PEV_SW_MAX, "a software event has no counterpart");
_Static_assert(ARRAY_SIZE(hardware) == PEV_HW_MAX, "a hardware event has no counterpart");

PEV_EXPORT int pev_config_perf(uint32_t type, uint64_t config, uint32_t *perf_type,
			       uint64_t *perf_config)
{
	*perf_type = PERF_TYPE_SOFTWARE;
	if (type == PEV_TYPE_SOFTWARE && config < ARRAY_SIZE(software)) {
		*perf_config = software[config];
	} else if (type == PEV_TYPE_TIMER && config < ARRAY_SIZE(timers)) {
		*perf_config = timers[config];
	} else if (type == PEV_TYPE_HARDWARE && config < ARRAY_SIZE(hardware)) {
		*perf_type = hardware[config].type;
		*perf_config = hardware[config].config;
	} else {
		return -ENOENT;
	}
	return 0;
}

/* perf_event_attr.type and .config; @what: for the message */
static int set_config(const struct pev_attr *from, struct perf_event_attr *to, const char *what,
		      struct pev_error *err)
{
	uint64_t config;

	if (pev_config_perf(from->type, from->config, &to->type, &config))
		return pev_fail(err, EINVAL, 0, "there is no such %s", what);
	to->config = config;
	return 0;
}

/* These happen in the kernel only: without the kernel side, perf would drop them silently. */
static bool happens_in_kernel(uint64_t config)
{
	return config == PEV_SW_CONTEXT_SWITCHES || config == PEV_SW_CPU_MIGRATIONS;
}

/* Must what the host does and what guests do be distinguished? */
static bool perf_tells_guests(const struct pev_attr *from)
{
	return from->target == PEV_TARGET_GUEST ||
	       from->flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST);
}

static int check_guests(const struct pev_attr *from, struct pev_error *err)
{
	bool counter = from->type == PEV_TYPE_HARDWARE || from->type == PEV_TYPE_RAW;

	if (NO_GUESTS(true) && from->target == PEV_TARGET_GUEST)
		return pev_fail(err, EOPNOTSUPP, 0,
				"PEV_TARGET_GUEST: perf does not say on this architecture whether "
				"a guest was hit");
	if (from->target == PEV_TARGET_GUEST && !counter && from->type != PEV_TYPE_TIMER)
		return pev_fail(err, EOPNOTSUPP, 0,
				"of a guest, timers and hardware counters alone can see something: "
				"for the rest take PEV_TARGET_PROCESS");
	if (from->type == PEV_TYPE_TIMER && from->channel_fd < 0)
		return pev_fail(err, EOPNOTSUPP, 0,
				"perf_event_open(2) counts clocks of the host and of guests alike: "
				"record samples, or load pev into the kernel");
	return 0;
}

static int set_software(const struct pev_attr *from, struct perf_event_attr *to,
			struct pev_error *err)
{
	if (happens_in_kernel(from->config) && (from->flags & PEV_F_EXCLUDE_KERNEL))
		return pev_fail(err, EACCES, 0,
				"it happens in the kernel, which may not be measured "
				"here: as root, \"sysctl kernel.perf_event_paranoid=1\" lets "
				"everyone, \"setcap cap_perfmon+ep\" on perfctl its users");
	return set_config(from, to, "software event", err);
}

static int set_timer(const struct pev_attr *from, struct perf_event_attr *to,
		     struct pev_error *err)
{
	/* idle CPUs are not where the time goes */
	to->exclude_idle = 1;
	return set_config(from, to, "timer", err);
}

/* One perf event delivers the whole sideband, another what only whole CPUs tell. */
static int set_sideband(const struct perf_engine *engine, const struct pev_attr *from,
			struct perf_event_attr *to)
{
	to->type = PERF_TYPE_SOFTWARE;
	to->config = PERF_COUNT_SW_DUMMY;
	to->exclude_kernel = 1;
	if (from->config == PERF_SB_FUNCTION) {
		to->ksymbol = 1;
		return 0;
	}
	to->mmap = to->mmap2 = to->comm = to->comm_exec = to->task = 1;
	if (engine->features & PERF_HAS_BUILD_ID)
		to->build_id = 1;
	return 0;
}

/*
 * Of a thread's own switches anybody may know. They have no call chain, and nothing of what woke the
 * thread.
 */
static int set_switches(const struct pev_attr *from, struct perf_event_attr *to,
			struct pev_error *err)
{
	if (from->target == PEV_TARGET_CPUS || from->target == PEV_TARGET_CGROUP)
		return pev_fail(err, EOPNOTSUPP, 0,
				"waits are those of threads: the target must be a task, a process "
				"or a subtree");
	if (from->channel_fd < 0)
		return pev_fail(
			err, EOPNOTSUPP, 0,
			"perf_event_open(2) does not add waits up: it only records switches, "
			"which needs a channel");
	to->type = PERF_TYPE_SOFTWARE;
	to->config = PERF_COUNT_SW_DUMMY;
	to->exclude_kernel = 1;
	to->context_switch = 1;
	return 0;
}

/* The ABI of a system call is in the registers of the program: any of them will do. */
static void set_calls(struct perf_event_attr *to)
{
	to->sample_type |= PERF_SAMPLE_REGS_USER;
	if (!to->sample_regs_user)
		to->sample_regs_user = 1;
}

static int set_tracepoint(const struct perf_engine *engine, const struct pev_attr *from,
			  struct perf_event_attr *to, struct perf_class *cls,
			  struct pev_error *err)
{
	const char *name = (const char *)(uintptr_t)from->name;
	int ret = perf_tracepoint_format(engine, name, &cls->format, err);

	if (!ret && !tp_format_usable(&cls->format))
		ret = pev_fail(err, EOPNOTSUPP, 0,
			       "its fields have names that a trace cannot have");
	to->type = PERF_TYPE_TRACEPOINT;
	to->config = cls->format.id;
	return ret;
}

static int set_type(const struct perf_engine *engine, const struct pev_attr *from,
		    struct perf_event_attr *to, struct perf_class *cls, struct pev_error *err)
{
	int ret;

	switch (from->type) {
	case PEV_TYPE_SOFTWARE:
		return set_software(from, to, err);
	case PEV_TYPE_TIMER:
		return set_timer(from, to, err);
	case PEV_TYPE_SIDEBAND:
		return set_sideband(engine, from, to);
	case PEV_TYPE_WAIT:
		return set_switches(from, to, err);
	case PEV_TYPE_TRACEPOINT:
		return set_tracepoint(engine, from, to, cls, err);
	case PEV_TYPE_HARDWARE:
		ret = set_config(from, to, "hardware event", err);
		/* of one kind of core; 0 leaves it to perf */
		to->config |= (uint64_t)from->pmu << 32;
		return ret;
	case PEV_TYPE_RAW:
		to->type = from->pmu ? from->pmu : PERF_TYPE_RAW;
		to->config = from->config;
		to->config1 = from->config1;
		to->config2 = from->config2;
		return 0;
	case PEV_TYPE_MARKER:
		return pev_fail(err, EOPNOTSUPP, 0,
				"perf_event_open(2) knows no markers: they need "
				"a kernel with pev");
	default:
		return pev_fail(err, EOPNOTSUPP, 0, "perf_event_open(2) has nothing like it");
	}
}

/*
 * perf's clocks go on in guests, whatever is excluded, and the modes that they exclude are those of
 * the host: samples say what they hit, and what is not wanted of them is left out.
 */
static void tell_guests(const struct pev_attr *from, struct perf_event_attr *to,
			struct perf_class *cls)
{
	bool target = from->target == PEV_TARGET_GUEST;

	to->exclude_host |= target;
	if (from->type != PEV_TYPE_TIMER || !perf_tells_guests(from))
		return;
	cls->excludes = from->flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST |
				       PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL);
	cls->excludes |= target ? PEV_F_EXCLUDE_HOST : 0;
	to->exclude_host = to->exclude_guest = 0;
	to->exclude_user = to->exclude_kernel = 0;
}

static void set_flags(const struct pev_attr *from, struct perf_event_attr *to)
{
	uint64_t f = from->flags;

	/* a filter must be there before the first occurrence */
	to->disabled = (f & PEV_F_DISABLED) || from->filter;
	to->enable_on_exec = !!(f & PEV_F_ENABLE_ON_EXEC);
	to->exclude_user = !!(f & PEV_F_EXCLUDE_USER);
	to->exclude_kernel |= !!(f & PEV_F_EXCLUDE_KERNEL);
	to->exclude_hv = !!(f & PEV_F_EXCLUDE_HV);
	to->exclude_host = !!(f & PEV_F_EXCLUDE_HOST);
	to->exclude_guest = !!(f & PEV_F_EXCLUDE_GUEST);
	to->pinned = !!(f & PEV_F_PINNED) && from->group_fd < 0;
	to->precise_ip = PEV_EF_PRECISE_LEVEL(f);
	to->exclusive = !!(f & PEV_F_EXCLUSIVE) && from->group_fd < 0;
}

/* Sets what each record of a channel has, and what this event's have. */
static void set_sample(const struct pev_attr *from, struct perf_event_attr *to,
		       struct perf_class *cls)
{
	static const struct {
		uint64_t ours, perf;
	} bits[] = {
		{ PEV_SAMPLE_IP, PERF_SAMPLE_IP }, { PEV_SAMPLE_ADDR, PERF_SAMPLE_ADDR },
		{ PEV_SAMPLE_PERIOD, PERF_SAMPLE_PERIOD }, { PEV_SAMPLE_CPU, PERF_SAMPLE_CPU },
		{ PEV_SAMPLE_KSTACK, PERF_SAMPLE_CALLCHAIN },
		{ PEV_SAMPLE_USTACK, PERF_SAMPLE_CALLCHAIN },
		{ PEV_SAMPLE_UREGS, PERF_SAMPLE_REGS_USER },
		{ PEV_SAMPLE_USTACK_DUMP, PERF_SAMPLE_STACK_USER },
	};

	to->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	to->sample_id_all = 1;
	to->use_clockid = 1;
	to->clockid = CLOCK_MONOTONIC;
	cls->sample = from->type == PEV_TYPE_WAIT ? 0 : from->sample;
	cls->cgroup = from->flags & PEV_EF_CGROUP;
	/* asked for the period, perf takes a sample at every occurrence of these */
	if ((to->type == PERF_TYPE_SOFTWARE || to->type == PERF_TYPE_TRACEPOINT) &&
	    !(from->flags & PEV_F_FREQ))
		cls->sample &= ~(uint64_t)PEV_SAMPLE_PERIOD;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (cls->sample & bits[i].ours)
			to->sample_type |= bits[i].perf;
	if (to->type == PERF_TYPE_TRACEPOINT)
		to->sample_type |= PERF_SAMPLE_RAW;
	if (cls->cgroup)
		to->sample_type |= PERF_SAMPLE_CGROUP;
	to->exclude_callchain_kernel = !(from->sample & PEV_SAMPLE_KSTACK);
	to->exclude_callchain_user = !(from->sample & PEV_SAMPLE_USTACK);
	to->sample_max_stack = (uint16_t)from->max_stack;
	to->sample_regs_user = from->regs_user;
	to->sample_stack_user = from->stack_user;
	if (from->flags & PEV_EF_CALLS)
		set_calls(to);
}

static void set_period(const struct pev_attr *from, struct perf_event_attr *to,
		       struct perf_class *cls)
{
	to->sample_period = from->period;
	if (from->flags & PEV_F_FREQ)
		to->freq = 1;
	if (from->type == PEV_TYPE_SIDEBAND || from->type == PEV_TYPE_WAIT)
		to->sample_period = 0;
	/* each switch is recorded, however long the wait */
	cls->period = from->type == PEV_TYPE_WAIT ? 0 : from->period;
	cls->freq = to->freq;
}

/* What there is on a kernel with pev only */
static int refuse(const struct perf_engine *engine, const struct pev_attr *from,
		  struct pev_error *err)
{
	if (from->flags & PEV_F_TEXT)
		return pev_fail(err, EOPNOTSUPP, 0,
				"perf_event_open(2) does not copy what arguments "
				"of system calls point to: PEV_F_TEXT needs a kernel with pev");
	if (from->flags & (PEV_F_START | PEV_F_STOP | PEV_F_FREEZE))
		return pev_fail(
			err, EOPNOTSUPP, 0,
			"by perf_event_open(2) no event starts or stops rings when it happens: "
			"triggers need a kernel with pev");
	if (from->flags & PEV_F_MARKED)
		return pev_fail(err, EOPNOTSUPP, 0, "perf_event_open(2) does not mark tasks: "
				"PEV_F_MARKED needs a kernel with pev");
	if (from->sample & PEV_SAMPLE_READ)
		return pev_fail(err, EOPNOTSUPP, 0,
				"values of a group in each sample need a kernel "
				"with pev");
	if (from->flags & PEV_EF_CALLS && perf_calls_check(from, err))
		return -EINVAL;
	if (from->flags & PEV_EF_CGROUP && !(engine->features & PERF_HAS_CGROUP))
		return pev_fail(
			err, EOPNOTSUPP, 0,
			"perf_event_open(2) tells of which cgroup a thread is from Linux 5.7 "
			"on, if the kernel has CONFIG_CGROUP_PERF");
	if (perf_tells_guests(from) && check_guests(from, err))
		return -EOPNOTSUPP;
	if (from->channel_fd >= 0 && !from->period && from->type != PEV_TYPE_SIDEBAND &&
	    from->type != PEV_TYPE_WAIT)
		return pev_fail(err, EINVAL, 0, "an event that records needs a period");
	return 0;
}

int perf_attr_make(const struct perf_engine *engine, const struct pev_attr *from,
		   struct perf_event_attr *to, struct perf_class *cls, struct pev_error *err)
{
	int ret = refuse(engine, from, err);

	*to = (struct perf_event_attr){ .size = sizeof(*to) };
	*cls = (struct perf_class){ .type = from->type };
	if (!ret)
		ret = set_type(engine, from, to, cls, err);
	if (ret)
		return ret;
	set_flags(from, to);
	tell_guests(from, to, cls);
	to->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (engine->features & PERF_HAS_LOST)
		to->read_format |= PERF_FORMAT_LOST_BIT;
	if (from->channel_fd < 0)
		return 0;
	set_sample(from, to, cls);
	set_period(from, to, cls);
	return 0;
}
