// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of filters as pev uses them: what the parser's report is taken for,
 * and how fields are told to a reader.
 */
#include <kunit/test.h>
#include "base/strbuf.h"
#include "channel/channel.h"
#include "glue/trace_internal.h"
#include "fields.h"
#include "filter.h"

static void explain_field(struct kunit *test)
{
	char report[] = "foo == 1\n    ^\nparse_error: Field not found\n";
	unsigned int pos;

	KUNIT_EXPECT_STREQ(test, pev_filter_explain(report, &pos), "Field not found");
	KUNIT_EXPECT_EQ(test, pos, 4);
}

static void explain_start(struct kunit *test)
{
	char report[] = "&&\n^\nparse_error: No filter found\n";
	unsigned int pos;

	KUNIT_EXPECT_STREQ(test, pev_filter_explain(report, &pos), "No filter found");
	KUNIT_EXPECT_EQ(test, pos, 0);
}

static void explain_nothing(struct kunit *test)
{
	char error[] = "foo\nError: (-12)\n";
	char plain[] = "foo == 1";
	unsigned int pos;

	KUNIT_EXPECT_NULL(test, pev_filter_explain(error, &pos));
	KUNIT_EXPECT_NULL(test, pev_filter_explain(plain, &pos));
}

struct field {
	const char	*type;
	const char	*name;
	int		offset;
	int		size;
	int		len;
	bool		sign;
};

/* The TSDL of a made-up trace event. */
static void describe(struct kunit *test, const struct field *fields, struct pev_strbuf *text,
		     u32 *fixed)
{
	struct ftrace_event_field *list;
	struct trace_event_class class = { };
	struct trace_event_call call = { .class = &class };

	INIT_LIST_HEAD(&class.fields);
	for (; fields->type; fields++) {
		list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, list);
		list->type = fields->type;
		list->name = fields->name;
		list->offset = fields->offset;
		list->size = fields->size;
		list->len = fields->len;
		list->is_signed = fields->sign;
		list_add(&list->link, &class.fields);
	}
	pev_fields_tsdl(&call, text);
	pev_strbuf_printf(text, "%c", 0);
	*fixed = pev_fields_fixed(&call);
}

static void expect_tsdl(struct kunit *test, const struct field *fields, const char *tsdl,
			u32 fixed)
{
	struct pev_strbuf text = { };
	u32 got;

	describe(test, fields, &text, &got);
	KUNIT_EXPECT_EQ(test, text.error, 0);
	if (!text.error)
		KUNIT_EXPECT_STREQ(test, text.buf, tsdl);
	KUNIT_EXPECT_EQ(test, got, fixed);
	pev_strbuf_free(&text);
}

static void fields_switch(struct kunit *test)
{
	static const struct field fields[] = {
		{ "char[16]", "prev_comm", 8, 16, 16, true },
		{ "pid_t", "prev_pid", 24, 4, 0, true },
		{ "long", "prev_state", 32, 8, 0, true },
		{ "u8[6]", "mac", 40, 6, 6, false },
		{ "void *", "skb", 48, 8, 0, false },
		{ }
	};

	expect_tsdl(test, fields,
		    "\t\ttext_t prev_comm[16];\n"
		    "\t\tint32_t prev_pid;\n"
		    "\t\tint64_t prev_state;\n"
		    "\t\tuint8_t mac[6];\n"
		    "\t\txint64_t skb;\n", 48);
}

static void fields_dynamic(struct kunit *test)
{
	static const struct field fields[] = {
		{ "__data_loc char[]", "name", 8, 4, 0, true },
		{ "int", "name_len", 12, 4, 0, true },
		{ "__data_loc u32[]", "event", 16, 4, 0, false },
		{ }
	};

	expect_tsdl(test, fields,
		    "\t\tuint16_t name_off;\n"
		    "\t\tuint16_t name__len;\n"
		    "\t\tint32_t name_len;\n"
		    "\t\tuint16_t event_off;\n"
		    "\t\tuint16_t event_len;\n"
		    "\t\ttext_t name[name__len];\n"
		    "\t\tuint8_t _event[event_len];\n", 0);
}

static void fields_strange(struct kunit *test)
{
	static const struct field fields[] = {
		{ "struct foo", "foo", 8, 12, 0, false },
		{ "u64", "packed", 20, 8, 0, false },
		{ "int", "__nr", 32, 4, 0, true },
		{ "char", "last", 44, 1, 0, true },
		{ }
	};

	expect_tsdl(test, fields,
		    "\t\tuint8_t foo[12];\n"
		    "\t\tuint8_t packed[8];\n"
		    "\t\tuint8_t _pad0[4];\n"
		    "\t\tint32_t ___nr;\n"
		    "\t\tuint8_t _pad1[8];\n"
		    "\t\tint8_t last;\n", 37);
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(explain_field),
	KUNIT_CASE(explain_start),
	KUNIT_CASE(explain_nothing),
	KUNIT_CASE(fields_switch),
	KUNIT_CASE(fields_dynamic),
	KUNIT_CASE(fields_strange),
	{}
};

static struct kunit_suite filter_suite = {
	.name		= "pev_filter",
	.test_cases	= filter_cases,
};

kunit_test_suite(filter_suite);

MODULE_DESCRIPTION("Tests of pev's filters and field descriptions");
MODULE_LICENSE("GPL");
