/* SPDX-License-Identifier: GPL-2.0 */
/* What an agent counts on all CPUs beside its samples, in Prometheus' text format. */
#ifndef PERFCTL_FLEET_COUNTERS_H
#define PERFCTL_FLEET_COUNTERS_H

#include "event/set.h"

/**
 * struct counters - events that count
 * @open: there are some
 */
struct counters {
	struct event_plan plan;
	struct target target;
	struct event_set set;
	bool open;
};

/* Opens @events, which may be empty, on all CPUs; they count from now on. */
int counters_open(struct counters *c, const struct event_list *events, struct msg *m);
/* Appends what they have counted, and how well that is known. */
void counters_text(const struct counters *c, struct strbuf *b);
void counters_close(struct counters *c);

#endif
