// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes classes of metadata for records that are made of perf's. See metadata.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pev/pev.h>
#include "engine/perf/metadata.h"

static const struct {
	const char *name;
	const char *fields;
} sideband[PERF_SB_MAX] = {
	[PEV_SB_MMAP] = { "mmap",
	  "		xint64_t addr;\n		xint64_t len;\n		xint64_t pgoff;\n"
	  "		uint64_t ino;\n		uint32_t pid;\n		uint32_t tid;\n"
	  "		uint32_t maj;\n		uint32_t min;\n		uint32_t prot;\n"
	  "		uint32_t flags;\n		uint32_t build_id_size;\n"
	  "		uint8_t build_id[20];\n		uint16_t filename_off;\n"
	  "		uint16_t filename_len;\n		text_t filename[filename_len];\n" },
	[PEV_SB_COMM] = { "comm",
	  "		uint32_t pid;\n		uint32_t tid;\n		text_t comm[16];\n" },
	[PEV_SB_FORK] = { "fork",
	  "		uint32_t pid;\n		uint32_t tid;\n		uint32_t ppid;\n"
	  "		uint32_t ptid;\n		text_t comm[16];\n" },
	[PEV_SB_EXEC] = { "exec",
	  "		uint32_t pid;\n		uint32_t tid;\n		uint32_t old_tid;\n" },
	[PERF_SB_FUNCTION] = { "kernel_function",
	  "		xint64_t addr;\n		uint32_t len;\n		uint16_t kind;\n"
	  "		uint16_t removed;\n		uint16_t name_off;\n"
	  "		uint16_t name_len;\n		text_t name[name_len];\n" },
	[PEV_SB_EXIT] = { "exit", "		uint32_t pid;\n		uint32_t tid;\n		int32_t code;\n" },
};

void metadata_sideband(struct text *t, unsigned int which, uint32_t id)
{
	text_addf(t, "event {\n	name = \"pev:%s\";\n	id = %u;\n	stream_id = 0;\n"
		  "	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
		  "	fields := struct {\n%s		struct { } align(64) ___end;\n"
		  "	} align(64);\n};\n\n", sideband[which].name, id, sideband[which].fields);
}

static void put_context(struct text *t, uint64_t sample, bool cgroup)
{
	static const struct {
		uint64_t	bit;
		const char	*text;
	} fields[] = {
		{ PEV_SAMPLE_PID, "uint32_t pid" },   { PEV_SAMPLE_IP, "xint64_t ip" },
		{ PEV_SAMPLE_ADDR, "xint64_t addr" }, { PEV_SAMPLE_PERIOD, "uint64_t period" },
		{ PEV_SAMPLE_CPU, "uint64_t cpu" },   { PEV_SAMPLE_GUEST, "uint64_t guest" },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!(sample & fields[i].bit))
			continue;
		text_addf(t, "%s		%s;\n", any ? "" : "	context := struct {\n",
			  fields[i].text);
		any = true;
	}
	if (cgroup)
		text_addf(t, "%s		uint64_t cgroup;\n",
			  any ? "" : "	context := struct {\n");
	if (any || cgroup)
		text_puts(t, "	};\n");
}

static void put_varying(struct text *t, uint64_t sample)
{
	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		text_puts(t, "		uint32_t kstack_len;\n		uint32_t ustack_len;\n"
			  "		xint64_t kstack[kstack_len];\n"
			  "		xint64_t ustack[ustack_len];\n");
	if (sample & PEV_SAMPLE_UREGS)
		text_puts(t, "		uint64_t uregs_len;\n		xint64_t uregs[uregs_len];\n");
	if (sample & PEV_SAMPLE_READ)
		text_puts(t, "		uint64_t values_len;\n		uint64_t values[values_len];\n");
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		text_puts(t, "		uint64_t dump_len;\n		uint8_t dump[dump_len];\n");
}

/* Protects names that are words of the language, or begin like protected ones. */
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

/* What stands before and behind the name of the word that says how long a field is */
static const char *word_prefix(const struct tp_field *f)
{
	return *f->name == '_' ? "_" : "";
}

static const char *word_suffix(const struct tp_format *format, const struct tp_field *f,
			       const char *suffix)
{
	return tp_format_has(format, f->name, suffix + 1) ? suffix : suffix + 1;
}

/* Writes a field in its place; leaves out a word that cannot be written. */
static void put_field(struct text *t, const struct tp_format *format, const struct tp_field *f)
{
	const char *esc = protect(f->name);
	uint32_t element = f->count ? f->size / f->count : 0;
	char type[16];

	if (f->dynamic) {
		text_addf(t, "		uint16_t %s%s%s;\n		uint16_t %s%s%s;\n",
			  word_prefix(f), f->name, word_suffix(format, f, "__off"),
			  word_prefix(f), f->name, word_suffix(format, f, "__len"));
		return;
	}
	if (element != 1 && element != 2 && element != 4 && element != 8) {
		text_addf(t, "		uint8_t %s%s[%u];\n", esc, f->name, f->size);
		return;
	}
	if (f->is_text && element == 1)
		snprintf(type, sizeof(type), "text_t");
	else if (f->is_pointer && element == 8)
		snprintf(type, sizeof(type), "xint64_t");
	else
		snprintf(type, sizeof(type), "%sint%u_t", f->is_signed ? "" : "u", element * 8);
	if (f->count > 1)
		text_addf(t, "		%s %s%s[%u];\n", type, esc, f->name, f->count);
	else
		text_addf(t, "		%s %s%s;\n", type, esc, f->name);
}

static void put_fields(struct text *t, const struct tp_format *format)
{
	for (size_t i = 0; i < format->nr; i++)
		put_field(t, format, &format->fields[i]);
	for (size_t i = 0; i < format->nr; i++) {
		const struct tp_field *f = &format->fields[i];

		if (f->dynamic)
			text_addf(t, "		%s %s%s[%s%s%s];\n",
				  f->is_text ? "text_t" : "uint8_t", protect(f->name), f->name,
				  word_prefix(f), f->name, word_suffix(format, f, "__len"));
	}
}

void metadata_event(struct text *t, const struct perf_class *cls)
{
	text_puts(t, "event {\n	name = \"");
	text_quote(t, cls->name);
	text_addf(t, "\";\n	id = %u;\n	stream_id = 0;\n"
		  "	model.emf.uri = \"pev:%s?period=%" PRIu64 "&freq=%d\";\n", cls->id,
		  pev_type_name(cls->type), cls->period, cls->freq);
	put_context(t, cls->sample, cls->cgroup);
	text_puts(t, "	fields := struct {\n");
	put_varying(t, cls->sample);
	put_fields(t, &cls->format);
	if (cls->type == PEV_TYPE_WAIT)
		text_puts(t, "		uint32_t out;\n		uint32_t preempted;\n");
	if (cls->raw)
		text_puts(t, "		uint32_t raw_len;\n		uint8_t raw[raw_len];\n");
	text_puts(t, "		struct { } align(64) ___end;\n	} align(64);\n};\n\n");
}
