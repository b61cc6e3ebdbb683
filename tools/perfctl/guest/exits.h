/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl guest exits: why processors left guests, and how long they were away. */
#ifndef PERFCTL_GUEST_EXITS_H
#define PERFCTL_GUEST_EXITS_H

#include "event/target.h"
#include "record/measure.h"

/**
 * struct exits_opts - as typed
 * @interval: ms, 0: all is printed at the end
 */
struct exits_opts {
	struct target_opts target;
	struct span_opts span;
	const char *output;
	uint64_t interval;
	uint64_t rows;
	bool per_vcpu;
	bool json;
};

/* Returns the status to exit with. */
int exits_measure(const struct exits_opts *opts, char **argv, struct msg *m);

#endif
