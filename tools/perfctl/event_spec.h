/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What users type after -e: names, globs, groups, modifiers. Parsing only; the
 * kernel is not asked (see event_plan.h for that).
 *
 *	LIST	:= ITEM { "," ITEM }
 *	ITEM	:= EVENT | "{" EVENT { "," EVENT } "}" [ ":" MODIFIERS ]
 *	EVENT	:= NAME [ "/" TERM { "," TERM } "/" ] [ ":" MODIFIERS ]
 *	NAME	:= [ TYPE "/" ] ( software or hardware event | system ":" event-glob )
 *	TERM	:= ( "period" | "freq" | "name" ) "=" VALUE
 *	MODIFIERS := "u" (user mode) and "k" (kernel mode)
 */
#ifndef PERFCTL_EVENT_SPEC_H
#define PERFCTL_EVENT_SPEC_H

#include "util.h"

/**
 * enum spec_kind - what a name is, as far as the text says
 * @SPEC_SOFTWARE: counter or timer of the kernel; config is enum pev_software
 * @SPEC_NAMED:    "system:event", a tracepoint, marker or sideband event
 * @SPEC_HARDWARE: needs a PMU
 */
enum spec_kind {
	SPEC_SOFTWARE,
	SPEC_NAMED,
	SPEC_HARDWARE,
};

#define SPEC_USER   1u /* ":u" */
#define SPEC_KERNEL 2u /* ":k" */

/**
 * struct event_spec - one event as typed
 * @name:   canonical name, or "system:event" which may be a glob
 * @label:  shown instead of the name, or NULL
 * @type:   the type that was typed before it ("marker/pev:test"), or NULL
 * @kind:   see enum spec_kind
 * @config: of software events
 * @modes:  SPEC_USER, SPEC_KERNEL; 0: both
 * @period: 0: not given
 * @freq:   0: not given
 * @group:  events of a group share this number, 0: none
 * @filter: expression or NULL
 */
struct event_spec {
	char *name;
	char *label;
	char *type;
	enum spec_kind kind;
	uint64_t config;
	unsigned int modes;
	uint64_t period;
	uint64_t freq;
	unsigned int group;
	char *filter;
};

struct event_list {
	struct event_spec *specs;
	size_t n;
	size_t cap;
	unsigned int groups;
	size_t last_n; /* events that the last call of event_list_parse() added */
};

/* Appends the events of one -e argument. */
int event_list_parse(struct event_list *list, const char *text, struct msg *m);
/* --filter: applies to the events of the last -e. */
int event_list_filter(struct event_list *list, const char *filter, struct msg *m);
void event_list_free(struct event_list *list);

/**
 * struct software_name - a software event and what perf users call it
 */
struct software_name {
	const char *name;
	const char *alias;
	uint64_t config;
	const char *unit;
	const char *about;
};

const struct software_name *software_names(size_t *n);
/* By name or alias, NULL if there is none. */
const struct software_name *software_find(const char *name, size_t len);
bool hardware_find(const char *name, size_t len);

struct nearest;
/* Offers all software event names and aliases to a suggestion. */
void software_offer(struct nearest *n);

#endif
