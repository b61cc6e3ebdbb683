/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/pev/pmu/{count,assign}.[ch] and their tests use of the kernel,
 * for user space. The other headers of this directory include this one.
 */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __s8 s8;
typedef __u8 u8;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef unsigned __int128 u128;

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((noinline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

#define U32_MAX			UINT32_MAX
#define U64_MAX			((u64)~0ULL)
#define S64_MAX			((s64)(U64_MAX >> 1))
#define S64_MIN			(-S64_MAX - 1)
#define NSEC_PER_SEC		1000000000L
#define NSEC_PER_MSEC 1000000L

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define max_t(t, a, b)		max((t)(a), (t)(b))
#define max3(a, b, c)		max(max(a, b), c)

#define check_add_overflow	__builtin_add_overflow
#define check_sub_overflow	__builtin_sub_overflow

static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static inline unsigned int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline unsigned int hweight64(u64 word)
{
	return __builtin_popcountll(word);
}

#endif
