// SPDX-License-Identifier: GPL-2.0
/* What the kernel counted of waits. See waited.h. */
#include "waited.h"
#include "event/engine.h"

#include <inttypes.h>

static void add(struct pev_waits *to, const struct pev_waits *more)
{
	to->enabled += more->enabled;
	to->run += more->run;
	to->blocked += more->blocked;
	to->runnable += more->runnable;
	to->folded += more->folded;
	to->waits += more->waits;
	to->folded_waits += more->folded_waits;
	to->threads += more->threads;
	to->unfollowed += more->unfollowed;
}

/* The first words are what waits_counted() reads. */
static int write(struct pev_writer *w, const struct pev_waits *sums)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "enabled=%" PRIu64 " run=%" PRIu64 " blocked=%" PRIu64 " runnable=%" PRIu64
		 " folded=%" PRIu64 " waits=%" PRIu64 " folded_waits=%" PRIu64 " threads=%" PRIu64
		 " unfollowed=%" PRIu64,
		 (uint64_t)sums->enabled, (uint64_t)sums->run, (uint64_t)sums->blocked,
		 (uint64_t)sums->runnable, (uint64_t)sums->folded, (uint64_t)sums->waits,
		 (uint64_t)sums->folded_waits, (uint64_t)sums->threads, (uint64_t)sums->unfollowed);
	return pev_writer_info(w, "waits", text);
}

int waited_write(const struct event_set *set, struct pev_writer *w)
{
	const struct event_plan *plan = set->plan;
	struct pev_waits sums = { 0 }, one;
	bool some = false;

	/* by perf_event_open(2) nothing is summed up */
	for (size_t i = 0; engine_is_pev() && i < plan->n; i++) {
		if (plan->events[i].attr.type != PEV_TYPE_WAIT)
			continue;
		for (size_t id = 0; id < set->n_ids; id++) {
			int err = event_set_read_waits(set, i, id, &one);

			if (err)
				return err;
			add(&sums, &one);
			some = true;
		}
	}
	return some ? write(w, &sums) : 0;
}
