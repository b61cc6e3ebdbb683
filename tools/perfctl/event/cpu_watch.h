/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that come and go while they are measured: events are opened on those that come, and
 * it is told when there were none.
 */
#ifndef PERFCTL_EVENT_CPU_WATCH_H
#define PERFCTL_EVENT_CPU_WATCH_H

#include "target.h"

/* Call cpu_watch_look() at least so often. */
#define CPU_WATCH_MS 1000

/**
 * struct cpu_gap - when a CPU was not measured, seconds since the start
 * @to: < 0: to the end
 */
struct cpu_gap {
	unsigned int cpu;
	double from;
	double to;
};

/**
 * struct cpu_watch - the CPUs of a target
 * @target: NULL: none that follows CPUs
 * @start:  in seconds of a clock
 * @looked: last time, since then
 */
struct cpu_watch {
	const struct target *target;
	double start;
	double looked;
	struct cpu_gap *gaps;
	size_t n, cap;
};

/* After the events were opened. */
void cpu_watch_init(struct cpu_watch *w, const struct target *t);
/* Measures CPUs that came, with a note for each one that came or went. */
void cpu_watch_look(struct cpu_watch *w);
/* Returns "CPU 1 from 2.10 s to 3.52 s", to be freed; NULL: all were measured all the time. */
char *cpu_watch_text(const struct cpu_watch *w);
void cpu_watch_free(struct cpu_watch *w);

#endif
