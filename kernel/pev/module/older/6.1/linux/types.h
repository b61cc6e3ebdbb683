/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a number that they lack. */
#ifndef _PEV_OLDER_LINUX_TYPES_H
#define _PEV_OLDER_LINUX_TYPES_H

#include_next <linux/types.h>

#if !defined(__ASSEMBLY__) && defined(__SIZEOF_INT128__)
#define u128 unsigned __int128
#endif

#endif
