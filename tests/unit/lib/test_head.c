// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The metadata of an engine is what the kernel's is: before its first class it has the
 * strings of kernel/pev/channel/metadata.c, as they stand there in C, and a sideband
 * event has the fields of the table in kernel/pev/source/sideband.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pev/pev.h>
#include "ctf/head.h"
#include "engine/perf/metadata.h"
#include "tap.h"

static char *read_source(const char *name)
{
	const char *top = getenv("PEV_TEST_KERNEL");
	char path[4096];
	FILE *f;
	char *text = calloc(1, 1 << 16);

	snprintf(path, sizeof(path), "%s/%s", top ? top : "", name);
	f = fopen(path, "r");
	if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) {
		printf("not ok - %s can be read\n", path);
		exit(1);
	}
	fclose(f);
	return text;
}

/* A string of C without its quotes, unescaped; its formats become what they print. */
static void put_literal(struct text *t, const char *s, size_t len)
{
	static const char clock[] = "clock.%s.";

	for (const char *end = s + len; s < end; s++) {
		if (!strncmp(s, clock, strlen(clock))) {
			text_puts(t, "clock.monotonic.");
			s += strlen(clock) - 1;
		} else if (*s == '\\' && s[1] == 'n') {
			text_puts(t, "\n");
			s++;
		} else if (*s == '\\') {
			text_add(t, ++s, 1);
		} else {
			text_add(t, s, 1);
		}
	}
}

/* All strings that are lines, from @from to the end of that declaration or function */
static struct text literals(const char *source, const char *from)
{
	const char *p = strstr(source, from), *end = p ? strstr(p, "\n}") : NULL;
	const char *semicolon = p ? strstr(p, "\";\n") : NULL;
	struct text t = { 0 };

	if (semicolon && strchr(from, '[') && semicolon < end)
		end = semicolon + 1;
	while (p && end && (p = strchr(p, '"')) && p < end) {
		size_t len = 0;

		for (p++; p[len] != '"'; len++)
			len += p[len] == '\\';
		if (len >= 2 && !strncmp(p + len - 2, "\\n", 2))
			put_literal(&t, p, len);
		p += len + 1;
	}
	return t;
}

static void same_text(const char *source, const char *from, const char *head)
{
	struct text t = literals(source, from);

	check(t.s && strstr(head, t.s), "the text of the kernel's %s", from);
	text_free(&t);
}

/* Line by line, but those that are printed with values */
static void same_lines(const char *source, const char *from, const char *head)
{
	struct text t = literals(source, from);
	char *save, *line;
	unsigned int n = 0;

	for (line = t.s ? strtok_r(t.s, "\n", &save) : NULL; line && head;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strchr(line, '%') || strspn(line, "\t") == strlen(line) ||
		    !strpbrk(line, "{};"))
			continue;
		head = strstr(head, line);
		if (!head)
			printf("# not there: %s\n", line);
		n++;
	}
	check(head && n >= 6, "%u lines of the kernel's %s, in their order", n, from);
	text_free(&t);
}

/* What the kernel calls a number: "BUILD_ID_SIZE_MAX" is 20, as an assertion there says. */
static unsigned int constant(const char *source, const char *name)
{
	char text[96];
	const char *p;

	snprintf(text, sizeof(text), "static_assert(%s == ", name);
	p = strstr(source, text);
	return p ? (unsigned int)strtoul(p + strlen(text), NULL, 10) : 0;
}

/* The table of the fields of an event, as the kernel prints it */
static struct text table(const char *source, const char *event)
{
	char from[96], type[32], name[32], size[32];
	struct text t = { 0 };
	const char *p;

	snprintf(from, sizeof(from), "static const struct pev_field_desc %s_fields[] = {", event);
	p = strstr(source, from);
	while (p && (p = strchr(p, '\n')) && strncmp(++p, "\t{ }", 4)) {
		if (sscanf(p, " PEV_FIELD_NUMBER(\"%31[^\"]\", %31[a-z_])", type, name) == 2)
			text_addf(&t, "\t\t%s %s;\n", type, name);
		else if (sscanf(p, " PEV_FIELD_ARRAY(\"%31[^\"]\", %31[a-z_], %31[A-Z_])", type,
				name, size) == 3)
			text_addf(&t, "\t\t%s %s[%u];\n", type, name, constant(source, size));
		else if (sscanf(p, " PEV_FIELD_DYNAMIC(%31[a-z_], \"%31[^\"]\", %31[a-z_])", size,
				type, name) == 3)
			text_addf(&t, "\t\t%s %s[%s_len];\n", type, name, name);
		else
			text_addf(&t, "not understood: %.40s\n", p);
	}
	return t;
}

/* perf does not say what a process executes: exec ends before the name. */
static void same_sideband(const char *source)
{
	for (int i = 0; i < PEV_SB_MAX; i++) {
		const char *event = pev_config_name(PEV_TYPE_SIDEBAND, (uint64_t)i);
		struct text kernel = table(source, event), ours = { 0 };
		char *fields, *end;
		bool same;

		metadata_sideband(&ours, (enum pev_sideband)i, 7);
		fields = strstr(ours.s, "fields := struct {\n");
		end = fields ? strstr(fields, "\t\tstruct { } align(64) ___end;") : NULL;
		same = end && kernel.s;
		if (same) {
			fields += strlen("fields := struct {\n");
			*end = '\0';
			if (i == PEV_SB_EXEC && strstr(kernel.s, "\t\tuint16_t filename_off;"))
				*strstr(kernel.s, "\t\tuint16_t filename_off;") = '\0';
			same = *fields && !strcmp(kernel.s, fields);
			if (!same)
				printf("# the kernel's:\n%s# here:\n%s", kernel.s, fields);
		}
		check(same, "the fields of the kernel's pev:%s", event);
		text_free(&kernel);
		text_free(&ours);
	}
}

/* The head without a machine can be parsed, and has the uuid and the clock that were given. */
static void public_head(void)
{
	static const uint8_t uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	struct pev_meta *meta = NULL;
	const struct pev_clock_desc *clock;
	struct pev_error err = { .text = "" };
	char *text = NULL;
	size_t len = 0;

	check(pev_meta_head(uuid, 0, 1, &text, &len) == -EINVAL && !text, "no flag is known");
	check(!pev_meta_head(uuid, 1700000000000000123, 0, &text, &len) && strlen(text) == len &&
		      !pev_meta_parse(text, len, 0, &meta, &err),
	      "a head that can be parsed %s", err.text);
	if (!meta)
		return;
	clock = pev_meta_clock(meta);
	check(!memcmp(pev_meta_uuid(meta), uuid, 16), "the uuid");
	check(clock->freq == 1000000000 && clock->offset_s == 1700000000 && clock->offset == 123,
	      "the clock's offset");
	check(!pev_meta_nr_classes(meta) && !pev_meta_env(meta, "hostname") &&
		      !strcmp(pev_meta_env(meta, "tracer_name"), "pev"),
	      "no class and no machine");
	pev_meta_free(meta);
	free(text);
}

/* A class in a stream of its own is found there, and not in the head's. */
static void public_stream(void)
{
	static const char event[] = "event {\n	name = \"a:b\";\n	id = 0;\n	stream_id = 7;\n"
				    "	fields := struct {\n		uint32_t number;\n"
				    "		struct { } align(64) ___end;\n"
				    "	} align(64);\n};\n\n";
	static const uint8_t uuid[16] = { 1 };
	struct pev_error err = { .text = "" };
	struct pev_meta *meta = NULL;
	struct text all = { 0 };
	char *head, *stream = NULL;
	size_t len;

	check(pev_meta_stream(7, 1, &stream, &len) == -EINVAL && !stream, "no flag of a stream");
	if (pev_meta_head(uuid, 0, 0, &head, &len))
		return;
	text_add(&all, head, len);
	check(!pev_meta_stream(7, 0, &stream, &len) && strlen(stream) == len, "a second stream");
	text_add(&all, stream, len);
	text_puts(&all, event);
	check(!pev_meta_parse(all.s, strlen(all.s), 0, &meta, &err) &&
		      pev_meta_class_by_id(meta, 7, 0) && !pev_meta_class_by_id(meta, 0, 0),
	      "a class of the second stream %s", err.text);
	pev_meta_free(meta);
	free(stream);
	free(head);
	text_free(&all);
}

int main(void)
{
	const struct ctf_env env = { .hostname = "a", .release = "b", .machine = "c" };
	const uint8_t uuid[16] = { 0 };
	char *source = read_source("channel/metadata.c");
	struct text head = { 0 };

	ctf_head(&head, uuid, &env, 0, 0);
	same_text(source, "types[]", head.s);
	same_text(source, "header[]", head.s);
	same_lines(source, "static void put_environment", head.s);
	same_lines(source, "static void put_clock", head.s);
	text_free(&head);
	free(source);
	public_head();
	public_stream();
	source = read_source("source/sideband.c");
	same_sideband(source);
	free(source);
	return tap_failed != 0;
}
