/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processor's own events, by the names that its maker gives them. Where
 * these come from is libpev's business.
 */
#ifndef PERFCTL_PROCESSOR_H
#define PERFCTL_PROCESSOR_H

#include "util.h"

#include <pev/pev.h>

/*
 * The code of an event: its name, "table::name", "rNNN" or "cpu/event=.../". -ENOENT
 * with what may have been meant, -EINVAL with the unit masks that there are.
 */
int processor_code(const char *name, uint64_t *code, struct msg *m);

/* 0, or why there are no names (-errno). */
int processor_names(struct msg *m);

/* The tables of this machine, or the one called @name; 0 at the end, as libpev's. */
int processor_table_next(int *pos, const char *name, struct pev_pmu_table *t);

struct nearest;
/* Offers the events of this machine's processor to a suggestion. */
void processor_offer(struct nearest *n);

#endif
