/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl sched: how long threads had to wait for a processor. */
#ifndef PERFCTL_VIEWS_SCHED_H
#define PERFCTL_VIEWS_SCHED_H

#include "waits/durations.h"
#include "waits/filter.h"

/**
 * struct sched_group - the waits of one thread, or of all of a name
 * @tid:      0: of all of that name
 * @run:      ns
 * @blocked:  of each wait
 * @runnable: the same
 * @most:     the longest of these, and ...
 * @worst:    ... when it ended, ns since the epoch
 */
struct sched_group {
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint64_t run;
	struct durations blocked;
	struct durations runnable;
	uint64_t most;
	int64_t worst;
};

/**
 * struct sched_groups - all of them, and their sum
 * @by_comm: threads of a name are one group
 */
struct sched_groups {
	struct session *session;
	struct waits waits;
	struct wait_filter filter;
	bool by_comm;
	struct sched_group *g;
	size_t n, cap;
	struct htab h;
	struct sched_group all;
};

void sched_init(struct sched_groups *s, struct session *session);
void sched_free(struct sched_groups *s);
/* Reads all, and sorts by the time that groups were runnable. */
int sched_load(struct sched_groups *s, struct msg *m);

#endif
