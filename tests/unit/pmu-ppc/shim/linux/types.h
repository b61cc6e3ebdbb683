/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What arch/powerpc/pev uses of Linux, for user space on any machine. The other
 * headers of this directory include this one.
 */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __s8 s8;
typedef __u8 u8;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

#define BIT_ULL(n)		(1ULL << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

/* one CPU */
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_ptr(p)			(p)
#define __this_cpu_read(x)		(x)
#define __this_cpu_write(x, v)		((x) = (v))

typedef struct { int counter; } atomic_t;
#define ATOMIC_INIT(i)		{ (i) }
#define atomic_read(a)		READ_ONCE((a)->counter)
#define atomic_add(i, a)	((a)->counter += (i))

#endif
