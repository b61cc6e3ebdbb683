/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses what users type after -e: names, globs, groups, modifiers. Doesn't ask the
 * kernel (see plan.h for that).
 *
 *	LIST	:= ITEM { "," ITEM }
 *	ITEM	:= EVENT | "{" EVENT { "," EVENT } "}" [ ":" MODIFIERS ]
 *	EVENT	:= NAME [ "/" TERM { "," TERM } "/" ] [ ":" MODIFIERS ]
 *	NAME	:= [ TYPE "/" ] ( software or hardware event | system ":" event-glob ) |
 *		   "r" HEX | "cpu/" PART { "," PART } "/" | processor's event |
 *		   PMU "/" PART { "," PART } "/" | PROBE, see probe.h |
 *		   PMU of a kind of core "/" hardware event "/" |
 *		   "user:" provider ":" event, or the beginning of that and "*"
 *	TERM	:= ( "period" | "freq" | "name" ) "=" VALUE
 *	PART	:= TERM | ( "event" | "umask" | ... ) [ "=" VALUE ]
 *	MODIFIERS := letters: u, k, h: user mode, kernel, hypervisor; G, H: guests, the
 *		   host; D: pinned; e: exclusive; p, pp, ppp: exact addresses
 *
 * A processor's event has capitals in its name, or none of the others matches. It
 * may have unit masks and modifiers of its own behind ":" or ".", of which
 * those of one letter need a "=" where a letter above could be meant.
 */
#ifndef PERFCTL_EVENT_SPEC_H
#define PERFCTL_EVENT_SPEC_H

#include "base/cpulist.h"
#include "base/util.h"

/**
 * enum spec_kind - what a name is, as far as the text says
 * @SPEC_SOFTWARE: counter or timer of the kernel; config is enum pev_software
 * @SPEC_NAMED:    "system:event", a tracepoint, marker or sideband event
 * @SPEC_HARDWARE: config is enum pev_hardware
 * @SPEC_RAW:      config is the processor's code
 * @SPEC_PROBE:    see probe.h
 * @SPEC_MARK:     "provider:event" of programs, with a "*" at the end perhaps
 */
enum spec_kind {
	SPEC_SOFTWARE,
	SPEC_NAMED,
	SPEC_HARDWARE,
	SPEC_RAW,
	SPEC_PROBE,
	SPEC_MARK,
};

#define SPEC_USER   1u /* ":u" */
#define SPEC_KERNEL 2u /* ":k" */
#define SPEC_HV	    4u /* ":h" */
#define SPEC_GUEST  8u /* ":G" */
#define SPEC_HOST   16u /* ":H" */
#define SPEC_PINNED 32u /* ":D" */
#define SPEC_EXCLUSIVE 64u /* ":e" */
#define SPEC_PRECISE 128u /* ":p", ":pp", ":ppp" */

/**
 * struct event_spec - one event as typed
 * @name:   canonical name, or "system:event" which may be a glob
 * @label:  shown instead of the name, or NULL
 * @type:   the type that was typed before it ("marker/pev:test"), or NULL
 * @kind:   see enum spec_kind
 * @config: of counters
 * @config1: with @config2 the further words of a processor's code
 * @pmu:    number of the PMU
 * @cpus:   where it is counted, see struct pmu_code, as @scale and @unit
 * @modes:  SPEC_USER and the like; 0: everything
 * @precise: letters of SPEC_PRECISE, at most 3
 * @period: 0: not given
 * @freq:   0: not given
 * @group:  events of a group share this number, 0: none
 * @weak:  members count alone if the group can never count as one
 * @filter: expression or NULL
 * @trigger: PEV_F_START, PEV_F_STOP or PEV_F_FREEZE; 0: it is none
 */
struct event_spec {
	char *name;
	char *label;
	char *type;
	enum spec_kind kind;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	uint64_t pmu;
	struct cpulist cpus;
	double scale;
	char *unit;
	unsigned int modes;
	unsigned int precise;
	uint64_t period;
	uint64_t freq;
	unsigned int group;
	bool weak;
	char *filter;
	uint64_t trigger;
};

#define EVENT_TRIGGERS (PEV_F_START | PEV_F_STOP | PEV_F_FREEZE)

/**
 * struct event_list - events as typed
 * @groups:  the highest number of one
 * @last_n:  events that the last call of event_list_parse() added
 * @by_kind: those of all processors are counted for each kind of core apart
 */
struct event_list {
	struct event_spec *specs;
	size_t n;
	size_t cap;
	unsigned int groups;
	size_t last_n;
	bool by_kind;
};

/* Appends the events of one -e argument. */
int event_list_parse(struct event_list *list, const char *text, struct msg *m);
/* --filter: applies to the events of the last -e. */
int event_list_filter(struct event_list *list, const char *filter, struct msg *m);
/* Appends triggers, "EVENT if FILTER"; each does what @flag says. */
int event_list_triggers(struct event_list *list, const char *text, uint64_t flag, struct msg *m);
/* Appends the events of @from, which has none any more. */
void event_list_take(struct event_list *list, struct event_list *from);
/* Does the same for a struct opt with the list as its member. */
int event_list_option(void *list, const char *arg, struct msg *m);
int event_list_filter_option(void *list, const char *arg, struct msg *m);
void event_list_free(struct event_list *list);

/* Returns the PEV_F_* and PEV_EF_* that the modifiers stand for. */
uint64_t event_modes_flags(const struct event_spec *s);
/* Returns the letters behind the colon; "" for none. */
const char *event_modes_text(char buf[16], const struct event_spec *s);

#endif
