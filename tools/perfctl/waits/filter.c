// SPDX-License-Identifier: GPL-2.0
/* Which waits are wanted. See filter.h. */
#include "filter.h"
#include "profile/load.h"
#include "profile/rows.h"

int wait_filter_init(struct wait_filter *f, const struct session *s, const char *comm, bool all,
		     const char *time, struct msg *m)
{
	*f = (struct wait_filter){ .session = s, .comm = comm };
	if (!all && !comm)
		family_init(&f->family, s->trace);
	return load_parse_time(time, pev_trace_begin_ns(s->trace), &f->from, &f->to, m);
}

void wait_filter_free(struct wait_filter *f)
{
	family_free(&f->family);
}

bool wait_filter_thread(const struct wait_filter *f, const struct thread *t)
{
	if (f->comm && !globs_match(f->comm, machine_comm_name(&f->session->machine, t->comm)))
		return false;
	return !f->family.n || family_has(&f->family, t->pid);
}

bool wait_filter_has(const struct wait_filter *f, const struct wait *wait)
{
	return wait->end >= f->from && wait->end <= f->to &&
	       wait->blocked + wait->runnable >= f->least_ns &&
	       wait_filter_thread(f, &wait->thread);
}
