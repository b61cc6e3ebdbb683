/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_LOCAL64_H
#define SHIM_ASM_LOCAL64_H

#include <linux/atomic.h>
#include <asm/local.h>

typedef struct { s64 v; } local64_t;

#define local64_read(l)		READ_ONCE((l)->v)
#define local64_inc(l)		shim_add(l, 1)
#define local64_try_cmpxchg(l, old, new)				\
	try_cmpxchg_local(&(l)->v, (old), (s64)(new))

#endif
