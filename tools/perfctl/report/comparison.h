/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What changed between the recordings of one side and those of another, row by row,
 * and how likely it is that chance alone made it so.
 */
#ifndef PERFCTL_REPORT_COMPARISON_H
#define PERFCTL_REPORT_COMPARISON_H

#include "profile/load.h"
#include "profile/rows.h"

enum { BEFORE, AFTER, SIDES };

/**
 * struct recording - one of those that are compared
 * @event:   its number of the event
 * @samples: of that event
 * @weight:  what they stand for
 * @seconds: from the first record to the last
 */
struct recording {
	struct session session;
	struct load load;
	int side;
	uint32_t event;
	uint64_t samples;
	uint64_t weight;
	double seconds;
};

/**
 * struct compared - a row
 * @name:    its columns, with tabs between them
 * @samples: of all recordings of a side
 * @each:    of each recording: the row's share in percent, or its number of samples
 * @weight:  of each recording
 * @mean:    of @each of a side
 * @spread:  their standard deviation, 0 of a single one
 * @change:  in percentage points, or in percent of what a recording has before
 * @p:       how likely a difference of this size is by chance, adjusted for all rows
 */
struct compared {
	uint32_t name;
	uint64_t samples[SIDES];
	double *each;
	double *weight;
	double mean[SIDES];
	double spread[SIDES];
	double change;
	double p;
};

/**
 * struct comparison - while it is made, and after
 * @sort:     columns, NULL: those by default
 * @by_count: compare numbers of samples, not shares
 * @filter:   which rows; its columns are set from @sort
 * @recs:     those of the first side first
 * @nr:       how many each side has
 * @names:    of rows
 * @renamed:  the programs have other names: rows are matched by function alone
 */
struct comparison {
	const char *sort;
	const char *event;
	bool by_count;
	struct rows_config filter;
	struct recording *recs;
	unsigned int nr[SIDES];
	struct strtab names;
	bool renamed;
	struct compared *rows;
	size_t n, cap;
};

#define COMPARISON_SORT "comm,dso,symbol"

/*
 * Compares @nr[0] recordings with the @nr[1] that follow in @paths; rows come in order
 * of their change, the largest first. comparison_free() is called after a failure, too.
 */
int comparison_make(struct comparison *c, char **paths, const unsigned int nr[SIDES],
		    struct msg *m);
void comparison_free(struct comparison *c);

/* Returns the mean of the recordings of a side. */
double comparison_weight(const struct comparison *c, int side);
double comparison_seconds(const struct comparison *c, int side);

static inline unsigned int comparison_nr(const struct comparison *c)
{
	return c->nr[BEFORE] + c->nr[AFTER];
}

#endif
