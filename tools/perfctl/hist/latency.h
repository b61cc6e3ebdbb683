/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time between two events: what is typed, and what is made of the buckets.
 *
 *	LATENCY	:= EVENT ".." EVENT [ "by" PAIR { "," PAIR } ] [ "with" KEYS ]
 *	PAIR	:= KEY [ "=" KEY ]
 *
 * The second event may go without its system. KEYs are as in keys.h, without buckets: what
 * both events have, or what the first one has, and the second one. The default is tid. Those
 * behind "with" are of the first event, as in begin().
 */
#ifndef PERFCTL_HIST_LATENCY_H
#define PERFCTL_HIST_LATENCY_H

#include "rows.h"
#include "event/spec.h"

/* Pairs that may be open, unless it is said */
#define HIST_OPEN 16384

/**
 * hist_latency_parse() - what is typed
 * @t:    gets its pairs, its value, and as keys the latency and those of "with"; has none yet
 * @list: gets the two events
 */
int hist_latency_parse(struct pev_table *t, struct event_list *list, const char *text,
		       struct msg *m);

enum { HIST_P50, HIST_P90, HIST_P99, HIST_QUANTILES };

/* "p50" and so on */
extern const char *const hist_quantile_names[HIST_QUANTILES];

/**
 * hist_quantiles() - what shares of a group are not longer than
 * @first: of a group, in order
 *
 * Within a bucket, which is an eighth of a power of two, values count as spread evenly from the
 * least to the greatest of them.
 */
void hist_quantiles(const struct hist_rows *r, size_t first, uint64_t values[HIST_QUANTILES]);
/* Rows with a bucket for each power of two, in the same order; @t gets the table of them. */
void hist_rows_coarse(const struct hist_rows *from, struct hist_rows *to, struct pev_table *t);

#endif
