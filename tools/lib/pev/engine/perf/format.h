/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The format of a tracepoint's records, as the kernel's tracing directory has it.
 */
#ifndef _PEV_ENGINE_PERF_FORMAT_H
#define _PEV_ENGINE_PERF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/text.h"

/**
 * struct tp_field - a field of a tracepoint
 * @type:    as the kernel declares it, with a number of elements
 * @offset:  in the raw data
 * @size:    bytes in all
 * @count:   elements, 0 if they have no sensible size
 * @dynamic: a __data_loc word
 */
struct tp_field {
	char		*name;
	char		*type;
	uint32_t	offset;
	uint32_t	size;
	uint32_t	count;
	bool		is_signed;
	bool		is_text;
	bool		is_pointer;
	bool		dynamic;
};

/**
 * struct tp_format - a tracepoint
 * @name: "sched:sched_switch"
 */
struct tp_format {
	uint64_t	id;
	char		*name;
	struct tp_field	*fields;
	size_t		nr;
	size_t		room;
};

/**
 * tp_format_parse() - parse the text of a file "format"
 * @system: what the name begins with
 *
 * Free with tp_format_free(). Return: 0 or -ENOMEM.
 */
int tp_format_parse(struct tp_format *format, const char *system, const char *text, size_t len);
/* Return: 0 or -ENOMEM. */
int tp_format_copy(struct tp_format *to, const struct tp_format *from);
void tp_format_free(struct tp_format *format);
/* Writes "type name" pairs with ';' between them. */
void tp_format_fields(const struct tp_format *format, struct text *t);
/* Returns false if CTF does not allow a field's name, or two have the same. */
bool tp_format_usable(const struct tp_format *format);
bool tp_format_has(const struct tp_format *format, const char *name, const char *suffix);

#endif /* _PEV_ENGINE_PERF_FORMAT_H */
