// SPDX-License-Identifier: GPL-2.0
/* Dynamic events of tracefs as probes of pev. See dynamic.h. */
#include "dynamic.h"
#include "base/util.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As many as a field of a probe can have */
#define MAX_LOADS 4

/* ---- places ---- */

/* "/usr/bin/cat:0x0000000000004710", perhaps with "(0x1234)", the place of a semaphore */
static bool put_file(struct strbuf *b, const char *kind, const char *place)
{
	const char *colon = strrchr(place, ':');
	char *end;
	uint64_t offset;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return false;
	errno = 0;
	offset = strtoull(colon + 1, &end, 0);
	/* a probe at an offset sets no semaphore */
	if (errno || *end)
		return false;
	strbuf_addf(b, "%s:%.*s:0x%" PRIx64, kind, (int)(colon - place), place, offset);
	return true;
}

/* "vfs_read+16", "ext4:ext4_readdir"; not an address, which is another one after each boot */
static bool put_function(struct strbuf *b, const char *kind, const char *place)
{
	const char *module = strchr(place, ':');

	if (isdigit((unsigned char)*place))
		return false;
	strbuf_addf(b, "%s:%s", kind, module ? module + 1 : place);
	return true;
}

/* "sched.sched_switch": the event that it is attached to */
static bool put_event(struct strbuf *b, const char *place)
{
	const char *dot = strchr(place, '.');

	if (!dot)
		return false;
	strbuf_addf(b, "%.*s:%s", (int)(dot - place), place, dot + 1);
	return true;
}

static bool put_place(struct strbuf *b, char type, char *place)
{
	char *end = strstr(place, "%return");

	if (end && !end[strlen("%return")])
		*end = '\0';
	else
		end = NULL;
	switch (type) {
	case 'p':
	case 'r':
		if (*place == '/')
			return put_file(b, type == 'r' || end ? "uretprobe" : "uprobe", place);
		return put_function(b, type == 'r' || end ? "kretprobe" : "kprobe", place);
	case 'f':
		return put_function(b, end ? "kretprobe" : "function", place);
	case 'e':
		return put_event(b, place);
	default:
		return false;
	}
}

/* ---- fields ---- */

/* Returns the name that pev has for a type, NULL if it has none. */
static const char *type_instead(const char *type)
{
	static const struct {
		const char *theirs, *ours;
	} types[] = {
		{ "u8", "u8" },	     { "u16", "u16" },	    { "u32", "u32" }, { "u64", "u64" },
		{ "s8", "s8" },	     { "s16", "s16" },	    { "s32", "s32" }, { "s64", "s64" },
		{ "x8", "u8" },	     { "x16", "u16" },	    { "x32", "x32" }, { "x64", "x64" },
		{ "string", "str" }, { "ustring", "ustr" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].theirs, type))
			return types[i].ours;
	return NULL;
}

/* "%di", "%gpr3" of PowerPC, "$arg1", "$stack2" and "$retval" */
static bool put_value(struct strbuf *b, const char *value)
{
	if (!strncmp(value, "$stack", 6)) {
		strbuf_puts(b, value + 1);
		return isdigit((unsigned char)value[6]);
	}
	if (!strncmp(value, "%gpr", 4)) {
		strbuf_addf(b, "%%r%s", value + 4);
		return isdigit((unsigned char)value[4]);
	}
	strbuf_puts(b, value);
	return (*value == '%' && value[1]) || !strcmp(value, "$retval") ||
	       (!strncmp(value, "$arg", 4) && isdigit((unsigned char)value[4]));
}

/*
 * "+8(+0(%di))" is %di[0][8]. A text lies where the outermost offset leads, which adds nothing
 * here, as pev takes what is there for its address.
 */
static bool put_loads(struct strbuf *b, char *value, bool text)
{
	const char *offsets[MAX_LOADS];
	size_t n = 0;

	while (*value == '+' || *value == '-') {
		char *open = strchr(value, '('), *close = value + strlen(value) - 1;

		if (!open || *close != ')' || n == ARRAY_SIZE(offsets))
			return false;
		*open = *close = '\0';
		/* "+u8" is memory of the program, which only a text can be read from */
		if (!isdigit((unsigned char)value[1]))
			return false;
		offsets[n++] = value + (*value == '+');
		value = open + 1;
	}
	if (text && (!n || strtoll(offsets[0], NULL, 0)))
		return false;
	if (!put_value(b, value))
		return false;
	while (n-- > text)
		strbuf_addf(b, "[%s]", offsets[n]);
	return true;
}

/* "dfd=%di:s32" */
static bool put_field(struct strbuf *b, char *field)
{
	char *value = strchr(field, '='), *type = strrchr(field, ':');
	const char *ours = type ? type_instead(type + 1) : "x64";

	if (!value || !ours)
		return false;
	*value++ = '\0';
	if (type)
		*type = '\0';
	strbuf_addf(b, "%s=", field);
	if (!put_loads(b, value, strstr(ours, "str")))
		return false;
	strbuf_addf(b, ":%s", ours);
	return true;
}

static void put_fields(struct strbuf *b, char *fields)
{
	struct strbuf field = { 0 };
	const char *before = "(";
	char *save;

	for (char *f = strtok_r(fields, " ", &save); f; f = strtok_r(NULL, " ", &save)) {
		strbuf_reset(&field);
		if (!put_field(&field, f))
			continue;
		strbuf_addf(b, "%s%s", before, field.s);
		before = ",";
	}
	if (*before == ',')
		strbuf_putc(b, ')');
	strbuf_free(&field);
}

/* ---- definitions ---- */

/* "p:kprobes/open do_filp_open dfd=%di:s32": returns what is behind the name, or NULL. */
static char *of_event(char *line, const char *name)
{
	char *group = strchr(line, ':'), *slash = group ? strchr(group, '/') : NULL;
	char *place = slash ? strchr(slash, ' ') : NULL;
	size_t len = strcspn(name, ":");

	if (!place || !name[len] || strncmp(group + 1, name, len) || slash != group + 1 + len)
		return NULL;
	*place++ = '\0';
	return strcmp(slash + 1, name + len + 1) ? NULL : place;
}

static char *instead(char type, char *place)
{
	struct strbuf b = { 0 };
	char *fields = strchr(place, ' ');

	if (fields)
		*fields++ = '\0';
	if (!put_place(&b, type, place)) {
		strbuf_free(&b);
		return NULL;
	}
	if (fields && type != 'e')
		put_fields(&b, fields);
	return b.s;
}

/* Returns the letter that the definition of @name begins with, 0 if it has none; @place: in @copy */
static char find(char *copy, const char *name, char **place)
{
	char *save;

	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		*place = of_event(l, name);
		if (*place)
			return *l;
	}
	return 0;
}

char *dynamic_event_instead(const char *definitions, const char *name)
{
	char *copy = xstrdup(definitions), *place;
	char type = find(copy, name, &place);
	char *event = type ? instead(type, place) : NULL;

	free(copy);
	return event;
}

bool dynamic_event_is_attached(const char *definitions, const char *name)
{
	char *copy = xstrdup(definitions), *place;
	char type = find(copy, name, &place);

	free(copy);
	return type == 'e';
}

char *dynamic_events_read(void)
{
	char *text = file_read("/sys/kernel/tracing/dynamic_events", NULL);

	return text ? text : file_read("/sys/kernel/debug/tracing/dynamic_events", NULL);
}
