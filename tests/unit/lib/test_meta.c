// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Metadata: the whole form, growing text, and much that is no metadata.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sample.h"
#include "tap.h"

static char *text;
static size_t text_len;

static void test_whole(void)
{
	const struct pev_class *cls;
	const struct pev_field *f;
	struct pev_error err;
	struct pev_meta *meta;

	if (!check(!pev_meta_parse(text, text_len, 0, &meta, &err), "the sample parses")) {
		printf("# %s\n", err.text);
		exit(1);
	}
	check(pev_meta_nr_classes(meta) == 6 && pev_meta_uuid(meta)[15] == 0xff,
	      "classes and UUID");
	cls = pev_meta_class_by_name(meta, "sched:sched_switch");
	check(cls && cls->id == 3 && cls == pev_meta_class_by_id(meta, 0, 3) &&
	      cls->type == PEV_TYPE_TRACEPOINT && cls->period == 1 &&
	      cls->sample == (PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP),
	      "a tracepoint's class");
	f = pev_class_field(cls, "prev_state");
	check(f && f->offset == 24 && f->size == 8 && f->is_signed && f->base == 10,
	      "an integer field");
	f = pev_class_field(cls, "prev_comm");
	check(f && f->shape == PEV_SHAPE_ARRAY && f->count == 16 && f->is_text && !f->offset,
	      "a text field");
	check(!pev_class_field(cls, "nothing") && pev_class_context_field(cls, "ip")->base == 16,
	      "fields by name");
	cls = pev_meta_class_by_id(meta, 0, 5);
	check(cls->sample == (PEV_SAMPLE_ALL & ~(PEV_SAMPLE_PAIR | PEV_SAMPLE_EXIT)) &&
		      !cls->nr_fields && cls->nr_context == 21 && cls->freq == 997 &&
		      !cls->period && cls->type == PEV_TYPE_TIMER,
	      "call chains and the like belong to the context");
	cls = pev_meta_class_by_name(meta, "test:two");
	check(pev_class_field(cls, "stream") && pev_class_field(cls, "stream")->offset == -1 &&
	      pev_class_field(cls, "a")->offset == 8 &&
	      pev_class_field(cls, "a")->length == 3 && cls->type == PEV_TYPE_MARKER,
	      "sequences, and a name with an underscore before it");
	check(!pev_meta_class_by_id(meta, 0, 4) && !pev_meta_class_by_id(meta, 0, 4000000000U) &&
	      !pev_meta_class_by_id(meta, 1, 3) &&
	      !pev_meta_class_by_name(meta, "x") && !pev_meta_class(meta, 6), "what is not there");
	pev_meta_free(meta);
}

static void test_growing(void)
{
	const char *cut = strstr(text, "event {");
	const struct pev_class *first;
	struct pev_error err;
	struct pev_meta *meta;
	const char *second = strstr(cut + 1, "event {");

	check(!pev_meta_parse(text, second - text, 0, &meta, &err) &&
	      pev_meta_nr_classes(meta) == 1, "the first part");
	first = pev_meta_class(meta, 0);
	check(pev_meta_update(meta, text, second - text + 40, &err) == -EBADMSG &&
	      pev_meta_nr_classes(meta) == 1, "half a declaration adds nothing");
	check(!pev_meta_update(meta, text, text_len, &err) && pev_meta_nr_classes(meta) == 6 &&
	      pev_meta_class(meta, 0) == first, "the whole adds the rest");
	check(!pev_meta_update(meta, text, text_len, &err) && pev_meta_nr_classes(meta) == 6,
	      "the same again adds nothing");
	check(pev_meta_update(meta, text, 100, &err) == -EINVAL, "text that shrinks is refused");
	pev_meta_free(meta);
}

/* The sample with one piece of it replaced: must be refused, at a certain line */
struct change {
	const char	*from;
	const char	*to;
	const char	*says;
};

static const struct change bad[] = {
	{ "major = 1", "major = 2", "CTF 1.8" },
	{ "minor = 8", "minor = \"x\"", "number" },
	{ "uuid = \"0", "uuid = \"x0", "UUID" },
	{ "uuid = \"00", "uuid = \"0", "UUID" },
	{ "byte_order = le", "byte_order = be", "little-endian" },
	{ "freq = 2500000000", "freq = 0", "frequency" },
	{ "freq = 2500000000", "freq = -5", "frequency" },
	{ "offset_s = 1700000000", "offset_s = 99999999999999999999999", "too large" },
	{ "offset_s = 1700000000", "offset_s = 9000000000000", "out of range" },
	{ "size = 16; align = 16; signed = false", "size = 65; align = 16; signed = false", "64 bits" },
	{ "size = 16; align = 16; signed = false", "align = 16; signed = false", "no size" },
	{ "size = 16; align = 16; signed = false", "size = 16; align = 3; signed = false", "power of two" },
	{ "size = 16; align = 16; signed = false", "size = 16; align = 128; signed = false", "power of two" },
	{ "uint32_t magic;", "uint64_t magic;", "header of packets" },
	{ "uint8_t uuid[16];", "uint8_t uuid[15];", "header of packets" },
	{ "uint64_t content_size;", "uint32_t content_size;", "context of packets" },
	{ "size = 5; align = 1", "size = 6; align = 1", "header of records" },
	{ "size = 27; align = 1", "size = 26; align = 1", "header of records" },
	{ "id27_t id; clock64b_t", "uint16_t id; clock64b_t", "header of records" },
	{ "id27_t id; clock64b_t timestamp;", "clock64b_t timestamp; id27_t id;",
	  "header of records" },
	{ "id27_t id; clock64b_t", "id27_t id; clock64_t", "header of records" },
	{ "} compact;", "} short;", "header of records" },
	{ "} v;\n} align(64)", "} v;\n} align(32)", "header of records" },
	{ "} v;\n} align(64)", "} v;\n} align(63)", "power of two" },
	{ "event.context := struct { uint32_t tid; }", "event.context := struct { uint64_t tid; }", "context of records" },
	{ "event.header := struct event_header", "event.header := struct other", "not declared" },
	{ "stream {\n\tid = 0", "stream {\n\tid = 1", "stream 0, which is not described" },
	{ "stream {\n\tid = 0", "stream {\n\tid = -1", "number from 0" },
	{ "stream_id = 0;", "stream_id = 4294967296;", "number from 0" },
	{ "stream_id = 0;", "stream_id = 5;", "stream 5, which is not described" },
	{ "event.context := struct { uint32_t tid; }",
	  "event.context := struct { uint32_t tid; uint32_t more; }", "not aligned to 8" },
	{ "event.context := struct { uint32_t tid; }", "event.context := struct { }",
	  "not aligned to 8" },
	{ "event.context := struct { uint32_t tid; }",
	  "event.context := struct { uint32_t tid; uint8_t a[100000]; }", "context of records" },
	{ "event.context := struct { uint32_t tid; }",
	  "event.context := struct { uint32_t n; uint8_t a[n]; }", "context of records" },
	{ "id = 3;", "", "no id" },
	{ "id = 3;", "id = 5;", "two events" },
	{ "id = 3;", "id = 4294967299;", "number from 0" },
	{ "id = 3;", "id = -3;", "number from 0" },
	{ "int32_t prev_pid;", "int33_t prev_pid;", "int33_t is not declared" },
	{ "int32_t prev_pid;", "int32_t next_pid;", "two fields" },
	{ "int32_t prev_pid;", "int32_t prev_pid", "';'" },
	{ "int32_t prev_pid;", "int32_t [4];", "name" },
	{ "int32_t prev_pid;", "int32_t a[4][4];", "array of arrays" },
	{ "int32_t prev_pid;", "int32_t a[2000000000];", "too long" },
	{ "int32_t prev_pid;", "int32_t a[b];", "no earlier field" },
	{ "int32_t prev_pid;", "int32_t n; int32_t a[n];", "unsigned" },
	{ "int32_t prev_pid;", "struct { uint8_t x; } s;", "structure" },
	{ "int32_t prev_pid;", "struct { } s;", "structure" },
	{ "int32_t prev_pid;", "floating_point { exp_dig = 8; } f;", "floating" },
	{ "int32_t prev_pid;", "integer { size = 3; } f;", "whole bytes" },
	{ "int32_t prev_pid;", "clock27_t f;", "whole bytes" },
	{ "text_t prev_comm[16]", "text_t prev_comm[16}", "']'" },
	{ "uint32_t a_len;", "", "no earlier field" },
	{ "clock {", "clok {", "begins no declaration" },
	{ "clock {", "/* clock {", "" },
	{ "clock {", "clock [", "'{'" },
	{ "trace {", "{", "declaration" },
	{ "trace {", "\x01 {", "0x01" },
	{ "trace {", "@ {", "'@'" },
	{ "trace {", "struct a { struct b { struct c { struct d { struct e { struct f { struct g { struct h { struct i { struct j { struct k { struct l { struct m { struct n { struct o { struct p { struct q { trace {", "nested" },
	{ "\"box\"", "\"box", "no end" },
	{ "tracer_major = 1", "tracer_major = 0x", "malformed" },
	{ "tracer_major = 1", "tracer_major = 12monkeys", "malformed" },
	{ "typealias integer { size = 8; align = 8; signed = true; } := int8_t;",
	  "typealias integer { size = 8; align = 8; signed = true; } := uint8_t;", "twice" },
	{ "typealias integer { size = 8; align = 8; signed = true; } := int8_t;",
	  "typealias integer { size = 8; align = 8; signed = true; } = int8_t;", "':='" },
};

/* Pieces that may look otherwise */
static const struct change good[] = {
	{ "int32_t prev_pid;", "enum : int32_t { A, B = 5, \"C d\" = 7 ... 9 } prev_pid;", "" },
	{ "int32_t prev_pid;", "string prev_pid;", "" },
	{ "uint32_t tid; text_t comm[16];", "uint32_t tid; text_t comm[16]; struct { } align(64) ___end;", "" },
	{ "int32_t prev_pid;", "string { encoding = UTF8; } s;", "" },
	{ "int32_t prev_pid;", "integer { size = 32; align = 8; signed = 1; base = hex; } s;", "" },
	{ "int32_t prev_pid;", "uint32_t a[0];", "" },
	{ "int32_t prev_pid;", "uint16_t n; xint64_t a[n]; uint8_t m; uint8_t b[m];", "" },
	{ "tracer_major = 1", "tracer_major = -0x7fUL", "" },
	{ "stream_id = 0;", "stream_id = 0; loglevel = 13; x.y = z.w;", "" },
	{ "offset = 123;", "offset = -123; precision = 5; absolute = false;", "" },
	{ "event {", "callsite { name = \"x\"; ip = 5; };\nevent {", "" },
	{ "event {", "// a comment\nevent {", "" },
	{ "	event.context := struct { uint32_t tid; };", "	event.context := struct { uint32_t tid; } align(32);", "" },
	{ "	event.context := struct { uint32_t tid; };", "	event.context := struct { uint32_t other; };", "" },
	{ "	event.context := struct { uint32_t tid; };",
	  "	event.context := struct { uint8_t kind; uint32_t vcpu; uint32_t tid; };", "" },
	{ "	event.context := struct { uint32_t tid; };",
	  "	event.context := struct { uint32_t tid; uint64_t more; };", "" },
};

static char *changed(const struct change *c, size_t *len)
{
	const char *at = strstr(text, c->from);
	char *out = malloc(text_len + strlen(c->to) + 1);

	if (!at) {
		check(false, "the sample has no %s", c->from);
		exit(1);
	}
	*len = sprintf(out, "%.*s%s%s", (int)(at - text), text, c->to, at + strlen(c->from));
	return out;
}

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pev_error err = { 0 };
		struct pev_meta *meta;
		size_t len;
		char *t = changed(&bad[i], &len);
		int ret = pev_meta_parse(t, len, 0, &meta, &err);

		check(ret == -EBADMSG && !meta && err.error == EBADMSG && err.line &&
		      strstr(err.text, bad[i].says), "refused: %s", err.text);
		pev_meta_free(meta);
		free(t);
	}
}

static void test_good(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct pev_error err = { 0 };
		struct pev_meta *meta;
		size_t len;
		char *t = changed(&good[i], &len);
		int ret = pev_meta_parse(t, len, 0, &meta, &err);

		check(!ret && pev_meta_nr_classes(meta) == 6, "accepted: %.60s %s",
		      strchr(good[i].to, '\n') ? "(a block)" : good[i].to, err.text);
		pev_meta_free(meta);
		free(t);
	}
}

static void is_label(const struct pev_field *f, uint64_t value, const char *label)
{
	const char *found = f ? pev_field_label(f, value) : "no field";

	check(found && label ? !strcmp(found, label) : found == label,
	      "the label of %" PRId64 ": %s", (int64_t)value, found ? found : "none");
}

static void with_enum(const char *to, void (*test)(const struct pev_field *f))
{
	const struct change c = { "int32_t prev_pid;", to, "" };
	const struct pev_class *cls;
	struct pev_error err = { 0 };
	struct pev_meta *meta;
	size_t len;
	char *t = changed(&c, &len);

	check(!pev_meta_parse(t, len, 0, &meta, &err), "%.60s %s", to, err.text);
	cls = meta ? pev_meta_class_by_name(meta, "sched:sched_switch") : NULL;
	test(cls ? pev_class_field(cls, "prev_pid") : NULL);
	pev_meta_free(meta);
	free(t);
}

static void signed_labels(const struct pev_field *f)
{
	is_label(f, 0, "A");
	is_label(f, 4, NULL);
	is_label(f, 5, "B");
	is_label(f, 6, "C d\\\"\n");
	is_label(f, 7, "E");
	is_label(f, 9, "E");
	is_label(f, 10, "F");
	is_label(f, -3, "G");
	is_label(f, -1, "G");
	is_label(f, -4, NULL);
	is_label(f, 1000, NULL);
	is_label(f, UINT64_C(0xfffffffd), NULL);
}

static void places(const struct pev_field *f)
{
	is_label(f, 0, "vfs_read");
	is_label(f, 1, "vfs_write+0x10");
	is_label(f, 2, NULL);
	is_label(f, -1, NULL);
}

static void wide(const struct pev_field *f)
{
	is_label(f, -1, "HIGH");
	is_label(f, UINT64_C(1) << 63, "HIGH");
	is_label(f, 1, NULL);
	is_label(f, 0, "LOW");
}

static void none(const struct pev_field *f)
{
	is_label(f, 0, NULL);
}

static void no_enum(const char *to, const char *says)
{
	const struct change c = { "int32_t prev_pid;", to, "" };
	struct pev_error err = { 0 };
	struct pev_meta *meta;
	size_t len;
	char *t = changed(&c, &len);

	check(pev_meta_parse(t, len, 0, &meta, &err) == -EBADMSG && strstr(err.text, says),
	      "refused: %s", err.text);
	pev_meta_free(meta);
	free(t);
}

static void test_labels(void)
{
	no_enum("enum : int32_t { A = \"x\" } prev_pid;", "is a number, not \"x\"");
	no_enum("enum : int32_t { A = 1 ... B } prev_pid;", "is a number, not \"B\"");
	no_enum("enum : int32_t { 5 } prev_pid;", "a label");
	no_enum("enum : int32_t { A B } prev_pid;", "','");
	with_enum(
		"enum : int32_t { A, B = 5, \"C d\\\\\\\"\\n\", E = 7 ... 9, F, G = -3 ... -1, H = 5 } prev_pid;",
		signed_labels);
	with_enum("enum : uint16_t { \"vfs_read\" = 0, \"vfs_write+0x10\" = 1, } prev_pid;",
		  places);
	with_enum(
		"enum : uint64_t { LOW, HIGH = 0x8000000000000000 ... 0xffffffffffffffff } prev_pid;",
		wide);
	with_enum("enum : uint8_t { } prev_pid;", none);
	with_enum("int32_t prev_pid;", none);
}

static void test_line(void)
{
	struct change c = { "int32_t prev_prio;", "int32_t prev_prio[;", "" };
	struct pev_error err;
	struct pev_meta *meta;
	unsigned int line = 1;
	size_t len;
	char *t = changed(&c, &len);

	for (const char *p = t; p < strstr(t, c.to); p++)
		line += *p == '\n';
	pev_meta_parse(t, len, 0, &meta, &err);
	check(err.line == line, "the line is right: %u", err.line);
	free(t);
}

/* The sample's stream block with another id, behind the first */
static size_t add_stream(char *t, size_t len, unsigned int id)
{
	const char *from = strstr(text, "stream {"), *to = strstr(from, "};\nevent {") + 3;
	const char *number = strstr(from, "id = 0;");

	return len + sprintf(t + len, "%.*sid = %u;%.*s", (int)(number - from), from, id,
			     (int)(to - number - 7), number + 7);
}

static void test_streams(void)
{
	char *t = malloc(2 * text_len + 70 * 1000);
	const struct pev_class *cls;
	struct pev_error err = { 0 };
	struct pev_meta *meta;
	size_t len = text_len;
	int ret;

	memcpy(t, text, text_len);
	len = add_stream(t, len, 9);
	len += sprintf(t + len, "event { name = \"other:three\"; id = 3; stream_id = 9; "
		       "fields := struct { uint64_t x; } align(64); };\n");
	check(!pev_meta_parse(t, len, 0, &meta, &err) && pev_meta_nr_classes(meta) == 7,
	      "two classes of streams %s", err.text);
	cls = pev_meta_class_by_id(meta, 9, 3);
	check(cls && cls->stream_id == 9 && !strcmp(cls->name, "other:three") &&
	      !strcmp(pev_meta_class_by_id(meta, 0, 3)->name, "sched:sched_switch"),
	      "each has ids of its own");
	check(!pev_meta_class_by_id(meta, 9, 5) && !pev_meta_class_by_id(meta, 8, 3),
	      "and no others");
	ret = add_stream(t, len, 9);
	check(pev_meta_update(meta, t, ret, &err) == -EBADMSG && strstr(err.text, "id 9") &&
	      pev_meta_class_by_id(meta, 9, 3) == cls, "refused: %s", err.text);
	pev_meta_free(meta);

	len = text_len;
	for (unsigned int id = 1; id < 70; id++)
		len = add_stream(t, len, id);
	check(pev_meta_parse(t, len, 0, &meta, &err) == -EBADMSG && strstr(err.text, "more than"),
	      "refused: %s", err.text);

	/* each with an event of the highest id: memory for all of them is not given */
	len = text_len;
	for (unsigned int id = 1; id < 20; id++) {
		len = add_stream(t, len, id);
		len += sprintf(t + len, "event { name = \"a:b\"; id = 1048575; stream_id = %u; };\n",
			       id);
	}
	check(pev_meta_parse(t, len, 0, &meta, &err) == -EBADMSG && strstr(err.text, "memory"),
	      "refused: %s", err.text);
	free(t);
}

/* Cut at each byte, and with each byte changed: no crash, and no leak. */
static void test_mangled(void)
{
	char *t = malloc(text_len + 1);
	unsigned int accepted = 0;
	struct pev_error err;
	struct pev_meta *meta;

	for (size_t len = 0; len < text_len; len++) {
		memcpy(t, text, len);
		if (!pev_meta_parse(t, len, 0, &meta, &err))
			accepted++;
		pev_meta_free(meta);
	}
	check(accepted < text_len, "cut at each of %zu bytes", text_len);
	srand(1);
	for (size_t i = 0; i < text_len; i++) {
		memcpy(t, text, text_len);
		t[i] = "{}[];:=,.<>\"0a \0"[rand() % 16];
		pev_meta_parse(t, text_len, 0, &meta, &err);
		pev_meta_free(meta);
	}
	check(true, "with each byte changed");
	free(t);
}

static void test_many(void)
{
	struct pev_error err;
	struct pev_meta *meta;
	size_t room = text_len + 20000 * 120, len = text_len;
	char *t = malloc(room);

	memcpy(t, text, text_len);
	for (int i = 0; i < 20000; i++)
		len += sprintf(t + len, "event { name = \"a:b%d\"; id = %d; stream_id = 0; "
			       "fields := struct { uint64_t x; } align(64); };\n", i, 50 + i);
	check(!pev_meta_parse(t, len, 0, &meta, &err) && pev_meta_nr_classes(meta) == 20006 &&
	      !strcmp(pev_meta_class_by_id(meta, 0, 20049)->name, "a:b19999"), "20000 classes");
	pev_meta_free(meta);
	free(t);
}

/* So many types must not take a time that grows with their square: 25 s, once. */
static void test_many_types(void)
{
	enum { TYPES = 40000 };
	char *many = malloc(text_len + TYPES * 80), *p = many, *end;
	struct pev_error err = { 0 };
	struct pev_meta *meta;
	clock_t begin;
	double took;
	int ret;

	memcpy(p, text, text_len);
	p += text_len;
	for (int i = 0; i < TYPES; i++)
		p += sprintf(p, "typealias integer { size = 8; } := a_type_%d;\n", i);
	begin = clock();
	ret = pev_meta_parse(many, (size_t)(p - many), 0, &meta, &err);
	took = (double)(clock() - begin) / CLOCKS_PER_SEC;
	check(!ret && took < 0.5, "%d types in %.3f s of the CPU %s", TYPES, took, err.text);
	end = p + sprintf(p, "typealias integer { size = 16; } := a_type_7;\n");
	check(pev_meta_update(meta, many, (size_t)(end - many), &err) == -EBADMSG &&
	      strstr(err.text, "a_type_7 is declared twice"), "... none twice: %s", err.text);
	end = p + sprintf(p, "struct outer { enum in : a_type_1 { X } x; nothing y; };\n");
	check(pev_meta_update(meta, many, (size_t)(end - many), &err) == -EBADMSG &&
	      strstr(err.text, "nothing is not declared"), "... what fails: %s", err.text);
	end = p + sprintf(p, "struct outer { enum in : a_type_1 { X } x; };\n");
	check(!pev_meta_update(meta, many, (size_t)(end - many), &err), "... leaves no type");
	pev_meta_free(meta);
	free(many);
}

static void test_names(void)
{
	struct pev_attr attr;

	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, 0, NULL);
	check(!pev_attr_by_name(&attr, "page-faults") && attr.type == PEV_TYPE_SOFTWARE &&
	      attr.config == PEV_SW_PAGE_FAULTS, "page-faults");
	check(!pev_attr_by_name(&attr, "timer/cpu-clock") && attr.type == PEV_TYPE_TIMER,
	      "timer/cpu-clock");
	check(!pev_attr_by_name(&attr, "marker/pev:test") && attr.type == PEV_TYPE_MARKER &&
	      !strcmp((char *)(uintptr_t)attr.name, "pev:test"), "marker/pev:test");
	check(!pev_attr_by_name(&attr, "sched:sched_switch") &&
	      attr.type == PEV_TYPE_TRACEPOINT, "sched:sched_switch");
	check(!pev_attr_by_name(&attr, "pev:mmap") && attr.type == PEV_TYPE_SIDEBAND,
	      "pev:mmap");
	check(pev_attr_by_name(&attr, "xyz") == -ENOENT &&
	      pev_attr_by_name(&attr, "xyz/a") == -EINVAL &&
	      pev_attr_by_name(&attr, "channel/a") == -EINVAL &&
	      pev_attr_by_name(&attr, "timer/") == -EINVAL &&
	      pev_attr_by_name(&attr, "timer/x") == -ENOENT, "names that are none");
	check(!strcmp(pev_attr_field_name(offsetof(struct pev_attr, clock)), "clock") &&
	      !pev_attr_field_name(1), "names of members");
	pev_attr_channel(&attr, 100000);
	check(attr.ring_size == 131072 && attr.type == PEV_TYPE_CHANNEL, "a channel's size");
}

static void test_catalog(void)
{
	static const char lines[] = "software page-faults -\n"
		"tracepoint sched:sched_switch char prev_comm[16];int prev_pid\n"
		"\nnonsense\nfuture new:kind -\nmarker a:b\tperf\nno\tspace before";
	struct pev_catalog *c;

	check(!pev_catalog_parse(lines, sizeof(lines) - 1, &c) && pev_catalog_count(c) == 4, "a catalog");
	check(pev_catalog_entry(c, 0)->type == PEV_TYPE_SOFTWARE && !*pev_catalog_entry(c, 0)->fields &&
	      !strcmp(pev_catalog_entry(c, 1)->fields, "char prev_comm[16];int prev_pid") &&
	      !pev_catalog_entry(c, 2)->type && !strcmp(pev_catalog_entry(c, 2)->type_name, "future") &&
	      !strcmp(pev_catalog_entry(c, 3)->name, "a:b"), "its lines");
	check(!*pev_catalog_entry(c, 1)->way && !strcmp(pev_catalog_entry(c, 3)->way, "perf") &&
	      !*pev_catalog_entry(c, 3)->fields, "which of them perf's probe records");
	pev_catalog_free(c);
	check(!pev_catalog_parse("", 0, &c) && !pev_catalog_count(c), "an empty catalog");
	pev_catalog_free(c);
}

static void test_no_kernel(void)
{
	struct pev_info info;
	struct pev_attr attr;
	struct pev_error why;
	int fd;

	if (pev_query_info(&info) != -ENOSYS) {
		check(true, "a kernel without pev # SKIP this one has it");
		return;
	}
	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL);
	fd = pev_attr_open(&attr, 0, &why);
	check(fd == -ENOSYS && why.error == ENOSYS && strstr(why.text, "no pev") &&
	      !attr.refusal, "a kernel without pev: %s", why.text);
}

int main(void)
{
	text = sample_metadata(&text_len);
	test_whole();
	test_growing();
	test_bad();
	test_good();
	test_labels();
	test_line();
	test_streams();
	test_mangled();
	test_many();
	test_many_types();
	test_names();
	test_catalog();
	test_no_kernel();
	free(text);
	return tap_done();
}
