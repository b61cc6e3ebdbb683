// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the format of a mark means: its fields, their names and kinds. The text comes from a
 * program that is not trusted.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <pev/user.h>
#include "core/compiler.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_identifier(const char *text, size_t len)
{
	if (!len || len >= sizeof(((struct pev_user_field *)0)->name) ||
	    isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_word(text[i]))
			return false;
	return true;
}

/* The last word between two conversions; its length, 0: there is none */
static size_t word_before(const char *begin, const char *end, const char **word)
{
	const char *p;

	while (end > begin && !is_word(end[-1]))
		end--;
	for (p = end; p > begin && is_word(p[-1]);)
		p--;
	*word = p;
	return (size_t)(end - p);
}

/* The argument at @list, as it was written, without the spaces around it; what follows it */
static const char *next_argument(const char *list, const char **begin, size_t *len)
{
	const char *end;
	int depth = 0;
	char quote = 0;

	while (*list == ' ')
		list++;
	*begin = list;
	for (end = list; *end && (*end != ',' || depth || quote); end++) {
		if (*end == '\\' && end[1])
			end++;
		else if (quote)
			quote = *end == quote ? 0 : quote;
		else if (*end == '"' || *end == '\'')
			quote = *end;
		else if (strchr("([{", *end))
			depth++;
		else if (strchr(")]}", *end))
			depth--;
	}
	*len = (size_t)(end - list);
	while (*len && (*begin)[*len - 1] == ' ')
		(*len)--;
	return *end ? end + 1 : end;
}

static bool has_name(const struct pev_user_class *cls, const char *name, size_t len)
{
	for (uint32_t i = 0; i < cls->nr_fields; i++)
		if (strlen(cls->fields[i].name) == len && !memcmp(cls->fields[i].name, name, len))
			return true;
	return false;
}

static void set_name(const struct pev_user_class *cls, struct pev_user_field *f, const char *word,
		     size_t word_len, const char *argument, size_t argument_len)
{
	if (is_identifier(word, word_len) && !has_name(cls, word, word_len))
		snprintf(f->name, sizeof(f->name), "%.*s", (int)word_len, word);
	else if (is_identifier(argument, argument_len) && !has_name(cls, argument, argument_len))
		snprintf(f->name, sizeof(f->name), "%.*s", (int)argument_len, argument);
	else
		snprintf(f->name, sizeof(f->name), "arg%u", cls->nr_fields);
	/* another one may have the name arg1 */
	while (has_name(cls, f->name, strlen(f->name)) && strlen(f->name) < sizeof(f->name) - 1)
		strcat(f->name, "_");
}

static const struct {
	const char *prefix;
	uint32_t bits;
} lengths[] = {
	{ "hh", 8 }, { "h", 16 }, { "ll", 64 }, { "l", 64 },
	{ "z", 64 }, { "t", 64 }, { "j", 64 },	{ "", 32 },
};

/* What is behind the percent sign. Returns the end, or NULL */
static const char *parse_conversion(const char *p, struct pev_user_field *f)
{
	static const struct {
		const char *letters;
		uint32_t kind;
		uint32_t bits; /* 0: those of the length */
	} kinds[] = {
		{ "di", PEV_USER_SIGNED, 0 },	     { "u", PEV_USER_UNSIGNED, 0 },
		{ "xXo", PEV_USER_HEX, 0 },	     { "p", PEV_USER_HEX, 64 },
		{ "c", PEV_USER_LETTER, 8 },	     { "s", PEV_USER_TEXT, 64 },
		{ "aAeEfFgG", PEV_USER_DOUBLE, 64 },
	};
	size_t l = 0;

	p += strspn(p, "-+ #0");
	p += strspn(p, "0123456789");
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	while (strncmp(p, lengths[l].prefix, strlen(lengths[l].prefix)))
		l++;
	p += strlen(lengths[l].prefix);
	for (size_t i = 0; *p && i < ARRAY_SIZE(kinds); i++) {
		if (!strchr(kinds[i].letters, *p))
			continue;
		f->kind = kinds[i].kind;
		f->bits = kinds[i].bits ? kinds[i].bits : lengths[l].bits;
		return p + 1;
	}
	return NULL;
}

PEV_EXPORT int pev_user_parse(const char *format, const char *fields, struct pev_user_class *cls)
{
	const char *text = format, *p = format, *word, *argument;
	size_t word_len, argument_len;

	cls->nr_fields = 0;
	while ((p = strchr(p, '%'))) {
		struct pev_user_field *f = &cls->fields[cls->nr_fields];

		if (p[1] == '%') {
			p += 2;
			continue;
		}
		if (cls->nr_fields == PEV_USER_FIELDS)
			return -EINVAL;
		word_len = word_before(text, p, &word);
		fields = next_argument(fields, &argument, &argument_len);
		text = p = parse_conversion(p + 1, f);
		if (!p)
			return -EINVAL;
		set_name(cls, f, word, word_len, argument, argument_len);
		cls->nr_fields++;
	}
	return 0;
}
