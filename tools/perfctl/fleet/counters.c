// SPDX-License-Identifier: GPL-2.0
/* Counts of the whole machine. See counters.h. */
#include "counters.h"
#include "figures.h"

#include <math.h>
#include <pev/hardware.h>
#include <stddef.h>
#include <stdlib.h>

int counters_open(struct counters *c, const struct event_list *events, struct msg *m)
{
	const struct target_opts all = { .all = true };
	int err;

	*c = (struct counters){ 0 };
	if (!events->n)
		return 0;
	err = target_make(&c->target, &all, NULL, m);
	if (!err)
		err = event_plan_make(&c->plan, events, PLAN_COUNT, m);
	if (!err)
		err = event_set_open(&c->set, &c->plan, &c->target, 0, m);
	c->open = !err;
	return err;
}

void counters_close(struct counters *c)
{
	if (c->open)
		event_set_close(&c->set);
	event_plan_free(&c->plan);
	target_free(&c->target);
	*c = (struct counters){ 0 };
}

/**
 * struct count - of one event, so far
 * @value: scaled, if it took turns with others
 * @bound: the truth is at most so far from that, 95 times in a hundred; 0: it is exact
 * @share: of the time in which it really counted
 */
struct count {
	double value;
	double bound;
	double share;
};

/* Only hardware events are multiplexed. */
static double bound_of(const struct counters *c, size_t event)
{
	struct pev_multiplexed *w = xcalloc(c->set.n_ids, sizeof(*w));
	double squares = 0;
	struct pev_estimate e;

	if (!event_set_read_windows(&c->set, event, w))
		for (size_t i = 0; i < c->set.n_ids; i++)
			if (!pev_multiplexed_estimate(&w[i], &e))
				squares += e.bound * e.bound;
	free(w);
	return sqrt(squares);
}

static void count_of(const struct counters *c, size_t event, const struct pev_value *v,
		     struct count *to)
{
	const struct planned_event *e = &c->plan.events[event];
	bool turns = v->time_running < v->time_enabled;

	*to = (struct count){ .value = (double)v->value * e->scale, .share = 1 };
	if (!turns)
		return;
	to->share = (double)v->time_running / (double)v->time_enabled;
	if (v->time_running)
		to->value /= to->share;
	to->bound = bound_of(c, event) * e->scale;
}

static void put(struct strbuf *b, const char *name, const char *event, double v)
{
	strbuf_addf(b, "%s{event=\"", name);
	figures_label(b, event);
	if (isinf(v))
		strbuf_puts(b, "\"} +Inf\n");
	else
		strbuf_addf(b, "\"} %.17g\n", v);
}

static const struct figure {
	const char *name;
	const char *type;
	const char *help;
	size_t offset;
} shown[] = {
	{ "perfctl_event_total", "counter",
	  "Occurrences on all CPUs; of clocks, nanoseconds.", offsetof(struct count, value) },
	{ "perfctl_event_bound", "gauge",
	  "How far the total may be off, 95 times in a hundred; 0: it is exact.",
	  offsetof(struct count, bound) },
	{ "perfctl_event_counted_ratio", "gauge",
	  "Share of the time in which the event really counted.", offsetof(struct count, share) },
};

static void put_all(const struct counters *c, const struct count *counts, struct strbuf *b)
{
	for (size_t f = 0; f < ARRAY_SIZE(shown); f++) {
		figures_head(b, shown[f].name, shown[f].type, shown[f].help);
		for (size_t i = 0; i < c->plan.n; i++) {
			const struct planned_event *e = &c->plan.events[i];

			if (!e->refused)
				put(b, shown[f].name, e->label ? e->label : e->name,
				    *(const double *)((const char *)&counts[i] + shown[f].offset));
		}
	}
}

void counters_text(const struct counters *c, struct strbuf *b)
{
	struct pev_value *values;
	struct count *counts;
	struct msg ignored;

	if (!c->open)
		return;
	values = xcalloc(c->plan.n, sizeof(*values));
	counts = xcalloc(c->plan.n, sizeof(*counts));
	if (!event_set_read(&c->set, values, &ignored)) {
		for (size_t i = 0; i < c->plan.n; i++)
			count_of(c, i, &values[i], &counts[i]);
		put_all(c, counts, b);
	}
	free(values);
	free(counts);
}
