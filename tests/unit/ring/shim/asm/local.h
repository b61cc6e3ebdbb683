/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_LOCAL_H
#define SHIM_ASM_LOCAL_H

#include <linux/compiler.h>

typedef struct { long v; } local_t;

#define shim_add(l, n) do {						\
	ring_point();							\
	__atomic_fetch_add(&(l)->v, (n), __ATOMIC_RELAXED);		\
	ring_point();							\
} while (0)

#define local_read(l)	READ_ONCE((l)->v)
#define local_inc(l)	shim_add(l, 1)
#define local_dec(l)	shim_add(l, -1)

#endif
