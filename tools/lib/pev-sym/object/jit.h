/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names code that a process made while it ran.
 */
#ifndef _PEV_SYM_OBJECT_JIT_H
#define _PEV_SYM_OBJECT_JIT_H

#include "object/find.h"

void jit_load(struct sym_object *o, const struct finder *finder);

#endif /* _PEV_SYM_OBJECT_JIT_H */
