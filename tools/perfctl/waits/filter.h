/* SPDX-License-Identifier: GPL-2.0 */
/* Which waits are wanted: of the recorded command, of programs by name, within a time. */
#ifndef PERFCTL_WAITS_FILTER_H
#define PERFCTL_WAITS_FILTER_H

#include "waits.h"

/**
 * struct wait_filter - which waits are wanted
 * @family:   if only its waits are wanted
 * @comm:     globs, NULL: all
 * @least_ns: shorter ones are left out
 * @from:     only those that end from here ...
 * @to:       ... to here, ns since the epoch
 */
struct wait_filter {
	const struct session *session;
	struct family family;
	const char *comm;
	uint64_t least_ns;
	int64_t from, to;
};

/* @all: of other programs than the recorded command, too. @time: see load_parse_time() */
int wait_filter_init(struct wait_filter *f, const struct session *s, const char *comm, bool all,
		     const char *time, struct msg *m);
void wait_filter_free(struct wait_filter *f);
/* Is the thread one of the recorded command's, or are others wanted, too? */
bool wait_filter_thread(const struct wait_filter *f, const struct thread *t);
bool wait_filter_has(const struct wait_filter *f, const struct wait *wait);
/* Ready to run, and without a processor from the beginning */
static inline bool wait_is_preempted(const struct wait *wait)
{
	return wait->state == PEV_WAIT_PREEMPTED || wait->state == PEV_WAIT_NEW;
}

#endif
