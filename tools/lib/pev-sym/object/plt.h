/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names the stubs by which a file calls functions of others.
 */
#ifndef _PEV_SYM_OBJECT_PLT_H
#define _PEV_SYM_OBJECT_PLT_H

#include <libelf.h>
#include "names/symtab.h"

/* Adds "puts@plt" and the like, on x86_64; other machines have none that can be told. */
void plt_names(Elf *elf, struct symtab *t);

#endif /* _PEV_SYM_OBJECT_PLT_H */
