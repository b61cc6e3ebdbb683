/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/pev/ring/ring.[ch] uses of the kernel, for user space: relaxed atomics
 * that ThreadSanitizer understands. With RING_POINTS each access is a point at
 * which the test may run what would interrupt the writer there.
 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <errno.h>
#include <stddef.h>

#ifdef RING_POINTS
void ring_point(void);
#else
static inline void ring_point(void) { }
#endif

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define ____cacheline_aligned	__attribute__((aligned(64)))

#define barrier() do {							\
	ring_point();							\
	__asm__ __volatile__("" : : : "memory");			\
} while (0)

#define READ_ONCE(x) ({							\
	ring_point();							\
	__atomic_load_n(&(x), __ATOMIC_RELAXED);			\
})
#define data_race(x) READ_ONCE(x)
#define WRITE_ONCE(x, v) do {						\
	ring_point();							\
	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED);			\
	ring_point();							\
} while (0)

#endif
