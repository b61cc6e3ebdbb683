/* SPDX-License-Identifier: GPL-2.0 */
/* What several tests look up. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <pev/sym.h>

/* In the directory with the generated objects; valid until the next call. */
const char *object_path(const char *name);
/* Where a function begins, 0: nowhere. */
uint64_t find_function(struct pev_syms *s, int object, const char *name);

#endif
