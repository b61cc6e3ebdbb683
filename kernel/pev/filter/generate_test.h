/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random filters and records for tests, with what each filter has to say of each record.
 * The answer is worked out by comparing the plain way while the expression is written.
 */
#ifndef _PEV_FILTER_GENERATE_TEST_H
#define _PEV_FILTER_GENERATE_TEST_H

#include <linux/array_size.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>
#include "parse.h"

/* As a trace event lies in memory; the first 8 bytes are common to all. */
struct made_record {
	u16	type;
	u8	flags;
	u8	preempt_count;
	s32	pid;
	u8	u8;
	s8	s8;
	u16	u16;
	s16	s16;
	u16	pad;
	u32	u32;
	s32	s32;
	u64	u64;
	s64	s64;
	char	array[16];
	u32	loc;
	u32	rel;
	u32	cpus;
	u32	pad2;
	char	text[2][24];
	u64	mask;
};

/**
 * struct made_field - a field of struct made_record
 * @name:  of the field
 * @type:  as the kernel writes it
 * @field: what a filter can do with it
 */
struct made_field {
	const char		*name;
	const char		*type;
	struct pev_filter_field	field;
};

#define MADE(k, s, n, m)	{ .kind = PEV_FILTER_##k, .sign = (s), .size = (n), \
			  .offset = offsetof(struct made_record, m) }

static const struct made_field made_fields[] = {
	{ "u8", "u8", MADE(NUMBER, false, 1, u8) },
	{ "s8", "s8", MADE(NUMBER, true, 1, s8) },
	{ "u16", "u16", MADE(NUMBER, false, 2, u16) },
	{ "s16", "short", MADE(NUMBER, true, 2, s16) },
	{ "u32", "u32", MADE(NUMBER, false, 4, u32) },
	{ "s32", "int", MADE(NUMBER, true, 4, s32) },
	{ "u64", "unsigned long", MADE(NUMBER, false, 8, u64) },
	{ "s64", "long", MADE(NUMBER, true, 8, s64) },
	{ "array", "char[16]", MADE(ARRAY, true, 16, array) },
	{ "loc", "__data_loc char[]", MADE(LOC, true, 4, loc) },
	{ "rel", "__rel_loc char[]", MADE(REL_LOC, true, 4, rel) },
	{ "cpus", "__data_loc cpumask_t", MADE(CPUS, false, 4, cpus) },
};

/**
 * struct made - a filter that is being written
 * @seed:   of what is random
 * @record: what it is asked about
 * @task:   the task
 * @expr:   the expression
 * @len:    characters of @expr
 * @odd:    the kernel's own evaluator answers otherwise, or can't be asked: a * at the
 *          beginning alone looks at the end of an array, not of the string in it; CPU has
 *          no &; a number that is no CPU is not unequal to CPUs
 */
struct made {
	u64			seed;
	struct made_record	record;
	struct task_struct	*task;
	char			expr[2048];
	u32			len;
	bool			odd;
};

/* Parts of what is generated, each short enough for a slow machine: the seeds. */
static const u64 made_seeds[] = {
	88172645463325252ULL, 1234567890123456789ULL, 2463534242ULL, 521288629362436069ULL,
	5783321ULL, 6615241ULL, 88675123ULL, 123217ULL, 362436069ULL, 99991ULL,
};

/* The debugging kernels take ten times as long for one. */
#define MADE_A_PART	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ? 1000 : 10000)

static u32 made_random(struct made *m, u32 below)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return (u32)(m->seed >> 20) % below;
}

__printf(2, 3)
static void made_print(struct made *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	m->len += vscnprintf(m->expr + m->len, sizeof(m->expr) - m->len, fmt, args);
	va_end(args);
}

static bool made_find(const void *from, const char *name, size_t len,
		      struct pev_filter_field *field)
{
	for (u32 i = 0; i < ARRAY_SIZE(made_fields); i++) {
		if (strlen(made_fields[i].name) != len || strncmp(made_fields[i].name, name, len))
			continue;
		*field = made_fields[i].field;
		return true;
	}
	return false;
}

/* ---- records ---- */

/* Few letters, so that patterns match now and then. */
static void made_word(struct made *m, char *to, u32 room)
{
	u32 len = made_random(m, room);

	memset(to, 0, room);
	for (u32 i = 0; i < len; i++)
		to[i] = "ab"[made_random(m, 2)];
}

/* Around the bounds of all sizes. */
static u64 made_number(struct made *m)
{
	static const u8 bits[] = { 0, 1, 7, 8, 15, 16, 31, 32, 63 };
	u64 n = (1ULL << bits[made_random(m, ARRAY_SIZE(bits))]) + made_random(m, 3) - 1;

	return made_random(m, 2) ? n : -n;
}

static void made_fill(struct made *m)
{
	struct made_record *r = &m->record;

	memset(r, 0, sizeof(*r));
	r->pid = m->task->pid;
	r->u8 = made_number(m);
	r->s8 = made_number(m);
	r->u16 = made_number(m);
	r->s16 = made_number(m);
	r->u32 = made_number(m);
	r->s32 = made_number(m);
	r->u64 = made_number(m);
	r->s64 = made_number(m);
	made_word(m, r->array, 7);
	if (!made_random(m, 8))
		memset(r->array, 'a', sizeof(r->array));
	for (u32 i = 0; i < 2; i++)
		made_word(m, r->text[i], 7);
	r->loc = (strlen(r->text[0]) + 1) << 16 | offsetof(struct made_record, text[0]);
	r->rel = (strlen(r->text[1]) + 1) << 16 |
		 (offsetof(struct made_record, text[1]) - offsetofend(struct made_record, rel));
	r->cpus = sizeof(r->mask) << 16 | offsetof(struct made_record, mask);
	r->mask = made_random(m, 1 << min(nr_cpu_ids, 8U));
}

static s64 made_value(const struct made *m, u32 i)
{
	const struct made_record *r = &m->record;

	switch (i) {
	case 0: return r->u8;
	case 1: return r->s8;
	case 2: return r->u16;
	case 3: return r->s16;
	case 4: return r->u32;
	case 5: return r->s32;
	case 6: return r->u64;
	default: return r->s64;
	}
}

/* ---- numbers ---- */

static const char * const made_ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };

static bool made_compare(u32 op, bool sign, s64 a, s64 b)
{
	bool less = sign ? a < b : (u64)a < (u64)b;

	switch (op) {
	case 0: return a == b;
	case 1: return a != b;
	case 2: return less;
	case 3: return less || a == b;
	case 4: return !less && a != b;
	case 5: return !less;
	default: return a & b;
	}
}

/* A number that the field can have. */
static s64 made_operand(struct made *m, const struct pev_filter_field *f, s64 value)
{
	u32 unused = 64 - f->size * 8;
	u64 n = made_random(m, 3) ? made_number(m) : (u64)value + made_random(m, 3) - 1;

	return f->sign ? (s64)(n << unused) >> unused : n << unused >> unused;
}

static bool made_number_test(struct made *m)
{
	u32 i = made_random(m, 8), op = made_random(m, ARRAY_SIZE(made_ops));
	const struct made_field *f = &made_fields[i];
	s64 value = made_value(m, i), n = made_operand(m, &f->field, value);
	const char *space = made_random(m, 2) ? " " : "";

	made_print(m, "%s%s%s%s", f->name, space, made_ops[op], space);
	if (!f->field.sign)
		made_print(m, made_random(m, 2) ? "%llu" : "0x%llx", (unsigned long long)n);
	else if (n < 0 && f->field.size < 8 && made_random(m, 2))
		/* bits, as for a mask */
		made_print(m, "0x%llx", (unsigned long long)n & ((1ULL << f->field.size * 8) - 1));
	else
		made_print(m, "%lld", (long long)n);
	return made_compare(op, f->field.sign, value, n);
}

static bool made_context_test(struct made *m)
{
	u32 op = made_random(m, ARRAY_SIZE(made_ops));
	bool cpu = made_random(m, 2);
	s64 value = cpu ? raw_smp_processor_id() : m->task->pid;
	s64 n = value + made_random(m, 3) - 1;

	if (cpu && op == 6)
		m->odd = true;
	made_print(m, "%s %s %lld", cpu ? "CPU" : "common_pid", made_ops[op], (long long)n);
	return made_compare(op, true, value, n);
}

/* ---- strings ---- */

/* The textbook's way. */
static bool made_matches(const char *p, const char *s, u32 len)
{
	if (!*p)
		return !len;
	if (*p == '*')
		return made_matches(p + 1, s, len) || (len && made_matches(p, s + 1, len - 1));
	if (!len)
		return false;
	if (!strncmp(p, "[ab]", 4))
		return (*s == 'a' || *s == 'b') && made_matches(p + 4, s + 1, len - 1);
	if (!strncmp(p, "[!a]", 4))
		return *s != 'a' && made_matches(p + 4, s + 1, len - 1);
	return (*p == '?' || *p == *s) && made_matches(p + 1, s + 1, len - 1);
}

static void made_pattern(struct made *m, char *to, const char *text, u32 len)
{
	static const char * const parts[] = { "a", "b", "*", "*", "?", "[ab]", "[!a]" };
	u32 nr = made_random(m, 6);

	*to = '\0';
	if (made_random(m, 2)) {
		/* some of the string itself */
		u32 from = made_random(m, len + 1), part = made_random(m, len - from + 1);

		sprintf(to, "%s%.*s%s", made_random(m, 2) ? "*" : "", (int)part, text + from,
			made_random(m, 2) ? "*" : "");
		return;
	}
	while (nr--)
		strcat(to, parts[made_random(m, ARRAY_SIZE(parts))]);
}

/* Does only the first character of @p stand for others? */
static bool made_at_the_end(const char *p)
{
	return *p == '*' && !strpbrk(p + 1, "*?[");
}

static bool made_text_test(struct made *m)
{
	u32 i = made_random(m, 4), op = made_random(m, 4);
	const char *name = i == 3 ? "COMM" : made_fields[8 + i].name;
	const char *text = i == 3 ? m->task->comm :
			   i == 0 ? m->record.array : m->record.text[i - 1];
	u32 len = strnlen(text, i == 3 ? TASK_COMM_LEN : 16);
	char pattern[64], quote = "\"'"[made_random(m, 2)];

	if (op >= 2) {
		made_pattern(m, pattern, text, len);
		if (made_at_the_end(pattern) && (i == 3 || i == 0))
			m->odd = true;
		made_print(m, "%s ~ %c%s%s%c", name, quote, op == 3 ? "!" : "", pattern, quote);
		return made_matches(pattern, text, len) == (op == 2);
	}
	strscpy(pattern, text, min(len + 1, 16U));
	if (made_random(m, 2))
		made_word(m, pattern, 7);
	made_print(m, "%s %s %c%s%c", name, made_ops[op], quote, pattern, quote);
	return (len == strlen(pattern) && !strncmp(pattern, text, len)) == !op;
}

/* ---- sets of CPUs ---- */

static u32 made_cpus(struct made *m)
{
	u32 nr = min(nr_cpu_ids, 8U), set = 1 + made_random(m, (1 << nr) - 1);
	const char *comma = "";

	made_print(m, "CPUS{");
	for (u32 i = 0; i < nr; i++) {
		if (!(set & 1 << i))
			continue;
		made_print(m, "%s%u", comma, i);
		comma = ",";
	}
	made_print(m, "}");
	return set;
}

static bool made_cpus_test(struct made *m)
{
	static const char * const ops[] = { "==", "!=", "&" };
	u32 i = made_random(m, 9), op = made_random(m, 3), set;
	u64 mask = m->record.mask;

	made_print(m, "%s %s ", i == 8 ? "cpus" : made_fields[i].name, ops[op]);
	set = made_cpus(m);
	if (i < 8) {
		u64 cpu = made_value(m, i);

		mask = cpu < 8 ? 1ULL << cpu : 1ULL << 63;
		if (cpu >= nr_cpu_ids && (set & (set - 1)))
			m->odd = true;
	}
	return op == 0 ? mask == set : op == 1 ? mask != set : mask & set;
}

/* ---- expressions ---- */

static bool made_test(struct made *m)
{
	switch (made_random(m, 8)) {
	case 0: return made_cpus_test(m);
	case 1:
	case 2: return made_text_test(m);
	case 3: return made_context_test(m);
	default: return made_number_test(m);
	}
}

static bool made_any(struct made *m, u32 depth);

static bool made_operand_test(struct made *m, u32 depth)
{
	bool negated = !made_random(m, 4), holds;

	if (negated)
		made_print(m, "!");
	if (depth && made_random(m, 3) == 0) {
		made_print(m, "(");
		holds = made_any(m, depth - 1);
		made_print(m, ")");
	} else {
		holds = made_test(m);
	}
	return holds != negated;
}

static bool made_all(struct made *m, u32 depth)
{
	bool holds = made_operand_test(m, depth);

	while (made_random(m, 3) == 0) {
		made_print(m, " && ");
		holds &= made_operand_test(m, depth);
	}
	return holds;
}

static bool made_any(struct made *m, u32 depth)
{
	bool holds = made_all(m, depth);

	while (made_random(m, 3) == 0) {
		made_print(m, "||");
		holds |= made_all(m, depth);
	}
	return holds;
}

/**
 * made_next() - write the next filter, and a record for it
 * @m: @seed is not 0, @task is set
 *
 * Return: does the record pass?
 */
static bool made_next(struct made *m)
{
	bool holds;

	do {
		m->len = 0;
		m->odd = false;
		made_fill(m);
		holds = made_any(m, 3);
	} while (m->len > sizeof(m->expr) - 100);
	return holds;
}

#endif
