/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses what a probe is to record, the text in parentheses behind its place.
 *
 *	FIELDS	:= FIELD { "," FIELD }
 *	FIELD	:= NAME [ "=" VALUE ] [ ":" TYPE ]
 *	VALUE	:= ( "arg" N | "$arg" N | "%" REGISTER | "stack" N | "ret" | "duration" |
 *		     ARGUMENT ) { "[" OFFSET "]" }
 *	TYPE	:= "u8" ... "u64" | "s8" ... "s64" | "x32" | "x64" | "str" | "ustr"
 *
 * Without a value it is the argument of that name if those are known, else the argument at
 * that place of the list, or the result, if its name is "ret". "arg0" is the first one, as is
 * "$arg1". An offset in brackets loads what lies so many bytes behind a value. "ustr" is
 * a text in the memory of the process, for probes in the kernel.
 */
#ifndef PERFCTL_EVENT_PROBE_FIELDS_H
#define PERFCTL_EVENT_PROBE_FIELDS_H

#include "base/util.h"

#include <pev/pev.h>

/**
 * struct probe_fields - the fields of a probe
 * @fields: names are offsets in the strings of the probe
 * @nr:     of them
 */
struct probe_fields {
	struct pev_probe_field fields[PEV_MAX_PROBE_FIELDS];
	unsigned int nr;
};

/**
 * struct probe_argument - an argument of a place, where more is known than its position
 * @name:  NULL: it has none
 * @field: its type, and where it is
 * @why:   it can't be recorded: a clause that says why; NULL: it can
 */
struct probe_argument {
	const char *name;
	struct pev_probe_field field;
	const char *why;
};

/**
 * struct probe_arguments - all of a place
 * @v: the first one
 * @n: of them
 * @numbered: arg0 is the first one of them; else the one in the first register
 */
struct probe_arguments {
	const struct probe_argument *v;
	size_t n;
	bool numbered;
};

/*
 * Appends the names to @strings. @args: NULL: nothing is known of them. Returns 0, or -EINVAL
 * with a sentence.
 */
int probe_fields_parse(struct probe_fields *f, const char *text, size_t len,
		       const struct probe_arguments *args, struct strbuf *strings, struct msg *m);

/* What enum pev_probe_type is called in FIELDS */
const char *probe_type_name(uint8_t type);

#endif
