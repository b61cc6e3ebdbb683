// SPDX-License-Identifier: GPL-2.0
/* The processes below one that is measured. See descendants.h. */
#include "descendants.h"
#include "procs/state.h"
#include "event/engine.h"

#include <pev/pev.h>

#define RING (64u << 10)

static int add(void *arg, int pid)
{
	wait_loop_add(arg, pid);
	return 0;
}

static bool open_forks(struct descendants *d, const struct target *t)
{
	struct pev_attr attr;
	struct pev_error e;
	struct msg m;

	pev_attr_channel(&attr, RING);
	d->fd = pev_engine_open(engine(), &attr, 0, &e);
	if (d->fd < 0)
		return false;
	event_plan_sideband(&d->plan, d->fd, 1u << PEV_SB_FORK, "tell which processes start");
	return !event_set_open(&d->set, &d->plan, t, 0, &m) &&
	       !pev_reader_open(engine(), d->fd, 0, &d->reader, &e);
}

void descendants_open(struct descendants *d, const struct target *t, struct wait_loop *w)
{
	*d = (struct descendants){ .fd = -1, .open = true };
	if (!open_forks(d, t)) {
		descendants_close(d);
		return;
	}
	for (size_t i = 0; i < t->n_ids; i++)
		proc_state_subtree(t->ids[i], add, w);
}

void descendants_read(struct descendants *d, struct wait_loop *w)
{
	const struct pev_field *pid, *ppid;
	const struct pev_event *ev;

	if (!d->open)
		return;
	pev_engine_flush(engine(), d->fd);
	if (pev_reader_fetch(d->reader, PEV_FETCH_ALL, NULL))
		return;
	while (pev_reader_next(d->reader, &ev) > 0) {
		pid = pev_class_field(ev->cls, "pid");
		ppid = pev_class_field(ev->cls, "ppid");
		if (pid && ppid && pev_event_int(ev, pid) != pev_event_int(ev, ppid))
			wait_loop_add(w, (int)pev_event_int(ev, pid));
	}
}

void descendants_close(struct descendants *d)
{
	if (!d->open)
		return;
	pev_reader_close(d->reader);
	event_set_close(&d->set);
	event_plan_free(&d->plan);
	if (d->fd >= 0)
		pev_engine_close(engine(), d->fd);
	*d = (struct descendants){ .fd = -1 };
}
