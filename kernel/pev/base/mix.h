/* SPDX-License-Identifier: GPL-2.0 */
/* A hash of numbers, which tells nothing of them to who does not know what it was seeded with. */
#ifndef _PEV_MIX_H
#define _PEV_MIX_H

#include <linux/types.h>

/* Both halves of a product, so that all bits of both numbers have a part in all of it. */
static __always_inline u64 pev_mix(u64 a, u64 b)
{
	u128 product = (u128)a * b;

	return (u64)product ^ (u64)(product >> 64);
}

#endif
