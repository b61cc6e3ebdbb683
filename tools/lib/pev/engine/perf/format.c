// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The formats of tracepoints. See format.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/compiler.h"
#include "engine/perf/format.h"

#define MAX_FIELDS	200
#define MAX_FIELD	4096
/* Bytes of the fields that all tracepoints have and our records do not */
#define COMMON		8

/* Returns the number behind "key:" of a field's line. */
static uint32_t number_behind(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	return p ? (uint32_t)strtoul(p + strlen(key), NULL, 10) : 0;
}

static void free_field(struct tp_field *f)
{
	free(f->name);
	free(f->type);
}

/* Parses "char comm[16]": the last word is the name, perhaps with a number of elements. */
static int parse_declaration(struct tp_field *f, char *text)
{
	char *bracket = strrchr(text, '['), *space, *name;
	const char *elements = "";
	uint32_t count = 1;

	f->dynamic = strstr(text, "__data_loc") != NULL;
	f->is_text = strstr(text, "char") && (f->dynamic || bracket);
	f->is_pointer = strchr(text, '*') != NULL;
	space = strrchr(text, ' ');
	if (!f->dynamic && bracket && bracket > space) {
		count = (uint32_t)strtoul(bracket + 1, NULL, 0);
		*bracket = '\0';
		elements = bracket + 1;
	}
	name = space ? space + 1 : text;
	while (*name == '*')
		name++;
	f->count = count && f->size % count == 0 ? count : 0;
	f->name = strdup(name);
	while (name > text && name[-1] == ' ')
		name--;
	*name = '\0';
	if (asprintf(&f->type, "%s%s%s", text, *elements ? "[" : "", elements) < 0)
		f->type = NULL;
	if (f->name && f->type)
		return 0;
	free_field(f);
	return -ENOMEM;
}

/* Parses "field:int prev_pid;	offset:24;	size:4;	signed:1;". */
static int parse_field(struct tp_format *format, char *line)
{
	struct tp_field f = { 0 }, *more;
	char *end = strchr(line, ';');

	if (!end || format->nr >= MAX_FIELDS)
		return 0;
	f.offset = number_behind(end, "offset:");
	f.size = number_behind(end, "size:");
	f.is_signed = number_behind(end, "signed:") != 0;
	*end = '\0';
	if (f.offset < COMMON || !f.size || f.size > MAX_FIELD)
		return 0;
	if (parse_declaration(&f, line))
		return -ENOMEM;
	if (!*f.name || !strncmp(f.name, "common_", 7)) {
		free_field(&f);
		return 0;
	}
	if (format->nr == format->room) {
		size_t room = format->room ? 2 * format->room : 16;

		more = realloc(format->fields, room * sizeof(*more));
		if (!more) {
			free_field(&f);
			return -ENOMEM;
		}
		format->fields = more;
		format->room = room;
	}
	format->fields[format->nr++] = f;
	return 0;
}

static int parse_name(struct tp_format *format, const char *system, const char *name)
{
	if (format->name)
		return 0;
	return asprintf(&format->name, "%s:%s", system, name) < 0 ? -ENOMEM : 0;
}

int tp_format_parse(struct tp_format *format, const char *system, const char *text, size_t len)
{
	char *copy = strndup(text, len), *line, *save;
	int ret = copy ? 0 : -ENOMEM;

	*format = (struct tp_format){ 0 };
	for (line = copy ? strtok_r(copy, "\n", &save) : NULL; line && !ret;
	     line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (!strncmp(line, "name: ", 6))
			ret = parse_name(format, system, line + 6);
		else if (!strncmp(line, "ID: ", 4))
			format->id = strtoull(line + 4, NULL, 10);
		else if (!strncmp(line, "field:", 6))
			ret = parse_field(format, line + 6);
		else if (!strncmp(line, "print fmt:", 10))
			break;
	}
	free(copy);
	if (!ret)
		ret = parse_name(format, system, "unknown");
	if (ret)
		tp_format_free(format);
	return ret;
}

void tp_format_free(struct tp_format *format)
{
	for (size_t i = 0; i < format->nr; i++)
		free_field(&format->fields[i]);
	free(format->fields);
	free(format->name);
	*format = (struct tp_format){ 0 };
}

int tp_format_copy(struct tp_format *to, const struct tp_format *from)
{
	*to = (struct tp_format){
		.id = from->id,
		.name = strdup(from->name),
		.fields = calloc(from->nr + 1, sizeof(*to->fields)),
		.room = from->nr,
	};
	bool failed = false;

	for (size_t i = 0; to->fields && i < from->nr; i++) {
		to->fields[i] = from->fields[i];
		to->fields[i].name = strdup(from->fields[i].name);
		to->fields[i].type = strdup(from->fields[i].type);
		to->nr++;
		failed |= !to->fields[i].name || !to->fields[i].type;
	}
	if (to->name && to->fields && !failed)
		return 0;
	tp_format_free(to);
	return -ENOMEM;
}

void tp_format_fields(const struct tp_format *format, struct text *t)
{
	for (size_t i = 0; i < format->nr; i++)
		text_addf(t, "%s%s %s", i ? ";" : "", format->fields[i].type,
			  format->fields[i].name);
}

/* What metadata may refer to, as the length of a sequence, with what is put behind it. */
#define MAX_FIELD_NAME	128

static bool is_name(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9') || strlen(s) > MAX_FIELD_NAME)
		return false;
	for (; *s; s++)
		if (!(*s == '_' || (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
		      (*s >= 'A' && *s <= 'Z')))
			return false;
	return true;
}

bool tp_format_usable(const struct tp_format *format)
{
	for (size_t i = 0; i < format->nr; i++) {
		if (!is_name(format->fields[i].name))
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(format->fields[i].name, format->fields[k].name))
				return false;
	}
	return true;
}

bool tp_format_has(const struct tp_format *format, const char *name, const char *suffix)
{
	size_t len = strlen(name);

	for (size_t i = 0; format && i < format->nr; i++)
		if (!strncmp(format->fields[i].name, name, len) &&
		    !strcmp(format->fields[i].name + len, suffix))
			return true;
	return false;
}
