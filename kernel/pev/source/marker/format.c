// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the meaning of a marker's format: names, types and places of its
 * fields. Knows nothing of events; runs once for each marker.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include "format.h"

/* Lengths of a conversion; pev is for machines of 64 bits. */
static const struct length {
	const char	*prefix;
	u8		kind;
	u8		size;
	const char	*sign;
	const char	*plain;
} lengths[] = {
	{ "hh",	PEV_MARKER_CHAR,	1,	"signed char",	"unsigned char" },
	{ "h",	PEV_MARKER_SHORT,	2,	"short",	"unsigned short" },
	{ "ll",	PEV_MARKER_WORD,	8,	"long long",	"unsigned long long" },
	{ "l",	PEV_MARKER_WORD,	8,	"long",		"unsigned long" },
	{ "z",	PEV_MARKER_WORD,	8,	"ssize_t",	"size_t" },
	{ "t",	PEV_MARKER_WORD,	8,	"ptrdiff_t",	"unsigned long" },
	{ "",	PEV_MARKER_INT,	4,	"int",		"unsigned int" },
};

static const struct length *parse_length(const char **format)
{
	const struct length *l;

	for (l = lengths; *l->prefix; l++) {
		if (!strncmp(*format, l->prefix, strlen(l->prefix)))
			break;
	}
	*format += strlen(l->prefix);
	return l;
}

/* Flags, width and precision only matter to print; a precision cuts strings. */
static const char *skip_width(const char *p, int *precision)
{
	*precision = -1;
	p += strspn(p, "-+ #0");
	while (isdigit(*p))
		p++;
	if (*p == '.') {
		*precision = 0;
		for (p++; isdigit(*p); p++)
			*precision = min(*precision * 10 + *p - '0', PEV_MARKER_STRING);
	}
	return p;
}

static const char *set_type(struct pev_marker_arg *arg, const struct length *l,
			    char conversion, int precision)
{
	arg->kind = l->kind;
	arg->size = l->size;
	switch (conversion) {
	case 'd':
	case 'i':
		arg->sign = true;
		arg->type = l->sign;
		return NULL;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		arg->type = l->plain;
		return NULL;
	}
	if (*l->prefix)
		return "a length before %c, %p or %s";
	switch (conversion) {
	case 'p':
		arg->kind = PEV_MARKER_WORD;
		arg->size = 8;
		arg->type = "void *";
		return NULL;
	case 'c':
		arg->kind = PEV_MARKER_CHAR;
		arg->size = 1;
		arg->letter = true;
		arg->type = "char[1]";
		return NULL;
	case 's':
		arg->kind = PEV_MARKER_TEXT;
		arg->size = sizeof(u32);
		arg->type = "__data_loc char[]";
		arg->limit = precision < 0 ? PEV_MARKER_STRING :
					     min(precision + 1, PEV_MARKER_STRING);
		return NULL;
	}
	return "a conversion that markers do not have";
}

static bool is_word(char c)
{
	return isalnum(c) || c == '_';
}

static bool name_taken(const struct pev_marker_layout *layout, const char *name)
{
	for (u32 i = 0; i < layout->nr; i++) {
		if (!strcmp(layout->args[i].name, name))
			return true;
	}
	return false;
}

/* The last word in [@begin, @end) is the name of the next argument. */
static void set_name(struct pev_marker_layout *layout, struct pev_marker_arg *arg,
		     const char *begin, const char *end)
{
	const char *word;
	size_t len;

	while (end > begin && !is_word(end[-1]))
		end--;
	for (word = end; word > begin && is_word(word[-1]); word--)
		;
	/* a name does not begin with a digit */
	while (word < end && isdigit(*word))
		word++;
	if (word == end)
		snprintf(arg->name, sizeof(arg->name), "arg%u", layout->nr);
	else
		snprintf(arg->name, sizeof(arg->name), "%.*s",
			 (int)min(end - word, 20L), word);
	len = strlen(arg->name);
	for (u32 n = layout->nr; name_taken(layout, arg->name); n++)
		snprintf(arg->name + len, sizeof(arg->name) - len, "_%u", n);
}

static const char *add_arg(struct pev_marker_layout *layout, const char *begin,
			   const char **format)
{
	struct pev_marker_arg *arg = &layout->args[layout->nr];
	const char *p = *format + 1;
	const struct length *l;
	const char *wrong;
	int precision;

	if (layout->nr == PEV_MARKER_ARGS)
		return "too many fields";
	p = skip_width(p, &precision);
	l = parse_length(&p);
	wrong = set_type(arg, l, *p, precision);
	if (wrong)
		return wrong;
	if (*p == 'p' && isalnum(p[1]))
		return "an extension of %p: the record has the plain value";
	set_name(layout, arg, begin, *format);
	arg->offset = ALIGN(layout->size, arg->size);
	layout->size = arg->offset + arg->size;
	layout->text |= arg->kind == PEV_MARKER_TEXT;
	layout->nr++;
	*format = p + 1;
	return NULL;
}

/*
 * Fields that share no word can be written a word at a time, which fills the
 * holes behind them as well.
 */
static void find_words(struct pev_marker_layout *layout)
{
	layout->words = IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN);
	for (u32 i = 0; i < layout->nr; i++) {
		struct pev_marker_arg *arg = &layout->args[i];

		if (arg->offset != sizeof(struct trace_entry) + i * sizeof(u64) ||
		    arg->kind == PEV_MARKER_TEXT)
			layout->words = false;
		layout->masks[i] = GENMASK_ULL(arg->size * 8 - 1, 0);
	}
}

const char *pev_marker_parse(const char *format, struct pev_marker_layout *layout)
{
	const char *begin = format;
	const char *wrong;

	memset(layout, 0, sizeof(*layout));
	layout->size = sizeof(struct trace_entry);
	while (*format) {
		if (*format != '%') {
			format++;
		} else if (format[1] == '%') {
			format += 2;
		} else {
			wrong = add_arg(layout, begin, &format);
			if (wrong)
				return wrong;
			begin = format;
		}
	}
	find_words(layout);
	return NULL;
}

/* ---- a record as text ---- */

/* The value of an argument, which is not a string. */
static u64 value_of(const struct pev_marker_arg *arg, const void *entry)
{
	const void *at = entry + arg->offset;

	switch (arg->size) {
	case 1:
		return arg->sign ? (u64)*(const s8 *)at : *(const u8 *)at;
	case 2:
		return arg->sign ? (u64)*(const s16 *)at : *(const u16 *)at;
	case 4:
		return arg->sign ? (u64)*(const s32 *)at : *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

/* Flags, width and precision are as written, the length is that of the value here. */
static void print_arg(const char *percent, const char *length, char conversion,
		      const struct pev_marker_arg *arg, const void *entry,
		      struct trace_seq *seq)
{
	int width = min_t(int, length - percent, 16);
	char spec[24];

	if (conversion == 'p') {
		trace_seq_printf(seq, "0x%llx", value_of(arg, entry));
		return;
	}
	snprintf(spec, sizeof(spec), "%.*s%s%c", width, percent,
		 conversion == 'c' || conversion == 's' ? "" : "ll", conversion);
	if (conversion == 's') {
		const struct trace_dynamic_info *where = entry + arg->offset;

		trace_seq_printf(seq, spec, entry + where->offset);
	} else if (conversion == 'c') {
		trace_seq_printf(seq, spec, (int)value_of(arg, entry));
	} else {
		trace_seq_printf(seq, spec, value_of(arg, entry));
	}
}

void pev_marker_print(const char *format, const struct pev_marker_layout *layout,
		      const void *entry, struct trace_seq *seq)
{
	const struct pev_marker_arg *arg = layout->args;
	const char *p = format, *length;
	int precision;

	while (*p) {
		if (*p != '%' || p[1] == '%') {
			p += *p == '%';
			trace_seq_putc(seq, *p++);
			continue;
		}
		length = skip_width(p + 1, &precision);
		format = length;
		parse_length(&format);
		print_arg(p, length, *format, arg++, entry, seq);
		p = format + 1;
	}
}
