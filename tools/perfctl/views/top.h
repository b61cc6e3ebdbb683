/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the samples of the last seconds add up to. They are decoded where they lie
 * in the rings; only a description of what runs at the beginning is written.
 */
#ifndef PERFCTL_VIEWS_TOP_H
#define PERFCTL_VIEWS_TOP_H

#include "live/sampler.h"
#include "profile/load.h"

/* Weights are in fixed point, so that they fade out. */
#define TOP_SCALE 1024

/**
 * struct top - samples on their way into a profile
 * @delay:        seconds between two pictures
 * @load:         the profile; load.live says what it costs, load.stop ends it
 * @samples:      in all
 * @last_samples: up to the last picture
 * @last_own:     processor time of perfctl up to the last picture, in ms
 * @lost:         records
 * @names_most:   names and files that are remembered before those of the dead are forgotten
 */
struct top {
	double delay;
	struct sampler sampler;
	struct load load;
	uint64_t samples;
	uint64_t last_samples;
	int64_t last_own;
	uint64_t lost;
	size_t names_most;
};

/*
 * Opens the events of a plan on a target and learns what runs there; @t is zeroed but for
 * @delay. @mask: bits of enum sort_key. top_close() is needed after an error, too.
 */
int top_open(struct top *t, struct event_plan *plan, const struct target *target, unsigned int mask,
	     struct msg *m);
/* Lets the weights fade, and takes the samples of @delay seconds, or until load.stop. */
void top_gather(struct top *t);
/* For the thread behind the terminal interface, as load.run: gathers until load.stop. */
int top_live(struct load *l, struct msg *m);
void top_close(struct top *t);

#endif
