/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From events as typed to what is opened: globs are expanded against the
 * kernel's catalog, attributes filled in. What is opened is an event_set.
 */
#ifndef PERFCTL_EVENT_PLAN_H
#define PERFCTL_EVENT_PLAN_H

#include "event_spec.h"
#include "target.h"

#include <pev/pev.h>

/**
 * struct planned_event - one event to open
 * @attr:   complete but for target, channel, group and flags of the moment
 * @name:   the kernel's name for it; attr.name points here where it has one, or
 *          to @label for hardware events
 * @label:  what to call it
 * @filter: attr.filter points here; NULL: none
 * @unit:   "ns" or ""
 * @group:  see struct event_spec
 * @loose:  see struct event_spec
 * @user_only: the kernel side was refused and is left out
 * @stand_in: a timer in place of a hardware event
 * @refused: why a hardware event cannot be counted here; NULL: it can
 */
struct planned_event {
	struct pev_attr attr;
	char *name;
	char *label;
	char *filter;
	const char *unit;
	unsigned int group;
	bool loose;
	bool user_only;
	bool stand_in;
	char *refused;
};

/**
 * struct event_plan - events to open
 * @some: hardware events that this machine does not count are left out, with
 *        planned_event.refused set, as long as there are others
 */
struct event_plan {
	struct planned_event *events;
	size_t n;
	size_t cap;
	bool some;
};

/**
 * enum plan_for - what the events are wanted for
 * @PLAN_COUNT:  software events count
 * @PLAN_SAMPLE: cpu-clock and task-clock are timers that take samples
 */
enum plan_for {
	PLAN_COUNT,
	PLAN_SAMPLE,
};

/*
 * Reads the catalog only if a name needs it. To sample cycles where there is no
 * PMU, a timer is taken, with a note.
 */
int event_plan_make(struct event_plan *plan, const struct event_list *list, enum plan_for what,
		    struct msg *m);
/**
 * event_without_system() - what a name may mean whose system was left out
 * @b:       gets it, quoted: sched_switch gives "sched:sched_switch"; several
 *           systems with " or " between; nothing if nothing is near
 * @name:    has no colon, perhaps a slip, perhaps a glob
 * @catalog: of the kernel
 *
 * Return: is it meant to the letter?
 */
bool event_without_system(struct strbuf *b, const char *name, const struct pev_catalog *catalog);
bool event_is_hardware(const struct planned_event *e);
void event_plan_free(struct event_plan *plan);

/* ---- event_sampling.c */

/**
 * struct sampling - how often samples are taken, and what is in them
 * @freq:  a second, of timers and hardware events whose period isn't typed
 * @count: one for each so many occurrences; 0: @freq, and each one of events that
 *         have none
 * @chains: with call chains ...
 * @max_stack: ... of at most so many frames, 0: the kernel's limit
 * @stack_user: ... made later, of registers and so many bytes of the stack; 0:
 *         made by the kernel
 */
struct sampling {
	uint64_t freq;
	uint64_t count;
	bool chains;
	uint32_t max_stack;
	uint32_t stack_user;
};

void event_plan_sampling(struct event_plan *plan, const struct sampling *s);
/*
 * What to sample by if nothing is asked for: cycles if they can be sampled now,
 * else a timer. Who or what is in the way is told, unless @quiet and it is only
 * that there is no PMU.
 */
const char *event_to_sample(const struct pev_info *info, bool quiet);

/* ---- event_set.c */

/**
 * struct event_set - the events of a plan, opened
 * @plan:  what they are
 * @fds:   plan->n times @n_ids, those of an event side by side; -1: refused
 * @n_ids: ids of the target
 */
struct event_set {
	struct event_plan *plan;
	int *fds;
	size_t n_ids;
};

/**
 * event_set_open() - open all events of a plan on a target
 * @flags: PEV_F_* that are added to each event's
 *
 * Where the kernel side of a target may not be seen, the event is opened for
 * user mode alone and planned_event.user_only is set.
 */
int event_set_open(struct event_set *set, struct event_plan *plan, const struct target *t,
		   uint64_t flags, struct msg *m);
void event_set_close(struct event_set *set);
/* One value for each event of the plan, summed over the ids of the target. */
int event_set_read(const struct event_set *set, struct pev_value *values, struct msg *m);
/* The windows of a hardware event: n_ids of them; -EOPNOTSUPP of other events. */
int event_set_read_windows(const struct event_set *set, size_t event,
			   struct pev_multiplexed *windows);
/* Values by CPU, summed over the ids; free(*values). */
int event_set_read_cpus(const struct event_set *set, size_t event, struct pev_value **values,
			unsigned int *nr, struct msg *m);
int event_set_enable(const struct event_set *set, bool on, struct msg *m);

/* Says once, in one note, which events see user mode only. */
void event_plan_note_user_only(const struct event_plan *plan);

#endif
