// SPDX-License-Identifier: GPL-2.0
/* Events of modules that come. See late.h. */
#include "late.h"
#include "kernel.h"
#include "base/say.h"

#include <stdlib.h>

/* Modules bring their events before this happens. */
#define LOADED "module:module_load"

static int watch(struct late *l, struct msg *m)
{
	struct event_list list = { 0 };
	int err = target_make(&l->machine, &(struct target_opts){ .all = true }, NULL, m);

	if (!err)
		err = event_list_parse(&list, LOADED, m);
	if (!err)
		err = event_plan_make(&l->plan, &list, PLAN_COUNT, m);
	if (!err)
		err = event_set_open(&l->set, &l->plan, &l->machine, 0, m);
	event_list_free(&list);
	return err;
}

/* Modules that were loaded so far, or as many as were known before */
static uint64_t loads(const struct late *l)
{
	struct pev_value v = { 0 };
	struct msg ignored;

	return event_set_read(&l->set, &v, &ignored) ? l->loads : v.value;
}

void late_init(struct late *l, const struct event_list *events)
{
	struct msg ignored;

	*l = (struct late){ 0 };
	if (!events || !event_list_has_globs(events))
		return;
	/* the catalog is read behind that, so that nothing comes in between */
	if (watch(l, &ignored) || kernel_catalog(&l->catalog, &ignored))
		late_free(l);
	else
		l->events = events;
}

size_t late_look(struct late *l, struct event_plan *plan)
{
	struct msg m;
	uint64_t now;
	int n;

	if (!l->events)
		return 0;
	now = loads(l);
	if (now == l->loads)
		return 0;
	l->loads = now;
	n = event_plan_more(plan, l->events, &l->catalog, &m);
	if (n < 0)
		note("events of a module that was loaded are not recorded: %s", m.text);
	return n < 0 ? 0 : (size_t)n;
}

static bool any_on(const struct event_plan *plan, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (plan->events[i].on)
			return true;
	return false;
}

void late_open(struct event_set *set, size_t had, const struct target *t, int fd,
	       const struct sampling *sampling)
{
	struct event_plan *plan = set->plan;
	bool on = any_on(plan, had);
	struct msg m;

	event_plan_sampling_more(plan, had, sampling);
	for (size_t i = had; i < plan->n; i++)
		pev_attr_record(&plan->events[i].attr, fd, plan->events[i].attr.period,
				plan->events[i].attr.sample);
	event_set_more(set, had, t, PEV_F_DISABLED);
	for (size_t i = had; i < plan->n; i++) {
		struct planned_event *e = &plan->events[i];

		if (e->refused) {
			note("%s has come, and is not recorded: %s", e->label, e->refused);
		} else if (on && !event_set_enable_one(set, i, true, &m)) {
			e->on = true;
			note("%s has come, and is recorded from now on", e->label);
		}
	}
}

void late_free(struct late *l)
{
	event_set_close(&l->set);
	event_plan_free(&l->plan);
	target_free(&l->machine);
	pev_catalog_free(l->catalog);
	*l = (struct late){ 0 };
}
