// SPDX-License-Identifier: GPL-2.0
/* perfctl stat's numbers: scaling, bounds, ratios and when they are refused. */
#include "stat/metric.h"
#include "stat/read.h"
#include "stat/topdown.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>

#define SEC 1000000000ULL

static struct planned_event *plan_add(struct event_plan *plan, uint32_t config, unsigned int group)
{
	struct planned_event *e = ARRAY_PUSH(plan->events, plan->n, plan->cap);

	pev_attr_event(&e->attr, PEV_TYPE_HARDWARE, config, NULL);
	e->label = (char *)pev_config_name(PEV_TYPE_HARDWARE, config);
	e->unit = "";
	e->scale = 1;
	e->group = group;
	return e;
}

/* Counted @value in @percent of a second */
static void counted(struct stat_event *e, uint64_t value, unsigned int percent)
{
	e->last = e->total = (struct pev_value){
		.value = value, .time_enabled = SEC, .time_running = SEC / 100 * percent,
	};
	e->value = (struct spread){ 0 };
	spread_add(&e->value, stat_scale(e));
}

static bool about(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

static void ratios(void)
{
	const struct metric *ipc = stat_metric_find("ipc"), *mpki = stat_metric_find("l1d-mpki");
	struct event_plan plan = { 0 };
	struct stat_event events[4] = { 0 };
	struct stat_result r = { .plan = &plan, .events = events, .at = -1, .rounds = 1 };
	struct ratio ratio;

	plan_add(&plan, PEV_HW_CYCLES, 0);
	plan_add(&plan, PEV_HW_INSTRUCTIONS, 0);
	plan_add(&plan, PEV_HW_L1D_MISSES, 1);
	plan_add(&plan, PEV_HW_INSTRUCTIONS, 1);
	counted(&events[0], 2000, 100);
	counted(&events[1], 1000, 100);
	counted(&events[2], 30, 25);
	counted(&events[3], 6000, 25);

	ratio = stat_ratio(&r, ipc, -1);
	OK(ratio.state == RATIO_GIVEN && about(ratio.number, 0.5) && ratio.value == 1 && !ratio.per,
	   "IPC of two that were counted all the time");
	ratio = stat_ratio_beside(&r, 1, -1);
	OK(ratio.state == RATIO_GIVEN && ratio.metric == ipc, "... is what stands beside instructions");
	OK(stat_ratio_beside(&r, 0, -1).state == RATIO_NONE, "... and nothing beside cycles");
	ratio = stat_ratio(&r, mpki, -1);
	OK(ratio.state == RATIO_GIVEN && about(ratio.number, 5) && ratio.per == 3,
	   "of two of a group that had counters at times: of that group");
	OK(stat_ratio_beside(&r, 3, -1).state == RATIO_REFUSED,
	   "of one of the group and one that was counted all the time: refused");

	counted(&events[1], 500, 50);
	ratio = stat_ratio(&r, ipc, -1);
	OK(ratio.state == RATIO_REFUSED, "IPC of two in windows of their own: refused");
	r.cross_window = true;
	ratio = stat_ratio(&r, ipc, -1);
	OK(ratio.state == RATIO_GIVEN && about(ratio.number, 0.5), "... unless it is asked for");
	r.cross_window = false;

	counted(&events[1], 0, 0);
	OK(stat_ratio_beside(&r, 1, -1).state == RATIO_NONE, "nothing counted, no ratio");
	counted(&events[1], 1000, 100);
	plan.events[0].attr.flags = PEV_F_EXCLUDE_KERNEL;
	events[3].total.time_enabled = events[3].total.time_running = 0;
	OK(stat_ratio(&r, ipc, -1).state == RATIO_NONE, "user mode's cycles are no measure of all "
	   "instructions");
	free(plan.events);
}

static void set_part(struct stat_event *e, size_t part, uint64_t value, uint64_t enabled)
{
	e->parts[part] = (struct pev_value){ .value = value,
					     .time_enabled = enabled,
					     .time_running = enabled };
}

/* Two threads: the first was on both kinds of cores, the second on one */
static void kinds_in_parts(struct stat_result *r)
{
	const struct metric *ipc = stat_metric_find("ipc");
	struct pev_value parts[4][2] = { 0 };
	struct reading sum;

	for (size_t i = 0; i < 4; i++)
		r->events[i].parts = parts[i];
	set_part(&r->events[0], 0, 200, 10);
	set_part(&r->events[1], 0, 100, 10);
	set_part(&r->events[2], 0, 600, 20);
	set_part(&r->events[3], 0, 150, 20);
	set_part(&r->events[2], 1, 3400, 20);
	set_part(&r->events[3], 1, 850, 20);
	OK(stat_read_sum(r, 0, 0, &sum) && about(sum.value, 800) && reading_is_whole(&sum),
	   "a thread's cycles of all kinds");
	OK(about(stat_ratio_beside_sum(r, 1, 0).number, 250.0 / 800), "... and its IPC");
	OK(stat_read_sum(r, 0, 1, &sum) && about(sum.value, 3400),
	   "of one that was on one kind only, what that counted");
	OK(stat_ratio_sum(r, ipc, 1, 1).state == RATIO_GIVEN, "... and its IPC");
	r->events[0].parts[1].time_enabled = 5;
	OK(!stat_read_sum(r, 0, 1, &sum), "no sum where one kind had no counter");
	for (size_t i = 0; i < 4; i++)
		r->events[i].parts = NULL;
}

/* Two kinds of cores: cycles and instructions of each, which make two sums */
static void kinds(void)
{
	const struct metric *ipc = stat_metric_find("ipc");
	struct event_plan plan = { .sums = 2 };
	struct stat_event events[4] = { 0 };
	struct stat_result r = { .plan = &plan, .events = events, .at = -1, .rounds = 1 };
	struct reading sum;
	struct ratio ratio;

	for (unsigned int i = 0; i < 4; i++) {
		plan_add(&plan, i & 1 ? PEV_HW_INSTRUCTIONS : PEV_HW_CYCLES, 0);
		plan.events[i].attr.pmu = i < 2 ? 4 : 10;
		plan.events[i].sum = 1 + (i & 1);
	}
	counted(&events[0], 2000, 100);
	counted(&events[1], 1000, 100);
	counted(&events[2], 4000, 100);
	counted(&events[3], 1000, 100);

	OK(about(stat_ratio_beside(&r, 1, -1).number, 0.5) &&
		   about(stat_ratio_beside(&r, 3, -1).number, 0.25),
	   "IPC of each kind is of its own cycles");
	OK(stat_read_sum(&r, 0, -1, &sum) && about(sum.value, 6000) && reading_is_whole(&sum),
	   "cycles of all kinds");
	ratio = stat_ratio_sum(&r, ipc, 1, -1);
	OK(ratio.state == RATIO_GIVEN && about(ratio.number, 2000.0 / 6000) && ratio.value == 1,
	   "IPC of sums");
	OK(stat_ratio_beside_sum(&r, 1, -1).metric == ipc, "... is what stands beside theirs");
	OK(stat_ratio_beside_sum(&r, 0, -1).state == RATIO_NONE, "... and nothing beside cycles'");

	kinds_in_parts(&r);

	counted(&events[2], 0, 0);
	counted(&events[3], 0, 0);
	OK(!stat_read_sum(&r, 0, -1, &sum), "a kind that had no counter: no sum");
	OK(stat_ratio_sum(&r, ipc, 1, -1).state == RATIO_NONE, "... and none of its ratios");
	for (unsigned int i = 2; i < 4; i++)
		events[i].total.time_enabled = events[i].last.time_enabled = 0;
	OK(stat_read_sum(&r, 0, -1, &sum) && about(sum.value, 2000),
	   "a kind on which nothing ran adds nothing");

	counted(&events[2], 400, 10);
	counted(&events[3], 100, 10);
	OK(stat_read_sum(&r, 0, -1, &sum) && about(sum.value, 6000) && !reading_is_whole(&sum),
	   "one that shared its counters is estimated");
	OK(stat_ratio_sum(&r, ipc, 1, -1).state == RATIO_REFUSED,
	   "... and its events' ratio refused, as each has had windows of its own");
	plan.events[3].refused = plan.events[0].refused = (char *)"no";
	OK(!stat_read_sum(&r, 0, -1, &sum) && stat_ratio_sum(&r, ipc, 1, -1).state == RATIO_NONE,
	   "an event that a kind does not have: no sum");
	free(plan.events);
}

static void readings(void)
{
	struct event_plan plan = { 0 };
	struct stat_event events[1] = { 0 };
	struct stat_result r = { .plan = &plan, .events = events, .at = -1, .rounds = 2 };
	struct reading v;
	char *why;

	plan_add(&plan, PEV_HW_CYCLES, 0);
	counted(&events[0], 1000, 25);
	events[0].estimate = 5000;
	events[0].estimated = true;
	r.at = 1;
	OK(about(stat_read(&r, 0, -1).value, 5000), "of an interval: what the kernel's sums say");
	counted(&events[0], 1000, 100);
	OK(about(stat_read(&r, 0, -1).value, 1000), "... unless it had a counter all the time");
	r.at = -1;
	events[0].estimated = false;
	counted(&events[0], 1000, 25);
	spread_add(&events[0].value, 2000);
	events[0].total.value += 1000;
	events[0].total.time_enabled += SEC;
	events[0].total.time_running += SEC / 2;
	events[0].squares = 30 * 30 + 40 * 40;
	v = stat_read(&r, 0, -1);
	OK(about(v.value, 3000), "the mean of rounds, each scaled by its own share");
	OK(about(v.bound, 25), "their bounds add up as squares");
	OK(about(reading_percent(&v), 37.5) && !reading_is_whole(&v), "the share of the time");
	OK(about(v.counted, 1000), "what was counted in a round");
	OK(!stat_why_not(&r, 0), "what was counted needs no excuse");
	events[0].total = (struct pev_value){ .time_enabled = SEC };
	why = stat_why_not(&r, 0);
	OK(why && strstr(why, "turn"), "why: its turn never came");
	free(why);
	events[0].total = (struct pev_value){ 0 };
	why = stat_why_not(&r, 0);
	OK(why && strstr(why, "ran"), "why: nothing ran");
	free(why);
	plan.events[0].refused = "cycles: no";
	why = stat_why_not(&r, 0);
	IS_STR(why, "cycles: no", "why: the kernel's own words");
	free(why);
	free(plan.events);
}

/* Rates and spreads of two rounds, of 1 and of 3 s of a clock. */
static void rounds(void)
{
	struct event_plan plan = { 0 };
	struct pev_value parts[2] = { { .value = 300, .time_enabled = 2 * SEC,
				       .time_running = 2 * SEC } };
	struct stat_event events[2] = { { .parts = parts } };
	struct stat_result r = { .plan = &plan, .events = events, .at = -1, .rounds = 2 };

	plan_add(&plan, PEV_HW_CYCLES, 0);
	OK(stat_clock_ns(&r) == 0, "no clock, no rates");
	plan_add(&plan, PEV_HW_CYCLES, 0)->unit = "ns";
	counted(&events[1], SEC, 100);
	spread_add(&events[1].value, 3.0 * SEC);
	events[1].last.value = 3 * SEC;
	OK(about(stat_clock_ns(&r), 2.0 * SEC), "rates are by the mean of the clock, not by its last "
	   "round");
	OK(about(spread_error(&events[1].value), 1.0 * SEC) &&
	   about(spread_percent(&events[1].value), 50), "the error of a mean, and in percent of it");
	OK(about(stat_read(&r, 0, 0).value, 150), "of a CPU: the mean of rounds, too");
	plan.events[1].refused = "no clock";
	OK(stat_clock_ns(&r) == 0, "a clock that was refused is none");
	free(plan.events);
}

static void windows(void)
{
	struct pev_multiplexed w[2] = { 0 }, before = { 0 };
	double bound, value;
	uint32_t doubts;

	w[0].value = 500;
	w[0].time_enabled = w[0].time_running = SEC;
	w[1] = w[0];
	value = windows_estimate(w, 2, &bound, &doubts);
	OK(value == 1000 && bound == 0, "two targets, counted all the time");
	w[1].time_running = 0;
	w[1].value = 0;
	windows_estimate(w, 2, &bound, &doubts);
	OK(isinf(bound), "one that never had a counter: who knows");
	w[1].time_enabled = 0;
	value = windows_estimate(w, 2, &bound, &doubts);
	OK(value == 500 && bound == 0, "one that never ran adds nothing");
	before.sum_gaps[0] = 1;
	w[0].sum_gaps[0] = 0;
	w[0].sum_gaps[1] = 5;
	windows_subtract(&w[0], &before);
	OK(w[0].sum_gaps[0] == UINT64_MAX && w[0].sum_gaps[1] == 4,
	   "sums of 128 bits are subtracted");

	w[1] = (struct pev_multiplexed){
		.value = 1000,
		.windows = 2,
		.time_enabled = SEC,
		.time_running = SEC / 2,
	};
	windows_estimate(w, 2, &bound, &doubts);
	OK(doubts == PEV_DOUBT_FEW_TURNS && strstr(windows_doubt(doubts), "30 turns"),
	   "what one target lets doubt is doubted of the sum");
	OK(strstr(windows_doubt(doubts | PEV_DOUBT_THROTTLED), "held up"),
	   "the gravest doubt is said");
	OK(!windows_doubt(0), "no doubt, no words");
}

/* Does each share of what was @counts have the percent of @want, and all of them @all? */
static bool shares_are(const struct topdown *t, const uint64_t *counts, const double *want,
		       double all)
{
	struct event_list list = { 0 };
	struct event_plan plan = { 0 };
	struct stat_event events[6] = { 0 };
	struct stat_result r = { .plan = &plan, .events = events, .at = -1, .rounds = 1 };
	struct msg m = { 0 };
	double sum = 0;
	bool right = t && !topdown_events(t, &list, &m);
	size_t shares = 0;

	/* one that is not of it */
	plan_add(&plan, PEV_HW_CYCLES, 0);
	counted(&events[0], 77, 100);
	for (size_t i = 0; right && i < list.n; i++) {
		plan_add(&plan, 0, 1)->label = list.specs[i].label;
		counted(&events[i + 1], counts[i], 50);
	}
	for (; right && topdown_name(t, shares); shares++) {
		double percent;

		right = topdown_share(t, &r, shares, &percent) == RATIO_GIVEN &&
			fabs(percent - want[shares]) < 1e-9;
		sum += percent;
	}
	right = right && fabs(sum - all) < 1e-9 && shares >= 4;
	if (right) {
		double percent;

		counted(&events[2], 0, 0);
		right = topdown_share(t, &r, 0, &percent) == RATIO_NONE && percent == 0;
	}
	free(plan.events);
	event_list_free(&list);
	return right;
}

#define INTEL "GenuineIntel"
#define AMD "AuthenticAMD"

static void topdown(void)
{
	/* cycles, issued, retired, undelivered, recovery */
	static const uint64_t four[] = { 1000, 1400, 1200, 800, 50 };
	static const double of_four[] = { 30, 10, 20, 40 };
	/* slots, retired, undelivered, backend */
	static const uint64_t slots[] = { 5000, 2500, 500, 1500 };
	static const double of_slots[] = { 50, 10, 10, 30 };
	/* cycles, retired, frontend, backend, smt */
	static const uint64_t zen[] = { 1000, 1800, 1200, 1500, 600 };
	static const double of_six[] = { 30, 15, 20, 25, 10 };
	/* more than there were slots, as counters are not read at the same instant */
	static const uint64_t over[] = { 1000, 600, 400, 10 };
	static const double of_over[] = { 60, 0, 40, 1 };

	OK(shares_are(topdown_find(INTEL, 6, 0x5e), four, of_four, 100) &&
		   shares_are(topdown_find(INTEL, 6, 0x3f), four, of_four, 100),
	   "top-down: four slots a cycle");
	OK(shares_are(topdown_find(INTEL, 6, 0x6a), slots, of_slots, 100) &&
		   shares_are(topdown_find(INTEL, 6, 0x8f), slots, of_slots, 100),
	   "... slots of their own");
	OK(shares_are(topdown_find(AMD, 0x19, 0x61), zen, of_six, 100),
	   "... six a cycle, and the other thread");
	OK(shares_are(topdown_find(INTEL, 6, 0x6a), over, of_over, 101), "... no share is below 0");
	OK(!shares_are(topdown_find(INTEL, 6, 0x5e), four, of_slots, 100),
	   "... not those of others");
	OK(!topdown_find("", 0, 0) && !topdown_find(AMD, 0x17, 1) &&
		   !topdown_find(INTEL, 6, 0x97) && !topdown_find(INTEL, 6, 0),
	   "... none of others");
}

void test_stat(void)
{
	size_t n;
	const struct metric *m = stat_metrics(&n);
	unsigned int sound = 0;

	for (size_t i = 0; i < n; i++)
		sound += m[i].value != m[i].per && m[i].value < PEV_HW_MAX &&
			 m[i].per < PEV_HW_MAX && m[i].scale > 0 && stat_metric_find(m[i].name) == &m[i];
	OK(n >= 7 && sound == n, "each metric has two events and a name of its own");
	OK(!stat_metric_find("ipx"), "ipx is none");
	ratios();
	kinds();
	readings();
	rounds();
	windows();
	topdown();
}
