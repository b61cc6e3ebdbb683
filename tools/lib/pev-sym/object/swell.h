/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files whose packed sections need far more memory than there is of the file. elfutils unpacks
 * whatever it finds.
 */
#ifndef _PEV_SYM_OBJECT_SWELL_H
#define _PEV_SYM_OBJECT_SWELL_H

#include <libelf.h>
#include <stdbool.h>

bool elf_swells(Elf *elf);
bool elf_swells_at(int fd);

#endif /* _PEV_SYM_OBJECT_SWELL_H */
