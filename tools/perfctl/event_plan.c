// SPDX-License-Identifier: GPL-2.0
/* Expanding event lists against the catalog. See event_plan.h. */
#include "event_plan.h"
#include "kernel.h"
#include "perfctl.h"

#include <errno.h>
#include <stdlib.h>

static struct planned_event *add(struct event_plan *plan, const struct event_spec *s,
				 uint32_t type, uint64_t config, const char *name)
{
	struct planned_event *e = ARRAY_PUSH(plan->events, plan->n, plan->cap);
	bool named = type == PEV_TYPE_TRACEPOINT || type == PEV_TYPE_MARKER;

	e->name = xstrdup(name);
	e->label = s->label ? xstrdup(s->label) :
		   s->modes ? xasprintf("%s:%s", name, s->modes == SPEC_USER ? "u" : "k") :
			      xstrdup(name);
	e->filter = s->filter ? xstrdup(s->filter) : NULL;
	e->group = s->group;
	e->unit = "";
	pev_attr_event(&e->attr, type, config, named ? e->name : NULL);
	if (e->filter)
		pev_attr_filter(&e->attr, e->filter);
	if (s->modes == SPEC_USER)
		e->attr.flags |= PEV_F_EXCLUDE_KERNEL;
	if (s->modes == SPEC_KERNEL)
		e->attr.flags |= PEV_F_EXCLUDE_USER;
	e->attr.period = s->freq ? s->freq : s->period;
	if (s->freq)
		e->attr.flags |= PEV_F_FREQ;
	return e;
}

static void add_software(struct event_plan *plan, const struct event_spec *s, enum plan_for what)
{
	const struct software_name *sw = software_find(s->name, strlen(s->name));
	bool clock = s->config == PEV_SW_CPU_CLOCK || s->config == PEV_SW_TASK_CLOCK;
	struct planned_event *e;

	if (clock && (what == PLAN_SAMPLE || (s->type && !strcmp(s->type, "timer"))))
		e = add(plan, s, PEV_TYPE_TIMER,
			s->config == PEV_SW_CPU_CLOCK ? PEV_TIMER_CPU_CLOCK :
							PEV_TIMER_TASK_CLOCK, s->name);
	else
		e = add(plan, s, PEV_TYPE_SOFTWARE, s->config, s->name);
	e->unit = sw ? sw->unit : "";
}

static bool is_named(const struct pev_catalog_entry *c, const struct event_spec *s)
{
	if (c->type != PEV_TYPE_TRACEPOINT && c->type != PEV_TYPE_MARKER)
		return false;
	return !s->type || !strcmp(s->type, c->type_name);
}

static int not_in_catalog(const struct pev_catalog *catalog, const struct event_spec *s,
			  struct msg *m)
{
	struct nearest n = { .word = s->name };

	if (strpbrk(s->name, "*?["))
		return msg_set(m, -ENOENT, "no event matches \"%s\"; \"perfctl list\" shows the "
			       "events", s->name);
	for (size_t i = 0; i < catalog->nr; i++)
		if (is_named(&catalog->entries[i], s))
			nearest_offer(&n, catalog->entries[i].name);
	if (n.best)
		return msg_set(m, -ENOENT, "unknown event \"%s\"; did you mean \"%s\"?", s->name,
			       n.best);
	return msg_set(m, -ENOENT, "unknown event \"%s\"; \"perfctl list\" shows the events",
		       s->name);
}

static int add_named(struct event_plan *plan, const struct event_spec *s,
		     const struct pev_catalog *catalog, struct msg *m)
{
	bool glob = strpbrk(s->name, "*?[") != NULL;
	size_t before = plan->n;

	for (size_t i = 0; i < catalog->nr; i++) {
		const struct pev_catalog_entry *c = &catalog->entries[i];

		if (!is_named(c, s))
			continue;
		if (glob ? glob_match(s->name, c->name) : !strcmp(s->name, c->name))
			add(plan, s, c->type, 0, c->name);
	}
	return plan->n == before ? not_in_catalog(catalog, s, m) : 0;
}

/* A hardware event is sampled by the timer until a PMU backend is there. */
static int add_hardware(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
			struct msg *m)
{
	struct event_spec timer = *s;

	if (what == PLAN_COUNT)
		return msg_set(m, -ENOENT,
			       "%s is a hardware event, and this kernel has no PMU backend that "
			       "counts it; \"perfctl list\" shows what can be counted", s->name);
	note("%s is a hardware event, and this kernel has no PMU backend: sampling by the "
	     "cpu-clock timer instead", s->name);
	timer.kind = SPEC_SOFTWARE;
	timer.config = PEV_SW_CPU_CLOCK;
	timer.name = "cpu-clock";
	/* a number of cycles is no number of nanoseconds */
	timer.period = 0;
	add_software(plan, &timer, what);
	return 0;
}

int event_plan_make(struct event_plan *plan, const struct event_list *list, enum plan_for what,
		    struct msg *m)
{
	struct pev_catalog *catalog = NULL;
	int err = 0;

	*plan = (struct event_plan){ 0 };
	for (size_t i = 0; i < list->n && !err; i++) {
		const struct event_spec *s = &list->specs[i];

		if (s->kind == SPEC_SOFTWARE) {
			add_software(plan, s, what);
		} else if (s->kind == SPEC_HARDWARE) {
			err = add_hardware(plan, s, what, m);
		} else {
			if (!catalog)
				err = kernel_catalog(&catalog, m);
			if (!err)
				err = add_named(plan, s, catalog, m);
		}
	}
	pev_catalog_free(catalog);
	return err;
}

void event_plan_free(struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		free(plan->events[i].name);
		free(plan->events[i].label);
		free(plan->events[i].filter);
	}
	free(plan->events);
	*plan = (struct event_plan){ 0 };
}

void event_plan_note_user_only(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->events[i].user_only) {
			note("without the right to see kernel addresses (CAP_PERFMON, or a lower "
			     "kernel.pev_paranoid) only user mode is measured");
			return;
		}
	}
}
