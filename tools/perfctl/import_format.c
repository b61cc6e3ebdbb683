// SPDX-License-Identifier: GPL-2.0
/*
 * The formats of tracepoints, which perf copies from the kernel's tracing
 * directory into its file, in the form of trace-cmd.
 */
#include "import.h"

#include <stdlib.h>

#define MAX_FIELDS 200

static bool take_magic(struct bytes *b, const char *magic, size_t len)
{
	const void *p = bytes_take(b, len);

	return p && !memcmp(p, magic, len);
}

/* "number" behind "key:" of a field's line */
static uint32_t number_behind(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	return p ? (uint32_t)strtoul(p + strlen(key), NULL, 10) : 0;
}

/* "char comm[16]": the last word is the name, with or without a number of elements */
static void parse_declaration(struct import_field *f, char *text)
{
	char *bracket = strrchr(text, '['), *name;
	uint32_t count = 1;

	f->dynamic = strstr(text, "__data_loc") != NULL;
	f->is_text = strstr(text, "char") && (f->dynamic || bracket);
	f->is_pointer = strchr(text, '*') != NULL;
	if (!f->dynamic && bracket && bracket > strrchr(text, ' ')) {
		count = (uint32_t)strtoul(bracket + 1, NULL, 0);
		*bracket = 0;
	}
	name = strrchr(text, ' ');
	name = name ? name + 1 : text;
	while (*name == '*')
		name++;
	f->name = xstrdup(name);
	f->count = count && f->size % count == 0 ? count : 0;
}

/* "field:int prev_pid;	offset:24;	size:4;	signed:1;" */
static void parse_field(struct import_format *format, char *line)
{
	struct import_field *f;
	char *end = strchr(line, ';');

	if (!end || format->n >= MAX_FIELDS)
		return;
	f = ARRAY_PUSH(format->fields, format->n, format->cap);
	f->offset = number_behind(end, "offset:");
	f->size = number_behind(end, "size:");
	f->is_signed = number_behind(end, "signed:") != 0;
	*end = 0;
	parse_declaration(f, line);
	/* the common fields, which our records have no need of, and what makes no sense */
	if (f->offset < 8 || !f->size || f->size > 4096 || !*f->name ||
	    !strncmp(f->name, "common_", 7)) {
		free(f->name);
		format->n--;
	}
}

static void parse_format(struct import *im, const char *system, const char *data, size_t len)
{
	struct import_format *f = ARRAY_PUSH(im->formats, im->n_formats, im->cap_formats);
	char *text = xstrndup(data, len), *line, *save;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (!strncmp(line, "name: ", 6) && !f->name)
			f->name = xasprintf("%s:%s", system, line + 6);
		else if (!strncmp(line, "ID: ", 4))
			f->id = strtoull(line + 4, NULL, 10);
		else if (!strncmp(line, "field:", 6))
			parse_field(f, line + 6);
		else if (!strncmp(line, "print fmt:", 10))
			break;
	}
	free(text);
	if (!f->name)
		f->name = xasprintf("%s:unknown", system);
}

/* A text whose length comes first */
static const char *take_sized(struct bytes *b, uint64_t *len)
{
	*len = bytes_u64(b);
	return bytes_take(b, *len);
}

static void read_systems(struct import *im, struct bytes *b)
{
	uint32_t systems = bytes_u32(b);
	uint64_t len;

	for (uint32_t i = 0; i < systems && !b->short_; i++) {
		const char *nul = memchr(b->p, 0, (size_t)(b->end - b->p)), *system, *text;
		uint32_t n;

		if (!nul)
			return;
		system = bytes_text(b, (uint64_t)(nul + 1 - (const char *)b->p));
		n = bytes_u32(b);
		for (uint32_t k = 0; k < n && !b->short_; k++) {
			text = take_sized(b, &len);
			if (text && im->n_formats < 65536)
				parse_format(im, system, text, len);
		}
	}
}

void import_tracing_data(struct import *im, struct bytes b)
{
	uint64_t len;
	uint32_t n;

	if (im->n_formats || !take_magic(&b, "\x17\x08\x44tracing", 10))
		return;
	while (b.p < b.end && *b.p) /* version */
		b.p++;
	bytes_take(&b, 1);
	bytes_take(&b, 2); /* byte order, size of a long */
	bytes_u32(&b);	   /* of a page */
	if (!take_magic(&b, "header_page", 12))
		return;
	take_sized(&b, &len);
	if (!take_magic(&b, "header_event", 13))
		return;
	take_sized(&b, &len);
	n = bytes_u32(&b);
	for (uint32_t i = 0; i < n && !b.short_; i++)
		take_sized(&b, &len);
	read_systems(im, &b);
}
