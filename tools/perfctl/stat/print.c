// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: tables, CSV and JSON. */
#include "print.h"
#include "metric.h"
#include "read.h"
#include "stat.h"
#include "topdown.h"
#include "base/json.h"
#include "base/text.h"
#include "pmu/sysfs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/**
 * struct stat_cell - one number as it is printed, whatever the style
 * @i:       index of the event
 * @v:       its number
 * @state:   NULL, or the word that stands in its place
 * @is_time: the value is in nanoseconds, and shown in milliseconds
 * @scale:   the value is shown as so much of ...
 * @unit:    ... this, "" for plain counts
 * @part:    -1: all
 * @metric:  a rate or share, with its unit; NULL: none
 * @refused: a metric is left out, as its events were counted at different times
 * @label:   what the number is of
 * @spread:  of its rounds
 * @sum:     it is of all kinds of cores, and @i is the first of them
 */
struct stat_cell {
	const struct planned_event *plan;
	const struct stat_event *event;
	size_t i;
	struct reading v;
	const char *state;
	bool is_time;
	double scale;
	const char *unit;
	int part;
	double metric;
	const char *metric_unit;
	bool refused;
	char *label;
	const struct spread *spread;
	bool sum;
};

/* Prints 1234.5 a second as 1.234 K/sec. */
static void rate(struct stat_cell *c, double per_sec)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t u = 0;

	for (; per_sec >= 1000 && u + 1 < ARRAY_SIZE(units); u++)
		per_sec /= 1000;
	c->metric = per_sec;
	c->metric_unit = units[u];
}

static void give(struct stat_cell *c, double metric, const char *unit)
{
	c->metric = metric;
	c->metric_unit = unit;
}

/* Are all modes counted, so that cycles a second are the clock's frequency? */
static bool is_clock(const struct planned_event *e)
{
	return e->attr.type == PEV_TYPE_HARDWARE && e->attr.config == PEV_HW_CYCLES &&
	       !e->user_only && !(e->attr.flags & (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL));
}

static void add_metric(struct stat_cell *c, const struct stat_result *r, double wall)
{
	struct ratio ratio = c->sum ? stat_ratio_beside_sum(r, c->i, c->part) :
				      stat_ratio_beside(r, c->i, c->part);
	double rounds = r->at < 0 && r->rounds ? r->rounds : 1, clock_ns = stat_clock_ns(r);

	if (ratio.state != RATIO_NONE) {
		give(c, ratio.number, ratio.metric->unit);
		c->refused = ratio.state == RATIO_REFUSED;
	} else if (c->is_time) {
		if (wall > 0)
			give(c, c->v.value / 1e9 / wall, "CPUs utilized");
	} else if (is_clock(c->plan) && !c->sum) {
		/* a rate of the time in which the event had a counter */
		give(c, c->v.counted * rounds / c->v.running, "GHz");
	} else if (c->part < 0 && clock_ns > 0 && !*c->unit) {
		rate(c, c->v.value * 1e9 / clock_ns);
	}
}

static struct stat_cell new_cell(const struct stat_result *r, size_t i, int part)
{
	struct stat_cell c = {
		.plan = &r->plan->events[i],
		.i = i,
		.part = part,
	};

	c.is_time = !strcmp(c.plan->unit, "ns");
	c.scale = c.is_time ? 1e-6 : c.plan->scale;
	c.unit = c.is_time ? "msec" : c.plan->unit;
	return c;
}

static struct stat_cell make_cell(const struct stat_result *r, size_t i, int part)
{
	struct stat_cell c = new_cell(r, i, part);

	c.label = xstrdup(c.plan->label);
	c.spread = &r->events[i].value;
	if (c.plan->refused) {
		c.state = "<not supported>";
		return c;
	}
	c.v = stat_read(r, i, part);
	if (c.v.counted <= 0 && (c.v.running <= 0 || c.v.enabled <= 0))
		c.state = "<not counted>";
	else
		add_metric(&c, r, r->wall.mean);
	return c;
}

/* @i: the first of the events that make the sum */
static struct stat_cell make_sum(const struct stat_result *r, size_t i, int part)
{
	struct stat_cell c = new_cell(r, i, part);

	c.sum = true;
	c.label = planned_event_sum_name(c.plan);
	c.spread = &r->sums[c.plan->sum];
	if (!stat_read_sum(r, i, part, &c.v))
		c.state = "<not counted>";
	else
		add_metric(&c, r, r->wall.mean);
	return c;
}

/* Why there is no number; NULL if there is one */
static char *why_not(const struct stat_result *r, const struct stat_cell *c)
{
	if (!c->state)
		return NULL;
	return c->sum ? xasprintf("%s: it was not counted on each kind of core", c->label) :
			stat_why_not(r, c->i);
}

static bool is_shared(const struct stat_cell *c)
{
	return !c->state && event_is_hardware(c->plan) && !reading_is_whole(&c->v);
}

static double percent_of(double bound, double value)
{
	return value > 0 ? 100 * bound / value : INFINITY;
}

/* "  ± 0.81%  (33.21% of the time)" */
static void print_share(const struct stat_cell *c, FILE *out)
{
	char num[32];

	if (!isfinite(c->v.bound))
		fprintf(out, "  ± ?");
	else if (c->v.value > 0)
		fprintf(out, "  ± %.2f%%", percent_of(c->v.bound, c->v.value));
	else
		fprintf(out, "  ± %s", text_count(num, (uint64_t)llround(c->v.bound)));
	fprintf(out, "  (%.2f%% of the time)", reading_percent(&c->v));
}

static bool is_of_cpus(const struct stat_parts *parts)
{
	return parts->by == STAT_BY_CORE || parts->by == STAT_BY_SOCKET || parts->by == STAT_BY_NODE;
}

static int part_width(const struct stat_parts *parts)
{
	int width = 7;

	for (size_t k = 0; k < parts->n; k++)
		width = (int)max_u64((uint64_t)width, strlen(parts->at[k].name));
	return width;
}

/* Of a kind of core, those of its kind alone */
static unsigned int cpus_of(const struct stat_result *r, const struct stat_cell *c)
{
	if (c->part < 0)
		return 0;
	return stat_part_cpus(&r->parts.at[c->part], c->sum ? PEV_PMU_CORE : c->plan->attr.pmu);
}

static void print_part(const struct stat_result *r, const struct stat_cell *c, FILE *out)
{
	const struct stat_part *p = &r->parts.at[c->part];
	char name[64];

	text_safe(name, sizeof(name), p->name);
	fprintf(out, "%-*s", part_width(&r->parts), name);
	if (is_of_cpus(&r->parts))
		fprintf(out, "%5u", cpus_of(r, c));
}

static void csv_part(const struct stat_result *r, const struct stat_cell *c, const char *sep,
		     struct strbuf *b)
{
	const struct stat_part *p = c->part < 0 ? NULL : &r->parts.at[c->part];

	text_csv(b, p ? p->name : "", sep);
	strbuf_puts(b, sep);
	if (is_of_cpus(&r->parts))
		strbuf_addf(b, "%u%s", cpus_of(r, c), sep);
}

static void json_number(struct json *j, const char *key, int number)
{
	if (number < 0)
		json_null(j, key);
	else
		json_i64(j, key, number);
}

static void json_part(struct json *j, const struct stat_result *r, const struct stat_cell *c)
{
	const struct stat_part *p = &r->parts.at[c->part];
	static const char *const keys[] = {
		[STAT_BY_CPU] = "cpu", [STAT_BY_NODE] = "node", [STAT_BY_THREAD] = "tid",
	};

	if (r->parts.by == STAT_BY_CORE || r->parts.by == STAT_BY_SOCKET)
		json_number(j, "socket", p->socket);
	else
		json_number(j, keys[r->parts.by], p->number);
	if (r->parts.by == STAT_BY_CORE) {
		json_number(j, "die", p->die);
		json_number(j, "core", p->core);
	}
	if (is_of_cpus(&r->parts))
		json_i64(j, "cpus", cpus_of(r, c));
	if (p->comm)
		json_string(j, "comm", p->comm);
}

static void print_table_cell(const struct stat_result *r, const struct stat_cell *c, FILE *out)
{
	bool more = is_shared(c) || (r->rounds > 1 && r->at < 0 && c->part < 0 && !c->state);
	int width = more || c->metric_unit ? 26 : 0;
	char label[256], num[32], unit[64];

	text_safe(label, sizeof(label), c->label);
	text_safe(unit, sizeof(unit), c->unit);
	if (r->at >= 0)
		fprintf(out, "%16.9f ", r->at);
	if (c->part >= 0)
		print_part(r, c, out);
	if (c->state)
		fprintf(out, "%18s      %s", c->state, label);
	else if (c->scale != 1)
		fprintf(out, "%18.2f %-4s %-*s", c->v.value * c->scale, unit, width, label);
	else
		fprintf(out, "%18s %-4s %-*s", text_count(num, (uint64_t)llround(c->v.value)), unit,
			width, label);
	if (c->refused)
		fprintf(out, " # %9s %-16s", "refused", c->metric_unit);
	else if (c->metric_unit)
		fprintf(out, more ? " # %9.3f %-16s" : " # %9.3f %s", c->metric, c->metric_unit);
	else if (more)
		fprintf(out, "   %26s", "");
	if (r->rounds > 1 && r->at < 0 && c->part < 0 && !c->state)
		fprintf(out, "  ( +- %5.2f%% )", spread_percent(c->spread));
	if (is_shared(c))
		print_share(c, out);
	fputc('\n', out);
}

/*
 * Prints perf's columns, [time,][part,[cpus,]]value,unit,event,[deviation,]run time,percent,
 * metric,unit, and two of ours: the bound of the error in percent, and why there is no
 * number.
 */
static void print_csv_cell(const struct stat_result *r, const struct stat_cell *c,
			   const struct stat_style *s)
{
	char *why = why_not(r, c);
	struct strbuf b = { 0 };

	if (r->at >= 0)
		strbuf_addf(&b, "%.9f%s", r->at, s->sep);
	if (r->parts.n)
		csv_part(r, c, s->sep, &b);
	if (c->state)
		strbuf_puts(&b, c->state);
	else if (c->scale != 1)
		strbuf_addf(&b, "%.6f", c->v.value * c->scale);
	else
		strbuf_addf(&b, r->rounds > 1 ? "%.2f" : "%.0f", c->v.value);
	strbuf_puts(&b, s->sep);
	text_csv(&b, c->unit, s->sep);
	strbuf_puts(&b, s->sep);
	text_csv(&b, c->label, s->sep);
	if (r->rounds > 1 && c->part < 0 && r->at < 0)
		strbuf_addf(&b, "%s%.2f%%", s->sep, spread_percent(c->spread));
	strbuf_addf(&b, "%s%.0f%s%.2f%s", s->sep, c->v.running, s->sep,
		    c->state ? 0 : reading_percent(&c->v), s->sep);
	if (c->refused)
		strbuf_addf(&b, "<refused>%s%s", s->sep, c->metric_unit);
	else if (c->metric_unit)
		strbuf_addf(&b, "%.3f%s%s", c->metric, s->sep, c->metric_unit);
	else
		strbuf_puts(&b, s->sep);
	strbuf_puts(&b, s->sep);
	if (is_shared(c) && isfinite(percent_of(c->v.bound, c->v.value)))
		strbuf_addf(&b, "%.2f", percent_of(c->v.bound, c->v.value));
	strbuf_puts(&b, s->sep);
	text_csv(&b, why ? why : "", s->sep);
	fprintf(s->out, "%s\n", b.s);
	strbuf_free(&b);
	free(why);
}

static void json_times(struct json *j, const struct stat_result *r, const struct stat_cell *c)
{
	if (r->rounds > 1 && c->part < 0 && r->at < 0) {
		json_u64(j, "runs", r->rounds);
		json_double(j, "stddev", spread_stddev(c->spread) * c->scale, 6);
		json_double(j, "variance", spread_percent(c->spread), 2);
	}
	json_double(j, "event-runtime", c->v.running, 0);
	json_double(j, "pcnt-running", c->state ? 0 : reading_percent(&c->v), 2);
	if (!is_shared(c))
		return;
	json_double(j, "counted", c->v.counted, 0);
	json_double(j, "bound", c->v.bound * c->scale, c->scale != 1 ? 6 : 0);
	json_double(j, "bound-percent", percent_of(c->v.bound, c->v.value), 2);
}

static void json_sum(struct json *j, const struct stat_result *r, unsigned int sum)
{
	json_open(j, "sum-of", '[');
	for (size_t i = 0; i < r->plan->n; i++)
		if (r->plan->events[i].sum == sum)
			json_string(j, NULL, r->plan->events[i].label);
	json_close(j, ']');
}

static void print_json_cell(const struct stat_result *r, const struct stat_cell *c, FILE *out)
{
	char *why = why_not(r, c);
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	if (r->at >= 0)
		json_double(&j, "interval", r->at, 9);
	if (c->part >= 0)
		json_part(&j, r, c);
	json_string(&j, "event", c->label);
	if (c->sum)
		json_sum(&j, r, c->plan->sum);
	if (!c->state)
		json_double(&j, "counter-value", c->v.value * c->scale,
			    c->scale != 1 ? 6 : r->rounds > 1 ? 2 : 0);
	else
		json_null(&j, "counter-value");
	json_string(&j, "unit", c->unit);
	json_times(&j, r, c);
	if (c->refused)
		json_null(&j, "metric-value");
	else if (c->metric_unit)
		json_double(&j, "metric-value", c->metric, 6);
	if (c->metric_unit)
		json_string(&j, "metric-unit", c->metric_unit);
	if (c->refused)
		json_string(&j, "metric-refused", "counted at different times");
	if (why)
		json_string(&j, "why", why);
	json_close(&j, '}');
	json_end_line(&j);
	free(why);
}

static void print_any_cell(const struct stat_result *r, struct stat_cell *c,
			   const struct stat_style *s)
{
	if (s->json)
		print_json_cell(r, c, s->out);
	else if (s->sep)
		print_csv_cell(r, c, s);
	else
		print_table_cell(r, c, s->out);
	free(c->label);
}

/* Leaves out a part in which the event never was. */
static bool part_shown(const struct stat_event *e, size_t part)
{
	return e->parts && (e->parts[part].value || e->parts[part].time_enabled);
}

/* Has the sum anything in the part? */
static bool sum_shown(const struct stat_result *r, unsigned int sum, int part)
{
	if (part < 0)
		return true;
	for (size_t i = 0; i < r->plan->n; i++)
		if (r->plan->events[i].sum == sum && part_shown(&r->events[i], (size_t)part))
			return true;
	return false;
}

/* Behind the last event of what was typed together, its sums over all kinds of cores */
static void print_sums(const struct stat_result *r, size_t last, int part,
		       const struct stat_style *s)
{
	const struct event_plan *plan = r->plan;

	for (size_t i = 0; (i = event_plan_sum_behind(plan, last, i)) < plan->n; i++) {
		struct stat_cell c;

		if (!sum_shown(r, plan->events[i].sum, part))
			continue;
		c = make_sum(r, i, part);
		print_any_cell(r, &c, s);
	}
}

static void print_cell(const struct stat_result *r, size_t i, int part, const struct stat_style *s)
{
	struct stat_cell c = make_cell(r, i, part);

	print_any_cell(r, &c, s);
}

static void print_computed(const struct stat_result *r, const char *name, const char *unit,
			   enum ratio_state state, double number, const struct stat_style *s)
{
	static const char *const no_number[] = {
		[RATIO_NONE] = "<not counted>", [RATIO_REFUSED] = "<refused>",
	};
	bool given = state == RATIO_GIVEN;
	struct json j = { .out = s->out };
	char num[32];

	snprintf(num, sizeof(num), "%.3f", number);
	if (s->json) {
		json_open(&j, NULL, '{');
		if (r->at >= 0)
			json_double(&j, "interval", r->at, 9);
		json_string(&j, "metric", name);
		if (given)
			json_double(&j, "metric-value", number, 6);
		else
			json_null(&j, "metric-value");
		json_string(&j, "metric-unit", unit);
		if (state == RATIO_REFUSED)
			json_string(&j, "metric-refused", "counted at different times");
		json_close(&j, '}');
		json_end_line(&j);
		return;
	}
	if (r->at >= 0)
		fprintf(s->out, s->sep ? "%.9f%s" : "%16.9f%s", r->at, s->sep ? s->sep : " ");
	if (s->sep)
		fprintf(s->out, "%s%s%s%s%s\n", given ? num : no_number[state], s->sep, unit,
			s->sep, name);
	else
		fprintf(s->out, "%18s      %-26s   %s\n", given ? num : no_number[state], name,
			unit);
}

/* "ipc (cpu_core)", and at last of their sums */
static void print_metric_by_kind(const struct stat_result *r, const struct metric *m,
				 const struct stat_style *s)
{
	struct ratio sum = { 0 };

	for (size_t i = 0; i < r->plan->n; i++) {
		const struct pmu_kind *kind = pmu_kind_of(r->plan->events[i].attr.pmu);
		struct ratio ratio = stat_ratio_at(r, m, i, -1);
		char *name;

		if (!kind || ratio.state == RATIO_NONE)
			continue;
		name = xasprintf("%s (%s)", m->name, kind->name);
		print_computed(r, name, m->unit, ratio.state, ratio.number, s);
		free(name);
		if (sum.state == RATIO_NONE)
			sum = stat_ratio_sum(r, m, i, -1);
	}
	print_computed(r, m->name, m->unit, sum.state, sum.number, s);
}

static void print_metric(const struct stat_result *r, const struct metric *m,
			 const struct stat_style *s)
{
	struct ratio ratio = stat_ratio(r, m, -1);

	if (r->plan->sums)
		print_metric_by_kind(r, m, s);
	else
		print_computed(r, m->name, m->unit, ratio.state, ratio.number, s);
}

static void print_topdown(const struct stat_result *r, const struct stat_style *s)
{
	for (size_t i = 0; topdown_name(r->topdown, i); i++) {
		double percent;
		enum ratio_state state = topdown_share(r->topdown, r, i, &percent);

		print_computed(r, topdown_name(r->topdown, i), "% of slots", state, percent, s);
	}
}

static bool in_parts(const struct stat_result *r, const struct stat_event *e)
{
	size_t part = 0;

	while (part < r->parts.n && !part_shown(e, part))
		part++;
	return part < r->parts.n;
}

/* A part whose CPUs are all of one kind has no sums: they would say the same twice. */
static void print_part_cells(const struct stat_result *r, int part, const struct stat_style *s)
{
	bool mixed = stat_part_is_mixed(&r->parts, &r->parts.at[part]);

	for (size_t i = 0; i < r->plan->n; i++) {
		if (part_shown(&r->events[i], (size_t)part))
			print_cell(r, i, part, s);
		if (mixed)
			print_sums(r, i, part, s);
	}
}

/* An event that is in no part has a line that says why. */
static void print_cells(const struct stat_result *r, const struct stat_style *s)
{
	for (size_t part = 0; part < r->parts.n; part++)
		print_part_cells(r, (int)part, s);
	for (size_t i = 0; i < r->plan->n; i++) {
		if (!in_parts(r, &r->events[i]))
			print_cell(r, i, -1, s);
		if (!r->parts.n)
			print_sums(r, i, -1, s);
	}
	for (size_t i = 0; r->metrics && r->metrics[i]; i++)
		print_metric(r, r->metrics[i], s);
	if (r->topdown)
		print_topdown(r, s);
}

static void print_times(const struct stat_result *r, FILE *out)
{
	fprintf(out, "\n%18.9f ", r->wall.mean);
	if (r->rounds > 1)
		fprintf(out, "+- %.9f ", spread_error(&r->wall));
	fprintf(out, "seconds time elapsed");
	if (r->rounds > 1)
		fprintf(out, "  ( +- %5.2f%% )", spread_percent(&r->wall));
	fputc('\n', out);
	if (r->command) {
		fprintf(out, "%18.9f seconds user\n", r->user.mean);
		fprintf(out, "%18.9f seconds sys\n", r->sys.mean);
	}
	fputc('\n', out);
}

static bool refused(const struct stat_result *r, size_t *value, size_t *per)
{
	struct ratio ratio = { 0 };

	for (size_t i = 0; i < r->plan->n && ratio.state != RATIO_REFUSED; i++)
		if (!r->plan->events[i].refused)
			ratio = stat_ratio_beside(r, i, -1);
	for (size_t i = 0; r->metrics && r->metrics[i] && ratio.state != RATIO_REFUSED; i++)
		ratio = stat_ratio(r, r->metrics[i], -1);
	*value = ratio.value;
	*per = ratio.per;
	return ratio.state == RATIO_REFUSED;
}

/* Explains the words that stand in place of numbers. */
/* What a bound can't cover is said once for each event that shared its counter. */
static bool print_doubts(const struct stat_result *r, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < r->plan->n; i++) {
		const struct stat_event *e = &r->events[i];
		struct reading v = stat_read(r, i, -1);
		const char *why = windows_doubt(e->doubts);

		if (!why || !isfinite(e->bound) || reading_is_whole(&v))
			continue;
		fprintf(out, "%s%s: %s\n", any ? "" : "More than ± may be off:\n",
			r->plan->events[i].label, why);
		any = true;
	}
	return any;
}

static void print_notes(const struct stat_result *r, FILE *out)
{
	size_t value, per;
	bool any = false;

	for (size_t i = 0; i < r->plan->n; i++) {
		char *why = stat_why_not(r, i);

		if (why)
			fprintf(out, "%s%s\n", any ? "" : "Not counted:\n", why);
		any |= why != NULL;
		free(why);
	}
	if (refused(r, &value, &per))
		fprintf(out,
			"Refused: %s and %s shared counters with others and were counted at "
			"different times, so that their ratio would mean nothing. Count them "
			"together, -e '{%s,%s}', count fewer events, or ask for it anyway "
			"with --allow-cross-window.\n",
			r->plan->events[value].label, r->plan->events[per].label,
			r->plan->events[value].label, r->plan->events[per].label);
	any |= print_doubts(r, out);
	if (any)
		fputc('\n', out);
}

void stat_print(const struct stat_result *r, const struct stat_style *s)
{
	struct strbuf target = { 0 };

	if (s->json || s->sep) {
		print_cells(r, s);
		return;
	}
	text_name(&target, r->target);
	fprintf(s->out, "\n Counts for %s", target.s);
	if (r->rounds > 1)
		fprintf(s->out, " (%u runs; +- is the standard error of the mean)", r->rounds);
	fprintf(s->out, ":\n\n");
	strbuf_free(&target);
	print_cells(r, s);
	print_times(r, s->out);
	print_notes(r, s->out);
}

static const char *part_heading(const struct stat_parts *parts)
{
	static const char *const names[] = {
		[STAT_BY_NONE] = "",	   [STAT_BY_CPU] = "CPU",   [STAT_BY_CORE] = "core",
		[STAT_BY_SOCKET] = "socket", [STAT_BY_NODE] = "node", [STAT_BY_THREAD] = "thread",
	};

	return names[parts->by];
}

void stat_print_interval(const struct stat_result *r, const struct stat_style *s, bool first)
{
	if (first && !s->json && !s->sep)
		fprintf(s->out, "#      time/sec %-*s%s%18s unit %s\n",
			r->parts.n ? part_width(&r->parts) : 0, part_heading(&r->parts),
			is_of_cpus(&r->parts) ? " cpus" : "", "counts", "event");
	print_cells(r, s);
	fflush(s->out);
}
