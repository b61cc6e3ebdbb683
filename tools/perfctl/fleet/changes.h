/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl diff --from URL --by LABEL: which services, versions or hosts take another time. */
#ifndef PERFCTL_FLEET_CHANGES_H
#define PERFCTL_FLEET_CHANGES_H

#include "sums.h"
#include "profile/diff_math.h"
#include "report/comparison.h"

/**
 * struct changed - what has the same labels
 * @row:   of the sums, whose spans are both sides
 * @level: a second, on both sides: see struct level
 * @p:     how likely it is that nothing changed, adjusted for all rows
 */
struct changed {
	const struct sums_row *row;
	struct level level[SIDES];
	double p;
};

/* All that two spans of time have, the largest change first: sums.n rows */
struct changes {
	struct sums sums;
	struct changed *rows;
};

/*
 * @by:    labels with commas between them
 * @spans: as typed
 * @event: NULL: the one with most samples
 *
 * changes_free() is called after a failure, too.
 */
int changes_make(struct changes *c, const struct pull_opts *o, const char *const spans[SIDES],
		 const char *by, const char *event, struct msg *m);
void changes_free(struct changes *c);

/* In percent of what was before; HUGE_VAL if there was nothing */
double changed_percent(const struct changed *changed);

#endif
