/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl sched timehist: a line for each wait, in the order in which they end. */
#ifndef PERFCTL_VIEWS_TIMEHIST_H
#define PERFCTL_VIEWS_TIMEHIST_H

#include "waits/filter.h"

/* @filter is freed by the caller. @json: an array of objects, instead of text */
int timehist_print(struct session *s, struct wait_filter *filter, bool json, FILE *out,
		   struct msg *m);

#endif
