/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --brief: what a recording says, in a page of text. */
#ifndef PERFCTL_REPORT_BRIEF_H
#define PERFCTL_REPORT_BRIEF_H

#include "profile/rows.h"

/* What samples have to tell apart for it, beside the columns */
#define BRIEF_MASK (1u << SORT_COMM | 1u << SORT_DSO | 1u << SORT_SYMBOL)

/* Prints at most 40 lines of at most 120 columns. */
void report_brief(struct profile *p, const struct rows_config *config, FILE *out);

#endif
