/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl sched: its tables, as text and as JSON. */
#ifndef PERFCTL_VIEWS_SCHED_PRINT_H
#define PERFCTL_VIEWS_SCHED_PRINT_H

#include "sched.h"

/* @most: rows at most, 0: all */
void sched_latency(struct sched_groups *s, uint64_t most, FILE *out);
void sched_latency_json(struct sched_groups *s, FILE *out);
/* How many waits took how long, by powers of two */
void sched_histogram(struct sched_groups *s, FILE *out);
void sched_histogram_json(struct sched_groups *s, FILE *out);

#endif
