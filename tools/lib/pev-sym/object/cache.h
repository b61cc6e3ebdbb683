/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files that may be gone tomorrow, by build id.
 */
#ifndef _PEV_SYM_OBJECT_CACHE_H
#define _PEV_SYM_OBJECT_CACHE_H

#include "util/elf_id.h"

/* Returns a descriptor and the path of a file with this build id, or -errno. */
int cache_open(const struct elf_id *id, char **file);
/* Keeps a copy, as well as it can; files that were not used for long make room. */
void cache_keep(const struct elf_id *id, int fd);

#endif /* _PEV_SYM_OBJECT_CACHE_H */
