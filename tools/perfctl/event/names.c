// SPDX-License-Identifier: GPL-2.0
/* Names of counters that mean the same on every machine, and what they count. */
#include "names.h"
#include "cli/suggest.h"

#include <linux/pev.h>

static const struct counter_name software[] = {
	{ "cpu-clock", NULL, PEV_SW_CPU_CLOCK, "ns", "time that the target's CPUs were counted" },
	{ "task-clock", NULL, PEV_SW_TASK_CLOCK, "ns", "time that the target ran" },
	{ "page-faults", "faults", PEV_SW_PAGE_FAULTS, "", "page faults" },
	{ "minor-faults", "page-faults-min", PEV_SW_PAGE_FAULTS_MIN, "",
	  "page faults that needed no input or output" },
	{ "major-faults", "page-faults-maj", PEV_SW_PAGE_FAULTS_MAJ, "",
	  "page faults that waited for input or output" },
	{ "context-switches", "cs", PEV_SW_CONTEXT_SWITCHES, "", "the target was switched out" },
	{ "cpu-migrations", "migrations", PEV_SW_CPU_MIGRATIONS, "",
	  "the target moved to another CPU" },
	{ "alignment-faults", NULL, PEV_SW_ALIGNMENT_FAULTS, "",
	  "unaligned accesses that the kernel fixed" },
	{ "emulation-faults", NULL, PEV_SW_EMULATION_FAULTS, "",
	  "instructions that the kernel emulated" },
};

static const struct counter_name hardware[] = {
	{ "cycles", "cpu-cycles", PEV_HW_CYCLES, "", "cycles of the core, as fast as it runs" },
	{ "ref-cycles", NULL, PEV_HW_REF_CYCLES, "", "cycles at a constant rate, while not halted" },
	{ "instructions", NULL, PEV_HW_INSTRUCTIONS, "", "instructions retired" },
	{ "branches", "branch-instructions", PEV_HW_BRANCHES, "", "branches retired" },
	{ "branch-misses", NULL, PEV_HW_BRANCH_MISSES, "", "branches retired that were mispredicted" },
	{ "cache-references", NULL, PEV_HW_CACHE_REFS, "", "accesses to the last level of cache" },
	{ "cache-misses", NULL, PEV_HW_CACHE_MISSES, "", "misses of the last level of cache" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", PEV_HW_STALLED_FRONT, "",
	  "cycles in which no instruction was delivered" },
	{ "stalled-cycles-backend", "idle-cycles-backend", PEV_HW_STALLED_BACK, "",
	  "cycles in which no instruction could go on" },
	{ "bus-cycles", NULL, PEV_HW_BUS_CYCLES, "", "cycles of the bus" },
	{ "L1-dcache-loads", NULL, PEV_HW_L1D_LOADS, "", "loads from the first level data cache" },
	{ "L1-dcache-load-misses", NULL, PEV_HW_L1D_MISSES, "", "... that missed it" },
	{ "L1-icache-load-misses", NULL, PEV_HW_L1I_MISSES, "",
	  "misses of the first level instruction cache" },
	{ "LLC-loads", NULL, PEV_HW_LLC_LOADS, "", "loads from the last level of cache" },
	{ "LLC-load-misses", NULL, PEV_HW_LLC_MISSES, "", "... that missed it" },
	{ "dTLB-loads", NULL, PEV_HW_DTLB_LOADS, "", "translations of data addresses for loads" },
	{ "dTLB-load-misses", NULL, PEV_HW_DTLB_MISSES, "", "... that the TLB had not" },
	{ "iTLB-load-misses", NULL, PEV_HW_ITLB_MISSES, "",
	  "translations of instruction addresses that the TLB had not" },
};

_Static_assert(ARRAY_SIZE(software) == PEV_SW_MAX, "a software event is missing");
_Static_assert(ARRAY_SIZE(hardware) == PEV_HW_MAX, "a hardware event is missing");

const struct counter_name *software_names(size_t *n)
{
	*n = ARRAY_SIZE(software);
	return software;
}

const struct counter_name *hardware_names(size_t *n)
{
	*n = ARRAY_SIZE(hardware);
	return hardware;
}

static bool name_is(const char *candidate, const char *name, size_t len)
{
	return candidate && strlen(candidate) == len && !strncmp(candidate, name, len);
}

static const struct counter_name *find(const struct counter_name *names, size_t n,
				       const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (name_is(names[i].name, name, len) || name_is(names[i].alias, name, len))
			return &names[i];
	return NULL;
}

const struct counter_name *software_find(const char *name, size_t len)
{
	return find(software, ARRAY_SIZE(software), name, len);
}

const struct counter_name *hardware_find(const char *name, size_t len)
{
	return find(hardware, ARRAY_SIZE(hardware), name, len);
}

static void offer(struct suggestion *n, const struct counter_name *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		suggest_offer(n, names[i].name);
		if (names[i].alias)
			suggest_offer(n, names[i].alias);
	}
}

void counter_names_suggest(struct suggestion *n)
{
	offer(n, software, ARRAY_SIZE(software));
	offer(n, hardware, ARRAY_SIZE(hardware));
}
