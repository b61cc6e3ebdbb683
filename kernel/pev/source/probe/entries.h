/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of functions in files that are under way, so that their returns know how long they took.
 */
#ifndef _PEV_PROBE_ENTRIES_H
#define _PEV_PROBE_ENTRIES_H

#include <linux/types.h>

struct pev_entries;

/* Return: an empty table, or NULL without memory. Process context, may sleep. */
struct pev_entries *pev_entries_make(void);
/* @e: NULL: does nothing. None is inside any more. */
void pev_entries_free(struct pev_entries *e);

/**
 * pev_entries_add() - the current thread enters a function
 * @e:     the table
 * @place: of the function
 * @stack: the user's stack pointer at its first instruction
 *
 * Where there is no room, the oldest entry of the few that share it is forgotten.
 *
 * Context: Process context.
 */
void pev_entries_add(struct pev_entries *e, u32 place, unsigned long stack);

/**
 * pev_entries_take() - the current thread leaves it
 * @e:        the table
 * @place:    of the function
 * @stack:    as it was when it was entered
 * @duration: receives the ns since then
 *
 * Context: Process context.
 * Return: Is it known? Not of a call that was entered unseen or was forgotten.
 */
bool pev_entries_take(struct pev_entries *e, u32 place, unsigned long stack, u64 *duration);

#endif
