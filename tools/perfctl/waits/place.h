/* SPDX-License-Identifier: GPL-2.0 */
/* Where a thread waited, as functions: not the scheduler's, which end every chain. */
#ifndef PERFCTL_WAITS_PLACE_H
#define PERFCTL_WAITS_PLACE_H

#include "profile/profile.h"

/* Fills in what needs the functions of the chain, which begins where the thread waited. */
typedef void (*place_fn)(void *arg, struct cell_key *key);
/* Is told which cell has what another had. */
typedef void (*place_moved_fn)(void *arg, size_t from, uint32_t to);

/* Returns a chain from the function that waited. Functions are resolved. */
uint32_t place_chain(const struct profile *p, uint32_t chain);
/* Lets a cell begin at the function that waited. Functions are resolved. */
void place_cell(const struct profile *p, struct cell_key *key);
/* Adds the cells up again, each from the function that waited. */
void place_waits(struct profile *p, place_fn fill, place_moved_fn moved, void *arg);
/*
 * Appends the innermost function of the program: not the kernel's, and not those of the C and
 * C++ libraries, unless there is no other.
 */
void place_user_function(const struct profile *p, uint32_t chain, struct strbuf *b);
/* Appends the first function that says what for: of a futex, that of the program. */
void place_function(const struct profile *p, uint32_t chain, struct strbuf *b);

#endif
