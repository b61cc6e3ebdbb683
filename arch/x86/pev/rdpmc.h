/* SPDX-License-Identifier: GPL-2.0 */
/* Counters that a host lends, as the instruction reads them. */
#ifndef _X86_PEV_RDPMC_H
#define _X86_PEV_RDPMC_H

#include <linux/types.h>

/* rdpmc of a counter that may not be there. Any context. Return: 0, or an error: it is not. */
int x86_pev_rdpmc_safe(u32 index, u64 *value);

#endif
