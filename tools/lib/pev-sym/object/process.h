/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Processes that were recorded, as far as they are still there.
 */
#ifndef _PEV_SYM_OBJECT_PROCESS_H
#define _PEV_SYM_OBJECT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns whether process @pid began before @end, ns since the epoch; 0: whether it is there. */
bool process_lives(uint32_t pid, int64_t end);
/* Returns whether a file's owner is trusted: root, us, or the owner of @pid; 0: none */
bool process_owns(uint32_t pid, uid_t owner);

#endif /* _PEV_SYM_OBJECT_PROCESS_H */
