/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a plan, opened on a target. */
#ifndef PERFCTL_EVENT_SET_H
#define PERFCTL_EVENT_SET_H

#include "plan.h"
#include "target.h"

/**
 * struct event_set - the events of a plan, opened
 * @plan:  what they are
 * @fds:   plan->n times @n_ids, those of an event side by side; -1: refused
 * @n_ids: ids of the target
 */
struct event_set {
	struct event_plan *plan;
	int *fds;
	size_t n_ids;
};

/**
 * event_set_open() - open all events of a plan on a target
 * @flags: PEV_F_* that are added to each event's
 *
 * Where the kernel side of a target may not be seen, the event is opened for
 * user mode alone and planned_event.user_only is set.
 */
int event_set_open(struct event_set *set, struct event_plan *plan, const struct target *t,
		   uint64_t flags, struct msg *m);
/*
 * Opens the events that were added to the plan since, behind the first @from. One that is refused
 * is left out, with planned_event.refused set.
 */
void event_set_more(struct event_set *set, size_t from, const struct target *t, uint64_t flags);
void event_set_close(struct event_set *set);
/* Lets the program have as many descriptors as it may; false: it has them already. */
bool event_raise_files(void);
/* Reads one value for each event of the plan, summed over the ids of the target. */
int event_set_read(const struct event_set *set, struct pev_value *values, struct msg *m);
/* Reads the n_ids values of an event that was not refused. */
int event_set_read_ids(const struct event_set *set, size_t event, struct pev_value *values,
		       struct msg *m);
/* Reads the n_ids windows of a hardware event; returns -EOPNOTSUPP for other events. */
int event_set_read_windows(const struct event_set *set, size_t event,
			   struct pev_multiplexed *windows);
/* Reads what an event of PEV_TYPE_WAIT has counted of one id's waits; returns -errno. */
int event_set_read_waits(const struct event_set *set, size_t event, size_t id,
			 struct pev_waits *waits);
/* Reads where the occurrences of an event went, summed over the ids; returns -errno. */
int event_set_read_counts(const struct event_set *set, size_t event, struct pev_counts *sum);
/*
 * Lets the kernel write records of what it has summed up of threads' waits, and ends what threads
 * owe; returns 1 if there are more, for when the rings were read, or -errno.
 */
int event_set_flush_threads(const struct event_set *set);
/* Reads values by CPU, summed over the ids; free(*values). */
int event_set_read_cpus(const struct event_set *set, size_t event, struct pev_value **values,
			unsigned int *nr, struct msg *m);
void event_value_add(struct pev_value *sum, const struct pev_value *v);
/*
 * By perf_event_open(2) an event of one kind of core is on, and waits, while its task runs on the
 * others. Of all kinds together it is known how much of the time none was counted: each is taken to
 * have waited for the same share of its own. @values: of each event of the plan, some NULL
 */
void event_share_waiting(const struct event_plan *plan, const struct target *t,
			 struct pev_value *const *values);
int event_set_enable(const struct event_set *set, bool on, struct msg *m);
/*
 * Samples 2 to the power of @shift times less often than the plan says, where each sample stands for
 * a fixed number of occurrences, more than one; other events go on as they did.
 */
int event_set_thin(const struct event_set *set, unsigned int shift, struct msg *m);
/* event_set_enable() with one event of the plan */
int event_set_enable_one(const struct event_set *set, size_t event, bool on, struct msg *m);

#endif
