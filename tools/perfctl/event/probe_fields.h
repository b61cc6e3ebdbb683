/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses what a probe is to record, the text in parentheses behind its place.
 *
 *	FIELDS	:= FIELD { "," FIELD }
 *	FIELD	:= ( VARIABLE | NAME [ "=" VALUE ] ) [ ":" TYPE ]
 *	VALUE	:= VARIABLE |
 *		   ( "arg" N | "$arg" N | "%" REGISTER | "stack" N | "ret" | "$retval" |
 *		     "duration" ) { "[" OFFSET "]" }
 *	VARIABLE := ( NAME | "$arg" N | "ret" | "$retval" ) { STEP }
 *	STEP	:= "->" NAME | "." NAME | "[" INDEX "]"
 *	TYPE	:= "u8" ... "u64" | "s8" ... "s64" | "x32" | "x64" | "str" | "ustr"
 *
 * A name alone is the variable of that name if those are known, else the argument at that place of
 * the list, or the result, if it is "ret". "arg0" is the first argument, as is "$arg1". "$arg1"
 * without a name is called as the argument is, or "arg0"; "$retval" is "ret"; what is reached by
 * steps is called as the last member, or, if another field is, by all of the path. An index is one
 * of C; an offset in brackets loads what lies so many bytes behind a value that has no name, and so
 * no type. "ustr" is a text in the memory of the process, for probes in the kernel.
 */
#ifndef PERFCTL_EVENT_PROBE_FIELDS_H
#define PERFCTL_EVENT_PROBE_FIELDS_H

#include "base/util.h"
#include "program/value.h"

#include <pev/pev.h>

/**
 * struct probe_fields - the fields of a probe
 * @fields: names are offsets in the strings of the probe
 * @nr:     of them
 * @by_place: bit n is set if all that is known of field n is its place in the list
 */
struct probe_fields {
	struct pev_probe_field fields[PEV_MAX_PROBE_FIELDS];
	unsigned int nr;
	unsigned int by_place;
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

/* Numbers for find() of struct probe_scope: those of arguments begin at 0 */
#define PROBE_BY_NAME (-2)
#define PROBE_RESULT (-1)

/**
 * struct probe_scope - finds what names stand for at a place
 * @find:  finds a value by its name of @len bytes, or by its number; returns 0, -ENOENT: there is
 *         none, or -errno with a clause that says why it can't be recorded
 * @arg:   for @find
 * @whole: it knows all that has a name there
 * @kernel: what it finds is in the kernel's memory
 * @names: appends those that it knows
 */
struct probe_scope {
	int (*find)(const void *arg, const char *name, size_t len, int number, struct value *v,
		    struct msg *m);
	void (*names)(const void *arg, struct strbuf *to);
	const void *arg;
	bool whole;
	bool kernel;
};

/**
 * struct probe_arguments - all of a place
 * @v: the first one
 * @n: of them
 * @result: what is returned there, or NULL
 * @numbered: arg0 is the first one of them; else the one in the first register
 * @scope: NULL: types are not known
 * @unknown: a clause that says why, or NULL
 */
struct probe_arguments {
	const struct probe_argument *v;
	size_t n;
	const struct probe_argument *result;
	bool numbered;
	const struct probe_scope *scope;
	const char *unknown;
};

/*
 * Appends the names to @strings. @args: NULL: nothing is known of them. Returns 0, or -errno
 * with a sentence.
 */
int probe_fields_parse(struct probe_fields *f, const char *text, size_t len,
		       const struct probe_arguments *args, struct strbuf *strings, struct msg *m);

/*
 * For find() of struct probe_scope at a return: returns -ENOENT for what a return has, else -EINVAL
 * with a clause.
 */
int probe_fields_gone(const char *name, size_t len, struct msg *m);
/* Appends how a field is found, as FIELDS have it: "%di[4]:u16" */
void probe_field_text(const struct pev_probe_field *f, struct strbuf *to);
/* What enum pev_probe_type is called in FIELDS */
const char *probe_type_name(uint8_t type);

#endif
