// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes attributes of events and channels from the names that people use for them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <pev/pev.h>
#include "core/error.h"

static const char *const types[] = {
	[PEV_TYPE_INFO] = "info",	  [PEV_TYPE_CATALOG] = "catalog",
	[PEV_TYPE_CHANNEL] = "channel",	  [PEV_TYPE_SOFTWARE] = "software",
	[PEV_TYPE_TIMER] = "timer",	  [PEV_TYPE_TRACEPOINT] = "tracepoint",
	[PEV_TYPE_MARKER] = "marker",	  [PEV_TYPE_SIDEBAND] = "sideband",
	[PEV_TYPE_HARDWARE] = "hardware", [PEV_TYPE_RAW] = "raw",
	[PEV_TYPE_PMU] = "pmu",		  [PEV_TYPE_PROBE] = "probe",
	[PEV_TYPE_TABLE] = "table",	  [PEV_TYPE_WAIT] = "wait",
	[PEV_TYPE_CLIENT] = "client",	  [PEV_TYPE_PRODUCER] = "producer",
	[PEV_TYPE_USER] = "user",	  [PEV_TYPE_CONTEXT] = "context",
	[PEV_TYPE_USTACK] = "ustack",	  [PEV_TYPE_CRASH] = "crash",
	[PEV_TYPE_GRANT] = "grant",
};

static const char *const software[] = {
	[PEV_SW_CPU_CLOCK] = "cpu-clock", [PEV_SW_TASK_CLOCK] = "task-clock",
	[PEV_SW_PAGE_FAULTS] = "page-faults", [PEV_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PEV_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PEV_SW_CONTEXT_SWITCHES] = "context-switches",
	[PEV_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PEV_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PEV_SW_EMULATION_FAULTS] = "emulation-faults",
};

static const char *const timers[] = {
	[PEV_TIMER_CPU_CLOCK] = "cpu-clock", [PEV_TIMER_TASK_CLOCK] = "task-clock",
};

static const char *const sidebands[] = {
	[PEV_SB_MMAP] = "mmap", [PEV_SB_COMM] = "comm", [PEV_SB_FORK] = "fork",
	[PEV_SB_EXEC] = "exec", [PEV_SB_EXIT] = "exit",
};

static const char *const hardware[] = {
	[PEV_HW_CYCLES] = "cycles", [PEV_HW_REF_CYCLES] = "ref-cycles",
	[PEV_HW_INSTRUCTIONS] = "instructions", [PEV_HW_BRANCHES] = "branches",
	[PEV_HW_BRANCH_MISSES] = "branch-misses", [PEV_HW_CACHE_REFS] = "cache-references",
	[PEV_HW_CACHE_MISSES] = "cache-misses",
	[PEV_HW_STALLED_FRONT] = "stalled-cycles-frontend",
	[PEV_HW_STALLED_BACK] = "stalled-cycles-backend",
	[PEV_HW_BUS_CYCLES] = "bus-cycles", [PEV_HW_L1D_LOADS] = "L1-dcache-loads",
	[PEV_HW_L1D_MISSES] = "L1-dcache-load-misses",
	[PEV_HW_L1I_MISSES] = "L1-icache-load-misses", [PEV_HW_LLC_LOADS] = "LLC-loads",
	[PEV_HW_LLC_MISSES] = "LLC-load-misses", [PEV_HW_DTLB_LOADS] = "dTLB-loads",
	[PEV_HW_DTLB_MISSES] = "dTLB-load-misses", [PEV_HW_ITLB_MISSES] = "iTLB-load-misses",
};

/* perf's other names */
static const struct { const char *name; uint32_t config; } hardware_too[] = {
	{ "cpu-cycles", PEV_HW_CYCLES }, { "branch-instructions", PEV_HW_BRANCHES },
	{ "idle-cycles-frontend", PEV_HW_STALLED_FRONT },
	{ "idle-cycles-backend", PEV_HW_STALLED_BACK },
};

_Static_assert(ARRAY_SIZE(hardware) == PEV_HW_MAX, "a hardware event has no name");
_Static_assert(ARRAY_SIZE(types) == PEV_TYPE_MAX, "a type has no name");
_Static_assert(ARRAY_SIZE(software) == PEV_SW_MAX, "a software event has no name");
_Static_assert(ARRAY_SIZE(timers) == PEV_TIMER_MAX, "a timer has no name");
_Static_assert(ARRAY_SIZE(sidebands) == PEV_SB_MAX, "a sideband event has no name");
_Static_assert(sizeof(struct pev_attr) == PEV_ATTR_SIZE_VER0, "attr has another size");

static int find(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return -ENOENT;
}

PEV_EXPORT const char *pev_type_name(uint32_t type)
{
	return type < ARRAY_SIZE(types) ? types[type] : NULL;
}

PEV_EXPORT int pev_type_by_name(const char *name)
{
	return find(types, ARRAY_SIZE(types), name);
}

static const char *const *configs(uint32_t type, size_t *nr)
{
	switch (type) {
	case PEV_TYPE_SOFTWARE:
		*nr = ARRAY_SIZE(software);
		return software;
	case PEV_TYPE_TIMER:
		*nr = ARRAY_SIZE(timers);
		return timers;
	case PEV_TYPE_SIDEBAND:
		*nr = ARRAY_SIZE(sidebands);
		return sidebands;
	case PEV_TYPE_HARDWARE:
		*nr = ARRAY_SIZE(hardware);
		return hardware;
	default:
		*nr = 0;
		return NULL;
	}
}

PEV_EXPORT const char *pev_config_name(uint32_t type, uint64_t config)
{
	size_t nr;
	const char *const *names = configs(type, &nr);

	return config < nr ? names[config] : NULL;
}

PEV_EXPORT int pev_config_by_name(uint32_t type, const char *name)
{
	size_t nr;
	const char *const *names = configs(type, &nr);

	if (type == PEV_TYPE_SIDEBAND && !strncmp(name, "pev:", 4))
		name += 4;
	for (size_t i = 0; type == PEV_TYPE_HARDWARE && i < ARRAY_SIZE(hardware_too); i++)
		if (!strcmp(hardware_too[i].name, name))
			return hardware_too[i].config;
	return find(names, nr, name);
}

PEV_EXPORT const char *pev_attr_field_name(uint32_t offset)
{
#define FIELD(name)	{ offsetof(struct pev_attr, name), #name }
	static const struct { uint32_t offset; const char *name; } fields[] = {
		FIELD(type), FIELD(target), FIELD(flags), FIELD(sample), FIELD(config),
		FIELD(config1), FIELD(config2), FIELD(pmu), FIELD(reserved), FIELD(name),
		FIELD(filter), FIELD(period), FIELD(channel_fd),
		FIELD(group_fd), FIELD(target_id), FIELD(cpus_size), FIELD(cpus),
		FIELD(regs_user), FIELD(stack_user), FIELD(max_stack), FIELD(ring_size),
		FIELD(packet_size), FIELD(watermark), FIELD(flush_ms), FIELD(clock),
		FIELD(refusal), FIELD(info), FIELD(refusal_size), FIELD(info_size),
	};
#undef FIELD

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].offset == offset)
			return fields[i].name;
	return NULL;
}

PEV_EXPORT void pev_attr_channel(struct pev_attr *attr, uint64_t ring_size)
{
	uint64_t size = PEV_MIN_PACKET * PEV_MIN_PACKETS;

	while (size < ring_size && size < PEV_MAX_RING)
		size <<= 1;
	memset(attr, 0, sizeof(*attr));
	attr->type = PEV_TYPE_CHANNEL;
	attr->ring_size = size;
}

PEV_EXPORT void pev_attr_event(struct pev_attr *attr, uint32_t type, uint64_t config,
			       const char *name)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = type;
	attr->config = config;
	attr->name = (uintptr_t)name;
	attr->target = PEV_TARGET_TASK;
	attr->channel_fd = -1;
	attr->group_fd = -1;
}

PEV_EXPORT void pev_attr_record(struct pev_attr *attr, int channel_fd, uint64_t period,
				uint64_t sample)
{
	attr->channel_fd = channel_fd;
	attr->period = attr->type == PEV_TYPE_SIDEBAND || attr->type == PEV_TYPE_USTACK ? 0 :
											  period;
	attr->sample = sample;
}

PEV_EXPORT void pev_attr_target(struct pev_attr *attr, uint32_t target, int id)
{
	attr->target = target;
	attr->target_id = id;
}

PEV_EXPORT void pev_attr_cpus(struct pev_attr *attr, const uint64_t *mask,
			      unsigned int words)
{
	attr->cpus = words ? (uintptr_t)mask : 0;
	attr->cpus_size = words * sizeof(*mask);
}

PEV_EXPORT void pev_attr_pmu(struct pev_attr *attr, uint32_t pmu, uint64_t config1,
			     uint64_t config2)
{
	attr->pmu = pmu;
	attr->config1 = config1;
	attr->config2 = config2;
}

PEV_EXPORT void pev_attr_filter(struct pev_attr *attr, const char *filter)
{
	attr->filter = (uintptr_t)filter;
}

_Static_assert(offsetof(struct pev_error, text) == offsetof(struct pev_refusal, text),
	       "pev_error is not laid out as pev_refusal");

PEV_EXPORT void pev_attr_error(struct pev_attr *attr, struct pev_error *err)
{
	if (err)
		memset(err, 0, sizeof(*err));
	attr->refusal = (uintptr_t)err;
	attr->refusal_size = err ? ERROR_FOR_KERNEL : 0;
}

/* Finds an event of the processor by its code or its vendor's name. */
static int raw_name(struct pev_attr *attr, const char *name)
{
	uint64_t code;
	int ret = pev_pmu_code(name, &code, NULL);

	if (ret)
		return ret;
	attr->type = PEV_TYPE_RAW;
	attr->config = code;
	attr->name = (uintptr_t)name;
	return 0;
}

/* Handles a type before a slash, as in "timer/cpu-clock". */
static int typed_name(struct pev_attr *attr, const char *name, const char *slash)
{
	char type_name[16];
	int type, config = 0;

	if ((size_t)(slash - name) >= sizeof(type_name))
		return -EINVAL;
	memcpy(type_name, name, slash - name);
	type_name[slash - name] = '\0';
	if (!strcmp(type_name, "cpu"))
		return raw_name(attr, name);
	name = slash + 1;
	type = pev_type_by_name(type_name);
	if (type < PEV_TYPE_SOFTWARE || type == PEV_TYPE_PMU || !*name)
		return -EINVAL;
	if (type == PEV_TYPE_RAW)
		return raw_name(attr, name);
	if (type == PEV_TYPE_TRACEPOINT || type == PEV_TYPE_MARKER) {
		attr->name = (uintptr_t)name;
	} else {
		config = pev_config_by_name(type, name);
		if (config < 0)
			return config;
		attr->name = 0;
	}
	attr->type = type;
	attr->config = config;
	return 0;
}

static int generic_name(struct pev_attr *attr, const char *name)
{
	static const uint32_t order[] = {
		PEV_TYPE_SOFTWARE, PEV_TYPE_TIMER, PEV_TYPE_SIDEBAND, PEV_TYPE_HARDWARE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int config = pev_config_by_name(order[i], name);

		if (config >= 0) {
			attr->type = order[i];
			attr->config = config;
			attr->name = 0;
			return 0;
		}
	}
	return -ENOENT;
}

/* Systems of tracepoints are written in small letters, vendors' events are not. */
static bool is_tracepoint(const char *name)
{
	const char *colon = strchr(name, ':');

	if (!colon || colon[1] == ':')
		return false;
	for (; name < colon; name++)
		if (*name >= 'A' && *name <= 'Z')
			return false;
	return true;
}

PEV_EXPORT int pev_attr_by_name(struct pev_attr *attr, const char *name)
{
	const char *slash = strchr(name, '/');
	int ret;

	if (slash)
		return typed_name(attr, name, slash);
	ret = generic_name(attr, name);
	if (!ret)
		return 0;
	if (!is_tracepoint(name)) {
		ret = raw_name(attr, name);
		return ret == -ELIBACC || ret == -ENOTSUP ? -ENOENT : ret;
	}
	attr->type = PEV_TYPE_TRACEPOINT;
	attr->config = 0;
	attr->name = (uintptr_t)name;
	return 0;
}
