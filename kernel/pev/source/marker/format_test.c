// SPDX-License-Identifier: GPL-2.0
/* Tests of what a marker's format means, and of what the kernel does with it. */
#include <kunit/test.h>
#include <linux/trace_events.h>
#include "format.h"

#define ENT	((u16)sizeof(struct trace_entry))

static void expect_arg(struct kunit *test, const struct pev_marker_arg *arg, const char *name,
		       u8 kind, u16 offset, u16 size)
{
	KUNIT_EXPECT_STREQ(test, arg->name, name);
	KUNIT_EXPECT_EQ_MSG(test, arg->kind, kind, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, arg->offset, offset, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, arg->size, size, "%s", name);
}

static void format_example(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("count %d ptr %p name %s", &l));
	KUNIT_ASSERT_EQ(test, l.nr, 3);
	KUNIT_EXPECT_TRUE(test, l.text);
	KUNIT_EXPECT_EQ(test, l.size, ENT + 20);
	expect_arg(test, &l.args[0], "count", PEV_MARKER_INT, ENT, 4);
	expect_arg(test, &l.args[1], "ptr", PEV_MARKER_WORD, ENT + 8, 8);
	expect_arg(test, &l.args[2], "name", PEV_MARKER_TEXT, ENT + 16, 4);
	KUNIT_EXPECT_TRUE(test, l.args[0].sign);
	KUNIT_EXPECT_EQ(test, l.args[2].limit, PEV_MARKER_STRING);
}

static void format_types(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("a %hhd b %hx c %i d %lu e %llo f %zd g %c", &l));
	KUNIT_ASSERT_EQ(test, l.nr, 7);
	KUNIT_EXPECT_FALSE(test, l.text);
	expect_arg(test, &l.args[0], "a", PEV_MARKER_CHAR, ENT, 1);
	expect_arg(test, &l.args[1], "b", PEV_MARKER_SHORT, ENT + 2, 2);
	expect_arg(test, &l.args[2], "c", PEV_MARKER_INT, ENT + 4, 4);
	expect_arg(test, &l.args[3], "d", PEV_MARKER_WORD, ENT + 8, 8);
	expect_arg(test, &l.args[4], "e", PEV_MARKER_WORD, ENT + 16, 8);
	expect_arg(test, &l.args[6], "g", PEV_MARKER_CHAR, l.size - 1, 1);
	KUNIT_EXPECT_TRUE(test, l.args[0].sign);
	KUNIT_EXPECT_FALSE(test, l.args[1].sign);
	KUNIT_EXPECT_TRUE(test, l.args[5].sign);
	KUNIT_EXPECT_STREQ(test, l.args[1].type, "unsigned short");
}

static void format_words(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("%d %p %hhu", &l));
	KUNIT_EXPECT_TRUE(test, l.words);
	KUNIT_EXPECT_EQ(test, l.masks[0], 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, l.masks[1], ~0ULL);
	KUNIT_EXPECT_EQ(test, l.masks[2], 0xffULL);
	KUNIT_ASSERT_NULL(test, pev_marker_parse("%d %d", &l));
	KUNIT_EXPECT_FALSE(test, l.words);
	KUNIT_ASSERT_NULL(test, pev_marker_parse("%p %s", &l));
	KUNIT_EXPECT_FALSE(test, l.words);
}

static void format_names(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("%d prev_pid=%d next: 0x%lx 100%% full %u (%u)",
						 &l));
	KUNIT_ASSERT_EQ(test, l.nr, 5);
	KUNIT_EXPECT_STREQ(test, l.args[0].name, "arg0");
	KUNIT_EXPECT_STREQ(test, l.args[1].name, "prev_pid");
	KUNIT_EXPECT_STREQ(test, l.args[2].name, "x");
	KUNIT_EXPECT_STREQ(test, l.args[3].name, "full");
	KUNIT_EXPECT_STREQ(test, l.args[4].name, "arg4");
}

static void format_same_names(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("x_2 %d x %d x %d arg4 %d %d", &l));
	for (u32 i = 0; i < l.nr; i++) {
		for (u32 j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, l.args[i].name, l.args[j].name);
	}
}

static void format_strings(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("a %-8s b %.16s c %.9999s", &l));
	KUNIT_EXPECT_EQ(test, l.args[0].limit, PEV_MARKER_STRING);
	KUNIT_EXPECT_EQ(test, l.args[1].limit, 17);
	KUNIT_EXPECT_EQ(test, l.args[2].limit, PEV_MARKER_STRING);
}

static void format_empty(struct kunit *test)
{
	struct pev_marker_layout l;

	KUNIT_ASSERT_NULL(test, pev_marker_parse("nothing, 100%%", &l));
	KUNIT_EXPECT_EQ(test, l.nr, 0);
	KUNIT_EXPECT_EQ(test, l.size, ENT);
}

static void format_bad(struct kunit *test)
{
	static const char * const bad[] = {
		"%", "%y", "x %*d", "%.*s", "%pS", "%n", "%f", "%ls", "%hp", "%lc", "50%",
		"%d%d%d%d%d%d%d%d%d%d%d%d%d",
	};
	struct pev_marker_layout l;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, pev_marker_parse(bad[i], &l), "%s", bad[i]);
}

static struct kunit_case marker_cases[] = {
	KUNIT_CASE(format_example),
	KUNIT_CASE(format_types),
	KUNIT_CASE(format_words),
	KUNIT_CASE(format_names),
	KUNIT_CASE(format_same_names),
	KUNIT_CASE(format_strings),
	KUNIT_CASE(format_empty),
	KUNIT_CASE(format_bad),
	{}
};

static struct kunit_suite marker_suite = {
	.name		= "pev_marker",
	.test_cases	= marker_cases,
};

kunit_test_suite(marker_suite);

MODULE_DESCRIPTION("Tests of pev's markers");
MODULE_LICENSE("GPL");
