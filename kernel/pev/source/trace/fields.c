// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the description of trace events' fields: how the record that a probe
 * leaves in the ring is told to a reader. Must not know how it came there.
 *
 * A payload is the trace event without its common fields. Readers lay integers
 * out at their natural alignment; wherever the kernel's layout differs from
 * that, padding is spelled out. A dynamic field is a word with its offset and
 * length in the fixed part, and bytes behind it in order of declaration.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include <trace/syscall.h>
#include "base/strbuf.h"
#include "channel/channel.h"
#include "filter/parse.h"
#include "glue/trace_list.h"
#include "record/layout.h"
#include "fields.h"

/* The common fields, which a payload does not have. */
#define COMMON		((int)sizeof(struct trace_entry))

/* ---- from the kernel's description of a trace event ---- */

/* Return: the end of the list. */
static struct pev_field *add_args(struct pev_field *to, int offset,
				  const struct syscall_metadata *meta)
{
	for (int i = 0; i < meta->nb_args && i < SYSCALL_DEFINE_MAXARGS; i++) {
		*to++ = (struct pev_field){
			.name = meta->args[i], .type = meta->types[i],
			.offset = offset, .size = sizeof(unsigned long),
		};
		offset += sizeof(unsigned long);
	}
	return to;
}

/**
 * pev_fields_room() - how long the list of a trace event's fields can become
 * @call: the trace event
 *
 * Return: entries, its end included.
 */
unsigned int pev_fields_room(const struct trace_event_call *call)
{
	const struct trace_event_fields *from = call->class->fields_array;
	/* one entry may stand for a system call's arguments */
	unsigned int nr = SYSCALL_DEFINE_MAXARGS + 1;

	for (; from->type && from->type != TRACE_FUNCTION_TYPE; from++)
		nr++;
	return nr;
}

/**
 * pev_fields_list() - list the fields of a trace event
 * @call: the trace event
 * @to:   room for pev_fields_room() entries; the strings are there as long as @call is
 *
 * Each field is where the compiler placed it in a structure of all of them, which is how
 * the kernel places them for its own readers. The description may end with a function: that
 * of system calls adds their arguments, and no others are of use here.
 *
 * Return: 0, or -EOPNOTSUPP.
 */
int pev_fields_list(const struct trace_event_call *call, struct pev_field *to)
{
	const struct trace_event_fields *from = call->class->fields_array;
	int offset = sizeof(struct trace_entry);

	for (; from->type && from->type != TRACE_FUNCTION_TYPE; from++) {
		offset = ALIGN(offset, from->align);
		*to++ = (struct pev_field){
			.name = from->name, .type = from->type, .offset = offset,
			.size = from->size, .len = from->len, .sign = from->is_signed,
		};
		offset += from->size;
	}
	if (from->type && !pev_trace_is_syscall(call))
		return -EOPNOTSUPP;
	if (from->type)
		to = add_args(to, ALIGN(offset, sizeof(unsigned long)), call->data);
	*to = (struct pev_field){ };
	return 0;
}

/**
 * pev_fields_make() - list the fields of a trace event, in memory of their own
 * @call: the trace event
 *
 * Context: Process context, may sleep.
 * Return: the list, for kfree(); or an ERR_PTR(). See pev_fields_list().
 */
struct pev_field *pev_fields_make(const struct trace_event_call *call)
{
	struct pev_field *fields;
	int err;

	fields = kcalloc(pev_fields_room(call), sizeof(*fields), GFP_KERNEL_ACCOUNT);
	if (!fields)
		return ERR_PTR(-ENOMEM);
	err = pev_fields_list(call, fields);
	if (!err)
		return fields;
	kfree(fields);
	return ERR_PTR(err);
}

/* ---- as text ---- */

/* Reserved in TSDL: its keywords and the names of our types. */
static const char * const reserved[] = {
	"align", "callsite", "char", "clock", "clock27_t", "clock64_t", "clock64b_t",
	"const", "double", "enum", "env", "event", "float", "floating_point", "int",
	"int16_t", "int32_t", "int64_t", "int8_t", "integer", "long", "short", "signed",
	"stream", "string", "struct", "text_t", "trace", "typealias", "typedef",
	"uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned", "variant", "void",
	"xint32_t", "xint64_t", "_Bool", "_Complex", "_Imaginary",
};

/*
 * Readers of CTF drop one underscore before a name, so that names can be kept
 * apart from keywords: names that need it, or begin with one, get it.
 */
static const char *escape(const char *name)
{
	if (*name == '_' || match_string(reserved, ARRAY_SIZE(reserved), name) >= 0)
		return "_";
	return "";
}

/**
 * struct tsdl_writer - where a reader is in the payload
 * @text: the lines so far
 * @pos:  bytes
 * @pads: padding fields so far
 */
struct tsdl_writer {
	struct pev_strbuf	*text;
	int		pos;
	int		pads;
};

static bool is_dynamic(const struct pev_field *field)
{
	return str_has_prefix(field->type, "__data_loc") ||
	       str_has_prefix(field->type, "__rel_loc");
}

static bool is_text(const struct pev_field *field)
{
	const char *type = field->type;

	type += str_has_prefix(type, "__data_loc ");
	type += str_has_prefix(type, "__rel_loc ");
	type += str_has_prefix(type, "const ");
	return str_has_prefix(type, "char[") || str_has_prefix(type, "char [");
}

static bool is_pointer(const struct pev_field *field)
{
	return field->size == sizeof(long) && strchr(field->type, '*');
}

/* Pad up to @offset, unless the reader's own alignment to @align leads there. */
static void move_to(struct tsdl_writer *l, int offset, int align)
{
	if (ALIGN(l->pos, align) != offset && offset > l->pos)
		pev_strbuf_printf(l->text, "\t\tuint8_t _pad%d[%d];\n", l->pads++,
				  offset - l->pos);
	l->pos = offset;
}

/* Return: bytes of an element of @field; 0 if it is no integer. */
static int element(const struct pev_field *field)
{
	int size = field->size;

	if (field->len > 0 && size % field->len == 0)
		size /= field->len;
	else if (strchr(field->type, '['))
		return 0;
	return size == 1 || size == 2 || size == 4 || size == 8 ? size : 0;
}

static bool has_name(const struct pev_field *fields, const char *name, int len,
		     const char *suffix)
{
	const struct pev_field *field;

	for (field = fields; field->name; field++) {
		if (!strncmp(field->name, name, len) && !strcmp(field->name + len, suffix))
			return true;
	}
	return false;
}

/* Return: @plain, unless another field has that name: then @other. */
static const char *suffix(const struct pev_field *fields, const char *name,
			  const char *plain, const char *other)
{
	return has_name(fields, name, strlen(name), plain) ? other : plain;
}

static const char *len_suffix(const struct pev_field *fields, const char *name)
{
	return suffix(fields, name, "_len", "__len");
}

static void put_location(struct tsdl_writer *l, const struct pev_field *fields,
			 const struct pev_field *field)
{
	const char *name = field->name;
	const char *off = suffix(fields, name, "_off", "__off");
	const char *len = len_suffix(fields, name);
	const char *esc = *name == '_' ? "_" : "";

	move_to(l, field->offset - COMMON, sizeof(u16));
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		swap(off, len);
	pev_strbuf_printf(l->text, "\t\tuint16_t %s%s%s;\n\t\tuint16_t %s%s%s;\n",
			  esc, name, off, esc, name, len);
	l->pos += sizeof(u32);
}

static void put_static(struct tsdl_writer *l, const struct pev_field *field)
{
	const char *esc = escape(field->name);
	int offset = field->offset - COMMON;
	int size = element(field);
	char type[16];

	if (!size || !IS_ALIGNED(offset, size)) {
		move_to(l, offset, 1);
		pev_strbuf_printf(l->text, "\t\tuint8_t %s%s[%d];\n", esc, field->name,
				  field->size);
		l->pos += field->size;
		return;
	}
	move_to(l, offset, size);
	if (is_text(field))
		strscpy(type, "text_t", sizeof(type));
	else if (is_pointer(field))
		snprintf(type, sizeof(type), "xint%d_t", size * 8);
	else
		snprintf(type, sizeof(type), "%sint%d_t", field->sign ? "" : "u",
			 size * 8);
	if (field->len > 0)
		pev_strbuf_printf(l->text, "\t\t%s %s%s[%d];\n", type, esc, field->name,
				  field->len);
	else
		pev_strbuf_printf(l->text, "\t\t%s %s%s;\n", type, esc, field->name);
	l->pos += field->size;
}

static void put_dynamic(struct tsdl_writer *l, const struct pev_field *fields,
			const struct pev_field *field)
{
	pev_strbuf_printf(l->text, "\t\t%s %s%s[%s%s%s];\n",
			  is_text(field) ? "text_t" : "uint8_t",
			  escape(field->name), field->name,
			  *field->name == '_' ? "_" : "", field->name,
			  len_suffix(fields, field->name));
}

/**
 * pev_fields_tsdl() - describe the payload of a trace event in TSDL
 * @fields: of the trace event
 * @text:   gets a line for each field
 *
 * Context: Process context, may sleep.
 */
void pev_fields_tsdl(const struct pev_field *fields, struct pev_strbuf *text)
{
	struct tsdl_writer l = { .text = text };
	const struct pev_field *field;

	for (field = fields; field->name; field++) {
		if (is_dynamic(field))
			put_location(&l, fields, field);
		else if (field->size > 0)
			put_static(&l, field);
	}
	for (field = fields; field->name; field++) {
		if (is_dynamic(field))
			put_dynamic(&l, fields, field);
	}
}

/**
 * pev_fields_catalog() - list the fields of a trace event for the catalog
 * @fields: of the trace event
 * @text:   gets "type name;type name", or "-"
 *
 * Context: as pev_fields_tsdl().
 */
void pev_fields_catalog(const struct pev_field *fields, struct pev_strbuf *text)
{
	const struct pev_field *field;
	const char *sep = "";

	for (field = fields; field->name; field++) {
		const char *bracket = field->len > 0 ? strchr(field->type, '[') : NULL;

		pev_strbuf_printf(text, "%s", sep);
		/* print the number, not the constant's name in the source */
		if (bracket)
			pev_strbuf_printf(text, "%.*s[%d] %s", (int)(bracket - field->type),
					  field->type, field->len, field->name);
		else
			pev_strbuf_printf(text, "%s %s", field->type, field->name);
		sep = ";";
	}
	if (!*sep)
		pev_strbuf_printf(text, "-");
}

/**
 * pev_fields_fixed() - bytes that a probe leaves as they were
 * @fields: of the trace event
 *
 * Return: the payload's fixed part if it has holes between its fields, else 0.
 */
u32 pev_fields_fixed(const struct pev_field *fields)
{
	const struct pev_field *field;
	int end = COMMON, sum = COMMON;

	for (field = fields; field->name; field++) {
		end = max(end, field->offset + field->size);
		sum += field->size;
	}
	return sum < end ? end - COMMON : 0;
}

/**
 * pev_fields_layout() - say how long the payload of a trace event is
 * @fields: of the trace event
 * @layout: filled in
 *
 * A location word has its length in the upper half, and the dynamic fields
 * lie behind the fixed part without gaps.
 */
void pev_fields_layout(const struct pev_field *fields, struct pev_layout *layout)
{
	int upper = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 0 : sizeof(u16);
	const struct pev_field *field;
	int end = COMMON;

	for (field = fields; field->name; field++) {
		end = max(end, field->offset + field->size);
		if (is_dynamic(field))
			pev_layout_length(layout, field->offset - COMMON + upper);
	}
	layout->payload = end - COMMON;
}

/* ---- as filters look at them ---- */

static u8 filter_kind(const struct pev_field *field)
{
	const char *type = field->type;

	if (field->offset + field->size > U16_MAX)
		return PEV_FILTER_OTHER;
	if (!strcmp(type, "__data_loc cpumask_t"))
		return PEV_FILTER_CPUS;
	if (is_dynamic(field) && !is_text(field))
		return PEV_FILTER_OTHER;
	if (is_dynamic(field))
		return str_has_prefix(type, "__rel_loc") ? PEV_FILTER_REL_LOC : PEV_FILTER_LOC;
	if (is_text(field))
		return PEV_FILTER_ARRAY;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return PEV_FILTER_POINTER;
	return element(field) == field->size ? PEV_FILTER_NUMBER : PEV_FILTER_OTHER;
}

/**
 * pev_fields_find() - a field of a trace event by its name
 * @fields: of the trace event, struct pev_field; NULL: it has none
 * @name:   of the field
 * @len:    characters of @name
 * @found:  filled in
 *
 * Context: as pev_fields_tsdl().
 * Return: false if it has no such field.
 */
bool pev_fields_find(const void *fields, const char *name, size_t len,
		     struct pev_filter_field *found)
{
	const struct pev_field *field;

	if (!fields)
		return false;
	for (field = fields; field->name; field++) {
		if (strncmp(field->name, name, len) || field->name[len])
			continue;
		found->kind = filter_kind(field);
		found->sign = field->sign;
		found->address = is_pointer(field);
		found->offset = field->offset;
		found->size = field->size;
		return true;
	}
	return false;
}
