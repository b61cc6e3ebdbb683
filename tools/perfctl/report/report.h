/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report: how tables and trees are printed. */
#ifndef PERFCTL_REPORT_REPORT_H
#define PERFCTL_REPORT_REPORT_H

#include "profile/rows.h"

/**
 * enum report_graph - what is printed below a row
 * @GRAPH_TREE:   a tree
 * @GRAPH_FLAT:   chain after chain, a function a line
 * @GRAPH_FOLDED: a chain a line, functions joined by semicolons
 */
enum report_graph {
	GRAPH_NONE,
	GRAPH_TREE,
	GRAPH_FLAT,
	GRAPH_FOLDED,
};

/**
 * struct report_style - how to print
 * @out:     where to
 * @limit:   percent of all samples below which rows are left out
 * @branch:  the same for branches of trees
 * @graph:   call trees
 * @samples: a column with the number of samples
 * @color:   large shares stand out
 * @bare:    no heading for the recording
 * @lines:   rows of a table at most, 0: all
 * @times:   where the time of threads went, NULL: not known
 * @parallel: how many threads ran at once: weights are divided by it, NULL: they are not
 * @waits:   weights are ns, samples are waits, ...
 * @spreads: ... and so they are spread; NULL: it is not known
 */
struct report_style {
	FILE *out;
	double limit;
	double branch;
	enum report_graph graph;
	bool samples;
	bool color;
	bool waits;
	const struct times *times;
	const struct parallel *parallel;
	const struct spreads *spreads;
	bool bare;
	uint64_t lines;
};

static inline double report_share(const struct rows *rows, uint64_t weight)
{
	return rows->weight ? 100.0 * (double)weight / (double)rows->weight : 0;
}

#endif
