// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the answers of filters: runs a program over an occurrence. Must not know expressions,
 * nor what events are.
 *
 * Nothing of a record is trusted: what a field says of lengths and offsets is the work of
 * whatever code has the tracepoint, and bounded by the record's own size. Values of pointers
 * are numbers.
 */
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "base/cgroup.h"
#include "program.h"

/* A string or mask in the record. */
struct bytes {
	const char	*at;
	u32		len;
};

/* ---- numbers ---- */

static noinline u64 load_context(const struct pev_program *program, u8 load,
				 const struct pev_occurrence *o)
{
	struct task_struct *task = o->task ?: current;

	switch (load) {
	case PEV_LOAD_CPU:
		return raw_smp_processor_id();
	case PEV_LOAD_PID:
		return task_pid_nr_ns(task, program->pid_ns);
	case PEV_LOAD_TGID:
		return task_tgid_nr_ns(task, program->pid_ns);
	case PEV_LOAD_CGROUP:
		return pev_cgroup_of(task);
	default:
		return o->ip;
	}
}

/* Fields of packed structures need not be aligned. */
static noinline u64 load_small(u8 load, const void *at)
{
	switch (load) {
	case PEV_LOAD_U16:
		return get_unaligned((const u16 *)at);
	case PEV_LOAD_S16:
		return get_unaligned((const s16 *)at);
	case PEV_LOAD_U8:
		return *(const u8 *)at;
	default:
		return *(const s8 *)at;
	}
}

static __always_inline u64 load_number(u8 load, const void *at)
{
	if (likely(load == PEV_LOAD_64))
		return get_unaligned((const u64 *)at);
	if (load == PEV_LOAD_U32)
		return get_unaligned((const u32 *)at);
	if (load == PEV_LOAD_S32)
		return get_unaligned((const s32 *)at);
	return load_small(load, at);
}

u64 pev_load_number(u8 load, const void *at)
{
	return load_number(load, at);
}

static __always_inline u64 load(const struct pev_program *program, const struct pev_test *test,
				const struct pev_occurrence *o)
{
	if (unlikely(test->load >= PEV_LOAD_CPU))
		return load_context(program, test->load, o);
	return load_number(test->load, o->record + test->offset);
}

/* ---- strings ---- */

/* The bytes that a location word of the record names, as far as the record has them. */
static struct bytes located(const struct pev_occurrence *o, u32 word, u32 base)
{
	u32 offset = base + (word & 0xffff);
	struct bytes b = { .at = "" };

	if (offset < o->size) {
		b.at = o->record + offset;
		b.len = min(word >> 16, o->size - offset);
	}
	return b;
}

static struct bytes load_bytes(const struct pev_test *test, const struct pev_occurrence *o)
{
	const void *at = o->record + test->offset;

	switch (test->load) {
	case PEV_LOAD_LOC:
		return located(o, get_unaligned((const u32 *)at), 0);
	case PEV_LOAD_REL_LOC:
		return located(o, get_unaligned((const u32 *)at), test->offset + sizeof(u32));
	case PEV_LOAD_COMM:
		return (struct bytes){ (o->task ?: current)->comm, TASK_COMM_LEN };
	default:
		return (struct bytes){ at, test->size };
	}
}

/* Is @c in the class behind a [? Return: what follows the class; NULL if it has no end. */
static const char *in_class(const char *p, const char *end, unsigned char c, bool *in)
{
	bool inverted = p < end && *p == '!';
	bool found = false, first = true;

	for (p += inverted; p < end && (first || *p != ']'); first = false) {
		unsigned char from = *p++, to = from;

		if (end - p >= 2 && *p == '-' && p[1] != ']') {
			to = p[1];
			p += 2;
		}
		found |= from <= c && c <= to;
	}
	if (p >= end)
		return NULL;
	*in = found != inverted;
	return p + 1;
}

/*
 * Does @c match what @p begins with, which is no *? Classes end before @classes.
 * Return: what follows that, or NULL.
 */
static const char *one(const char *p, const char *end, const char *classes, char c)
{
	const char *behind;
	bool in = false;

	if (*p == '?')
		return p + 1;
	/* the end of a class that has none would be looked for again with each character */
	if (*p == '[' && p < classes) {
		behind = in_class(p + 1, classes, c, &in);
		/* a bracket that is not closed is a character */
		if (behind)
			return in ? behind : NULL;
	}
	if (*p == '\\' && p + 1 < end)
		p++;
	return *p == c ? p + 1 : NULL;
}

/* Return: what follows the last ] of a pattern; @p: it has none. */
static const char *behind_classes(const char *p, const char *end)
{
	while (end > p && end[-1] != ']')
		end--;
	return end;
}

/*
 * Only the last * has to be tried with longer strings: what is before it matched already
 * with the shortest, and any longer one leaves less for the rest.
 */
static bool glob(const char *p, const char *end, struct bytes s)
{
	const char *star = NULL, *resume = NULL;
	const char *at = s.at, *s_end = s.at + s.len;
	const char *classes = behind_classes(p, end);

	while (at < s_end) {
		const char *next;

		if (p < end && *p == '*') {
			star = ++p;
			resume = at;
			continue;
		}
		next = p < end ? one(p, end, classes, *at) : NULL;
		if (next) {
			p = next;
			at++;
		} else if (star) {
			p = star;
			at = ++resume;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

static bool occurs(struct bytes s, const char *pattern, u32 len)
{
	for (; s.len >= len; s.at++, s.len--)
		if (!memcmp(s.at, pattern, len))
			return true;
	return false;
}

/* Of a text it is enough to know as much. */
static u32 bytes_read(const struct pev_test *test)
{
	switch (test->check) {
	case PEV_CHECK_EQUAL:
		return test->len + 1;
	case PEV_CHECK_FRONT:
		return test->len;
	case PEV_CHECK_END:
		return U32_MAX;
	default:
		return PEV_FILTER_TEXT;
	}
}

static bool check_text(const struct pev_test *test, const char *pattern, struct bytes s)
{
	u32 len = test->len;

	s.len = strnlen(s.at, min(s.len, bytes_read(test)));
	switch (test->check) {
	case PEV_CHECK_EQUAL:
		return s.len == len && !memcmp(s.at, pattern, len);
	case PEV_CHECK_FRONT:
		return s.len >= len && !memcmp(s.at, pattern, len);
	case PEV_CHECK_END:
		return s.len >= len && !memcmp(s.at + s.len - len, pattern, len);
	case PEV_CHECK_MIDDLE:
		return occurs(s, pattern, len);
	default:
		return glob(pattern, pattern + len, s);
	}
}

/* ---- sets of CPUs ---- */

/* Word @i of a mask; what is behind its end is empty. */
static unsigned long mask_word(const void *mask, u32 len, u32 i)
{
	return (i + 1) * sizeof(long) <= len ?
	       get_unaligned((const unsigned long *)mask + i) : 0;
}

static bool check_cpu(const struct pev_test *test, const void *mask, u64 cpu)
{
	return cpu < test->len * 8U &&
	       mask_word(mask, test->len, cpu / BITS_PER_LONG) >> cpu % BITS_PER_LONG & 1;
}

static bool check_cpus(const struct pev_test *test, const void *mask, struct bytes s)
{
	u32 words = test->len / sizeof(long);
	bool meet = false, same = true;

	for (u32 i = 0; i < words; i++) {
		unsigned long a = mask_word(s.at, s.len, i);
		unsigned long b = mask_word(mask, test->len, i);

		meet |= a & b;
		same &= a == b;
	}
	return test->check == PEV_CHECK_CPUS_MEET ? meet : same;
}

/* ---- programs ---- */

static noinline bool check_pooled(const struct pev_program *program, const struct pev_test *test,
				  const struct pev_occurrence *o)
{
	const void *pool = program->pool + test->pool;

	switch (test->check) {
	case PEV_CHECK_CPU:
		return check_cpu(test, pool, load(program, test, o));
	case PEV_CHECK_CPUS:
	case PEV_CHECK_CPUS_MEET:
		return check_cpus(test, pool, load_bytes(test, o));
	default:
		return check_text(test, pool, load_bytes(test, o));
	}
}

bool pev_program_passes(const struct pev_program *program, const struct pev_occurrence *o)
{
	const struct pev_test *test = program->tests;
	u32 next;

	if (unlikely(o->size < program->end))
		return false;
	for (;;) {
		bool holds;

		if (likely(test->check == PEV_CHECK_RANGE))
			holds = load(program, test, o) - test->low <= test->span;
		else if (test->check == PEV_CHECK_BITS)
			holds = load(program, test, o) & test->low;
		else
			holds = check_pooled(program, test, o);
		next = holds ? test->yes : test->no;
		if (next >= PEV_FILTER_NO)
			return next == PEV_FILTER_YES;
		test = &program->tests[next];
	}
}
