// SPDX-License-Identifier: GPL-2.0
/* perfctl report: prints all events of a profile, as text, JSON or CSV. */
#include "out.h"
#include "csv.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "latency.h"
#include "times.h"
#include "base/output.h"
#include "base/text.h"
#include "session/session.h"

#include <errno.h>
#include <time.h>

static void print_info(const struct session *f, FILE *out, const char *key, const char *label)
{
	const char *value = pev_trace_info(f->trace, key);
	struct strbuf b = { 0 };

	if (!value || !*value)
		return;
	text_name(&b, value);
	fprintf(out, "# %-9s %s\n", label, b.s);
	strbuf_free(&b);
}

static void print_header(const struct session *f, FILE *out)
{
	int64_t begin = pev_trace_begin_ns(f->trace), end = pev_trace_end_ns(f->trace);
	time_t t = (time_t)(begin / 1000000000);
	char when[64] = "?", missing[512];
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	print_info(f, out, "command", "command:");
	print_info(f, out, "hostname", "host:");
	print_info(f, out, "release", "kernel:");
	if (begin)
		fprintf(out, "# %-9s %s, for %.2f s\n", "recorded:", when,
			(double)(end - begin) / 1e9);
	if (session_incomplete(f, missing, sizeof(missing)))
		fprintf(out, "# incomplete: %s\n", missing);
	print_info(f, out, "not_measured", "missing:");
	fprintf(out, "#\n");
}

bool report_has_event(const struct profile *p, uint32_t event)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].key.event == event)
			return true;
	return false;
}

static bool has_addresses(const struct profile *p, uint32_t event)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if ((event == UINT32_MAX || p->cells[i].key.event == event) &&
		    p->cells[i].key.frame != FRAME_NONE)
			return true;
	return false;
}

#define PLACES (1u << SORT_DSO | 1u << SORT_SYMBOL | 1u << SORT_SRCLINE | 1u << SORT_PARENT)

struct rows_config report_columns(const struct profile *p, const struct rows_config *config,
				  uint32_t event)
{
	struct rows_config c = *config;
	struct sort_list *s = &c.sort;
	unsigned int n = 0;

	if (has_addresses(p, event) || !(s->mask & ~PLACES))
		return c;
	for (unsigned int k = 0; k < s->n; k++)
		if (!(PLACES & (1u << s->keys[k])))
			s->keys[n++] = s->keys[k];
	s->n = n;
	s->mask &= ~PLACES;
	return c;
}

/* Prints all events in one table, or a table for each. */
void report_text(struct profile *p, const struct rows_config *config, const struct report_style *s)
{
	const struct session *f = p->session;
	bool one = config->group || (config->sort.mask & (1u << SORT_EVENT));
	struct rows_config columns;
	struct rows rows;

	if (!s->bare)
		print_header(f, s->out);
	if (s->times)
		times_print(s->times, s->out);
	if (s->parallel)
		latency_print(s->parallel, s->out);
	for (uint32_t e = 0; e < (one ? 1 : f->names.n); e++) {
		const char *name = one ? "all events" : strtab_get(&f->names, e);

		if (!one && !report_has_event(p, e))
			continue;
		columns = report_columns(p, config, one ? UINT32_MAX : e);
		if (config->group)
			rows_make_group(&rows, p, &columns, (uint32_t)f->names.n);
		else
			rows_make(&rows, p, &columns, one ? UINT32_MAX : e);
		report_print(&rows, s, name, &f->names);
		rows_free(&rows);
	}
}

static void json_info(const struct session *f, struct json *j)
{
	static const char *const keys[] = { "command", "hostname", "release", "machine" };
	char missing[512];

	json_string(j, "trace", pev_trace_path(f->trace));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (pev_trace_info(f->trace, keys[i]))
			json_string(j, keys[i], pev_trace_info(f->trace, keys[i]));
	json_i64(j, "begin_ns", pev_trace_begin_ns(f->trace));
	json_i64(j, "end_ns", pev_trace_end_ns(f->trace));
	json_u64(j, "lost", pev_trace_lost(f->trace));
	json_u64(j, "damaged_packets", pev_trace_damaged(f->trace));
	json_bool(j, "complete", !session_incomplete(f, missing, sizeof(missing)));
	if (session_incomplete(f, missing, sizeof(missing)))
		json_string(j, "missing", missing);
}

void report_json_events(struct profile *p, const struct rows_config *config,
			const struct report_style *s, struct json *j)
{
	const struct session *f = p->session;
	struct rows rows;

	json_open(j, "events", '[');
	for (uint32_t e = 0; e < f->names.n; e++) {
		if (!report_has_event(p, e))
			continue;
		json_open(j, NULL, '{');
		json_string(j, "event", strtab_get(&f->names, e));
		rows_make(&rows, p, config, e);
		report_json(&rows, s, j, &f->names);
		rows_free(&rows);
		json_close(j, '}');
	}
	json_close(j, ']');
}

int report_write_json(struct profile *p, const struct rows_config *config,
		      const struct report_style *s, const char *path, struct msg *m)
{
	const struct session *f = p->session;
	struct rows_config full = *config;
	struct json j = { 0 };
	struct out out;
	int err = out_open(&out, path, OUT_WHOLE, m);

	if (err)
		return err;
	full.full_names = true;
	j.out = out.f;
	json_open(&j, NULL, '{');
	json_info(f, &j);
	if (s->times)
		times_json(s->times, &j);
	if (s->parallel)
		latency_json(s->parallel, &j);
	report_json_events(p, &full, s, &j);
	json_close(&j, '}');
	json_end_line(&j);
	return out_close(&out, 0, m);
}

int report_write_csv(struct profile *p, const struct rows_config *config,
		     const struct report_style *style, const char *sep, const char *path,
		     struct msg *m)
{
	const struct session *f = p->session;
	bool one = config->sort.mask & (1u << SORT_EVENT), first = true;
	struct rows_config full = *config;
	struct report_style s = *style;
	struct rows rows;
	struct out out;
	int err = out_open(&out, path, OUT_WHOLE, m);

	if (err)
		return err;
	s.out = out.f;
	full.full_names = true;
	for (uint32_t e = 0; e < (one ? 1 : f->names.n); e++) {
		if (!one && !report_has_event(p, e))
			continue;
		rows_make(&rows, p, &full, one ? UINT32_MAX : e);
		report_csv(&rows, &s, sep, one ? NULL : strtab_get(&f->names, e), &f->names,
			   first);
		first = false;
		rows_free(&rows);
	}
	return out_close(&out, 0, m);
}
