// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes what stands before the classes of metadata. See head.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "ctf/head.h"

#define NS_PER_S 1000000000LL

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
	"typealias integer { size = 32; align = 32; signed = false; base = 16; } := xint32_t;\n"
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
	"} align(64);\n\n";

static const char stream[] =
	"stream {\n"
	"	id = %" PRIu32 ";\n"
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

static void put_env(struct text *t, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	text_addf(t, "	%s = \"", key);
	text_quote(t, value);
	text_puts(t, "\";\n");
}

static void put_uuid(struct text *t, const uint8_t uuid[16])
{
	for (unsigned int i = 0; i < 16; i++)
		text_addf(t, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

void ctf_head(struct text *t, const uint8_t uuid[16], const struct ctf_env *env, int64_t offset_s,
	      int64_t offset)
{
	text_puts(t, types);
	text_puts(t, "trace {\n	major = 1;\n	minor = 8;\n	uuid = \"");
	put_uuid(t, uuid);
	text_addf(t,
		  "\";\n	byte_order = %s;\n"
		  "	packet.header := struct {\n		uint32_t magic;\n"
		  "		uint8_t uuid[16];\n		uint32_t stream_id;\n"
		  "		uint64_t stream_instance_id;\n	};\n};\n\n",
		  __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "be" : "le");
	text_puts(t, "env {\n	domain = \"kernel\";\n	sysname = \"Linux\";\n");
	put_env(t, "hostname", env->hostname);
	put_env(t, "kernel_release", env->release);
	put_env(t, "machine", env->machine);
	text_addf(t,
		  "	tracer_name = \"pev\";\n	tracer_major = %d;\n"
		  "	tracer_minor = 0;\n",
		  PEV_ABI_VERSION);
	put_env(t, "engine", env->engine);
	text_puts(t, "};\n\n");
	text_addf(t,
		  "clock {\n	name = \"monotonic\";\n	freq = 1000000000;\n"
		  "	offset_s = %" PRId64 ";\n	offset = %" PRId64 ";\n};\n\n",
		  offset_s, offset);
	text_puts(t, header);
	text_addf(t, stream, (uint32_t)0);
}

PEV_EXPORT int pev_meta_head(const uint8_t uuid[16], int64_t clock_offset, unsigned int flags,
			     char **out, size_t *len)
{
	const struct ctf_env env = { 0 };
	struct text text = { 0 };

	*out = NULL;
	if (flags)
		return -EINVAL;
	ctf_head(&text, uuid, &env, clock_offset / NS_PER_S, clock_offset % NS_PER_S);
	return text_take(&text, out, len);
}

PEV_EXPORT int pev_meta_stream(uint32_t id, unsigned int flags, char **out, size_t *len)
{
	struct text text = { 0 };

	*out = NULL;
	if (flags)
		return -EINVAL;
	text_addf(&text, stream, id);
	return text_take(&text, out, len);
}
