// SPDX-License-Identifier: GPL-2.0
/* Fields of probes by names that are known, and what perfctl trace -e takes for an event. */
#include "event/probe_fields.h"
#include "strace/events.h"
#include "tests.h"

static const struct probe_argument two[] = {
	{ .name = "file", .field = { .type = PEV_PROBE_X64, .from = PEV_PROBE_ARGUMENT } },
	{ .name = "count",
	  .field = { .type = PEV_PROBE_U32, .from = PEV_PROBE_ARGUMENT, .number = 1 } },
	{ .name = "ratio", .field = { .from = PEV_PROBE_ARGUMENT }, .why = "it is a float" },
};
static const struct probe_argument s32_result = { .field = { .type = PEV_PROBE_S32,
							     .from = PEV_PROBE_RESULT } };
static const struct probe_argument no_result = { .why = "the function returns nothing" };

/* The only field of @text is this one. */
static void is_field(const char *text, const struct probe_arguments *args, const char *name,
		     unsigned int from, unsigned int number, unsigned int type)
{
	struct probe_fields f = { 0 };
	struct strbuf strings = { 0 };
	struct msg m;
	int err = probe_fields_parse(&f, text, strlen(text), args, &strings, &m);

	OK(!err && f.nr == 1 && f.fields[0].from == from && f.fields[0].number == number &&
		   f.fields[0].type == type,
	   "\"%s\" is found, with its type", text);
	IS_STR(err ? m.text : strings.s, name, "... and called so");
	strbuf_free(&strings);
}

static void is_refused(const char *text, const struct probe_arguments *args, const char *why)
{
	struct probe_fields f = { 0 };
	struct strbuf strings = { 0 };
	struct msg m = { "" };

	OK(probe_fields_parse(&f, text, strlen(text), args, &strings, &m) < 0 &&
		   strstr(m.text, why),
	   "\"%s\": %s", text, m.text);
	strbuf_free(&strings);
}

static void fields(void)
{
	const struct probe_arguments known = { .v = two, .n = ARRAY_SIZE(two) };
	const struct probe_arguments back = { .result = &s32_result };
	const struct probe_arguments nothing = { .result = &no_result };

	is_field("count", &known, "count", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_U32);
	is_field("count", NULL, "count", PEV_PROBE_ARGUMENT, 0, PEV_PROBE_U64);
	is_field("count:s8", &known, "count", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_S8);
	is_field("n=count", &known, "n", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_U32);
	is_field("$arg2", &known, "count", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_U32);
	is_refused("$arg4", &known, "no argument 3, the place has 3");
	is_field("arg1", &known, "arg1", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_U64);
	is_field("$arg2", NULL, "arg1", PEV_PROBE_ARGUMENT, 1, PEV_PROBE_U64);
	is_field("$retval", &back, "ret", PEV_PROBE_RESULT, 0, PEV_PROBE_S32);
	is_field("$retval:x64", &back, "ret", PEV_PROBE_RESULT, 0, PEV_PROBE_X64);
	is_field("r=$retval", NULL, "r", PEV_PROBE_RESULT, 0, PEV_PROBE_U64);
	is_refused("ratio", &known, "it is a float");
	is_refused("ret", &nothing, "the function returns nothing");
	is_refused("$arg0", &known, "its value is");
	is_refused("$", &known, "its value is");
}

static void splits(const char *text, const char *calls, const char *events)
{
	struct strbuf c = { 0 }, e = { 0 };

	trace_events_split(text, &c, &e);
	IS_STR(c.s ? c.s : "", calls, text);
	IS_STR(e.s ? e.s : "", events, "... and the events among them");
	strbuf_free(&c);
	strbuf_free(&e);
}

void test_probe_fields(void)
{
	fields();
	splits("open*,%file", "open*,%file", "");
	splits("trace=read, write", "read,write", "");
	splits("kprobe:f(a,b=arg1[0]:str),read", "read", "kprobe:f(a,b=arg1[0]:str)");
	splits("uprobe:./a b:f/name=x,period=2/,sched:*", "",
	       "uprobe:./a b:f/name=x,period=2/,sched:*");
	splits("uprobe:./a:f(x", "", "uprobe:./a:f(x");
	splits(" , ,", "", "");
}
