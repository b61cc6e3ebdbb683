// SPDX-License-Identifier: GPL-2.0
/* What both ways to count by key have in common. See source.h. */
#include "source.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Those of -p have counters that their threads inherit, one each. */
static bool by_tasks_can(const struct by_source *s)
{
	enum by_kind kind = s->keys->kind[0];

	if (kind == BY_CGROUP || kind == BY_SERVICE)
		return s->target->type == PEV_TARGET_PROCESS ||
		       s->target->type == PEV_TARGET_TASK || s->target->type == PEV_TARGET_SUBTREE;
	return kind == BY_COMM || kind == BY_THREAD ||
	       (kind == BY_PROCESS && s->target->type != PEV_TARGET_PROCESS);
}

int by_source_init(struct by_source *s, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (engine_is_pev() && !(info.types & 1ULL << PEV_TYPE_TABLE))
		return msg_set(m, -ENOSYS,
			       "the running kernel's pev has no tables, which --by needs");
	s->ops = engine_is_pev() ? &by_tables : by_tasks_can(s) ? &by_tasks : &by_ids;
	s->before = xcalloc(s->plan->n, sizeof(*s->before));
	return s->ops->check ? s->ops->check(s, m) : 0;
}

int by_source_open(struct by_source *s, uint64_t flags, struct msg *m)
{
	return s->ops->open(s, flags, m);
}

/* What the events have counted themselves, and in how much of the time. */
static int fetch_totals(struct by_source *s, struct by_counts *to, struct msg *m)
{
	struct pev_value *now = xcalloc(s->plan->n, sizeof(*now));
	struct pev_value *more = xcalloc(s->plan->n, sizeof(*more));
	struct pev_value **values = xcalloc(s->plan->n, sizeof(*values));
	int err = event_set_read(&s->set, now, m);

	for (size_t i = 0; i < s->plan->n && !err; i++) {
		more[i].value = now[i].value - s->before[i].value;
		more[i].time_enabled = now[i].time_enabled - s->before[i].time_enabled;
		more[i].time_running = now[i].time_running - s->before[i].time_running;
		s->before[i] = now[i];
		values[i] = &more[i];
	}
	if (!err)
		event_share_waiting(s->plan, s->target, values);
	for (size_t i = 0; i < s->plan->n && !err; i++) {
		to->total[i] = more[i].value;
		to->share[i] = more[i].time_enabled && event_is_hardware(&s->plan->events[i]) ?
				       (double)more[i].time_running / (double)more[i].time_enabled :
				       1;
	}
	free(values);
	free(more);
	free(now);
	return err;
}

int by_source_fetch(struct by_source *s, struct by_counts *to, struct msg *m)
{
	int err;

	by_rows_clear(&to->rows);
	memset(to->other, 0, s->plan->n * sizeof(*to->other));
	cgroup_names_refresh(&s->cgroups);
	err = s->ops->rest ? 0 : fetch_totals(s, to, m);
	if (!err)
		err = s->ops->fetch(s, to, m);
	if (!err && s->ops->rest) {
		err = fetch_totals(s, to, m);
		if (!err)
			s->ops->rest(s, to);
	}
	return err;
}

/* The whole is switched on first and off last, so that no part of it has more. */
int by_source_enable(struct by_source *s, bool on, struct msg *m)
{
	int err = !on && s->ops->on ? s->ops->on(s, on, m) : 0;

	if (!err)
		err = event_set_enable(&s->set, on, m);
	return !err && on && s->ops->on ? s->ops->on(s, on, m) : err;
}

int by_source_fd(const struct by_source *s)
{
	return s->ops->fd ? s->ops->fd(s) : -1;
}

int by_source_take(struct by_source *s, struct msg *m)
{
	return s->ops->take ? s->ops->take(s, m) : 0;
}

void by_source_close(struct by_source *s)
{
	if (s->ops)
		s->ops->close(s);
}

void by_source_free(struct by_source *s)
{
	free(s->before);
	cgroup_names_free(&s->cgroups);
}

void by_counts_init(struct by_counts *c, const struct by_keys *keys, size_t events)
{
	c->rows.n_keys = keys->n;
	c->rows.events = events;
	c->other = xcalloc(events, sizeof(*c->other));
	c->total = xcalloc(events, sizeof(*c->total));
	c->share = xcalloc(events, sizeof(*c->share));
}

void by_counts_free(struct by_counts *c)
{
	by_rows_free(&c->rows);
	free(c->other);
	free(c->total);
	free(c->share);
}

uint64_t by_cgroup_name(struct by_source *s, struct by_rows *rows, enum by_kind kind, uint64_t id)
{
	const char *path = cgroup_names_path(&s->cgroups, id);
	char *text = path ? NULL : xasprintf("cgroup %" PRIu64, id);
	uint64_t number;

	if (!text)
		text = kind == BY_SERVICE ? by_service_of(path) : xstrdup(path);
	number = strtab_id(&rows->names, text);
	free(text);
	return number;
}
