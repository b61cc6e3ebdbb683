/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl guest grant: lends counters to guests for as long as it runs. */
#ifndef PERFCTL_GUEST_GRANT_H
#define PERFCTL_GUEST_GRANT_H

#include "event/target.h"
#include "record/measure.h"

/**
 * struct grant_opts - as typed
 * @counters: of each virtual processor
 * @any_number: fewer are fine, too
 */
struct grant_opts {
	struct target_opts target;
	struct span_opts span;
	const char *output;
	uint64_t counters;
	bool any_number;
	bool json;
};

/* Returns the status to exit with. */
int grant_hold(const struct grant_opts *opts, char **argv, struct msg *m);

#endif
