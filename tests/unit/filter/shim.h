/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/pev/filter and its tests use of the kernel, for user space. */
#ifndef SHIM_H
#define SHIM_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

/* ---- language ---- */
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BITS_PER_LONG		64
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define S32_MIN			INT32_MIN
#define S64_MAX			INT64_MAX
#define S64_MIN			INT64_MIN
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define SZ_1M			(1U << 20)
#define PATH_MAX		4096
#define min(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define max_t(t, a, b) ({ t a_ = (a); t b_ = (b); a_ > b_ ? a_ : b_; })
#define swap(a, b) do { __auto_type t_ = (a); (a) = (b); (b) = t_; } while (0)
#define round_up(n, to)		(((n) + (to) - 1) / (to) * (to))
#define sizeof_field(t, m)	sizeof(((t *)0)->m)
#define offsetofend(t, m)	(offsetof(t, m) + sizeof_field(t, m))
#define struct_size(p, m, n)	(sizeof(*(p)) + (n) * sizeof((p)->m[0]))
#define get_unaligned(p) ({							\
	__typeof__(*(p) + 0) wide_ = 0;						\
	struct { __typeof__(*(p)) v; } __attribute__((packed)) copy_;		\
										\
	memcpy(&copy_, (p), sizeof(copy_));					\
	wide_ = copy_.v;							\
	wide_;									\
})

#define CONFIG_CGROUPS		1
#define CONFIG_KASAN		0
#define CONFIG_KCSAN		0
#define IS_ENABLED(option)	(option)

/* ---- errors ---- */
#define ERR_PTR(e)		((void *)(long)(e))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-4095)

/* ---- memory ---- */
#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define kzalloc(n, gfp)		calloc(1, n)
#define kvzalloc(n, gfp)	calloc(1, n)
#define kvcalloc(n, size, gfp)	calloc(n, size)
#define kvmalloc(n, gfp)	malloc(n)
#define kfree(p)		free(p)
#define kvfree(p)		free(p)
#define kmemdup_nul(p, n, gfp)	strndup(p, n)
#define __free(f)		__attribute__((cleanup(shim_##f)))

static inline void shim_kfree(void *p)
{
	free(*(void **)p);
}

#define shim_kvfree		shim_kfree

/* ---- time ---- */
static inline u64 ktime_get_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* ---- text ---- */
#define isspace(c)		((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define isdigit(c)		((c) >= '0' && (c) <= '9')
#define isalnum(c)		(isdigit(c) || (((c) | 32) >= 'a' && ((c) | 32) <= 'z'))

static inline int vscnprintf(char *to, size_t room, const char *fmt, va_list args)
{
	int n = vsnprintf(to, room, fmt, args);

	return min_t(int, n, room - 1);
}

static inline void strscpy(char *to, const char *from, size_t room)
{
	snprintf(to, room, "%s", from);
}

static inline void strscpy_pad(char *to, const char *from, size_t room)
{
	memset(to, 0, room);
	strscpy(to, from, room);
}

static inline int kstrtoull(const char *s, unsigned int base, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(s, &end, base);
	return errno ? -errno : end == s || *end ? -EINVAL : 0;
}

/* ---- bits ---- */
static inline s64 sign_extend64(u64 value, int bit)
{
	return (s64)(value << (63 - bit)) >> (63 - bit);
}

static inline bool bitmap_empty(const unsigned long *map, u32 nr)
{
	return !(*map & ((1UL << nr) - 1));
}

#define bitmap_weight(map, nr)	((u32)__builtin_popcountl(*(map)))
#define find_first_bit(map, nr)	((u32)__builtin_ctzl(*(map)))

/* No ranges of ranges, as the kernel has them. */
static inline int bitmap_parselist(const char *list, unsigned long *map, u32 nr)
{
	*map = 0;
	while (*list) {
		char *end;
		unsigned long from, to;

		if (!isdigit(*list))
			return -EINVAL;
		from = strtoul(list, &end, 10);
		to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
		if (from > to || to >= nr || (*end && *end != ','))
			return -EINVAL;
		for (; from <= to; from++)
			*map |= 1UL << from;
		list = end + (*end == ',');
	}
	return 0;
}

/* ---- the task, on CPU 1 of 8 ---- */
#define TASK_COMM_LEN		16
#define nr_cpu_ids		8U
#define raw_smp_processor_id()	1
#define migrate_disable()	((void)0)
#define migrate_enable()	((void)0)
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define guard(lock)		shim_guard_##lock

static inline void shim_guard_rcu(void)
{
}

struct pid_namespace {
	int level;
};

struct cgroup {
	u64 id;
};

struct task_struct {
	int pid;
	int tgid;
	char comm[TASK_COMM_LEN];
	struct cgroup cgroup;
};

static __attribute__((unused)) struct pid_namespace init_pid_ns;
static __attribute__((unused)) struct task_struct shim_task = {
	.pid = 42, .tgid = 41, .comm = "abba", .cgroup = { 7 },
};

#define current			(&shim_task)
#define task_pid_nr_ns(t, ns)	((void)(ns), (t)->pid)
#define task_tgid_nr_ns(t, ns)	((void)(ns), (t)->tgid)
#define task_dfl_cgroup(t)	(&(t)->cgroup)
#define cgroup_id(c)		((c)->id)

#define MODULE_LICENSE(text)	static_assert(true, text)
#define MODULE_DESCRIPTION(text) static_assert(true, text)

#endif
