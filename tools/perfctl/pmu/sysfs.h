/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PMUs that perf knows besides the processor's own: of memory controllers, of power,
 * of model-specific registers. sysfs has their names, and which bits of an event's
 * code have which names.
 */
#ifndef PERFCTL_PMU_SYSFS_H
#define PERFCTL_PMU_SYSFS_H

#include "base/cpulist.h"
#include "base/util.h"

/**
 * struct pmu_code - an event of such a PMU
 * @type:   number of the PMU
 * @config: the three words of the code
 * @cpus:   of a PMU of sockets or devices: the CPUs that it is counted on, one for each;
 *          empty: it is each CPU's own
 * @scale:  what one count is, in ...
 * @unit:   ... this unit; NULL: counts are what is shown
 */
struct pmu_code {
	uint64_t type;
	uint64_t config[3];
	struct cpulist cpus;
	double scale;
	char *unit;
};

/* Is there a PMU of that name, @len bytes? */
bool pmu_sysfs_exists(const char *name, size_t len);
/**
 * pmu_sysfs_code() - "tsc", "event=0x3,umask=1" of a PMU
 * @terms: fields of the PMU's format with values, or names of its events
 *
 * Free with pmu_code_free(). Return: 0, or -errno with a sentence.
 */
int pmu_sysfs_code(const char *pmu, const char *terms, struct pmu_code *code, struct msg *m);
void pmu_code_free(struct pmu_code *code);
/**
 * struct pmu_kind - cores of one kind, of a processor that has several
 * @name: of their PMU, as "cpu_core"
 * @type: its number
 * @cpus: that are of this kind
 */
struct pmu_kind {
	char *name;
	uint64_t type;
	struct cpulist cpus;
};

/**
 * pmu_kinds() - which kinds of cores there are
 * @n: out: how many, 0 if all cores are alike
 *
 * Return: them, by their first CPU; they stay.
 */
const struct pmu_kind *pmu_kinds(size_t *n);
/* The kind whose PMU has that name, @len bytes, or that number; NULL: there is none. */
const struct pmu_kind *pmu_kind_find(const char *name, size_t len);
const struct pmu_kind *pmu_kind_of(uint64_t type);
/* Calls @each with "msr/tsc/" for each named event of each PMU but the cores' and probes'. */
void pmu_sysfs_events(void (*each)(void *arg, const char *name), void *arg);

#endif
