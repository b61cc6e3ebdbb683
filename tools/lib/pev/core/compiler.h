/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What every file of libpev uses of the compiler.
 */
#ifndef _PEV_CORE_COMPILER_H
#define _PEV_CORE_COMPILER_H

#include <stddef.h>

#define PEV_EXPORT	__attribute__((visibility("default")))
#define PEV_PRINTF(f, a)	__attribute__((format(printf, f, a)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define ALWAYS_INLINE	inline __attribute__((always_inline))

static inline size_t align_up(size_t pos, size_t align)
{
	return (pos + align - 1) & ~(align - 1);
}

#endif /* _PEV_CORE_COMPILER_H */
