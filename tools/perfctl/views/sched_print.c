// SPDX-License-Identifier: GPL-2.0
/* Tables of perfctl sched. See sched_print.h. */
#include "sched_print.h"
#include "base/text.h"

#include <inttypes.h>

/* Waits of up to 2^N ns are in row N */
#define ROWS 64
#define BAR 40

static void group_name(const struct sched_groups *s, const struct sched_group *g, struct strbuf *b)
{
	text_name(b, machine_comm_name(&s->session->machine, g->comm));
	if (g->tid)
		strbuf_addf(b, "/%u", g->tid);
}

static void print_group(const struct sched_groups *s, struct sched_group *g, const char *name,
			FILE *out)
{
	struct strbuf b = { 0 };
	char run[32], blocked[32];
	double at = (double)(g->worst - pev_trace_begin_ns(s->session->trace)) / 1e9;

	durations_columns(&g->runnable, &b);
	fprintf(out, "%11s  %11s %s", text_ns(run, g->run), text_ns(blocked, g->blocked.sum), b.s);
	strbuf_reset(&b);
	if (!name)
		group_name(s, g, &b);
	fprintf(out, "  %11.6f  %s\n", g->runnable.n ? at : 0, name ? name : b.s);
	strbuf_free(&b);
}

void sched_latency(struct sched_groups *s, uint64_t most, FILE *out)
{
	uint64_t left = 0;

	fprintf(out, "#%30s  Runnable, without a processor\n", "");
	fprintf(out, "#%10s  %11s %s  %11s  %s\n", "Run", "Blocked", durations_heading(), "At",
		s->by_comm ? "Program" : "Thread");
	for (size_t i = 0; i < s->n; i++) {
		if (most && i >= most)
			left++;
		else
			print_group(s, &s->g[i], NULL, out);
	}
	if (left)
		fprintf(out, "# %" PRIu64 " more\n", left);
	if (s->n > 1)
		print_group(s, &s->all, "(all)", out);
}

static void json_group(const struct sched_groups *s, struct sched_group *g, struct json *j)
{
	int64_t begin = pev_trace_begin_ns(s->session->trace);

	json_open(j, NULL, '{');
	json_string(j, "comm", machine_comm_name(&s->session->machine, g->comm));
	if (g->tid) {
		json_u64(j, "pid", g->pid);
		json_u64(j, "tid", g->tid);
	}
	json_u64(j, "run_ns", g->run);
	durations_json(&g->blocked, "blocked", j);
	durations_json(&g->runnable, "runnable", j);
	json_i64(j, "worst_at_ns", g->runnable.n ? g->worst - begin : 0);
	json_close(j, '}');
}

void sched_latency_json(struct sched_groups *s, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < s->n; i++)
		json_group(s, &s->g[i], &j);
	json_close(&j, ']');
	json_u64(&j, "run_ns", s->all.run);
	durations_json(&s->all.blocked, "blocked", &j);
	durations_json(&s->all.runnable, "runnable", &j);
	json_close(&j, '}');
	json_end_line(&j);
}

/* ---- histogram ---- */

/* Returns the row of a duration: that of the least power of two that is not below it. */
static unsigned int row_of(uint64_t ns)
{
	return ns <= 1 ? 0 : min_u64(64 - (unsigned int)__builtin_clzll(ns - 1), ROWS - 1);
}

static void count(const struct durations *d, uint64_t rows[ROWS])
{
	for (size_t i = 0; i < d->n; i++)
		rows[row_of(d->v[i])]++;
}

static uint64_t most_of(const uint64_t rows[ROWS], unsigned int *first, unsigned int *last)
{
	uint64_t most = 0;

	*first = ROWS;
	*last = 0;
	for (unsigned int i = 0; i < ROWS; i++) {
		if (!rows[i])
			continue;
		most = max_u64(most, rows[i]);
		*first = *first == ROWS ? i : *first;
		*last = i;
	}
	return most;
}

static void print_rows(const struct durations *d, const char *what, FILE *out)
{
	uint64_t rows[ROWS] = { 0 }, most;
	unsigned int first, last;
	char text[32], n[32];

	count(d, rows);
	most = most_of(rows, &first, &last);
	fprintf(out, "# %s\n#    Up to       Times\n", what);
	for (unsigned int i = first; i <= last && most; i++)
		fprintf(out, "%10s  %10s  %.*s\n", text_ns(text, 1ull << i), text_count(n, rows[i]),
			(int)(rows[i] * BAR / most), "########################################");
}

void sched_histogram(struct sched_groups *s, FILE *out)
{
	print_rows(&s->all.runnable, "Runnable, without a processor", out);
	fputc('\n', out);
	print_rows(&s->all.blocked, "Blocked", out);
}

static void json_rows(const struct durations *d, const char *name, struct json *j)
{
	uint64_t rows[ROWS] = { 0 };

	count(d, rows);
	json_open(j, name, '[');
	for (unsigned int i = 0; i < ROWS; i++) {
		if (!rows[i])
			continue;
		json_open(j, NULL, '{');
		json_u64(j, "up_to_ns", 1ull << i);
		json_u64(j, "times", rows[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void sched_histogram_json(struct sched_groups *s, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_rows(&s->all.runnable, "runnable", &j);
	json_rows(&s->all.blocked, "blocked", &j);
	json_close(&j, '}');
	json_end_line(&j);
}
