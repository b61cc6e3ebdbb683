/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the processor's own events by the names that its vendor gives them. libpev
 * knows where the names come from.
 */
#ifndef PERFCTL_PMU_PROCESSOR_H
#define PERFCTL_PMU_PROCESSOR_H

#include "base/util.h"
#include "cli/suggest.h"

#include <pev/pev.h>

/*
 * Gets the code of "name", "table::name", "rNNN" or "cpu/event=.../". Returns -ENOENT
 * with what may have been meant, -EINVAL with the unit masks that exist.
 */
int processor_code(const char *name, uint64_t *code, struct msg *m);

/* Returns 0, or -errno with the reason why there are no names in @m. */
int processor_names(struct msg *m);

/* Walks the tables of this machine, or the one called @name; returns 0 at the end. */
int processor_table_next(int *pos, const char *name, struct pev_pmu_table *t);

struct suggestion;
/* Offers the events of this machine's processor to a suggestion. */
void processor_suggest(struct suggestion *n);

#endif
