/* SPDX-License-Identifier: GPL-2.0 */
/* Parses what the kernel says about the counters. */
#ifndef PERFCTL_EVENT_PMU_TEXT_H
#define PERFCTL_EVENT_PMU_TEXT_H

#include "base/util.h"

/**
 * struct pmu_counter - a counter that each CPU has
 * @nr:     its number
 * @name:   in the manuals' terms
 * @bits:   that count
 * @user:   its number for an instruction of user mode, or SPR; "-": none
 * @holder: what has it ("pev", "perf"), "" if it is free
 */
struct pmu_counter {
	unsigned int nr;
	const char *name;
	unsigned int bits;
	const char *user;
	const char *holder;
};

/* The number as it is typed: rdpmc's have flags in their upper bits, SPRs are decimal. */
const char *pmu_counter_user(const struct pmu_counter *c, char buf[24]);

/* On a CPU: @event has the counter, or "free" */
struct pmu_use {
	unsigned int cpu;
	const char *counter;
	const char *event;
};

/* A name and what is said about it */
struct pmu_word {
	const char *name;
	const char *text;
};

/**
 * struct pmu_text - all of it
 * @id:        what attr.pmu calls it
 * @name:      of the PMU; NULL: there is none that pev can use
 * @driver:    what events count by that are opened now, "pev" or "perf"; "": an older kernel
 * @features:  text is ""
 * @incidents: text is a number
 * @missing:   events that this processor cannot count, and why
 * @grants:    counters lent to guests: the name is the number of a guest's process, the text words
 *             with a number behind each
 * @buf:       what the others point into
 */
struct pmu_text {
	unsigned int id;
	const char *name;
	const char *driver;
	struct pmu_word *features;
	size_t n_features, cap_features;
	struct pmu_counter *counters;
	size_t n_counters, cap_counters;
	struct pmu_use *uses;
	size_t n_uses, cap_uses;
	struct pmu_word *incidents;
	size_t n_incidents, cap_incidents;
	struct pmu_word *missing;
	size_t n_missing, cap_missing;
	struct pmu_word *grants;
	size_t n_grants, cap_grants;
	char *buf;
};

/* Skips lines of unknown form. */
void pmu_text_parse(struct pmu_text *p, const char *text);
/* Asks the kernel for the text and parses it. */
int pmu_text_read(struct pmu_text *p, struct msg *m);
void pmu_text_free(struct pmu_text *p);

/* Returns the driver in words; "" if it is not known. */
const char *pmu_driver_about(const char *driver);
/* Returns what a feature or incident means; "" if it is not known. */
const char *pmu_feature_about(const char *name);
const char *pmu_incident_about(const char *name);

#endif
