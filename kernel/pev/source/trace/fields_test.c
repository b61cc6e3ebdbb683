// SPDX-License-Identifier: GPL-2.0
/* Tests of how fields are told to a reader, and to a filter. */
#include <kunit/test.h>
#include <linux/slab.h>
#include "base/strbuf.h"
#include "channel/channel.h"
#include "filter/parse.h"
#include "glue/trace_internal.h"
#include "glue/trace_list.h"
#include "fields.h"

/* Its TSDL. */
static void describe(struct kunit *test, const struct pev_field *fields, struct pev_strbuf *text,
		     u32 *fixed)
{
	pev_fields_tsdl(fields, text);
	pev_strbuf_printf(text, "%c", 0);
	*fixed = pev_fields_fixed(fields);
}

static void expect_tsdl(struct kunit *test, const struct pev_field *fields, const char *tsdl,
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
	static const struct pev_field fields[] = {
		{ "prev_comm", "char[16]", 8, 16, 16, true },
		{ "prev_pid", "pid_t", 24, 4, 0, true },
		{ "prev_state", "long", 32, 8, 0, true },
		{ "mac", "u8[6]", 40, 6, 6, false },
		{ "skb", "void *", 48, 8, 0, false },
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
	static const struct pev_field fields[] = {
		{ "name", "__data_loc char[]", 8, 4, 0, true },
		{ "name_len", "int", 12, 4, 0, true },
		{ "event", "__data_loc u32[]", 16, 4, 0, false },
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
	static const struct pev_field fields[] = {
		{ "foo", "struct foo", 8, 12, 0, false },
		{ "packed", "u64", 20, 8, 0, false },
		{ "__nr", "int", 32, 4, 0, true },
		{ "last", "char", 44, 1, 0, true },
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

static void expect_found(struct kunit *test, const struct pev_field *fields, const char *name,
			 u8 kind, u16 offset, u16 size)
{
	struct pev_filter_field found = { };

	KUNIT_EXPECT_TRUE_MSG(test, pev_fields_find(fields, name, strlen(name), &found), "%s",
			      name);
	KUNIT_EXPECT_EQ_MSG(test, found.kind, kind, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, found.offset, offset, "%s", name);
	KUNIT_EXPECT_EQ_MSG(test, found.size, size, "%s", name);
}

static void fields_found(struct kunit *test)
{
	static const struct pev_field fields[] = {
		{ "pid", "pid_t", 8, 4, 0, true },
		{ "letter", "char", 12, 1, 0, true },
		{ "mark", "char[1]", 13, 1, 1, false },
		{ "filename", "const char *", 16, 8, 0, false },
		{ "skb", "void *", 24, 8, 0, false },
		{ "args", "unsigned long[6]", 32, 48, 6, false },
		{ "comm", "char[16]", 80, 16, 16, true },
		{ "name", "__data_loc char[]", 96, 4, 0, true },
		{ "rel", "__rel_loc char[]", 100, 4, 0, true },
		{ "cpus", "__data_loc cpumask_t", 104, 4, 0, false },
		{ "numbers", "__data_loc u32[]", 108, 4, 0, false },
		{ "foo", "struct foo", 112, 12, 0, false },
		{ "far", "u64", 65530, 8, 0, false },
		{ }
	};
	struct pev_filter_field found;

	expect_found(test, fields, "pid", PEV_FILTER_NUMBER, 8, 4);
	expect_found(test, fields, "letter", PEV_FILTER_NUMBER, 12, 1);
	expect_found(test, fields, "mark", PEV_FILTER_ARRAY, 13, 1);
	expect_found(test, fields, "filename", PEV_FILTER_POINTER, 16, 8);
	expect_found(test, fields, "skb", PEV_FILTER_NUMBER, 24, 8);
	expect_found(test, fields, "args", PEV_FILTER_OTHER, 32, 48);
	expect_found(test, fields, "comm", PEV_FILTER_ARRAY, 80, 16);
	expect_found(test, fields, "name", PEV_FILTER_LOC, 96, 4);
	expect_found(test, fields, "rel", PEV_FILTER_REL_LOC, 100, 4);
	expect_found(test, fields, "cpus", PEV_FILTER_CPUS, 104, 4);
	expect_found(test, fields, "numbers", PEV_FILTER_OTHER, 108, 4);
	expect_found(test, fields, "foo", PEV_FILTER_OTHER, 112, 12);
	expect_found(test, fields, "far", PEV_FILTER_OTHER, 65530, 8);
	KUNIT_EXPECT_FALSE(test, pev_fields_find(NULL, "pid", 3, &found));
	KUNIT_EXPECT_FALSE(test, pev_fields_find(fields, "pi", 2, &found));
	KUNIT_EXPECT_FALSE(test, pev_fields_find(fields, "pid2", 4, &found));
	KUNIT_EXPECT_TRUE(test, pev_fields_find(fields, "pid2", 3, &found));
}

/* What the kernel tells its own readers of @call, the last field first. */
static void expect_same(struct kunit *test, struct trace_event_call *call)
{
	const struct pev_field *fields = pev_fields_make(call), *ours = fields;
	const struct ftrace_event_field *theirs;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fields);
	list_for_each_entry_reverse(theirs, trace_get_fields(call), link) {
		const char *name = trace_event_name(call);

		KUNIT_ASSERT_NOT_NULL_MSG(test, ours->name, "%s", name);
		KUNIT_EXPECT_STREQ_MSG(test, ours->name, theirs->name, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, ours->offset, theirs->offset, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, ours->size, theirs->size, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, ours->len, theirs->len, "%s", name);
		KUNIT_EXPECT_EQ_MSG(test, ours->sign, (bool)theirs->is_signed, "%s", name);
		ours++;
	}
	KUNIT_EXPECT_NULL(test, ours->name);
	kfree(fields);
}

static void fields_of_all(struct kunit *test)
{
	struct trace_event_call *call;
	unsigned int nr = 0;

	guard(pev_trace_list)();
	pev_trace_list_for_each(call) {
		if (!pev_trace_is_syscall(call) && !pev_trace_probe(call))
			continue;
		expect_same(test, call);
		nr++;
	}
	KUNIT_EXPECT_GT(test, nr, 500);
}

static struct kunit_case fields_cases[] = {
	KUNIT_CASE(fields_switch),
	KUNIT_CASE(fields_dynamic),
	KUNIT_CASE(fields_strange),
	KUNIT_CASE(fields_found),
	KUNIT_CASE(fields_of_all),
	{}
};

static struct kunit_suite fields_suite = {
	.name		= "pev_fields",
	.test_cases	= fields_cases,
};

kunit_test_suite(fields_suite);

MODULE_DESCRIPTION("Tests of pev's field descriptions");
MODULE_LICENSE("GPL");
