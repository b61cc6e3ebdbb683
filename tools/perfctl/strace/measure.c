// SPDX-License-Identifier: GPL-2.0
/* The system calls of a program as it makes them. See measure.h. */
#include "measure.h"
#include "compat.h"
#include "events.h"
#include "fds.h"
#include "later.h"
#include "live.h"
#include "signals.h"
#include "syscalls.h"
#include "tally.h"
#include "base/json.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "record/measure.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TICK_MS 50
/* What is read from the program's memory is worth the less the later it is. */
#define TICK_LATER_MS 1
#define RING_DEFAULT (16u << 20)

/**
 * struct caller - a thread
 * @pid:   its process
 * @comm:  number of its name, 0: not known
 * @open:  it is in a call that began at @begin
 * @text:  what its arguments point to, or NULL
 */
struct caller {
	uint32_t tid;
	uint32_t pid;
	uint32_t comm;
	bool open;
	int32_t nr;
	uint64_t begin;
	uint64_t args[6];
	struct live_text *text;
};

/**
 * struct counted - calls of one kind
 * @tid: the thread that made them; 0: all did
 */
struct counted {
	uint32_t tid;
	int32_t nr;
	struct tally tally;
};

struct trace_run {
	struct trace_opts opts;
	struct measure measure;
	struct live live;
	struct syscalls calls;
	struct compat compat;
	struct later later;
	struct fds fds;
	uint64_t lost;
	struct caller *callers;
	size_t n_callers, cap_callers;
	struct htab h_callers;
	struct strtab comms;
	struct counted *counted;
	size_t n_counted, cap_counted;
	struct htab h_counted;
	struct strbuf line, args, found;
	enum structs_abi abi;
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

/**
 * struct fd_asker - the process whose descriptors are named
 */
struct fd_asker {
	const struct fds *fds;
	uint32_t pid;
};

static const char *fd_name(void *arg, int fd)
{
	const struct fd_asker *a = arg;

	return fds_name(a->fds, a->pid, fd);
}

/* Reads what the kernel has not copied. */
static struct live_text *read_later(struct trace_run *r, int32_t nr, const struct caller *c,
				    const struct live_event *end)
{
	const struct later_call call = {
		.desc = syscalls_get(&r->calls, nr),
		.args = c->args,
		.pid = c->pid,
		.ended = end,
		.ret = end ? (int64_t)end->args[0] : 0,
		.most = (size_t)min_u64(max_u64(r->opts.bytes, PEV_CALL_TEXT), PEV_MAX_CALL_TEXT),
	};

	return later_read(&r->later, &call);
}

/* The arguments of a call, which has not changed any descriptor yet. @c: NULL: they are not known */
static void put_args(struct trace_run *r, int32_t nr, const struct caller *c,
		     const struct live_event *end)
{
	struct fd_asker asker = { &r->fds, c ? c->pid : 0 };
	bool reads = r->opts.later && c && !r->live.texts[0].copied;
	struct live_text *begun = c ? c->text : NULL, *ended = end ? end->text : NULL;
	struct syscall_args args = {
		.values = c ? c->args : NULL,
		.ret = end ? (int64_t)end->args[0] : 0,
		.abi = r->abi,
		.bytes = (size_t)r->opts.bytes,
		.bare = !r->opts.names,
		.fd_name = r->opts.paths ? fd_name : NULL,
		.arg = &asker,
	};

	if (reads) {
		begun = read_later(r, nr, c, NULL);
		ended = end ? read_later(r, nr, c, end) : NULL;
	}
	args.texts[0] = begun;
	args.texts[1] = ended;
	strbuf_reset(&r->found);
	syscalls_put_found(&r->found, syscalls_get(&r->calls, nr), &args);
	strbuf_reset(&r->args);
	strbuf_puts(&r->args, ""); /* of a call without arguments, too */
	if (c)
		syscalls_put_args(&r->args, syscalls_get(&r->calls, nr), &args);
	else
		strbuf_puts(&r->args, "...");
	if (reads) {
		free(begun);
		free(ended);
	}
}

static void put_call(struct trace_run *r, int32_t nr)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, nr);

	if (nr & COMPAT_CALL)
		strbuf_puts(&r->line, "32-bit ");
	if (d)
		strbuf_puts(&r->line, d->name);
	else
		strbuf_addf(&r->line, "syscall_%d", nr & ~COMPAT_CALL);
	strbuf_addf(&r->line, "(%s) = ", r->args.s);
}

static void put_result(struct trace_run *r, const struct caller *c, const struct live_event *ev)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, ev->nr);
	int64_t ret = (int64_t)ev->args[0];

	syscalls_put_result(&r->line, d, ret);
	if (r->found.len)
		strbuf_puts(&r->line, r->found.s);
	if (r->opts.paths && d && ret >= 0 && fds_is_result(d, c->args))
		syscalls_put_fd_name(&r->line, fds_name(&r->fds, ev->pid, ret));
}

static void send_line(struct trace_run *r)
{
	strbuf_putc(&r->line, '\n');
	fwrite(r->line.s, 1, r->line.len, r->out.f);
}

static bool is_unwanted(struct trace_run *r, int32_t nr)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, nr);

	return d && d->unwanted;
}

/* A call whose end was lost, or that has none. */
static void put_unfinished(struct trace_run *r, struct caller *c)
{
	c->open = false;
	if (r->opts.summary || r->opts.failed || r->opts.least || r->opts.json ||
	    is_unwanted(r, c->nr))
		return;
	start_line(r, c, c->begin);
	put_args(r, c->nr, c, NULL);
	put_call(r, c->nr);
	strbuf_putc(&r->line, '?');
	send_line(r);
}

static void count_call(struct trace_run *r, const struct live_event *ev, uint64_t ns, bool timed,
		       bool failed)
{
	uint32_t tid = r->opts.per_thread ? ev->tid : 0;
	struct counted *c;

	if (HTAB_GET(c, &r->h_counted, hash_u64(hash_pair(tid, (uint32_t)ev->nr)),
		     c->tid == tid && c->nr == ev->nr, r->counted, r->n_counted, r->cap_counted)) {
		c->tid = tid;
		c->nr = ev->nr;
	}
	tally_add(&c->tally, ns, timed, failed);
}

static const char *call_name(struct trace_run *r, int32_t nr)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, nr);

	return d ? d->name : "?";
}

/* An object a line: what they all begin with. */
static struct json json_line(struct trace_run *r, const struct caller *c, uint64_t time)
{
	uint64_t ns = live_ns(&r->live, time);
	struct json j = { .out = r->out.f };

	json_open(&j, NULL, '{');
	json_u64(&j, "time_ns", ns > r->start ? ns - r->start : 0);
	json_string(&j, "comm", strtab_get(&r->comms, c->comm));
	json_u64(&j, "tid", c->tid);
	return j;
}

/* Arguments and result as they are shown to people. */
static void json_call(struct trace_run *r, struct caller *c, const struct live_event *ev,
		      bool began, uint64_t ns)
{
	struct json j = json_line(r, c, began ? c->begin : ev->time);

	json_string(&j, "call", call_name(r, ev->nr));
	if (ev->nr & COMPAT_CALL)
		json_u64(&j, "bits", 32);
	json_string(&j, "args", r->args.s);
	json_i64(&j, "result", (int64_t)ev->args[0]);
	strbuf_reset(&r->line);
	put_result(r, c, ev);
	json_string(&j, "result_text", r->line.s);
	if (began)
		json_u64(&j, "ns", ns);
	json_close(&j, '}');
	json_end_line(&j);
}

/* @c: NULL: its begin is not known */
static void follow(struct trace_run *r, const struct live_event *ev, const struct caller *c)
{
	const struct fds_done done = {
		.desc = syscalls_get(&r->calls, ev->nr),
		.args = c ? c->args : NULL,
		.ret = ev->kind == LIVE_EXIT ? (int64_t)ev->args[0] : 0,
		.texts = { c ? c->text : NULL, ev->text },
	};

	if (r->opts.paths && done.desc)
		fds_call(&r->fds, ev->pid, &done);
	if (done.desc && done.ret >= 0 &&
	    (done.desc->execs || !strcmp(done.desc->name, "exit_group")))
		later_forget(&r->later, ev->pid);
}

static void entered(struct trace_run *r, struct live_event *ev)
{
	const struct syscall_desc *d = syscalls_get(&r->calls, ev->nr);
	struct caller *c = caller_get(r, ev->tid);

	if (c->open)
		put_unfinished(r, c);
	c->open = true;
	c->pid = ev->pid;
	c->nr = ev->nr;
	c->begin = ev->time;
	memcpy(c->args, ev->args, sizeof(c->args));
	free(c->text);
	c->text = ev->text;
	ev->text = NULL;
	if (!d || !d->never)
		return;
	if (r->opts.summary)
		count_call(r, ev, 0, false, false);
	put_unfinished(r, c);
	follow(r, ev, c);
}

/* An exec ends with the number that it has in the new program's table. */
static bool is_exec_end(struct trace_run *r, const struct caller *c, int32_t nr)
{
	const struct syscall_desc *began = syscalls_get(&r->calls, c->nr), *ended;

	if (!c->open || !began || !began->execs)
		return false;
	ended = syscalls_get(&r->calls, nr);
	return ended && !strcmp(began->name, ended->name);
}

/*
 * A return from a signal restores the registers, the call's number among them: it has none.
 */
static bool ends(struct trace_run *r, const struct caller *c, struct live_event *ev)
{
	if (c->open && ev->nr < 0 && !strcmp(call_name(r, c->nr), "rt_sigreturn"))
		ev->nr = c->nr;
	if (is_exec_end(r, c, ev->nr))
		ev->nr = c->nr;
	return c->open && c->nr == ev->nr;
}

/* What is first seen of a command is the end of its exec, with the new program's number. */
static bool is_first_exec(const struct trace_run *r, const struct caller *c, int32_t nr)
{
	const char *name = compat_name((unsigned int)nr);

	return r->measure.target.workload && !c->begin && name && !strcmp(name, "execve");
}

/* Marks a call of a 32-bit program, where the kernel has not. */
static void mark_compat(struct trace_run *r, struct live_event *ev)
{
	const struct caller *c = caller_get(r, ev->tid);
	bool is;

	if (ev->nr < 0)
		return;
	if (r->live.tells) {
		r->compat.some |= ev->nr & COMPAT_CALL;
		return;
	}
	is = compat_is(&r->compat, ev->pid);
	if (ev->kind == LIVE_EXIT && !is_exec_end(r, c, is ? ev->nr | COMPAT_CALL : ev->nr) &&
	    is_exec_end(r, c, is ? ev->nr : ev->nr | COMPAT_CALL)) {
		is = !is;
		compat_set(&r->compat, ev->pid, is);
	} else if (ev->kind == LIVE_EXIT && is_first_exec(r, c, ev->nr)) {
		is = true;
		compat_set(&r->compat, ev->pid, is);
	}
	if (is)
		ev->nr |= COMPAT_CALL;
}

static void left(struct trace_run *r, struct live_event *ev)
{
	struct caller *c = caller_get(r, ev->tid);
	int64_t ret = (int64_t)ev->args[0];
	bool failed = ret < 0 && ret >= -4095, began = ends(r, c, ev), shown;
	uint64_t ns = began ? live_ns(&r->live, ev->time) - live_ns(&r->live, c->begin) : 0;
	const struct syscall_desc *d = syscalls_get(&r->calls, ev->nr);
	char time[32];

	if (ev->nr < 0)
		return;
	if (c->open && !began)
		put_unfinished(r, c);
	c->open = false;
	shown = (failed || !r->opts.failed) && ns >= r->opts.least && !is_unwanted(r, ev->nr);
	if (shown && r->opts.summary && d)
		count_call(r, ev, ns, began, failed);
	shown = shown && !r->opts.summary;
	if (shown)
		put_args(r, ev->nr, began ? c : NULL, ev);
	follow(r, ev, began ? c : NULL);
	if (!shown)
		return;
	start_line(r, c, began ? c->begin : ev->time);
	if (r->opts.json) {
		json_call(r, c, ev, began, ns);
		return;
	}
	put_call(r, ev->nr);
	put_result(r, c, ev);
	if (began)
		strbuf_addf(&r->line, " <%s>", text_ns(time, ns));
	send_line(r);
}

static void json_signal(struct trace_run *r, struct caller *c, const struct live_event *ev)
{
	struct json j = json_line(r, c, ev->time);

	if (ev->nr == SIGKILL) {
		json_bool(&j, "killed", true);
		json_close(&j, '}');
		json_end_line(&j);
		return;
	}
	strbuf_reset(&r->line);
	signals_put_name(&r->line, ev->nr);
	json_string(&j, "signal", r->line.s);
	strbuf_reset(&r->line);
	signals_put_code(&r->line, ev->nr, (int32_t)ev->args[0]);
	json_string(&j, "code", r->line.s);
	strbuf_reset(&r->line);
	signals_put_handler(&r->line, ev->args[1]);
	json_string(&j, "handler", r->line.s);
	json_close(&j, '}');
	json_end_line(&j);
}

/*
 * Whatever ends a process is delivered as SIGKILL to its threads: another fatal signal, an exec and
 * an exit of another thread, too.
 */
static void signalled(struct trace_run *r, const struct live_event *ev)
{
	struct caller *c = caller_get(r, ev->tid);

	if (r->opts.summary || r->opts.failed || r->opts.least)
		return;
	start_line(r, c, ev->time);
	if (r->opts.json) {
		json_signal(r, c, ev);
		return;
	}
	if (ev->nr == SIGKILL) {
		strbuf_puts(&r->line,
			    "+++ killed by a fatal signal, or as another thread ended the "
			    "process +++");
		send_line(r);
		return;
	}
	strbuf_puts(&r->line, "--- ");
	signals_put_name(&r->line, ev->nr);
	strbuf_puts(&r->line, r->opts.names ? " {code: " : " {si_code=");
	signals_put_code(&r->line, ev->nr, (int32_t)ev->args[0]);
	if (r->opts.names) {
		strbuf_puts(&r->line, ", handler: ");
		signals_put_handler(&r->line, ev->args[1]);
	}
	strbuf_puts(&r->line, "} ---");
	send_line(r);
}

static void json_field(void *arg, const char *name, const char *value)
{
	json_string(arg, name, value);
}

static void json_event(struct trace_run *r, struct caller *c, const struct live_event *ev)
{
	struct json j = json_line(r, c, ev->time);

	json_string(&j, "event", ev->event->cls->name);
	json_open(&j, "fields", '{');
	trace_events_fields(&r->live.event_plan, ev->event, json_field, &j);
	json_close(&j, '}');
	json_close(&j, '}');
	json_end_line(&j);
}

static void happened(struct trace_run *r, const struct live_event *ev)
{
	struct caller *c = caller_get(r, ev->tid);

	start_line(r, c, ev->time);
	if (r->opts.json) {
		json_event(r, c, ev);
		return;
	}
	trace_events_put(&r->line, &r->live.event_plan, ev->event);
	send_line(r);
}

/* perf_event_open(2) does not say what a child is called: it has its parent's name. */
static void named(struct trace_run *r, const struct live_event *ev)
{
	const char *name = (const char *)ev->args;
	uint32_t comm;

	if (*name || ev->kind != LIVE_FORK) {
		comm = strtab_id(&r->comms, name);
	} else {
		struct caller *parent = caller_get(r, ev->parent);

		if (!parent->comm)
			parent->comm = ask_comm(r, ev->parent);
		comm = parent->comm;
	}
	caller_get(r, ev->tid)->comm = comm;
	if (ev->kind == LIVE_FORK) {
		fds_fork(&r->fds, ev->parent_pid, ev->pid);
		compat_fork(&r->compat, ev->parent_pid, ev->pid);
	} else {
		compat_changed(&r->compat, ev->pid);
	}
}

static void on_event(void *arg, struct live_event *ev)
{
	struct trace_run *r = arg;

	if (ev->pid == (uint32_t)getpid())
		return; /* what it writes would be traced, and written */
	if (ev->kind == LIVE_ENTER || ev->kind == LIVE_EXIT)
		mark_compat(r, ev);
	switch (ev->kind) {
	case LIVE_ENTER:
		entered(r, ev);
		break;
	case LIVE_EXIT:
		left(r, ev);
		break;
	case LIVE_SIGNAL:
		signalled(r, ev);
		break;
	case LIVE_EVENT:
		happened(r, ev);
		break;
	default:
		named(r, ev);
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
		got = wait_loop_wait(&r->measure.wait, fd, r->opts.later ? TICK_LATER_MS : TICK_MS);
		err = live_read(&r->live, false, on_event, r, m);
		if (live_lost(&r->live) != r->lost)
			fds_forget(&r->fds);
		r->lost = live_lost(&r->live);
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

/* By thread, and there the longest first */
static int by_time(const void *a, const void *b)
{
	const struct counted *p = a, *q = b;

	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	if (p->tally.ns != q->tally.ns)
		return p->tally.ns < q->tally.ns ? 1 : -1;
	return p->tally.calls < q->tally.calls ? 1 : p->tally.calls > q->tally.calls ? -1 : 0;
}

/* As it is in the table */
static const char *row_name(struct trace_run *r, int32_t nr, char room[64])
{
	snprintf(room, 64, "%s%s", nr & COMPAT_CALL ? "32-bit " : "", call_name(r, nr));
	return room;
}

static void put_row(FILE *out, const char *name, const struct tally *t, uint64_t all)
{
	char calls[32], errors[32] = "", times[5][32];

	if (t->errors)
		text_count(errors, t->errors);
	fprintf(out, "%7.2f%% %12s %12s %12s %12s %12s %12s %10s  %s\n",
		all ? 100.0 * (double)t->ns / (double)all : 0, text_ns(times[0], t->ns),
		text_ns(times[1], t->timed ? t->ns / t->timed : 0),
		text_ns(times[2], tally_percentile(t, 0.5)),
		text_ns(times[3], tally_percentile(t, 0.99)), text_ns(times[4], t->longest),
		text_count(calls, t->calls), errors, name);
}

static void json_row(struct trace_run *r, const struct counted *c)
{
	const struct tally *t = &c->tally;
	struct json j = { .out = r->out.f };

	json_open(&j, NULL, '{');
	if (c->tid)
		json_u64(&j, "tid", c->tid);
	json_string(&j, "call", call_name(r, c->nr));
	if (c->nr & COMPAT_CALL)
		json_u64(&j, "bits", 32);
	json_u64(&j, "calls", t->calls);
	json_u64(&j, "errors", t->errors);
	json_u64(&j, "ns", t->ns);
	json_u64(&j, "median_ns", tally_percentile(t, 0.5));
	json_u64(&j, "p99_ns", tally_percentile(t, 0.99));
	json_u64(&j, "longest_ns", t->longest);
	json_close(&j, '}');
	json_end_line(&j);
}

/* The table of one thread, or of all; returns how many rows belong to it. */
static size_t put_table(struct trace_run *r, const struct counted *rows, size_t n)
{
	struct tally all = { 0 };
	FILE *out = r->out.f;
	char comm[80], name[64];
	size_t own = 0;

	while (own < n && rows[own].tid == rows->tid)
		tally_merge(&all, &rows[own++].tally);
	if (rows->tid)
		fprintf(out, "\n System calls of thread %s/%u:\n\n",
			text_safe(comm, sizeof(comm),
				  strtab_get(&r->comms, caller_get(r, rows->tid)->comm)),
			rows->tid);
	else
		fprintf(out, "\n System calls of %s:\n\n", r->measure.target.text);
	fprintf(out, "%8s %12s %12s %12s %12s %12s %12s %10s  %s\n", "share", "total", "average",
		"median", "99 %", "longest", "calls", "errors", "call");
	for (size_t i = 0; i < own; i++)
		put_row(out, row_name(r, rows[i].nr, name), &rows[i].tally, all.ns);
	put_row(out, "all", &all, all.ns);
	for (size_t i = 0; i < own && r->opts.histogram; i++) {
		fprintf(out, "\n %s:\n", row_name(r, rows[i].nr, name));
		tally_histogram(&rows[i].tally, out);
	}
	return own;
}

static void summary(struct trace_run *r)
{
	struct counted none = { 0 };

	if (r->n_counted)
		qsort(r->counted, r->n_counted, sizeof(*r->counted), by_time);
	for (size_t i = 0; i < r->n_counted && r->opts.json; i++)
		json_row(r, &r->counted[i]);
	for (size_t i = 0; i < r->n_counted && !r->opts.json;)
		i += put_table(r, &r->counted[i], r->n_counted - i);
	if (!r->n_counted && !r->opts.json)
		put_table(r, &none, 0);
}

/* ---- The measurement ---- */

/*
 * Takes what is open before calls are followed, and again then, as it may have changed meanwhile; a
 * command that is held back changes nothing.
 */
static void look_at_descriptors(struct trace_run *r)
{
	const struct target *t = &r->measure.target;
	struct dirent *e;
	DIR *proc;

	if (!r->opts.paths)
		return;
	if (t->workload || t->type == PEV_TARGET_PROCESS) {
		for (size_t i = 0; i < t->n_ids; i++)
			fds_look(&r->fds, (uint32_t)t->ids[i]);
		return;
	}
	proc = opendir("/proc");
	while (proc && (e = readdir(proc)))
		if (*e->d_name >= '1' && *e->d_name <= '9')
			fds_look(&r->fds, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (proc)
		closedir(proc);
}

/* What the kernel is to leave out; a system call and something else beside it may be asked for. */
static int filter_calls(struct trace_run *r, const struct strbuf *names, struct strbuf *filter,
			struct msg *m)
{
	if (!names->len)
		return 0;
	return syscalls_filter(&r->calls, names->s, r->opts.paths ? FDS_CALLS : NULL, filter, m);
}

static int open_live(struct trace_run *r, const struct strbuf *names, const char *events,
		     struct msg *m)
{
	bool calls = !events || names->len;
	struct live_opts live = { .calls = calls,
				  .events = events,
				  .ring = r->opts.ring ? r->opts.ring : RING_DEFAULT,
				  .signals = r->opts.signals && calls && !r->opts.summary &&
					     !r->opts.failed && !r->opts.least };
	struct strbuf filter = { 0 };
	int err;

	if (events && r->opts.summary)
		return msg_set(m, -EINVAL,
			       "-S is a table of system calls, without events: leave %s "
			       "to perfctl stat -e",
			       events);
	if (!calls && (r->opts.failed || r->opts.least || r->opts.paths))
		return msg_set(m, -EINVAL,
			       "-z, -y and --duration are of system calls: name some "
			       "beside %s",
			       events);
	if (r->opts.strings && !r->opts.summary)
		live.text = max_u64(r->opts.bytes, PEV_CALL_TEXT);
	err = filter_calls(r, names, &filter, m);
	live.filter = filter.s;
	if (!err)
		err = live_open(&r->live, &r->measure.target, &live, m);
	strbuf_free(&filter);
	if (!err)
		look_at_descriptors(r);
	if (!err && calls && live.text && !r->opts.later && !r->live.texts[0].copied &&
	    syscalls_point(&r->calls))
		note("%s does not copy what arguments point to: strings and structures are addresses; "
		     "--read-later reads them from the program's memory, which may have changed by "
		     "then (--no-strings asks for no more)",
		     engine_is_pev() ? "this kernel" : "perf_event_open(2)");
	return err;
}

static int trace_open(void *arg, struct msg *m)
{
	struct strbuf names = { 0 }, events = { 0 };
	struct trace_run *r = arg;
	int err;

	if (r->opts.calls)
		trace_events_split(r->opts.calls, &names, &events);
	err = open_live(r, &names, events.s, m);
	strbuf_free(&names);
	strbuf_free(&events);
	return err;
}

static int trace_start(void *arg, struct msg *m)
{
	struct trace_run *r = arg;

	int err = live_start(&r->live, &r->measure.target, m);

	if (!err && !r->measure.target.workload)
		look_at_descriptors(r);
	return err;
}

static int run_trace(void *arg, struct msg *m)
{
	struct trace_run *r = arg;
	int err = trace_loop(r, m);
	struct strbuf room = { 0 };
	char a[32];

	if (r->opts.summary)
		summary(r);
	if (!err)
		err = flush_lines(r, m);
	engine_put_larger_ring(&room, 64);
	if (live_lost(&r->live))
		note("%s call%s %s lost, as calls came faster than they could be "
		     "read: %s, -e, or -S",
		     text_count(a, live_lost(&r->live)), text_s(live_lost(&r->live)),
		     live_lost(&r->live) == 1 ? "was" : "were", room.s);
	strbuf_free(&room);
	if (r->later.refused)
		note("--read-later: there are processes whose memory you may not read");
	if (r->compat.some && r->opts.calls)
		note("there are 32-bit programs, of whose calls -e leaves out most: the kernel "
		     "compares the numbers of 64-bit programs, and theirs differ");
	if (live_damaged(&r->live))
		note("%s packet%s made no sense", text_count(a, live_damaged(&r->live)),
		     text_s(live_damaged(&r->live)));
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
	struct utsname machine;
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
	if (!uname(&machine))
		structs_abi(machine.machine, &r->abi);
	strtab_id(&r->comms, "?");
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
	free(r.counted);
	htab_free(&r.h_counted);
	strbuf_free(&r.line);
	strbuf_free(&r.args);
	strbuf_free(&r.found);
	fds_free(&r.fds);
	compat_free(&r.compat);
	later_free(&r.later);
	return measure_exit(&r.measure, err, m);
}
