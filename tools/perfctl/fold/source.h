/* SPDX-License-Identifier: GPL-2.0 */
/* Where samples are counted: the kernel's tables (tables.c), or here (samples.c). */
#ifndef PERFCTL_FOLD_SOURCE_H
#define PERFCTL_FOLD_SOURCE_H

#include "fold.h"

/* Rows that are kept here before they are written, and addresses of their call chains */
#define FOLD_ROWS 131072
#define FRAMES_A_ROW 16

/**
 * struct fold_source - a way to count
 * @each:  seconds from one fetch to the next
 * @open:  what @count needs
 * @count: lets the samples of an event go there; called in the order of the events
 * @fetch: adds what came since the last call; @all: nothing comes any more
 * @rows:  how many there are
 * @take:  calls fold_take() with each
 * @other: what found no row, of an event; NULL: all do
 * @clear: forgets the rows
 * @close: what @open and @count made, even if they failed
 */
struct fold_source {
	double each;
	int (*open)(struct fold *f, const struct fold_limits *limits, struct msg *m);
	int (*count)(struct fold *f, struct planned_event *p, struct fold_event *e,
		     const struct fold_limits *limits, struct msg *m);
	int (*fetch)(struct fold *f, bool all);
	size_t (*rows)(const struct fold *f);
	void (*take)(struct fold *f);
	void (*other)(const struct fold_event *e, struct pev_table_sum *sum);
	void (*clear)(struct fold *f);
	void (*close)(struct fold *f);
};

extern const struct fold_source fold_tables, fold_here;

#endif
