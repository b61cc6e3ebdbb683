/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl timeline --from URL --by LABEL: how much services, versions or hosts took, and when. */
#ifndef PERFCTL_FLEET_COURSE_H
#define PERFCTL_FLEET_COURSE_H

#include "sums.h"

/**
 * struct course_opts - what to show
 * @by:    labels with commas between them
 * @event: NULL: the one with most samples
 * @width: of the screen; 0: that of the terminal
 * @most:  rows, those that took most
 */
struct course_opts {
	const char *by;
	const char *event;
	uint64_t width;
	uint64_t most;
	bool json;
};

int course_show(const struct pull_opts *pull, const struct course_opts *o, struct msg *m);

#endif
