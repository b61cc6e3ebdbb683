// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the CTF 1.8 text of a channel. What it declares is what ring.h,
 * struct pev_packet and sample.c write: change them together.
 *
 * Three things are said in a way that CTF does not ask for but babeltrace2
 * needs: sequences are in the payload, not in the context (the bytes are the
 * same); the extended header's time is aligned to a bit, so that its structure
 * begins behind the five bits that tell it; an empty structure at the end makes
 * the padding behind a record a part of it, under a name that no field has.
 */
#include <linux/pev_clock.h>
#include <linux/array_size.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>
#include "base/strbuf.h"
#include "types.h"
#include "channel.h"
#include "metadata.h"

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 16; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; } := uint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := int8_t;\n"
	"typealias integer { size = 16; align = 16; signed = true; } := int16_t;\n"
	"typealias integer { size = 32; align = 32; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; base = 16; } := xint32_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; base = 16; } := xint64_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text_t;\n"
	"\n";

static const char header[] =
	"struct event_header {\n"
	"	enum : integer { size = 5; align = 1; signed = false; } {\n"
	"		compact = 0 ... 30, extended = 31\n"
	"	} id;\n"
	"	variant <id> {\n"
	"		struct { clock27_t timestamp; } compact;\n"
	"		struct { id27_t id; clock64b_t timestamp; } extended;\n"
	"	} v;\n"
	"} align(64);\n"
	"\n"
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
	"};\n"
	"\n";

/*
 * A name that the administrator chose, and may change meanwhile: whatever is in
 * it, the string ends where it should.
 */
static void put_name(struct pev_strbuf *text, const char *key, const char *name)
{
	char quoted[2 * __NEW_UTS_LEN + 1], *to = quoted;

	for (int i = 0; i < __NEW_UTS_LEN; i++) {
		unsigned char c = READ_ONCE(name[i]);

		if (!c)
			break;
		if (c == '"' || c == '\\')
			*to++ = '\\';
		*to++ = c < 0x20 || c == 0x7f ? '?' : c;
	}
	*to = '\0';
	pev_strbuf_printf(text, "	%s = \"%s\";\n", key, quoted);
}

static void put_environment(struct pev_channel *channel, struct pev_strbuf *text)
{
	pev_strbuf_printf(text,
			  "trace {\n"
			  "	major = 1;\n"
			  "	minor = 8;\n"
			  "	uuid = \"%pUb\";\n"
			  "	byte_order = %s;\n"
			  "	packet.header := struct {\n"
			  "		uint32_t magic;\n"
			  "		uint8_t uuid[16];\n"
			  "		uint32_t stream_id;\n"
			  "		uint64_t stream_instance_id;\n"
			  "	};\n"
			  "};\n\n",
			  channel->uuid, IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? "be" : "le");
	pev_strbuf_printf(text,
			  "env {\n"
			  "	domain = \"kernel\";\n"
			  "	sysname = \"Linux\";\n");
	put_name(text, "hostname", utsname()->nodename);
	put_name(text, "kernel_release", utsname()->release);
	put_name(text, "machine", utsname()->machine);
	pev_strbuf_printf(text,
			  "	kernel_booted = %lld;\n"
			  "	tracer_name = \"pev\";\n"
			  "	tracer_major = %u;\n"
			  "	tracer_minor = 0;\n"
			  "};\n\n",
			  ktime_get_real_seconds() - (s64)ktime_get_boottime_seconds(),
			  PEV_ABI_VERSION);
}

static void put_clock(const struct pev_trace_clock *clock, struct pev_strbuf *text)
{
	const char *name = clock->type == PEV_CLOCK_CYCLES ? "cycles" : "monotonic";

	pev_strbuf_printf(text,
			  "clock {\n"
			  "	name = \"%s\";\n"
			  "	freq = %llu;\n"
			  "	offset_s = %llu;\n"
			  "	offset = %llu;\n"
			  "};\n\n",
			  name, clock->freq, clock->offset_s, clock->offset);
	pev_strbuf_printf(text,
			  "typealias integer { size = 27; align = 1; signed = false; map = clock.%s.value; } := clock27_t;\n"
			  "typealias integer { size = 64; align = 64; signed = false; map = clock.%s.value; } := clock64_t;\n"
			  "typealias integer { size = 27; align = 1; signed = false; } := id27_t;\n"
			  "typealias integer { size = 64; align = 1; signed = false; map = clock.%s.value; } := clock64b_t;\n\n",
			  name, name, name);
}

/**
 * pev_metadata_begin() - everything before the first event
 * @channel: uuid and clock are set
 *
 * Return: 0 or -ENOMEM.
 */
int pev_metadata_begin(struct pev_channel *channel)
{
	struct pev_strbuf *text = &channel->metadata;

	pev_strbuf_printf(text, "/* CTF 1.8 */\n\n");
	pev_strbuf_printf(text, "%s", types);
	put_environment(channel, text);
	put_clock(&channel->clock, text);
	pev_strbuf_printf(text, "%s", header);
	return text->error;
}

/* The parts of fixed size, in the order in which sample.c writes them. */
static const struct {
	u64		sample;
	const char	*field;
} context[] = {
	{ PEV_SAMPLE_PID,	"uint32_t pid" },
	{ PEV_SAMPLE_IP,	"xint64_t ip" },
	{ PEV_SAMPLE_ADDR,	"xint64_t addr" },
	{ PEV_SAMPLE_PERIOD,	"uint64_t period" },
	{ PEV_SAMPLE_CPU,	"uint64_t cpu" },
	{ PEV_SAMPLE_GUEST,	"uint64_t guest" },
	{ PEV_SAMPLE_EXIT,	"uint64_t exit" },
	{ PEV_SAMPLE_CONTEXT,	"xint64_t trace_high" },
	{ PEV_SAMPLE_CONTEXT,	"xint64_t trace_low" },
	{ PEV_SAMPLE_CONTEXT,	"xint64_t span" },
};

static void put_context(const struct pev_event *event, struct pev_strbuf *text)
{
	bool any = false;

	for (unsigned int i = 0; i < ARRAY_SIZE(context); i++) {
		if (!(event->sample & context[i].sample))
			continue;
		if (!any)
			pev_strbuf_printf(text, "	context := struct {\n");
		pev_strbuf_printf(text, "		%s;\n", context[i].field);
		any = true;
	}
	if (event->pair_text)
		pev_strbuf_printf(text, "%s%s", any ? "" : "	context := struct {\n",
				  event->pair_text);
	any |= !!event->pair_text;
	if (event->sample & PEV_SAMPLE_COOKIE) {
		pev_strbuf_printf(text, "%s		xint64_t ustack_cookie;\n",
				  any ? "" : "	context := struct {\n");
		any = true;
	}
	if (any)
		pev_strbuf_printf(text, "	};\n");
}

/* The parts of varying size: they begin and end at multiples of 8 bytes. */
static void put_varying(const struct pev_event *event, struct pev_strbuf *text)
{
	u64 sample = event->sample;

	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		pev_strbuf_printf(text,
				  "		uint32_t kstack_len;\n"
				  "		uint32_t ustack_len;\n"
				  "		xint64_t kstack[kstack_len];\n"
				  "		xint64_t ustack[ustack_len];\n");
	if (sample & PEV_SAMPLE_UREGS)
		pev_strbuf_printf(text,
				  "		uint64_t uregs_len;\n"
				  "		xint64_t uregs[uregs_len];\n");
	if (sample & PEV_SAMPLE_READ)
		pev_strbuf_printf(text,
				  "		uint64_t values_len;\n"
				  "		uint64_t values[values_len];\n");
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		pev_strbuf_printf(text,
				  "		uint64_t dump_len;\n"
				  "		uint8_t dump[dump_len];\n");
}

/**
 * pev_metadata_event() - describe an event
 * @text:  gets the description
 * @event: id, name, sample and source are set
 *
 * Return: 0 or -ENOMEM.
 */
int pev_metadata_event(struct pev_strbuf *text, struct pev_event *event)
{
	pev_strbuf_printf(text,
			  "event {\n"
			  "	name = \"%s\";\n"
			  "	id = %u;\n"
			  "	stream_id = 0;\n"
			  "	model.emf.uri = \"pev:%s?period=%llu&freq=%u\";\n",
			  event->name, event->id, event->ops->type, event->period,
			  !!(event->flags & PEV_F_FREQ));
	put_context(event, text);
	pev_strbuf_printf(text, "	fields := struct {\n");
	put_varying(event, text);
	if (event->ops->fields)
		event->ops->fields(event, text);
	pev_strbuf_printf(text,
			  "		struct { } align(64) ___end;\n"
			  "	} align(64);\n"
			  "};\n\n");
	return text->error;
}
