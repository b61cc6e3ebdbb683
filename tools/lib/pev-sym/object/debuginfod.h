/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Gets files by build id from debuginfod servers.
 */
#ifndef _PEV_SYM_OBJECT_DEBUGINFOD_H
#define _PEV_SYM_OBJECT_DEBUGINFOD_H

#include "util/elf_id.h"

/* Returns a descriptor; -ENOSYS without a server, -ENOPKG without the library. */
int debuginfod_get(const struct elf_id *id, bool debug, char **path);

#endif /* _PEV_SYM_OBJECT_DEBUGINFOD_H */
