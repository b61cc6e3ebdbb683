/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns events as typed into events to open: expands globs against the kernel's
 * catalog and fills in attributes. An event_set has the opened ones.
 */
#ifndef PERFCTL_EVENT_PLAN_H
#define PERFCTL_EVENT_PLAN_H

#include "spec.h"

#include <pev/pev.h>

/**
 * struct planned_event - one event to open
 * @attr:   complete but for target, channel, group and the caller's flags
 * @name:   the kernel's name for it; attr.name points here where it has one, or
 *          to @label for hardware events
 * @label:  what to call it
 * @place:  of a probe of perf: attr.config1 points here; NULL: it is none
 * @probe:  of a probe of pev: attr.config points here; NULL: it is none
 * @filter: attr.filter points here; NULL: none
 * @unit:   "ns", or what @scale makes of a count, or ""
 * @scale:  of a PMU's event that has a unit; else 1
 * @cpus:   it is counted on these CPUs only; empty: on all
 * @own_unit: @unit points here
 * @group:  see struct event_spec
 * @weak:  see struct event_spec
 * @unit_nr: events that were typed together, and are counted for each kind of core; 0: none
 * @sum:    those that share this number add up to one event as typed; 0: none
 * @sum_label: what to call that
 * @user_only: the kernel side was refused and is left out
 * @fallback: a timer in place of a hardware event
 * @tick:   ns that one count of a timer stands for; 0: what is counted is the value
 * @refused: why it cannot be counted here; NULL: it can
 * @on:      its user has switched it on
 */
struct planned_event {
	struct pev_attr attr;
	char *name;
	char *label;
	char *place;
	struct probe_places *probe;
	char *filter;
	const char *unit;
	double scale;
	struct cpulist cpus;
	char *own_unit;
	unsigned int group;
	bool weak;
	unsigned int unit_nr;
	unsigned int sum;
	char *sum_label;
	bool user_only;
	bool fallback;
	uint64_t tick;
	bool on;
	char *refused;
};

/**
 * struct event_plan - events to open
 * @some: hardware events that this machine does not count are left out, with
 *        planned_event.refused set, as long as there are others
 * @probes_noted: it was said what probes miss
 * @units: the highest number of one
 * @sums:  the same
 */
struct event_plan {
	struct planned_event *events;
	size_t n;
	size_t cap;
	bool some;
	bool probes_noted;
	unsigned int units;
	unsigned int sums;
};

/**
 * enum plan_for - what the events are wanted for
 * @PLAN_COUNT:  software events count; of clocks that tell guests from the host, ticks of timers do
 * @PLAN_GUESTS: the same of guests alone
 * @PLAN_SAMPLE: cpu-clock and task-clock are timers that take samples
 * @PLAN_RECORD: each occurrence of a tracepoint, too: see calls.h
 */
enum plan_for {
	PLAN_COUNT,
	PLAN_GUESTS,
	PLAN_SAMPLE,
	PLAN_RECORD,
};

/*
 * Reads the catalog only if a name needs it. Samples by a timer, with a note, instead
 * of cycles where there is no PMU.
 */
int event_plan_make(struct event_plan *plan, const struct event_list *list, enum plan_for what,
		    struct msg *m);
/**
 * event_plan_more() - add what has come since, and matches a glob
 * @before: the catalog that @plan is of; replaced by the kernel's of now
 *
 * Return: events that were added at the end of the plan, or -errno.
 */
int event_plan_more(struct event_plan *plan, const struct event_list *list,
		    struct pev_catalog **before, struct msg *m);
/**
 * event_plan_sum_behind() - the sums over all kinds of cores that stand behind an event
 * @last: the event; only the last of what was typed together has sums behind it
 * @from: 0, or behind what the call before returned
 *
 * Return: the first event of the next sum; @plan->n: there is none.
 */
size_t event_plan_sum_behind(const struct event_plan *plan, size_t last, size_t from);
/* What to call the sum that @e is part of: to be freed */
char *planned_event_sum_name(const struct planned_event *e);
/* Has @list a glob for which event_plan_more() may find something? */
bool event_list_has_globs(const struct event_list *list);
/**
 * event_without_system() - what a name without its system may mean
 * @b:       gets it, quoted: sched_switch gives "sched:sched_switch"; several
 *           systems with " or " between; nothing if nothing is near
 * @name:    has no colon, perhaps a slip, perhaps a glob
 * @catalog: of the kernel
 *
 * Return: whether @name matches exactly.
 */
bool event_without_system(struct strbuf *b, const char *name, const struct pev_catalog *catalog);
/**
 * event_plan_sideband() - add sideband events
 * @fd:   the channel that they are recorded into
 * @mask: a bit for each of enum pev_sideband
 * @why:  what they are for: they ...
 */
void event_plan_sideband(struct event_plan *plan, int fd, unsigned int mask, const char *why);
/* Adds the waits of threads: those of at least @least ns have a record each. */
void event_plan_waits(struct event_plan *plan, uint64_t least);
/* Adds what brings the stacks that others put off */
void event_plan_ustack(struct event_plan *plan);
bool event_is_hardware(const struct planned_event *e);
void planned_event_free(struct planned_event *e);
void event_plan_free(struct event_plan *plan);

/* ---- sampling.c */

/* ---- set.c */

/* Notes, for all of them at once, which events see user mode only. */
/*
 * Notes that an event counted nothing as tasks have left every target by then. @counted: by index
 * of the plan, of the target @type.
 */
void event_plan_note_ended(const struct event_plan *plan, uint32_t type,
			   const struct pev_value *counted);
void event_plan_note_user_only(const struct event_plan *plan);

#endif
