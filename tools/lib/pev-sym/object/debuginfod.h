/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Gets files by build id from debuginfod servers.
 */
#ifndef _PEV_SYM_OBJECT_DEBUGINFOD_H
#define _PEV_SYM_OBJECT_DEBUGINFOD_H

#include "object/find.h"

/*
 * Returns a descriptor; -ENOSYS without a server, -ENOPKG without the library,
 * -ECANCELED once @fetch gave up.
 */
int debuginfod_get(const struct elf_id *id, bool debug, struct fetch *fetch, char **path);
/* Has a client of elfutils tell @fetch; NULL is none. */
void debuginfod_watch(void *handle, struct fetch *fetch);

#endif /* _PEV_SYM_OBJECT_DEBUGINFOD_H */
