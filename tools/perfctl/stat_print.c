// SPDX-License-Identifier: GPL-2.0
/* perfctl stat: tables, CSV and JSON. */
#include "stat.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

/**
 * struct stat_cell - one number as it is printed, whatever the style
 * @value:   mean of the rounds
 * @counted: false: the event was never switched on there
 * @is_time: the value is shown in milliseconds
 * @cpu:     -1: all
 * @metric:  a rate or share, with its unit; NULL: none
 */
struct stat_cell {
	const struct planned_event *plan;
	const struct stat_event *event;
	double value;
	bool counted;
	bool is_time;
	int cpu;
	double time_running;
	double metric;
	const char *metric_unit;
};

/* 1234.5 a second as 1.234 K/sec */
static void rate(struct stat_cell *c, double per_sec)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	size_t u = 0;

	for (; per_sec >= 1000 && u + 1 < ARRAY_SIZE(units); u++)
		per_sec /= 1000;
	c->metric = per_sec;
	c->metric_unit = units[u];
}

static void add_metric(struct stat_cell *c, const struct stat_result *r, double wall)
{
	if (!c->counted)
		return;
	if (c->is_time) {
		if (wall > 0) {
			c->metric = c->value / 1e9 / wall;
			c->metric_unit = "CPUs utilized";
		}
	} else if (c->cpu < 0 && r->clock_ns > 0) {
		rate(c, c->value * 1e9 / r->clock_ns);
	}
}

static struct stat_cell make_cell(const struct stat_result *r, size_t i, int cpu)
{
	const struct stat_event *e = &r->events[i];
	struct stat_cell c = { .plan = &r->plan->events[i], .event = e, .cpu = cpu };
	const struct pev_value *v = cpu >= 0 ? &e->cpus[cpu] : &e->last;
	double wall = r->wall.mean;

	c.is_time = !strcmp(c.plan->unit, "ns");
	c.counted = v->time_enabled > 0 || v->value > 0;
	c.value = cpu >= 0 || r->at >= 0 ? (double)v->value : e->value.mean;
	c.time_running = (double)v->time_running;
	add_metric(&c, r, wall);
	return c;
}

static void print_table_cell(const struct stat_result *r, const struct stat_cell *c, FILE *out)
{
	char label[256], num[32];
	double percent = spread_percent(&c->event->value);

	text_safe(label, sizeof(label), c->plan->label);
	if (r->at >= 0)
		fprintf(out, "%16.9f ", r->at);
	if (c->cpu >= 0)
		fprintf(out, "CPU%-4d", c->cpu);
	if (!c->counted)
		fprintf(out, "%18s      %-26s", "<not counted>", label);
	else if (c->is_time)
		fprintf(out, "%18.2f msec %-26s", c->value / 1e6, label);
	else
		fprintf(out, "%18s      %-26s", text_count(num, (uint64_t)llround(c->value)), label);
	if (c->metric_unit)
		fprintf(out, " # %9.3f %-14s", c->metric, c->metric_unit);
	else if (r->rounds > 1 && c->cpu < 0)
		fprintf(out, "   %24s", "");
	if (r->rounds > 1 && r->at < 0 && c->cpu < 0)
		fprintf(out, "  ( +- %5.2f%% )", percent);
	fputc('\n', out);
}

/* perf's columns: [time,][cpu,]value,unit,event,[deviation,]run time,percent,metric,unit */
static void print_csv_cell(const struct stat_result *r, const struct stat_cell *c,
			   const struct stat_style *s)
{
	struct strbuf b = { 0 };

	if (r->at >= 0)
		strbuf_addf(&b, "%.9f%s", r->at, s->sep);
	if (c->cpu >= 0)
		strbuf_addf(&b, "CPU%d%s", c->cpu, s->sep);
	if (!c->counted)
		strbuf_puts(&b, "<not counted>");
	else if (c->is_time)
		strbuf_addf(&b, "%.6f", c->value / 1e6);
	else
		strbuf_addf(&b, r->rounds > 1 ? "%.2f" : "%.0f", c->value);
	strbuf_addf(&b, "%s%s%s", s->sep, c->is_time ? "msec" : "", s->sep);
	text_csv(&b, c->plan->label, s->sep);
	if (r->rounds > 1 && c->cpu < 0 && r->at < 0)
		strbuf_addf(&b, "%s%.2f%%", s->sep, spread_percent(&c->event->value));
	strbuf_addf(&b, "%s%.0f%s100.00%s", s->sep, c->time_running, s->sep, s->sep);
	if (c->metric_unit)
		strbuf_addf(&b, "%.3f%s%s", c->metric, s->sep, c->metric_unit);
	else
		strbuf_puts(&b, s->sep);
	fprintf(s->out, "%s\n", b.s);
	strbuf_free(&b);
}

static void print_json_cell(const struct stat_result *r, const struct stat_cell *c, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	if (r->at >= 0)
		json_double(&j, "interval", r->at, 9);
	if (c->cpu >= 0)
		json_i64(&j, "cpu", c->cpu);
	json_string(&j, "event", c->plan->label);
	if (c->counted)
		json_double(&j, "counter-value", c->is_time ? c->value / 1e6 : c->value,
			    c->is_time ? 6 : r->rounds > 1 ? 2 : 0);
	else
		json_null(&j, "counter-value");
	json_string(&j, "unit", c->is_time ? "msec" : "");
	if (r->rounds > 1 && c->cpu < 0 && r->at < 0) {
		json_u64(&j, "runs", r->rounds);
		json_double(&j, "stddev", spread_stddev(&c->event->value) / (c->is_time ? 1e6 : 1),
			    6);
		json_double(&j, "variance", spread_percent(&c->event->value), 2);
	}
	json_double(&j, "event-runtime", c->time_running, 0);
	json_double(&j, "pcnt-running", 100, 2);
	if (c->metric_unit) {
		json_double(&j, "metric-value", c->metric, 6);
		json_string(&j, "metric-unit", c->metric_unit);
	}
	json_close(&j, '}');
	json_end_line(&j);
}

static void print_cell(const struct stat_result *r, size_t i, int cpu, const struct stat_style *s)
{
	struct stat_cell c = make_cell(r, i, cpu);

	if (s->json)
		print_json_cell(r, &c, s->out);
	else if (s->sep)
		print_csv_cell(r, &c, s);
	else
		print_table_cell(r, &c, s->out);
}

/* A CPU on which the event never was is left out. */
static bool cpu_shown(const struct stat_event *e, unsigned int cpu)
{
	return e->cpus[cpu].value || e->cpus[cpu].time_enabled;
}

static unsigned int nr_cpus(const struct stat_result *r)
{
	return r->plan->n && r->events[0].cpus ? r->events[0].nr_cpus : 0;
}

static void print_cells(const struct stat_result *r, const struct stat_style *s)
{
	unsigned int cpus = nr_cpus(r);

	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		for (size_t i = 0; i < r->plan->n; i++)
			if (cpu_shown(&r->events[i], cpu))
				print_cell(r, i, (int)cpu, s);
	for (size_t i = 0; !cpus && i < r->plan->n; i++)
		print_cell(r, i, -1, s);
}

static void print_times(const struct stat_result *r, FILE *out)
{
	fprintf(out, "\n%18.9f ", r->wall.mean);
	if (r->rounds > 1)
		fprintf(out, "+- %.9f ", spread_stddev(&r->wall));
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
		fprintf(s->out, " (%u runs)", r->rounds);
	fprintf(s->out, ":\n\n");
	strbuf_free(&target);
	print_cells(r, s);
	print_times(r, s->out);
}

void stat_print_interval(const struct stat_result *r, const struct stat_style *s, bool first)
{
	if (first && !s->json && !s->sep)
		fprintf(s->out, "#      time/sec %s%18s unit %s\n", nr_cpus(r) ? "CPU    " : "",
			"counts", "event");
	print_cells(r, s);
	fflush(s->out);
}
