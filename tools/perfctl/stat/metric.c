// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: ratios of hardware events, and when they can be trusted. */
#include "metric.h"
#include "read.h"
#include "stat.h"

#include <linux/pev.h>

static const struct metric table[] = {
	{ "ipc", "insn per cycle", PEV_HW_INSTRUCTIONS, PEV_HW_CYCLES, 1, true },
	{ "cpi", "cycles per insn", PEV_HW_CYCLES, PEV_HW_INSTRUCTIONS, 1, false },
	{ "branch-miss-rate", "% of branches", PEV_HW_BRANCH_MISSES, PEV_HW_BRANCHES, 100, true },
	{ "cache-miss-rate", "% of cache refs", PEV_HW_CACHE_MISSES, PEV_HW_CACHE_REFS, 100, true },
	{ "l1d-miss-rate", "% of L1d loads", PEV_HW_L1D_MISSES, PEV_HW_L1D_LOADS, 100, true },
	{ "llc-miss-rate", "% of LLC loads", PEV_HW_LLC_MISSES, PEV_HW_LLC_LOADS, 100, true },
	{ "dtlb-miss-rate", "% of dTLB loads", PEV_HW_DTLB_MISSES, PEV_HW_DTLB_LOADS, 100, true },
	{ "frontend-bound", "% of cycles", PEV_HW_STALLED_FRONT, PEV_HW_CYCLES, 100, true },
	{ "backend-bound", "% of cycles", PEV_HW_STALLED_BACK, PEV_HW_CYCLES, 100, true },
	{ "branch-mpki", "per 1000 insn", PEV_HW_BRANCH_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "l1d-mpki", "per 1000 insn", PEV_HW_L1D_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "l1i-mpki", "per 1000 insn", PEV_HW_L1I_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "llc-mpki", "per 1000 insn", PEV_HW_LLC_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "cache-mpki", "per 1000 insn", PEV_HW_CACHE_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "dtlb-mpki", "per 1000 insn", PEV_HW_DTLB_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "itlb-mpki", "per 1000 insn", PEV_HW_ITLB_MISSES, PEV_HW_INSTRUCTIONS, 1000, false },
	{ "clock-ratio", "cycles per ref-cycle", PEV_HW_CYCLES, PEV_HW_REF_CYCLES, 1, false },
};

const struct metric *stat_metrics(size_t *n)
{
	*n = ARRAY_SIZE(table);
	return table;
}

const struct metric *stat_metric_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static bool is_hardware(const struct planned_event *e, uint32_t config)
{
	return e->attr.type == PEV_TYPE_HARDWARE && e->attr.config == config && !e->refused;
}

#define DOMAINS (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HV | \
		 PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST)

static bool same_domains(const struct planned_event *a, const struct planned_event *b)
{
	return !((a->attr.flags ^ b->attr.flags) & DOMAINS) && a->user_only == b->user_only;
}

static bool same_group(const struct planned_event *a, const struct planned_event *b)
{
	return a->group && a->group == b->group;
}

/* Finds the event to divide @value by: one of its group before any other. */
static bool find_per(const struct event_plan *plan, size_t value, uint32_t config, size_t *per)
{
	const struct planned_event *v = &plan->events[value];
	bool found = false;

	for (size_t i = 0; i < plan->n; i++) {
		const struct planned_event *e = &plan->events[i];

		/* cores of one kind beside those of another would mean nothing */
		if (!is_hardware(e, config) || !same_domains(e, v) || e->attr.pmu != v->attr.pmu)
			continue;
		if (!found || same_group(e, v)) {
			*per = i;
			found = true;
			if (same_group(e, v))
				break;
		}
	}
	return found;
}

static struct ratio divide(const struct stat_result *r, const struct metric *m, size_t value,
			   size_t per, int part)
{
	struct reading v = stat_read(r, value, part), p = stat_read(r, per, part);
	struct ratio ratio = { .metric = m, .value = value, .per = per };

	if (v.running <= 0 || p.running <= 0 || p.value <= 0)
		return ratio;
	ratio.state = RATIO_GIVEN;
	ratio.number = m->scale * v.value / p.value;
	/* events of a group are on the counters together or not at all */
	if (!same_group(&r->plan->events[value], &r->plan->events[per]) && !r->cross_window &&
	    !(reading_is_whole(&v) && reading_is_whole(&p)))
		ratio.state = RATIO_REFUSED;
	return ratio;
}

struct ratio stat_ratio(const struct stat_result *r, const struct metric *m, int part)
{
	struct ratio best = { .metric = m };

	for (size_t i = 0; i < r->plan->n && best.state != RATIO_GIVEN; i++) {
		struct ratio ratio = stat_ratio_at(r, m, i, part);

		if (ratio.state != RATIO_NONE)
			best = ratio;
	}
	return best;
}

struct ratio stat_ratio_at(const struct stat_result *r, const struct metric *m, size_t event,
			   int part)
{
	size_t per;

	if (is_hardware(&r->plan->events[event], m->value) &&
	    find_per(r->plan, event, m->per, &per))
		return divide(r, m, event, per, part);
	return (struct ratio){ .metric = m };
}

struct ratio stat_ratio_beside(const struct stat_result *r, size_t event, int part)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct metric *m = &table[i];
		size_t per;

		if (m->shown && is_hardware(&r->plan->events[event], m->value) &&
		    find_per(r->plan, event, m->per, &per))
			return divide(r, m, event, per, part);
	}
	return (struct ratio){ 0 };
}

/* ---- sums over kinds of cores ---- */

/* Is there, for each kind of @value's, one to divide by, all of which make one sum? */
static bool find_sum(const struct event_plan *plan, const struct metric *m, size_t value,
		     size_t *per)
{
	bool found = false;

	for (size_t i = 0; i < plan->n; i++) {
		size_t other;

		if (plan->events[i].sum != plan->events[value].sum)
			continue;
		if (!is_hardware(&plan->events[i], m->value) ||
		    !find_per(plan, i, m->per, &other) || !plan->events[other].sum ||
		    (found && plan->events[other].sum != plan->events[*per].sum))
			return false;
		*per = other;
		found = true;
	}
	return found;
}

/* Were the two counted at the same time on each kind? */
static bool sums_fit(const struct stat_result *r, const struct metric *m, size_t value, int part)
{
	for (size_t i = 0; i < r->plan->n; i++)
		if (r->plan->events[i].sum == r->plan->events[value].sum &&
		    stat_ratio_at(r, m, i, part).state == RATIO_REFUSED)
			return false;
	return true;
}

struct ratio stat_ratio_sum(const struct stat_result *r, const struct metric *m, size_t value,
			    int part)
{
	struct ratio ratio = { .metric = m, .value = value };
	struct reading v, p;

	if (!find_sum(r->plan, m, value, &ratio.per) || !stat_read_sum(r, value, part, &v) ||
	    !stat_read_sum(r, ratio.per, part, &p) || p.value <= 0)
		return ratio;
	ratio.state = sums_fit(r, m, value, part) ? RATIO_GIVEN : RATIO_REFUSED;
	ratio.number = m->scale * v.value / p.value;
	return ratio;
}

struct ratio stat_ratio_beside_sum(const struct stat_result *r, size_t event, int part)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct ratio ratio = { 0 };

		if (table[i].shown)
			ratio = stat_ratio_sum(r, &table[i], event, part);
		if (ratio.state != RATIO_NONE)
			return ratio;
	}
	return (struct ratio){ 0 };
}
