// SPDX-License-Identifier: GPL-2.0
/* perfctl trace: the system calls of a program as it makes them. */
#include "kernel.h"
#include "live.h"
#include "perfctl.h"
#include "syscalls.h"
#include "text.h"
#include "waiter.h"
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define TICK_MS	     50
#define RING_DEFAULT (16u << 20)
/* of data, as strace has it; names are shown in full, up to a limit */
#define BYTES_DEFAULT 32

struct trace_opts {
	struct target_opts target;
	const char *calls;
	const char *output;
	uint64_t ring;
	uint64_t bytes;
	bool names;
	bool strings;
	bool summary;
	bool failed;
};

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
	struct target target;
	struct workload workload;
	struct waiter waiter;
	struct live live;
	struct syscalls calls;
	struct caller *callers;
	size_t n_callers, cap_callers;
	struct htab h_callers;
	struct strtab comms;
	struct tally *tallies;
	struct strbuf line;
	FILE *out;
	uint64_t start;
	char **argv;
	int status;
};

static const struct opt trace_options[] = {
	TARGET_OPTS(struct trace_opts, target, TARGET_COMMAND),
	{ 0, OPT_HEADING, .help = "Which calls" },
	{ 'e', OPT_STRING, "syscall", "NAME", "only these system calls; names may be globs, several "
	  "by commas; the kernel leaves the others out", offsetof(struct trace_opts, calls) },
	{ 'z', OPT_FLAG, "failed", NULL, "only calls that fail",
	  offsetof(struct trace_opts, failed) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 's', OPT_U64, "string-size", "N", "bytes of data that are shown, of what a program "
	  "writes and reads (default: 32); names of files are shown in full, up to 256 bytes or N",
	  offsetof(struct trace_opts, bytes) },
	{ 0, OPT_FLAG, "strings", NULL, "show what arguments point to (default); --no-strings "
	  "shows numbers, and costs the program less", offsetof(struct trace_opts, strings) },
	{ 0, OPT_FLAG, "names", NULL, "show the names of arguments (default); --no-names shows "
	  "calls as strace does", offsetof(struct trace_opts, names) },
	{ 'S', OPT_FLAG, "summary", NULL, "no lines, but a table of calls, errors and times at the "
	  "end", offsetof(struct trace_opts, summary) },
	{ 'o', OPT_STRING, "output", "FILE", "write to a file (default: the error output)",
	  offsetof(struct trace_opts, output) },
	{ 'm', OPT_SIZE, "ring-size", "SIZE", "ring of each CPU (default: 16M)",
	  offsetof(struct trace_opts, ring) },
	{ 0 },
};

static struct caller *caller_get(struct trace_run *r, uint32_t tid)
{
	uint32_t hash = hash_u64(tid), pos, ref;
	struct caller *c;

	for (ref = htab_first(&r->h_callers, hash, &pos); ref;
	     ref = htab_next(&r->h_callers, hash, &pos))
		if (r->callers[ref - 1].tid == tid)
			return &r->callers[ref - 1];
	c = ARRAY_PUSH(r->callers, r->n_callers, r->cap_callers);
	c->tid = tid;
	htab_add(&r->h_callers, hash, (uint32_t)(r->n_callers - 1));
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
	fwrite(r->line.s, 1, r->line.len, r->out);
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
	fflush(r->out);
	if (ferror(r->out))
		return msg_set(m, -EIO, "%s: it could not be written",
			       r->opts.output ? r->opts.output : "the error output");
	return 0;
}

static int trace_loop(struct trace_run *r, struct msg *m)
{
	unsigned int got;
	int fd = r->live.fd, err = 0;
	bool on = true;

	while (on && !err) {
		got = waiter_wait(&r->waiter, fd, TICK_MS);
		if (got & WAIT_HUP)
			fd = -1; /* all targets have ended */
		err = live_read(&r->live, false, on_event, r, m);
		if (!err)
			err = flush_lines(r, m);
		if (got & WAIT_STOP)
			on = false;
		else if (r->argv)
			on = !workload_wait(&r->workload, false);
		else
			on = !(got & (WAIT_GONE | WAIT_HUP));
	}
	pev_disable(r->live.fd, false);
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
	fprintf(r->out, "\n System calls of %s:\n\n%8s %12s %12s %12s %12s %10s  %s\n",
		r->target.text, "share", "total", "average", "longest", "calls", "errors", "call");
	for (size_t i = 0; i < n; i++)
		put_row(r->out, &rows[i], all.ns);
	put_row(r->out, &total, all.ns);
	free(rows);
}

/* ---- The command ---- */

static int trace_target(struct trace_run *r, struct msg *m)
{
	struct live_opts live = { .ring = r->opts.ring ? r->opts.ring : RING_DEFAULT };
	struct strbuf filter = { 0 };
	char a[32];
	int err = 0;

	if (r->opts.strings && !r->opts.summary)
		live.text = max_u64(r->opts.bytes, PEV_CALL_TEXT);
	if (r->opts.calls)
		err = syscalls_filter(&r->calls, r->opts.calls, &filter, m);
	live.filter = filter.s;
	if (!err)
		err = live_open(&r->live, &r->target, &live, m);
	strbuf_free(&filter);
	if (!err)
		err = live_start(&r->live, &r->target, m);
	if (!err && r->argv)
		err = workload_go(&r->workload, r->argv[0], &r->status, m);
	if (!err) {
		err = trace_loop(r, m);
		if (r->tallies)
			summary(r);
		if (!err)
			err = flush_lines(r, m);
		if (live_lost(&r->live))
			note("%s calls were lost, because they came faster than they could be "
			     "read: try a larger ring (-m 64M), -e, or -S",
			     text_count(a, live_lost(&r->live)));
		if (r->live.damaged)
			note("%s packets made no sense", text_count(a, r->live.damaged));
	}
	live_close(&r->live);
	return err;
}

static int prepare(struct trace_run *r, struct msg *m)
{
	struct pev_catalog *catalog = NULL;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (!err)
		err = target_make(&r->target, &r->opts.target, r->argv, m);
	if (!err)
		err = kernel_catalog(&catalog, m);
	if (err)
		return err;
	syscalls_init(&r->calls, catalog);
	pev_catalog_free(catalog);
	strtab_id(&r->comms, "?");
	if (r->opts.summary)
		r->tallies = xcalloc(r->calls.n, sizeof(*r->tallies));
	r->out = stderr;
	if (r->opts.output) {
		r->out = fopen(r->opts.output, "we");
		if (!r->out)
			return msg_set(m, -EIO, "%s: %s", r->opts.output, strerror(errno));
	}
	setvbuf(r->out, NULL, _IOFBF, 1 << 16);
	err = waiter_init(&r->waiter, m);
	if (!err)
		waiter_watch(&r->waiter, &r->target);
	return err;
}

static int trace_all(struct trace_run *r, struct msg *m)
{
	int err = 0;

	if (r->argv) {
		err = workload_hold(&r->workload, r->argv, &r->waiter.old, &r->status, m);
		if (!err && r->target.workload)
			r->target.ids[0] = r->workload.pid;
	}
	if (!err)
		err = trace_target(r, m);
	workload_end(&r->workload);
	return err;
}

static int trace_run(int argc, char **argv)
{
	struct trace_run r = {
		.opts = { .bytes = BYTES_DEFAULT, .names = true, .strings = true },
		.workload = { .go = -1, .failed = -1 }, .live = { .fd = -1 },
	};
	struct msg m;
	int n, err;

	r.status = command_options(&command_trace, &r.opts, argc, argv, &n);
	if (r.status >= 0)
		return r.status;
	r.status = 0;
	argv[n + 1] = NULL;
	r.argv = n ? argv + 1 : NULL;
	err = prepare(&r, &m);
	if (!err)
		err = trace_all(&r, &m);
	if (r.opts.output && r.out && r.out != stderr && fclose(r.out) && !err)
		err = msg_set(&m, -EIO, "%s: %s", r.opts.output, strerror(errno));
	if (err) {
		complain("%s", m.text);
		if (!r.status)
			r.status = status_of(err);
	} else if (r.workload.ended) {
		r.status = workload_status(&r.workload);
	}
	waiter_free(&r.waiter);
	syscalls_free(&r.calls);
	strtab_free(&r.comms);
	htab_free(&r.h_callers);
	for (size_t i = 0; i < r.n_callers; i++)
		free(r.callers[i].text);
	free(r.callers);
	free(r.tallies);
	strbuf_free(&r.line);
	target_free(&r.target);
	return r.status;
}

const struct command command_trace = {
	.name = "trace",
	.operands = "[--] [COMMAND [ARG]...]",
	.summary = "show the system calls of a command or of what runs, live",
	.about = "Prints a line for each system call when it ends: when it began, the thread, the "
		 "call with its arguments as the kernel names them, the result and how long it "
		 "took. The program is not stopped, as a debugger would: strings and data that "
		 "arguments point to are copied by the kernel as they pass, and shown as numbers "
		 "where their memory was not there. Ends with the command, the processes or Ctrl-C; "
		 "exits with the command's status.",
	.examples = "  perfctl trace -- ls\n"
		    "  perfctl trace -e 'open*,stat*' -z -- ./program   what it does not find\n"
		    "  perfctl trace -S -p 1234                         a table, until Ctrl-C\n"
		    "  perfctl trace -a -e connect,accept4              on the whole machine\n",
	.opts = trace_options,
	.runs_command = true,
	.run = trace_run,
};
