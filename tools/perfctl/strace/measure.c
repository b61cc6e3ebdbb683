// SPDX-License-Identifier: GPL-2.0
/* The system calls of a program as it makes them. See measure.h. */
#include "measure.h"
#include "live.h"
#include "syscalls.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "record/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define TICK_MS	     50
#define RING_DEFAULT (16u << 20)

/**
 * struct caller - a thread
 * @comm:  number of its name, 0: not known
 * @open:  it is in a call that began at @begin
 * @text:  what its arguments point to, or NULL
 */
struct caller {
	uint32_t tid;
	uint32_t comm;
	bool open;
	int32_t nr;
	uint64_t begin;
	uint64_t args[6];
	struct live_text *text;
};

/* What the summary says of a call. */
struct tally {
	uint64_t calls;
	uint64_t errors;
	uint64_t ns;
	uint64_t longest;
};

struct trace_run {
	struct trace_opts opts;
	struct measure measure;
	struct live live;
	struct syscalls calls;
	struct caller *callers;
	size_t n_callers, cap_callers;
	struct htab h_callers;
	struct strtab comms;
	struct tally *tallies;
	struct strbuf line;
	struct out out;
	uint64_t start;
};

static struct caller *caller_get(struct trace_run *r, uint32_t tid)
{
	struct caller *c;

	if (HTAB_GET(c, &r->h_callers, hash_u64(tid), c->tid == tid, r->callers, r->n_callers,
		     r->cap_callers))
		c->tid = tid;
	return c;
}

/* Of threads that ran before. */
static uint32_t ask_comm(struct trace_run *r, uint32_t tid)
{
	char path[48], *name;
	size_t len;
	uint32_t id;

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	name = file_read(path, &len);
	if (name && len && name[len - 1] == '\n')
		name[len - 1] = 0;
	id = strtab_id(&r->comms, name && *name ? name : "?");
	free(name);
	return id;
}

static void start_line(struct trace_run *r, struct caller *c, uint64_t time)
{
	uint64_t ns = live_ns(&r->live, time);
	char comm[80];

	if (!r->start)
		r->start = ns;
	if (!c->comm)
		c->comm = ask_comm(r, c->tid);
	strbuf_reset(&r->line);
	ns = ns > r->start ? ns - r->start : 0;
	strbuf_addf(&r->line, "%6" PRIu64 ".%06" PRIu64 " %s/%u ", ns / 1000000000,
		    ns / 1000 % 1000000,
		    text_safe(comm, sizeof(comm), strtab_get(&r->comms, c->comm)), c->tid);
}

static void put_call(struct trace_run *r, int32_t nr, const struct caller *c,
		     const struct live_text *after)
{
	const struct syscall_args args = {
		.values = c ? c->args : NULL, .texts = { c ? c->text : NULL, after },
		.bytes = (size_t)r->opts.bytes, .bare = !r->opts.names,
	};
	const struct syscall_desc *d = syscalls_get(&r->calls, nr);

	if (d)
		strbuf_puts(&r->line, d->name);
	else
		strbuf_addf(&r->line, "syscall_%d", nr);
	strbuf_putc(&r->line, '(');
	if (c)
		syscalls_put_args(&r->line, d, &args);
	else
		strbuf_puts(&r->line, "...");
	strbuf_puts(&r->line, ") = ");
}

static void send_line(struct trace_run *r)
{
	strbuf_putc(&r->line, '\n');
	fwrite(r->line.s, 1, r->line.len, r->out.f);
}

/* A call whose end was lost, or that has none. */
static void put_unfinished(struct trace_run *r, struct caller *c)
{
	c->open = false;
	if (r->opts.summary || r->opts.failed)
		return;
	start_line(r, c, c->begin);
	put_call(r, c->nr, c, NULL);
	strbuf_putc(&r->line, '?');
	send_line(r);
}

static void entered(struct trace_run *r, struct live_event *ev)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, ev->nr);
	struct caller *c = caller_get(r, ev->tid);

	if (c->open)
		put_unfinished(r, c);
	c->open = true;
	c->nr = ev->nr;
	c->begin = ev->time;
	memcpy(c->args, ev->args, sizeof(c->args));
	free(c->text);
	c->text = ev->text;
	ev->text = NULL;
	if (!d || !d->never)
		return;
	if (r->tallies)
		r->tallies[ev->nr].calls++;
	put_unfinished(r, c);
}

static void left(struct trace_run *r, const struct live_event *ev)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, ev->nr);
	struct caller *c = caller_get(r, ev->tid);
	int64_t ret = (int64_t)ev->args[0];
	bool failed = ret < 0 && ret >= -4095, began = c->open && c->nr == ev->nr;
	uint64_t ns = began ? live_ns(&r->live, ev->time) - live_ns(&r->live, c->begin) : 0;
	char time[32];

	if (c->open && !began)
		put_unfinished(r, c);
	c->open = false;
	if (r->tallies && d) {
		struct tally *t = &r->tallies[ev->nr];

		t->calls++;
		t->errors += failed;
		t->ns += ns;
		t->longest = max_u64(t->longest, ns);
	}
	if (r->opts.summary || (r->opts.failed && !failed))
		return;
	start_line(r, c, began ? c->begin : ev->time);
	put_call(r, ev->nr, began ? c : NULL, ev->text);
	syscalls_put_result(&r->line, d, ret);
	if (began)
		strbuf_addf(&r->line, " <%s>", text_ns(time, ns));
	send_line(r);
}

static void on_event(void *arg, struct live_event *ev)
{
	struct trace_run *r = arg;

	if (ev->pid == (uint32_t)getpid())
		return; /* what it writes would be traced, and written */
	switch (ev->kind) {
	case LIVE_ENTER:
		entered(r, ev);
		break;
	case LIVE_EXIT:
		left(r, ev);
		break;
	default:
		caller_get(r, ev->tid)->comm = strtab_id(&r->comms, (const char *)ev->args);
		break;
	}
}

static int flush_lines(struct trace_run *r, struct msg *m)
{
	fflush(r->out.f);
	if (ferror(r->out.f))
		return msg_set(m, -EIO, "%s: it could not be written", r->out.path);
	return 0;
}

static int trace_loop(struct trace_run *r, struct msg *m)
{
	unsigned int got;
	int fd = r->live.fd, err = 0;

	do {
		got = wait_loop_wait(&r->measure.wait, fd, TICK_MS);
		err = live_read(&r->live, false, on_event, r, m);
		if (!err)
			err = flush_lines(r, m);
	} while (measure_goes_on(&r->measure, got) && !err);
	pev_engine_disable(engine(), r->live.fd, 0);
	if (!err)
		err = live_read(&r->live, true, on_event, r, m);
	for (size_t i = 0; i < r->n_callers; i++)
		if (r->callers[i].open)
			put_unfinished(r, &r->callers[i]);
	return err;
}

/* ---- The table ---- */

struct summary_row {
	const char *name;
	const struct tally *t;
};

static int by_time(const void *a, const void *b)
{
	const struct tally *p = ((const struct summary_row *)a)->t,
			   *q = ((const struct summary_row *)b)->t;

	if (p->ns != q->ns)
		return p->ns < q->ns ? 1 : -1;
	return p->calls < q->calls ? 1 : p->calls > q->calls ? -1 : 0;
}

static void put_row(FILE *out, const struct summary_row *row, uint64_t all)
{
	const struct tally *t = row->t;
	char calls[32], errors[32] = "", total[32], average[32], longest[32];

	if (t->errors)
		text_count(errors, t->errors);
	fprintf(out, "%7.2f%% %12s %12s %12s %12s %10s  %s\n",
		all ? 100.0 * (double)t->ns / (double)all : 0, text_ns(total, t->ns),
		text_ns(average, t->calls ? t->ns / t->calls : 0), text_ns(longest, t->longest),
		text_count(calls, t->calls), errors, row->name);
}

static void summary(const struct trace_run *r)
{
	struct summary_row *rows = xcalloc(r->calls.n, sizeof(*rows));
	struct tally all = { 0 };
	struct summary_row total = { "all", &all };
	size_t n = 0;

	for (unsigned int i = 0; i < r->calls.n; i++) {
		const struct tally *t = &r->tallies[i];

		if (!t->calls)
			continue;
		rows[n++] = (struct summary_row){ r->calls.d[i].name, t };
		all.calls += t->calls;
		all.errors += t->errors;
		all.ns += t->ns;
		all.longest = max_u64(all.longest, t->longest);
	}
	qsort(rows, n, sizeof(*rows), by_time);
	fprintf(r->out.f, "\n System calls of %s:\n\n%8s %12s %12s %12s %12s %10s  %s\n",
		r->measure.target.text, "share", "total", "average", "longest", "calls", "errors", "call");
	for (size_t i = 0; i < n; i++)
		put_row(r->out.f, &rows[i], all.ns);
	put_row(r->out.f, &total, all.ns);
	free(rows);
}

/* ---- The measurement ---- */

static int trace_open(void *arg, struct msg *m)
{
	struct trace_run *r = arg;
	struct live_opts live = { .ring = r->opts.ring ? r->opts.ring : RING_DEFAULT };
	struct strbuf filter = { 0 };
	int err = 0;

	if (r->opts.strings && !r->opts.summary)
		live.text = max_u64(r->opts.bytes, PEV_CALL_TEXT);
	if (r->opts.calls)
		err = syscalls_filter(&r->calls, r->opts.calls, &filter, m);
	live.filter = filter.s;
	if (!err)
		err = live_open(&r->live, &r->measure.target, &live, m);
	strbuf_free(&filter);
	if (!err && live.text && !r->live.texts[0].copied)
		note("this kernel does not copy what arguments point to: strings are addresses "
		     "(--no-strings asks for no more)");
	return err;
}

static int trace_start(void *arg, struct msg *m)
{
	struct trace_run *r = arg;

	return live_start(&r->live, &r->measure.target, m);
}

static int run_trace(void *arg, struct msg *m)
{
	struct trace_run *r = arg;
	int err = trace_loop(r, m);
	char a[32];

	if (r->tallies)
		summary(r);
	if (!err)
		err = flush_lines(r, m);
	if (live_lost(&r->live))
		note("%s calls were lost, because they came faster than they could be "
		     "read: try a larger ring (-m 64M), -e, or -S",
		     text_count(a, live_lost(&r->live)));
	if (live_damaged(&r->live))
		note("%s packets made no sense", text_count(a, live_damaged(&r->live)));
	return err;
}

static void trace_close(void *arg)
{
	struct trace_run *r = arg;

	live_close(&r->live);
}

static const struct measure_ops trace_ops = {
	.open = trace_open,
	.start = trace_start,
	.run = run_trace,
	.close = trace_close,
};

static int prepare(struct trace_run *r, struct msg *m)
{
	struct pev_catalog *catalog = NULL;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = kernel_catalog(&catalog, m);
	if (err)
		return err;
	syscalls_init(&r->calls, catalog);
	pev_catalog_free(catalog);
	strtab_id(&r->comms, "?");
	if (r->opts.summary)
		r->tallies = xcalloc(r->calls.n, sizeof(*r->tallies));
	err = out_open(&r->out, r->opts.output, OUT_LINES, m);
	if (err)
		return err;
	if (!r->opts.output)
		setvbuf(stderr, NULL, _IOFBF, 1 << 16);
	return measure_init(&r->measure, m);
}

int strace_measure(const struct trace_opts *opts, char **argv, struct msg *m)
{
	struct trace_run r = {
		.opts = *opts,
		.measure = { .argv = argv, .span = opts->span },
		.live = { .fd = -1 },
	};
	int err = prepare(&r, m);

	if (!err)
		err = measure_run(&r.measure, &trace_ops, &r, m);
	err = out_close(&r.out, err, m);
	syscalls_free(&r.calls);
	strtab_free(&r.comms);
	htab_free(&r.h_callers);
	for (size_t i = 0; i < r.n_callers; i++)
		free(r.callers[i].text);
	free(r.callers);
	free(r.tallies);
	strbuf_free(&r.line);
	return measure_exit(&r.measure, err, m);
}
