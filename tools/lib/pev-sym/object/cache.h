/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Keeps files that may be gone tomorrow, by build id.
 */
#ifndef _PEV_SYM_OBJECT_CACHE_H
#define _PEV_SYM_OBJECT_CACHE_H

#include "util/elf_id.h"

/* Returns a descriptor or -errno. */
int cache_open(const struct elf_id *id, char **file);
void cache_keep(const struct elf_id *id, int fd);

#endif /* _PEV_SYM_OBJECT_CACHE_H */
