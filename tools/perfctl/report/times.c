// SPDX-License-Identifier: GPL-2.0
/* Where the time of threads went. See times.h. */
#include "times.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines for threads; the others are summed up */
#define LINES 10

const char *times_events(void)
{
	return WAITS_RECORD "," WAITS_OWN "," WAITS_SWITCH "," WAITS_WAKING "," WAITS_WAKEUP;
}

static bool has_class(const struct session *s, const char *name)
{
	for (unsigned int c = 0; c < s->n_classes; c++)
		if (!strcmp(pev_trace_class(s->trace, c)->name, name))
			return true;
	return false;
}

/* The scheduler's events may have been recorded for what is in them. */
static bool is_of_waits(const struct session *s)
{
	const char *purpose = pev_trace_info(s->trace, "purpose");

	return purpose && !strcmp(purpose, "waits");
}

bool times_has(struct session *s)
{
	return has_class(s, WAITS_RECORD) || has_class(s, WAITS_OWN) ||
	       (is_of_waits(s) && has_class(s, WAITS_SWITCH) && has_class(s, WAITS_WAKING) &&
		has_class(s, WAITS_WAKEUP));
}

static bool counts(const struct times *t, const struct wait_thread *thread)
{
	return thread->thread.tid && (!t->family.n || family_has(&t->family, thread->thread.pid));
}

int times_read(struct times *t, const struct session *s, struct msg *m)
{
	int err = session_fork(&t->session, s, m);

	if (err)
		return err;
	waits_init(&t->waits, &t->session);
	family_init(&t->family, s->trace);
	t->waits.family = &t->family;
	t->waits.no_chains = true;
	err = waits_read(&t->waits, NULL, NULL, m);
	for (size_t i = 0; i < t->waits.n; i++) {
		if (!counts(t, &t->waits.threads[i]))
			continue;
		wait_sums_add(&t->sums, &t->waits.threads[i].sums);
		t->n++;
	}
	t->exact = waits_counted(s, &t->counted);
	return err;
}

void times_free(struct times *t)
{
	waits_free(&t->waits);
	family_free(&t->family);
	session_close(&t->session);
}

/* ---- text ---- */

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

/* Where waits are folded, their time has a column if the recording tells it of each thread. */
static bool shows_folded(const struct times *t)
{
	return t->waits.tells && t->waits.period;
}

/* The kernel's count, which does without records. */
static void print_counted(const struct times *t, FILE *out)
{
	const struct wait_sums *c = &t->counted;
	char period[32];

	fprintf(out,
		"# run %" PRIu64 " + blocked %" PRIu64 " + runnable %" PRIu64 " + folded %" PRIu64
		" = %" PRIu64 " ns, counted by the kernel\n",
		c->run, c->blocked, c->runnable, c->folded, c->enabled);
	if (c->folded_waits)
		fprintf(out, "# folded: %" PRIu64 " wait%s below %s\n", c->folded_waits,
			text_s(c->folded_waits), text_ns(period, t->waits.period));
}

static void print_recorded(const struct times *t, FILE *out)
{
	const struct wait_sums *s = &t->sums;

	fprintf(out, "# run %" PRIu64 " + blocked %" PRIu64 " + runnable %" PRIu64, s->run,
		s->blocked, s->runnable);
	if (shows_folded(t))
		fprintf(out, " + folded %" PRIu64, s->folded);
	fprintf(out, " + unknown %" PRIu64 " = %" PRIu64 " ns, by the %s\n", s->unseen, s->enabled,
		t->waits.source == &waits_by_record ? "records of waits" :
		t->waits.source == &waits_by_switch ? "times of the threads' switches" :
						      "times of the scheduler's records");
	if (t->waits.source == &waits_by_switch)
		fprintf(out,
			"# blocked: until they ran again; when they were woken is not recorded\n");
}

static void print_head(const struct times *t, FILE *out)
{
	fprintf(out, "#\n#%12s  %7s  %7s  %8s", "Time", t->sums.mixed ? "Run*" : "Run", "Blocked",
		"Runnable");
	if (shows_folded(t))
		fprintf(out, "  %7s", "Folded");
	fprintf(out, "  %8s  Thread\n", "Waits");
}

static void print_line(const struct times *t, FILE *out, const struct wait_sums *s,
		       const char *name)
{
	char time[32], waits[32];

	fprintf(out, "  %11s  %6.2f%%  %6.2f%%  %7.2f%%", text_ns(time, s->enabled),
		percent(s->run, s->enabled), percent(s->blocked, s->enabled),
		percent(s->runnable, s->enabled));
	if (shows_folded(t))
		fprintf(out, "  %6.2f%%", percent(s->folded, s->enabled));
	fprintf(out, "  %8s  %s\n", text_count(waits, s->waits), name);
}

/**
 * struct ranked - a thread among others
 * @first: it is the command's
 */
struct ranked {
	const struct wait_thread *thread;
	bool first;
};

/* The recorded command comes first, then those that took longest. */
static int by_time(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	uint64_t tx = x->thread->sums.enabled, ty = y->thread->sums.enabled;

	if (x->first != y->first)
		return x->first ? -1 : 1;
	return (tx < ty) - (tx > ty);
}

static struct ranked *rank(const struct times *t)
{
	struct ranked *r = xcalloc(t->n + 1, sizeof(*r));
	size_t n = 0;

	for (size_t i = 0; i < t->waits.n; i++) {
		const struct wait_thread *thread = &t->waits.threads[i];

		if (!counts(t, thread))
			continue;
		r[n].first = t->family.n && thread->thread.tid == t->family.pids[0];
		r[n++].thread = thread;
	}
	qsort(r, n, sizeof(*r), by_time);
	return r;
}

static void thread_name(const struct times *t, const struct wait_thread *thread, struct strbuf *b)
{
	strbuf_reset(b);
	text_name(b, machine_comm_name(&t->session.machine, thread->thread.comm));
	strbuf_addf(b, "/%u", thread->thread.tid);
}

void times_print(const struct times *t, FILE *out)
{
	struct ranked *r = rank(t);
	struct wait_sums rest = { 0 };
	struct strbuf b = { 0 };
	size_t n = 0;

	fprintf(out, "# Time of %zu thread%s:\n", t->n, t->n == 1 ? "" : "s");
	if (t->exact)
		print_counted(t, out);
	else
		print_recorded(t, out);
	print_head(t, out);
	for (; n < t->n && n < LINES; n++) {
		thread_name(t, r[n].thread, &b);
		print_line(t, out, &r[n].thread->sums, b.s);
	}
	for (size_t i = n; i < t->n; i++)
		wait_sums_add(&rest, &r[i].thread->sums);
	strbuf_reset(&b);
	strbuf_addf(&b, "(%zu more)", t->n - n);
	if (t->n > n)
		print_line(t, out, &rest, b.s);
	if (t->sums.mixed)
		fprintf(out, "# *: with what was folded%s\n",
			shows_folded(t) ? ", of threads whose last record is not there" : "");
	fputc('\n', out);
	strbuf_free(&b);
	free(r);
}

/* ---- JSON ---- */

static void json_sums(struct json *j, const struct wait_sums *s, bool counted)
{
	json_u64(j, "enabled_ns", s->enabled);
	json_u64(j, s->mixed ? "run_or_folded_ns" : "run_ns", s->run);
	json_u64(j, "blocked_ns", s->blocked);
	json_u64(j, "runnable_ns", s->runnable);
	if (!s->mixed)
		json_u64(j, "folded_ns", s->folded);
	if (counted)
		json_u64(j, "folded_waits", s->folded_waits);
	else
		json_u64(j, "unknown_ns", s->unseen);
	json_u64(j, "waits", s->waits);
}

void times_json(const struct times *t, struct json *j)
{
	struct ranked *r = rank(t);

	json_open(j, "time", '{');
	json_u64(j, "period_ns", t->waits.period);
	json_bool(j, "counted_by_kernel", t->exact);
	json_sums(j, t->exact ? &t->counted : &t->sums, t->exact);
	json_open(j, "threads", '[');
	for (size_t i = 0; i < t->n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "comm",
			    machine_comm_name(&t->session.machine, r[i].thread->thread.comm));
		json_u64(j, "pid", r[i].thread->thread.pid);
		json_u64(j, "tid", r[i].thread->thread.tid);
		json_sums(j, &r[i].thread->sums, false);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	free(r);
}
