// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of filters: the language, each refusal of it, and what programs answer. Runs in the
 * kernel, and on the host with the sanitizers.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "filter/generate_test.h"
#include "filter/parse.h"
#include "filter/program.h"

static const struct pev_filter_scope made_scope = {
	.find = made_find, .pid_ns = &init_pid_ns,
};

static struct pev_occurrence occurrence_of(const struct made *m)
{
	return (struct pev_occurrence){
		.record = &m->record, .size = sizeof(m->record), .ip = 0x1234,
	};
}

/* 1 or 0: what @expr says; -1: it was refused, and must not have been. */
static int says(struct kunit *test, const struct made *m, const char *expr)
{
	struct pev_occurrence o = occurrence_of(m);
	struct pev_filter_mistake why = { };
	struct pev_program *program;
	bool passes;

	program = pev_filter_parse(expr, &made_scope, &why);
	if (IS_ERR(program)) {
		kunit_info(test, "%s: %u: %s\n", expr, why.pos, why.text);
		return -1;
	}
	passes = pev_program_passes(program, &o);
	kvfree(program);
	return passes;
}

static struct made *make(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->seed = made_seeds[0];
	m->task = current;
	made_fill(m);
	return m;
}

struct saying {
	const char	*expr;
	int		answer;
};

static void expect_all(struct kunit *test, const struct made *m, const struct saying *s)
{
	for (; s->expr; s++)
		KUNIT_EXPECT_EQ_MSG(test, says(test, m, s->expr), s->answer, "%s\n", s->expr);
}

static void numbers(struct kunit *test)
{
	static const struct saying sayings[] = {
		{ "u8 == 200", 1 }, { "u8 == 0xc8", 1 }, { "u8==0310", 1 }, { "u8 != 200", 0 },
		{ "u8 > 199", 1 }, { "u8 > 200", 0 }, { "u8 >= 200", 1 }, { "u8 < 201", 1 },
		{ "u8 < 200", 0 }, { "u8 <= 200", 1 }, { "u8 < 0", 0 }, { "u8 >= 0", 1 },
		{ "u8 > 255", 0 }, { "u8 <= 255", 1 }, { "u8 & 8", 1 }, { "u8 & 7", 0 },
		{ "s8 == -1", 1 }, { "s8 == 0xff", 1 }, { "s8 < 0", 1 }, { "s8 > -2", 1 },
		{ "s8 < -128", 0 }, { "s8 >= -128", 1 }, { "s8 & 0x80", 1 }, { "s8 == -0x1", 1 },
		{ "s32 & 0x80000000", 1 }, { "s32 == -2147483648", 1 },
		{ "u64 == 0xffffffffffffffff", 1 }, { "u64 > 0xfffffffffffffffe", 1 },
		{ "u64 > 18446744073709551615", 0 }, { "u64 <= 18446744073709551615", 1 },
		{ "s64 == 0x8000000000000000", 1 }, { "s64 == -9223372036854775808", 1 },
		{ "s64 < -9223372036854775808", 0 }, { "s64 <= 9223372036854775807", 1 },
		{ "s64 > 9223372036854775807", 0 }, { "u16 == -0", 1 },
		{ }
	};
	struct made *m = make(test);

	m->record.u8 = 200;
	m->record.s8 = -1;
	m->record.u16 = 0;
	m->record.s32 = S32_MIN;
	m->record.u64 = U64_MAX;
	m->record.s64 = S64_MIN;
	expect_all(test, m, sayings);
}

static void strings(struct kunit *test)
{
	static const struct saying sayings[] = {
		{ "array == \"hello\"", 1 }, { "array == 'hello'", 1 }, { "array != 'hello'", 0 },
		{ "array == 'hell'", 0 }, { "array == 'hello!'", 0 }, { "array == ''", 0 },
		{ "array ~ 'hello'", 1 }, { "array ~ 'he*'", 1 }, { "array ~ '*lo'", 1 },
		{ "array ~ '*ll*'", 1 }, { "array ~ 'h*o'", 1 }, { "array ~ 'h?llo'", 1 },
		{ "array ~ 'h?lo'", 0 }, { "array ~ '*'", 1 }, { "array ~ '**'", 1 },
		{ "array ~ '?*?*?*?*?'", 1 }, { "array ~ '?*?*?*?*?*?'", 0 },
		{ "array ~ '[a-m]ello'", 1 }, { "array ~ '[!a-m]ello'", 0 },
		{ "array ~ '[]h]ello'", 1 }, { "array ~ '[^h]ello'", 1 }, { "array ~ '[hello'", 0 },
		{ "array ~ '\\hello'", 1 }, { "array ~ 'hell\\*'", 0 }, { "array ~ 'hello\\'", 0 },
		{ "array ~ '!hello'", 0 }, { "array ~ '!x*'", 1 }, { "array ~ ''", 0 },
		{ "array ~ '*l*l*'", 1 }, { "array ~ '*l*l*l*'", 0 }, { "array == '*'", 0 },
		{ "array ~ '*hello*'", 1 }, { "array ~ '*hello*o'", 0 },
		{ "array ~ '[h[ello'", 0 }, { "array ~ '[]x[hello'", 0 },
		{ "array ~ 'h[]ello'", 0 }, { "array ~ '?[!]llo'", 0 }, { "array ~ '*[[]*'", 0 },
		{ "array ~ '*[e-]llo'", 1 }, { "array ~ '[[h]ello'", 1 }, { "loc ~ '*[[]x'", 1 },
		{ "loc ~ '*[[]*[x'", 0 }, { "loc ~ '*[]] [x'", 0 }, { "loc ~ '1[s]t* [x'", 1 },
		{ "loc ~ '*[ ][x'", 1 },
		{ "loc == '1st* [x'", 1 }, { "loc ~ '1st\\* [[]x'", 1 }, { "loc ~ '*x'", 1 },
		{ "loc ~ '1st*'", 1 }, { "loc ~ '*[x'", 1 },
		{ "rel == ''", 1 }, { "rel ~ '*'", 1 }, { "rel ~ '?*'", 0 },
		{ "rel != 'a && (b'", 1 },
		{ }
	};
	struct made *m = make(test);

	strscpy_pad(m->record.array, "hello", sizeof(m->record.array));
	strscpy_pad(m->record.text[0], "1st* [x", sizeof(m->record.text[0]));
	strscpy_pad(m->record.text[1], "", sizeof(m->record.text[1]));
	m->record.loc = 8 << 16 | (u16)offsetof(struct made_record, text[0]);
	expect_all(test, m, sayings);
}

/* What a location word says is taken as far as the record goes. */
static void locations(struct kunit *test)
{
	u32 at = offsetof(struct made_record, mask);
	struct made *m = make(test);

	m->record.mask = 0x6161616161616161ULL;
	m->record.loc = 8 << 16 | at;
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == 'aaaaaaaa'"), 1);
	m->record.loc = 0xffffU << 16 | at;
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == 'aaaaaaaa'"), 1);
	KUNIT_EXPECT_EQ(test, says(test, m, "loc ~ '*b*'"), 0);
	m->record.loc = 4 << 16 | (at + 6);
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == 'aa'"), 1);
	m->record.loc = 4 << 16 | (at + 8);
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == ''"), 1);
	m->record.loc = U32_MAX;
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == ''"), 1);
	KUNIT_EXPECT_EQ(test, says(test, m, "loc ~ '*'"), 1);
	m->record.loc = at;
	KUNIT_EXPECT_EQ(test, says(test, m, "loc == ''"), 1);
	m->record.rel = 9 << 16 | (at - (u32)offsetofend(struct made_record, rel));
	KUNIT_EXPECT_EQ(test, says(test, m, "rel == 'aaaaaaaa'"), 1);
	m->record.rel = 9 << 16 | 0xffff;
	KUNIT_EXPECT_EQ(test, says(test, m, "rel == ''"), 1);
	m->record.cpus = 8 << 16 | 0xffff;
	KUNIT_EXPECT_EQ(test, says(test, m, "cpus & CPUS{0}"), 0);
	KUNIT_EXPECT_EQ(test, says(test, m, "cpus != CPUS{0}"), 1);
}

/* A record that is shorter than its fields passes no filter that looks at them. */
static void short_record(struct kunit *test)
{
	struct made *m = make(test);
	struct pev_occurrence o = occurrence_of(m);
	struct pev_filter_mistake why;
	struct pev_program *program;

	program = pev_filter_parse("u64 >= 0", &made_scope, &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	KUNIT_EXPECT_EQ(test, program->end, offsetofend(struct made_record, u64));
	o.size = program->end;
	KUNIT_EXPECT_TRUE(test, pev_program_passes(program, &o));
	o.size--;
	KUNIT_EXPECT_FALSE(test, pev_program_passes(program, &o));
	kvfree(program);
}

/* Of these no record is needed. */
static void context_only(struct kunit *test)
{
	struct pev_occurrence o = { .task = current, .ip = 77 };
	struct pev_filter_mistake why;
	struct pev_program *program;
	char expr[200];

	snprintf(expr, sizeof(expr),
		 "common_pid == %d && common_tgid == %d && COMM == '%s' && CPU >= 0 && common_ip == 77 && common_cgroup > 0",
		 current->pid, current->tgid, current->comm);
	program = pev_filter_parse(expr, &made_scope, &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	KUNIT_EXPECT_EQ(test, program->end, 0U);
	KUNIT_EXPECT_TRUE(test, pev_program_passes(program, &o));
	o.task = NULL;
	KUNIT_EXPECT_TRUE(test, pev_program_passes(program, &o));
	o.ip++;
	KUNIT_EXPECT_FALSE(test, pev_program_passes(program, &o));
	kvfree(program);
}

static void logic(struct kunit *test)
{
	static const struct saying sayings[] = {
		{ "u8 == 1 || u8 == 0 && u16 == 7", 1 }, { "(u8 == 1 || u8 == 0) && u16 == 7", 0 },
		{ "u16 == 7 && u8 == 0 || u8 == 1", 1 }, { "!u8 == 1", 0 }, { "!!u8 == 1", 1 },
		{ "!(u8 == 1)", 0 }, { "!(u8 == 0 || u16 == 7)", 1 }, { "! ! ( u8 == 1 ) ", 1 },
		{ "!(u8 == 1 && u16 == 7)", 1 }, { "!(!(u8 == 1))", 1 }, { "((((u8 == 1))))", 1 },
		{ "\tu8\n==\t1\n", 1 }, { "!(u8==0)&&!(u8==2)", 1 },
		{ "!(u8 == 1 || !(u16 == 7 && u8 == 1)) || u8 == 0", 0 },
		{ }
	};
	struct made *m = make(test);

	m->record.u8 = 1;
	m->record.u16 = 8;
	expect_all(test, m, sayings);
}

/* Each test leads to a later one or to an end, and no test is asked in vain. */
static void short_circuit(struct kunit *test)
{
	struct pev_filter_mistake why;
	struct pev_program *p;

	p = pev_filter_parse("u8 == 1 && (u16 == 2 || !(u32 != 3)) || s8 > 4", &made_scope, &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(p));
	KUNIT_EXPECT_EQ(test, p->nr, 4U);
	KUNIT_EXPECT_EQ(test, p->tests[0].yes, 1U);
	KUNIT_EXPECT_EQ(test, p->tests[0].no, 3U);
	KUNIT_EXPECT_EQ(test, p->tests[1].yes, PEV_FILTER_YES);
	KUNIT_EXPECT_EQ(test, p->tests[1].no, 2U);
	KUNIT_EXPECT_EQ(test, p->tests[2].yes, PEV_FILTER_YES);
	KUNIT_EXPECT_EQ(test, p->tests[2].no, 3U);
	/* "> 4" is the opposite of "<= 4" */
	KUNIT_EXPECT_EQ(test, p->tests[3].yes, PEV_FILTER_NO);
	KUNIT_EXPECT_EQ(test, p->tests[3].no, PEV_FILTER_YES);
	kvfree(p);
}

struct wrong {
	const char	*expr;
	u32		pos;
	const char	*text;
};

static bool find_odd(const void *from, const char *name, size_t len,
		     struct pev_filter_field *field)
{
	*field = (struct pev_filter_field){ .kind = PEV_FILTER_OTHER, .offset = 8, .size = 48 };
	if (len == 4 && !strncmp(name, "args", len))
		return true;
	*field = (struct pev_filter_field){ .kind = PEV_FILTER_POINTER, .offset = 8, .size = 8 };
	if (len == 8 && !strncmp(name, "filename", len))
		return true;
	return made_find(from, name, len, field);
}

static const struct wrong wrongs[] = {
	{ "", 0, "name of a field" },
	{ "&& u8 == 1", 0, "name of a field" },
	{ "u8 == 1 &&", 10, "name of a field" },
	{ "u8 == 1 || ()", 12, "name of a field" },
	{ "nothing == 1", 0, "Field not found: \"nothing\"" },
	{ "u8 == 1 && nothing == 1", 11, "Field not found: \"nothing\"" },
	{ "common_flags & 1", 0, "only tracefs has common_flags" },
	{ "stacktrace == 1", 0, "only tracefs has stacktrace" },
	{ "args == 1", 0, "neither a number nor a string" },
	{ "filename == 'a'", 0, "follow no pointers" },
	{ "filename ~ 'a*'", 0, "follow no pointers" },
	{ "filename.ustring ~ 'a*'", 8, ".ustring is refused" },
	{ "u64.function == commit_creds", 3, ".function is refused" },
	{ "u8.x == 1", 2, "Invalid operator" },
	{ "u8 = 1", 3, "Invalid operator" },
	{ "u8", 2, "Invalid operator" },
	{ "u8 ==", 5, "is missing" },
	{ "u8 == x", 6, "is missing" },
	{ "u8 && 1", 4, "is missing" },
	{ "u8 == 'a'", 6, "Expecting numeric field" },
	{ "cpus == 'a'", 8, "Expecting numeric field" },
	{ "u8 ~ 1", 5, "~ is for strings" },
	{ "array == 1", 9, "array is no number" },
	{ "cpus == 1", 8, "cpus is no number" },
	{ "array < 'a'", 8, "==, != and ~ only" },
	{ "array == 'a", 9, "quote is not closed" },
	{ "u8 == 12x", 6, "no number" },
	{ "u8 == -", 6, "no number" },
	{ "u64 == 18446744073709551616", 7, "no number" },
	{ "u64 == 0x00000000000000000000001", 7, "too long" },
	{ "u8 == 256", 6, "beyond the 8 bits of u8" },
	{ "s8 == -129", 6, "beyond the 8 bits of s8" },
	{ "s8 == 256", 6, "beyond the 8 bits of s8" },
	{ "u8 == -1", 6, "u8 has no sign" },
	{ "(u8 == 1", 0, "Too many '('" },
	{ "u8 == 1 && (u8 == 1", 11, "Too many '('" },
	{ "u8 == 1)", 7, "Too few '('" },
	{ "u8 == 1 u8 == 1", 8, "&& or || is missing" },
	{ "u8 == 1 & u8 == 1", 8, "&& or || is missing" },
	{ "array & CPUS{0}", 8, "neither a CPU nor" },
	{ "u8 < CPUS{0}", 5, "==, != and & only" },
	{ "u8 & CPUS", 9, "the { of" },
	{ "u8 & CPUS{0", 10, "the } of" },
	{ "u8 & CPUS{}", 10, "no list of CPUs" },
	{ "u8 & CPUS{x}", 10, "no list of CPUs" },
	{ "u8 & CPUS{999999}", 10, "no list of CPUs" },
};

static void refusals(struct kunit *test)
{
	const struct pev_filter_scope scope = { .find = find_odd };

	for (const struct wrong *w = wrongs; w < wrongs + ARRAY_SIZE(wrongs); w++) {
		struct pev_filter_mistake why = { .pos = 12345 };
		struct pev_program *program = pev_filter_parse(w->expr, &scope, &why);

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(program), -EINVAL, "%s\n", w->expr);
		KUNIT_EXPECT_EQ_MSG(test, why.pos, w->pos, "%s: %s\n", w->expr, why.text);
		KUNIT_EXPECT_TRUE_MSG(test, strstr(why.text, w->text), "%s: %s\n", w->expr,
				      why.text);
		if (!IS_ERR(program))
			kvfree(program);
	}
}

static void no_ip(struct kunit *test)
{
	const struct pev_filter_scope scope = { .find = find_odd, .no_ip = true };
	struct pev_filter_mistake why = { };

	KUNIT_EXPECT_EQ(test, PTR_ERR(pev_filter_parse("u8 == 1 && common_ip > 5", &scope, &why)),
			-EACCES);
	KUNIT_EXPECT_EQ(test, why.pos, 11U);
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "CAP_PERFMON"));
}

/* A pointer's value is a number like others. */
static void pointer_value(struct kunit *test)
{
	const struct pev_filter_scope scope = { .find = find_odd };
	struct pev_filter_mistake why;
	struct pev_program *program = pev_filter_parse("filename == 0", &scope, &why);

	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	KUNIT_EXPECT_EQ(test, program->tests[0].load, PEV_LOAD_64);
	kvfree(program);
}

/* An expression of up to 4095 characters, as the system call takes them. */
static int parse_repeated(struct kunit *test, const char *first, const char *more, u32 nr,
			  const char *last, struct pev_filter_mistake *why)
{
	char *expr = kunit_kzalloc(test, 4096, GFP_KERNEL), *to = expr;
	struct pev_program *program;

	KUNIT_ASSERT_NOT_NULL(test, expr);
	to += sprintf(to, "%s", first);
	while (nr--)
		to += sprintf(to, "%s", more);
	sprintf(to, "%s", last);
	program = pev_filter_parse(expr, &made_scope, why);
	if (IS_ERR(program))
		return PTR_ERR(program);
	kvfree(program);
	return 0;
}

static void bounds(struct kunit *test)
{
	char last[PEV_FILTER_DEPTH + 6] = "u8==1";
	struct pev_filter_mistake why;

	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "u8>1", "||u8>1", 600, "", &why));
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "u8>1", "&&u8>1", 600, "", &why));
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "", "!", 4000, "u8==1", &why));
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "u8&CPUS{0}", "||u8&CPUS{0}", 300, "", &why));
	memset(last + 5, ')', PEV_FILTER_DEPTH);
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "", "(", PEV_FILTER_DEPTH, last, &why));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			parse_repeated(test, "", "(", PEV_FILTER_DEPTH + 1, "u8==1", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "'(' in each other"));
	KUNIT_EXPECT_EQ(test, why.pos, PEV_FILTER_DEPTH);
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "loc~'", "a", PEV_FILTER_PATTERN, "'", &why));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			parse_repeated(test, "loc~'", "a", PEV_FILTER_PATTERN + 1, "'", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "longer than 255"));
	/* 7 * 1024 characters each, and a million in all */
	KUNIT_EXPECT_EQ(test, 0,
			parse_repeated(test, "u8>1", "||loc~'*a?a?*'", 140, "", &why));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			parse_repeated(test, "u8>1", "||loc~'*a?a?*'", 180, "", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "may take too long"));
	/* the end of a path is looked for in all of it */
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "u8>1", "||loc~'*a'", 250, "", &why));
	KUNIT_EXPECT_EQ(test, -EINVAL, parse_repeated(test, "u8>1", "||loc~'*a'", 300, "", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "may take too long"));
	KUNIT_EXPECT_EQ(test, 0, parse_repeated(test, "u8>1", "||loc~'a*'", 300, "", &why));
}

/* A text as long as patterns look at, behind the common fields. */
struct long_record {
	u64	common;
	char	text[PEV_FILTER_TEXT];
};

static bool find_long(const void *from, const char *name, size_t len,
		      struct pev_filter_field *field)
{
	*field = (struct pev_filter_field){
		.kind = PEV_FILTER_ARRAY, .offset = offsetof(struct long_record, text),
		.size = PEV_FILTER_TEXT,
	};
	return true;
}

/* The least time in which @program refuses a text of @c, in ns. */
static u64 time_of(struct kunit *test, const struct pev_program *program,
		   struct long_record *record, char c)
{
	struct pev_occurrence o = { .record = record, .size = sizeof(*record) };
	u64 least = U64_MAX;

	memset(record->text, c, sizeof(record->text));
	for (u32 i = 0; i < 5; i++) {
		u64 begin = ktime_get_ns();

		KUNIT_EXPECT_FALSE(test, pev_program_passes(program, &o));
		least = min(least, ktime_get_ns() - begin);
	}
	return least;
}

/* "*?", the longest pattern of @c that there can be, and an x that is not in the text. */
static u64 time_of_pattern(struct kunit *test, struct long_record *record, char c)
{
	const struct pev_filter_scope scope = { .find = find_long };
	char expr[PEV_FILTER_PATTERN + 16] = "text~'*?";
	struct pev_filter_mistake why;
	struct pev_program *program;
	size_t len = strlen(expr);
	u64 time;

	memset(expr + len, c, PEV_FILTER_PATTERN - 3);
	memcpy(expr + len + PEV_FILTER_PATTERN - 3, "x'", sizeof("x'"));
	program = pev_filter_parse(expr, &scope, &why);
	KUNIT_ASSERT_FALSE(test, IS_ERR(program));
	time = time_of(test, program, record, c);
	kvfree(program);
	return time;
}

/* What a pattern may take is what it was taken for, also with brackets that are not closed. */
static void cost(struct kunit *test)
{
	struct long_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	u64 letters, brackets;

	KUNIT_ASSERT_NOT_NULL(test, record);
	letters = time_of_pattern(test, record, 'a');
	brackets = time_of_pattern(test, record, '[');
	kunit_info(test, "%llu ns with letters, %llu ns with brackets\n", letters, brackets);
	KUNIT_EXPECT_LT(test, brackets, 16 * letters);
}

KUNIT_ARRAY_PARAM(seeds, made_seeds, NULL);

static void generated(struct kunit *test)
{
	struct made *m = make(test);
	u32 passed = 0;

	m->seed = *(const u64 *)test->param_value;
	for (u32 i = 0; i < MADE_A_PART; i++) {
		int holds, said;

		migrate_disable();
		holds = made_next(m);
		said = says(test, m, m->expr);
		migrate_enable();
		KUNIT_EXPECT_EQ_MSG(test, said, holds, "%s\n", m->expr);
		if (said != holds)
			return;
		passed += holds;
	}
	/* they are neither all right nor all wrong */
	KUNIT_EXPECT_GE(test, passed, MADE_A_PART / 4);
	KUNIT_EXPECT_LE(test, passed, MADE_A_PART / 4 * 3);
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE(numbers),
	KUNIT_CASE(strings),
	KUNIT_CASE(locations),
	KUNIT_CASE(short_record),
	KUNIT_CASE(context_only),
	KUNIT_CASE(logic),
	KUNIT_CASE(short_circuit),
	KUNIT_CASE(refusals),
	KUNIT_CASE(no_ip),
	KUNIT_CASE(pointer_value),
	KUNIT_CASE(bounds),
	KUNIT_CASE(cost),
	KUNIT_CASE_PARAM_ATTR(generated, seeds_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	{}
};

static struct kunit_suite program_suite = {
	.name		= "pev_program",
	.test_cases	= program_cases,
};

kunit_test_suite(program_suite);

MODULE_DESCRIPTION("Tests of pev's filters");
MODULE_LICENSE("GPL");
