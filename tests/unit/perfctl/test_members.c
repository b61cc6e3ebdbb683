// SPDX-License-Identifier: GPL-2.0
/*
 * Members, elements and pointers in the fields of probes, with made-up types:
 *
 *	struct peer { u16 port; char host[8]; };
 *	struct request { int id; int kind : 3; struct peer peer; struct request *next;
 *			 union { long whole; }; int codes[4]; double cost; struct hidden *hidden; };
 */
#include "event/probe_fields.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>

enum {
	INT,
	SHORT,
	LETTER,
	LONG,
	DOUBLE,
	PEER,
	REQUEST,
	REQUEST_PTR,
	HOST,
	CODES,
	UNION,
	HIDDEN,
	HIDDEN_PTR
};

static const struct type_reader reader;

static struct value_type type(uint32_t id)
{
	static const struct value_type types[] = {
		[INT] = { .kind = VALUE_NUMBER, .bytes = 4, .sign = true },
		[SHORT] = { .kind = VALUE_NUMBER, .bytes = 2 },
		[LETTER] = { .kind = VALUE_NUMBER, .bytes = 1, .sign = true, .letter = true },
		[LONG] = { .kind = VALUE_NUMBER, .bytes = 8, .sign = true },
		[DOUBLE] = { .kind = VALUE_OTHER, .bytes = 8 },
		[PEER] = { .kind = VALUE_STRUCTURE, .bytes = 10 },
		[REQUEST] = { .kind = VALUE_STRUCTURE, .bytes = 72 },
		[REQUEST_PTR] = { .kind = VALUE_POINTER, .bytes = 8 },
		[HOST] = { .kind = VALUE_ARRAY, .bytes = 8, .count = 8 },
		[CODES] = { .kind = VALUE_ARRAY, .bytes = 16, .count = 4 },
		[UNION] = { .kind = VALUE_STRUCTURE, .bytes = 8 },
		[HIDDEN] = { .kind = VALUE_STRUCTURE },
		[HIDDEN_PTR] = { .kind = VALUE_POINTER, .bytes = 8 },
	};
	struct value_type t = types[id];

	t.reader = &reader;
	t.id = id;
	return t;
}

static bool target(const struct value_type *t, struct value_type *to)
{
	static const int targets[] = {
		[REQUEST_PTR] = REQUEST, [HOST] = LETTER, [CODES] = INT, [HIDDEN_PTR] = HIDDEN
	};

	*to = type((uint32_t)targets[t->id]);
	return true;
}

static void members(const struct value_type *t, value_member_fn each, void *arg)
{
	static const struct {
		int of;
		const char *name;
		uint32_t type;
		uint64_t offset;
		bool bits;
	} all[] = {
		{ PEER, "port", SHORT, 0, false },
		{ PEER, "host", HOST, 2, false },
		{ REQUEST, "id", INT, 0, false },
		{ REQUEST, "kind", INT, 4, true },
		{ REQUEST, "peer", PEER, 6, false },
		{ REQUEST, "next", REQUEST_PTR, 16, false },
		{ REQUEST, NULL, UNION, 24, false },
		{ REQUEST, "codes", CODES, 32, false },
		{ REQUEST, "cost", DOUBLE, 48, false },
		{ REQUEST, "hidden", HIDDEN_PTR, 56, false },
		{ UNION, "whole", LONG, 0, false },
		{ REQUEST, "place", INT, 64, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct value_member m = { .offset = all[i].offset, .bits = all[i].bits };

		m.type = type(all[i].type);
		if (all[i].of == (int)t->id && each(arg, all[i].name, &m))
			return;
	}
}

static char *text(const struct value_type *t)
{
	return xasprintf("type %u", t->id);
}

static const struct type_reader reader = { .target = target, .members = members, .text = text };

/* r is in a register, s is 40 bytes below another one; gone is refused. */
static int find(const void *arg, const char *name, size_t len, int number, struct value *v,
		struct msg *m)
{
	const bool *back = arg;

	*v = (struct value){ .field.from = PEV_PROBE_REGISTER, .field.number = 1 };
	if (*back && number == PROBE_RESULT)
		v->field.from = PEV_PROBE_RESULT;
	if ((name && len == 1 && *name == 'r') || number == 0 ||
	    v->field.from == PEV_PROBE_RESULT) {
		v->name = "r";
		v->type = type(REQUEST_PTR);
		return 0;
	}
	if (name && len == 4 && !strncmp(name, "gone", 4))
		return msg_set(m, -EOPNOTSUPP, "it was optimized out");
	if (!name || len != 1 || *name != 's')
		return -ENOENT;
	v->type = type(PEER);
	v->field.number = 2;
	v->memory = true;
	v->offset = -40;
	return 0;
}

static void names(const void *arg, struct strbuf *to)
{
	(void)arg;
	strbuf_puts(to, "r, s");
}

static int parse(const char *fields, bool whole, struct probe_fields *f, struct strbuf *strings,
		 struct msg *m)
{
	static const bool back = true;
	const struct probe_scope scope = {
		.find = find, .names = names, .arg = &back, .whole = whole, .kernel = true
	};
	const struct probe_arguments known = { .scope = &scope };

	return probe_fields_parse(f, fields, strlen(fields), &known, strings, m);
}

/* Fields are these, as "NAME=WHERE:TYPE NAME=..." */
static void are(const char *fields, const char *expected)
{
	struct strbuf strings = { 0 }, got = { 0 };
	struct probe_fields f = { 0 };
	struct msg m;
	int err = parse(fields, true, &f, &strings, &m);

	for (unsigned int i = 0; !err && i < f.nr; i++) {
		strbuf_addf(&got, "%s%s=", i ? " " : "", strings.s + f.fields[i].name);
		probe_field_text(&f.fields[i], &got);
	}
	IS_STR(err ? m.text : got.s, expected, fields);
	strbuf_free(&strings);
	strbuf_free(&got);
}

static void is_refused(const char *fields, bool whole, const char *why)
{
	struct strbuf strings = { 0 };
	struct probe_fields f = { 0 };
	struct msg m = { "" };

	OK(parse(fields, whole, &f, &strings, &m) < 0 && strstr(m.text, why), "\"%s\": %s", fields,
	   m.text);
	strbuf_free(&strings);
}

static void paths(void)
{
#ifdef __powerpc64__
#define A "%r1"
#define B "%r2"
#else
#define A "%bx"
#define B "%cx"
#endif
	are("r", "r=" A ":x64");
	are("$arg1", "r=" A ":x64");
	are("r->id,s.port", "id=" A "[0]:s32 port=" B "[-40]:u16");
	are("r->peer.host,s.host", "host=" A "+8:str s_host=" B "-38:str");
	are("r->next->next->peer.port", "port=" A "[16][16][6]:u16");
	are("r->whole,n=r->codes[3]:x32", "whole=" A "[24]:s64 n=" A "[44]:x32");
	are("r->codes[0],r[1].id,r[-1].id",
	    "codes_0=" A "[32]:s32 id=" A "[72]:s32 r_m1_id=" A "[-72]:s32");
	are("r->next:str,x=r->peer.host[2]", "next=" A "[16]:str x=" A "[10]:s8");
	are("r->place", "r_place=" A "[64]:s32");
	are("$arg1->id,ret->id,$retval->next->id", "id=" A "[0]:s32 ret_id=ret[0]:s32 "
						   "retval_next_id=ret[16][0]:s32");
	/* without a type, and so in bytes */
	are("a=arg0[4],b=ret[4]:u8,c=%ip", "a=arg0[4]:u64 b=ret[4]:u8 c=%ip:u64");
}

static void refusals(void)
{
	is_refused("r->kind", true, "\"kind\" is a bit-field, from byte 4 on");
	is_refused("r->cost", true, "no floating-point numbers");
	is_refused("r->peer", true, "name one of its members");
	is_refused("r->codes", true, "name one of its elements");
	is_refused("s.host:u8", true, "name one of its elements");
	is_refused("r->codes[4]", true, "the array has 4 elements");
	is_refused("r->codes[-1]", true, "the first element of an array is [0]");
	is_refused("r->codes[99999999999999999999]", true, "an index is a constant number");
	is_refused("r[1000000000].id", true, "more than 2 GiB away");
	is_refused("r->codes[n]", true, "an index is a constant number");
	is_refused("r->codes[ 1]", true, "an index is a constant number");
	is_refused("r->codes[1", true, "an index is a constant number");
	is_refused("r.id", true, "write ->id");
	is_refused("s->port", true, "write .port");
	is_refused("r->id.x", true, "has no members");
	is_refused("r->id[0]", true, "has no elements");
	is_refused("r->ids", true, "has no member \"ids\", but id, kind, peer, next, whole, codes");
	is_refused("r->hidden->x", true, "the members of \"type 11\" are not known here");
	is_refused("r->", true, "comes the name of a member");
	is_refused("r-id", true, "behind a name come");
	is_refused("r->id]", true, "behind a name come");
	is_refused("r->next->next->next->next->next", true, "more than the 4 loads");
	is_refused("t", true, "there is no variable \"t\" there, but r, s");
	is_refused("t->x", false, "there is no variable \"t\" there, but r, s");
	is_refused("gone", false, "it was optimized out");
	is_refused("r->next:ustr", true, "one field does not load from both");
	is_refused("r->next->next->next->next:str", true, "at most 3 offsets");
}

void test_members(void)
{
	paths();
	refusals();
}
