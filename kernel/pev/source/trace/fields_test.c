// SPDX-License-Identifier: GPL-2.0
/* Tests of how fields are told to a reader, and to a filter. */
#include <kunit/test.h>
#include "base/strbuf.h"
#include "channel/channel.h"
#include "filter/parse.h"
#include "glue/trace_internal.h"
#include "fields.h"

struct field {
	const char	*type;
	const char	*name;
	int		offset;
	int		size;
	int		len;
	bool		sign;
};

/* Make a trace event up. */
static void make_class(struct kunit *test, const struct field *fields,
		       struct trace_event_class *class)
{
	struct ftrace_event_field *list;

	INIT_LIST_HEAD(&class->fields);
	for (; fields->type; fields++) {
		list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, list);
		list->type = fields->type;
		list->name = fields->name;
		list->offset = fields->offset;
		list->size = fields->size;
		list->len = fields->len;
		list->is_signed = fields->sign;
		list_add(&list->link, &class->fields);
	}
}

/* Its TSDL. */
static void describe(struct kunit *test, const struct field *fields, struct pev_strbuf *text,
		     u32 *fixed)
{
	struct trace_event_class class = { };
	struct trace_event_call call = { .class = &class };

	make_class(test, fields, &class);
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

static void expect_found(struct kunit *test, struct trace_event_call *call, const char *name,
			 u8 kind, u16 offset, u16 size)
{
	struct pev_filter_field found = { };

	KUNIT_EXPECT_TRUE_MSG(test, pev_fields_find(call, name, strlen(name), &found), "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, found.kind, kind, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, found.offset, offset, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, found.size, size, "%s", name);
}

static void fields_found(struct kunit *test)
{
	static const struct field fields[] = {
		{ "pid_t", "pid", 8, 4, 0, true },
		{ "char", "letter", 12, 1, 0, true },
		{ "char[1]", "mark", 13, 1, 1, false },
		{ "const char *", "filename", 16, 8, 0, false },
		{ "void *", "skb", 24, 8, 0, false },
		{ "unsigned long[6]", "args", 32, 48, 6, false },
		{ "char[16]", "comm", 80, 16, 16, true },
		{ "__data_loc char[]", "name", 96, 4, 0, true },
		{ "__rel_loc char[]", "rel", 100, 4, 0, true },
		{ "__data_loc cpumask_t", "cpus", 104, 4, 0, false },
		{ "__data_loc u32[]", "numbers", 108, 4, 0, false },
		{ "struct foo", "foo", 112, 12, 0, false },
		{ "u64", "far", 65530, 8, 0, false },
		{ }
	};
	struct trace_event_class class = { };
	struct trace_event_call call = { .class = &class };
	struct pev_filter_field found;

	make_class(test, fields, &class);
	expect_found(test, &call, "pid", PEV_FILTER_NUMBER, 8, 4);
	expect_found(test, &call, "letter", PEV_FILTER_NUMBER, 12, 1);
	expect_found(test, &call, "mark", PEV_FILTER_ARRAY, 13, 1);
	expect_found(test, &call, "filename", PEV_FILTER_POINTER, 16, 8);
	expect_found(test, &call, "skb", PEV_FILTER_NUMBER, 24, 8);
	expect_found(test, &call, "args", PEV_FILTER_OTHER, 32, 48);
	expect_found(test, &call, "comm", PEV_FILTER_ARRAY, 80, 16);
	expect_found(test, &call, "name", PEV_FILTER_LOC, 96, 4);
	expect_found(test, &call, "rel", PEV_FILTER_REL_LOC, 100, 4);
	expect_found(test, &call, "cpus", PEV_FILTER_CPUS, 104, 4);
	expect_found(test, &call, "numbers", PEV_FILTER_OTHER, 108, 4);
	expect_found(test, &call, "foo", PEV_FILTER_OTHER, 112, 12);
	expect_found(test, &call, "far", PEV_FILTER_OTHER, 65530, 8);
	KUNIT_EXPECT_FALSE(test, pev_fields_find(NULL, "pid", 3, &found));
	KUNIT_EXPECT_FALSE(test, pev_fields_find(&call, "pi", 2, &found));
	KUNIT_EXPECT_FALSE(test, pev_fields_find(&call, "pid2", 4, &found));
	KUNIT_EXPECT_TRUE(test, pev_fields_find(&call, "pid2", 3, &found));
}

static struct kunit_case fields_cases[] = {
	KUNIT_CASE(fields_switch),
	KUNIT_CASE(fields_dynamic),
	KUNIT_CASE(fields_strange),
	KUNIT_CASE(fields_found),
	{}
};

static struct kunit_suite fields_suite = {
	.name		= "pev_fields",
	.test_cases	= fields_cases,
};

kunit_test_suite(fields_suite);

MODULE_DESCRIPTION("Tests of pev's field descriptions");
MODULE_LICENSE("GPL");
