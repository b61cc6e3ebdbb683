/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl list: what its parts share. */
#ifndef PERFCTL_VIEWS_LIST_PROCESSOR_H
#define PERFCTL_VIEWS_LIST_PROCESSOR_H

#include "base/json.h"

/**
 * struct list_opts - as typed
 * @fields: fields of tracepoints, unit masks of the processor's events
 * @json:   print JSON
 * @names:  print bare names
 * @pmu:    the table of the processor's events; NULL: of this machine's
 * @within: patterns are parts of any event's name, as none is a name or a kind
 * @none:   this machine's cannot be counted: there is no PMU that pev can use
 */
struct list_opts {
	bool fields;
	bool json;
	bool names;
	const char *pmu;
	bool within;
	bool none;
};

/**
 * struct list_search - which of the processor's events
 * @patterns: globs, or parts of names
 * @n:        0: all
 * @texts:    look for parts of descriptions, too
 */
struct list_search {
	char **patterns;
	int n;
	bool texts;
};

/* Prints them and returns how many there were. */
size_t list_processor(const struct list_opts *o, const struct list_search *s, struct json *j);
/* One line that says how many there are and how to see them. */
void list_processor_hint(const struct list_opts *o);
/* "--pmu list": all tables */
void list_processor_tables(const struct list_opts *o);

/* @word is in @text, in capitals or not */
bool list_contains(const char *text, const char *word);

#endif
