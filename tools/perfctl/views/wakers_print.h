/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl off-cpu --wakers: what threads waited for, a sentence for each. */
#ifndef PERFCTL_VIEWS_WAKERS_PRINT_H
#define PERFCTL_VIEWS_WAKERS_PRINT_H

#include "profile/rows.h"
#include "waits/offcpu.h"

/* The columns that the rows have to have, as --sort takes them */
#define WAKERS_SORT "comm,place,by,from"

/* @limit: percent of a program's time below which lines are left out */
void wakers_print(struct offcpu *o, const struct rows_config *config, double limit, FILE *out);

#endif
