// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: an event's number as it was counted and as it would have been. */
#include "read.h"
#include "stat.h"

#include <math.h>

static struct reading of_value(const struct pev_value *v)
{
	struct reading got = {
		.counted = (double)v->value,
		.value = (double)v->value,
		.enabled = (double)v->time_enabled,
		.running = (double)v->time_running,
	};

	if (got.running > 0 && !reading_is_whole(&got))
		got.value *= got.enabled / got.running;
	return got;
}

/*
 * Not if it was counted all the time: the values of a group are read at once, what says how
 * they were counted is not, and ratios compare them.
 */
double stat_scale(const struct stat_event *e)
{
	struct reading got = of_value(&e->last);

	return e->estimated && !reading_is_whole(&got) ? e->estimate : got.value;
}

struct reading stat_read(const struct stat_result *r, size_t event, int part)
{
	const struct stat_event *e = &r->events[event];
	struct reading got;

	if (part >= 0) {
		got = of_value(&e->parts[part]);
		got.bound = reading_is_whole(&got) ? 0 : INFINITY;
		if (r->at < 0 && r->rounds) {
			got.value /= r->rounds;
			got.counted /= r->rounds;
		}
		return got;
	}
	got = of_value(&e->total);
	got.bound = e->bound;
	if (r->at >= 0)
		got.value = stat_scale(e);
	if (r->at < 0 && r->rounds) {
		got.value = e->value.mean;
		got.counted /= r->rounds;
		got.bound = sqrt(e->squares) / r->rounds;
	}
	return got;
}

bool stat_read_sum(const struct stat_result *r, size_t event, int part, struct reading *sum)
{
	*sum = (struct reading){ 0 };
	for (size_t i = 0; i < r->plan->n; i++) {
		struct reading one;

		if (r->plan->events[i].sum != r->plan->events[event].sum)
			continue;
		if (r->plan->events[i].refused)
			return false;
		one = stat_read(r, i, part);
		/* there were cores of this kind to count, and no counter */
		if (one.counted <= 0 && one.running <= 0 && one.enabled > 0)
			return false;
		sum->value += one.value;
		sum->counted += one.counted;
		sum->enabled += one.enabled;
		sum->running += one.running;
		sum->bound += one.bound;
	}
	return sum->running > 0 || sum->counted > 0;
}

double stat_clock_ns(const struct stat_result *r)
{
	for (size_t i = 0; i < r->plan->n; i++) {
		double ns = strcmp(r->plan->events[i].unit, "ns") || r->plan->events[i].refused ?
				    0 : stat_read(r, i, -1).value;

		if (ns > 0)
			return ns;
	}
	return 0;
}

char *stat_why_not(const struct stat_result *r, size_t event)
{
	const struct planned_event *e = &r->plan->events[event];
	const struct pev_value *v = &r->events[event].total;

	if (e->refused)
		return xstrdup(e->refused);
	if (v->time_running || v->value)
		return NULL;
	if (!v->time_enabled)
		return xasprintf("%s: nothing of what is measured ran while it was switched on",
				 e->label);
	if (e->attr.flags & PEV_F_EXCLUSIVE)
		return xasprintf("%s: it wants the counters for itself, and others always had some of "
				 "them", e->label);
	return xasprintf("%s: its turn never came: others had the counters that can count it (\"perfctl "
			 "pmu\" shows who); measure longer, or fewer events at once", e->label);
}
