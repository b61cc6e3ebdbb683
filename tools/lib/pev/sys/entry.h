/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The ways into the kernel's pev.
 */
#ifndef _PEV_SYS_ENTRY_H
#define _PEV_SYS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Says why there is no way, and what to do, in @text. False: there is one, so the
 * failure has another reason.
 */
bool entry_reason(char *text, size_t size);

#endif /* _PEV_SYS_ENTRY_H */
