// SPDX-License-Identifier: GPL-2.0
/* Metadata for the events of a perf.data, in the form of a pev kernel's. */
#include "import.h"

#include <inttypes.h>
#include <sys/random.h>

static const char types[] =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; } := uint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
	"typealias integer { size = 16; align = 16; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 32; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := xint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text_t;\n\n";

static const char header[] =
	"typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := clock27_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; map = clock.monotonic.value; } := clock64_t;\n"
	"typealias integer { size = 27; align = 1; signed = false; } := id27_t;\n"
	"typealias integer { size = 64; align = 1; signed = false; map = clock.monotonic.value; } := clock64b_t;\n\n"
	"struct event_header {\n"
	"	enum : integer { size = 5; align = 1; signed = false; } {\n"
	"		compact = 0 ... 30, extended = 31\n"
	"	} id;\n"
	"	variant <id> {\n"
	"		struct { clock27_t timestamp; } compact;\n"
	"		struct { id27_t id; clock64b_t timestamp; } extended;\n"
	"	} v;\n"
	"} align(64);\n\n"
	"stream {\n"
	"	id = 0;\n"
	"	event.header := struct event_header;\n"
	"	packet.context := struct {\n"
	"		clock64_t timestamp_begin;\n"
	"		clock64_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"		uint64_t events_discarded;\n"
	"		uint64_t packet_seq_num;\n"
	"		uint32_t cpu_id;\n"
	"		uint32_t reserved;\n"
	"	};\n"
	"	event.context := struct { uint32_t tid; };\n"
	"};\n\n";

static const struct {
	const char *name;
	const char *fields;
} sideband[] = {
	{ "pev:mmap",
	  "		xint64_t addr;\n		xint64_t len;\n		xint64_t pgoff;\n"
	  "		uint64_t ino;\n		uint32_t pid;\n		uint32_t tid;\n"
	  "		uint32_t maj;\n		uint32_t min;\n		uint32_t prot;\n"
	  "		uint32_t flags;\n		uint32_t build_id_size;\n"
	  "		uint8_t build_id[20];\n		uint16_t filename_off;\n"
	  "		uint16_t filename_len;\n		text_t filename[filename_len];\n" },
	{ "pev:comm",
	  "		uint32_t pid;\n		uint32_t tid;\n		text_t comm[16];\n" },
	{ "pev:fork",
	  "		uint32_t pid;\n		uint32_t tid;\n		uint32_t ppid;\n"
	  "		uint32_t ptid;\n		text_t comm[16];\n" },
	{ "pev:exec",
	  "		uint32_t pid;\n		uint32_t tid;\n		uint32_t old_tid;\n" },
	{ "pev:exit", "		uint32_t pid;\n		uint32_t tid;\n		int32_t code;\n" },
};

/* Whatever is in it, the string ends where it should. */
static void put_quoted(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			strbuf_putc(b, '\\');
		strbuf_putc(b, c < 0x20 || c == 0x7f ? '?' : *s);
	}
}

static void put_env(struct strbuf *b, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	strbuf_addf(b, "	%s = \"", key);
	put_quoted(b, value);
	strbuf_puts(b, "\";\n");
}

static void put_trace(const struct import *im, struct strbuf *b)
{
	int64_t s = im->clock_offset / 1000000000, ns = im->clock_offset % 1000000000;
	uint8_t u[16];

	if (getrandom(u, sizeof(u), 0) != sizeof(u))
		memset(u, 0x5a, sizeof(u));
	strbuf_addf(b, "trace {\n	major = 1;\n	minor = 8;\n	uuid = "
		    "\"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\";\n"
		    "	byte_order = %s;\n"
		    "	packet.header := struct {\n		uint32_t magic;\n"
		    "		uint8_t uuid[16];\n		uint32_t stream_id;\n	};\n};\n\n", u[0],
		    u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		    u[13], u[14], u[15], __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "be" : "le");
	strbuf_puts(b, "env {\n	domain = \"kernel\";\n	sysname = \"Linux\";\n");
	put_env(b, "hostname", im->hostname);
	put_env(b, "kernel_release", im->release);
	put_env(b, "machine", im->machine);
	strbuf_addf(b, "	tracer_name = \"pev\";\n	tracer_major = %d;\n"
		    "	tracer_minor = 0;\n};\n\n", PEV_ABI_VERSION);
	strbuf_addf(b, "clock {\n	name = \"monotonic\";\n	freq = 1000000000;\n"
		    "	offset_s = %" PRId64 ";\n	offset = %" PRId64 ";\n};\n\n", s, ns);
}

static bool has_field(const struct import_event *e, const char *name, const char *suffix)
{
	size_t len = strlen(name);

	for (size_t i = 0; e->format && i < e->format->n; i++)
		if (!strncmp(e->format->fields[i].name, name, len) &&
		    !strcmp(e->format->fields[i].name + len, suffix))
			return true;
	return false;
}

/* What perf recorded, as far as our records can carry it under its own name. */
static uint64_t sample_of(const struct import_event *e)
{
	static const struct {
		uint64_t perf;
		uint64_t pev;
		const char *name;
	} bits[] = {
		{ PERF_SAMPLE_TID, PEV_SAMPLE_PID, "pid" },
		{ PERF_SAMPLE_IP, PEV_SAMPLE_IP, "ip" },
		{ PERF_SAMPLE_ADDR, PEV_SAMPLE_ADDR, "addr" },
		{ PERF_SAMPLE_PERIOD, PEV_SAMPLE_PERIOD, "period" },
		{ PERF_SAMPLE_CALLCHAIN, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK, "kstack" },
		{ PERF_SAMPLE_REGS_USER, PEV_SAMPLE_UREGS, "uregs" },
		{ PERF_SAMPLE_READ, PEV_SAMPLE_READ, "values" },
		{ PERF_SAMPLE_STACK_USER, PEV_SAMPLE_USTACK_DUMP, "dump" },
	};
	uint64_t sample = PEV_SAMPLE_TID;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if ((e->attr.sample_type & bits[i].perf) && !has_field(e, bits[i].name, ""))
			sample |= bits[i].pev;
	return sample;
}

static void put_context(struct strbuf *b, uint64_t sample)
{
	if (!(sample & (PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_ADDR | PEV_SAMPLE_PERIOD)))
		return;
	strbuf_puts(b, "	context := struct {\n");
	if (sample & PEV_SAMPLE_PID)
		strbuf_puts(b, "		uint32_t pid;\n");
	if (sample & PEV_SAMPLE_IP)
		strbuf_puts(b, "		xint64_t ip;\n");
	if (sample & PEV_SAMPLE_ADDR)
		strbuf_puts(b, "		xint64_t addr;\n");
	if (sample & PEV_SAMPLE_PERIOD)
		strbuf_puts(b, "		uint64_t period;\n");
	strbuf_puts(b, "	};\n");
}

static void put_varying(struct strbuf *b, uint64_t sample)
{
	if (sample & PEV_SAMPLE_KSTACK)
		strbuf_puts(b, "		uint32_t kstack_len;\n		uint32_t ustack_len;\n"
			    "		xint64_t kstack[kstack_len];\n"
			    "		xint64_t ustack[ustack_len];\n");
	if (sample & PEV_SAMPLE_UREGS)
		strbuf_puts(b, "		uint64_t uregs_len;\n		xint64_t uregs[uregs_len];\n");
	if (sample & PEV_SAMPLE_READ)
		strbuf_puts(b, "		uint64_t values_len;\n		uint64_t values[values_len];\n");
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		strbuf_puts(b, "		uint64_t dump_len;\n		uint8_t dump[dump_len];\n");
}

/* Names that are words of the language, or begin like protected ones. */
static const char *protect(const char *name)
{
	static const char *const words[] = { "align", "callsite", "char", "clock", "const",
		"double", "enum", "env", "event", "floating_point", "float", "integer", "int",
		"long", "short", "signed", "stream", "string", "struct", "trace", "typealias",
		"typedef", "unsigned", "variant", "void" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], name))
			return "_";
	return *name == '_' ? "_" : "";
}

static bool is_name(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9'))
		return false;
	for (; *s; s++)
		if (!(*s == '_' || (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
		      (*s >= 'A' && *s <= 'Z')))
			return false;
	return true;
}

/* Written in its place, if anything is: a word that cannot be written is left out. */
static void put_field(struct strbuf *b, const struct import_event *e, const struct import_field *f)
{
	const char *esc = protect(f->name);
	uint32_t element = f->count ? f->size / f->count : 0;
	char type[16];

	if (f->dynamic) {
		strbuf_addf(b, "		uint16_t %s%s%s;\n		uint16_t %s%s%s;\n",
			    *f->name == '_' ? "_" : "", f->name,
			    has_field(e, f->name, "_off") ? "__off" : "_off",
			    *f->name == '_' ? "_" : "", f->name,
			    has_field(e, f->name, "_len") ? "__len" : "_len");
		return;
	}
	if (element != 1 && element != 2 && element != 4 && element != 8) {
		strbuf_addf(b, "		uint8_t %s%s[%u];\n", esc, f->name, f->size);
		return;
	}
	if (f->is_text && element == 1)
		snprintf(type, sizeof(type), "text_t");
	else if (f->is_pointer && element == 8)
		snprintf(type, sizeof(type), "xint64_t");
	else
		snprintf(type, sizeof(type), "%sint%u_t", f->is_signed ? "" : "u", element * 8);
	if (f->count > 1)
		strbuf_addf(b, "		%s %s%s[%u];\n", type, esc, f->name, f->count);
	else
		strbuf_addf(b, "		%s %s%s;\n", type, esc, f->name);
}

static void put_fields(struct strbuf *b, const struct import_event *e)
{
	for (size_t i = 0; i < e->format->n; i++)
		put_field(b, e, &e->format->fields[i]);
	for (size_t i = 0; i < e->format->n; i++) {
		const struct import_field *f = &e->format->fields[i];

		if (f->dynamic)
			strbuf_addf(b, "		%s %s%s[%s%s%s];\n",
				    f->is_text ? "text_t" : "uint8_t", protect(f->name), f->name,
				    *f->name == '_' ? "_" : "", f->name,
				    has_field(e, f->name, "_len") ? "__len" : "_len");
	}
}

/* Fields of names that no CTF allows, or of the same name twice, make a format useless. */
static bool format_usable(const struct import_format *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!is_name(f->fields[i].name))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(f->fields[i].name, f->fields[k].name))
				return false;
	}
	return true;
}

static const char *type_of(const struct perf_event_attr *a)
{
	switch (a->type) {
	case PERF_TYPE_SOFTWARE:
		return a->config == PERF_COUNT_SW_CPU_CLOCK ||
				       a->config == PERF_COUNT_SW_TASK_CLOCK ? "timer" : "software";
	case PERF_TYPE_TRACEPOINT:
		return "tracepoint";
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return "hardware";
	default:
		return "raw";
	}
}

static void put_event(struct strbuf *b, struct import_event *e, unsigned int id)
{
	if (e->format && !format_usable(e->format))
		e->format = NULL;
	e->sample = sample_of(e);
	strbuf_puts(b, "event {\n	name = \"");
	put_quoted(b, e->name);
	strbuf_addf(b, "\";\n	id = %u;\n	stream_id = 0;\n"
		    "	model.emf.uri = \"pev:%s?period=%" PRIu64 "&freq=%u\";\n", id,
		    type_of(&e->attr), (uint64_t)e->attr.sample_period, (unsigned int)e->attr.freq);
	put_context(b, e->sample);
	strbuf_puts(b, "	fields := struct {\n");
	put_varying(b, e->sample);
	if (e->format)
		put_fields(b, e);
	else if (e->attr.sample_type & PERF_SAMPLE_RAW)
		strbuf_puts(b, "		uint32_t raw_len;\n		uint8_t raw[raw_len];\n");
	strbuf_puts(b, "		struct { } align(64) ___end;\n	} align(64);\n};\n\n");
}

char *import_metadata(struct import *im, size_t *len)
{
	const unsigned int n = sizeof(sideband) / sizeof(sideband[0]);
	struct strbuf b = { 0 };

	strbuf_puts(&b, types);
	put_trace(im, &b);
	strbuf_puts(&b, header);
	for (unsigned int i = 0; i < n; i++)
		strbuf_addf(&b, "event {\n	name = \"%s\";\n	id = %u;\n	stream_id = 0;\n"
			    "	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
			    "	fields := struct {\n%s		struct { } align(64) ___end;\n"
			    "	} align(64);\n};\n\n", sideband[i].name, i, sideband[i].fields);
	for (size_t i = 0; i < im->n_events; i++)
		put_event(&b, &im->events[i], n + (unsigned int)i);
	*len = b.len;
	return b.s;
}
