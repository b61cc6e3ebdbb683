/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libunwind, for rules that libpev-sym does not understand. Where it was not there
 * at build time, lu_new() fails and the others say no.
 */
#ifndef _PEV_SYM_UNWIND_LIBUNWIND_H
#define _PEV_SYM_UNWIND_LIBUNWIND_H

#include "unwind/walk.h"

bool lu_new(struct pev_unwind *u);
void lu_free(struct pev_unwind *u);
/* Steps to the caller's frame: 1, 0 at the outermost one, -1 */
int lu_step(struct unwind_walk *w);
/* Gets all frames; returns their number. */
int lu_chain(struct unwind_walk *w, uint64_t *chain, unsigned int room);

#endif /* _PEV_SYM_UNWIND_LIBUNWIND_H */
