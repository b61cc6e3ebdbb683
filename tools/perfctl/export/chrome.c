// SPDX-License-Identifier: GPL-2.0
/*
 * Trace event JSON, as ui.perfetto.dev and chrome://tracing read it: a track for
 * each thread with its system calls as slices and all else as instants, and a
 * track for each CPU with who ran there, if sched:sched_switch was recorded.
 */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/json.h"
#include "base/output.h"
#include "strace/syscalls.h"

#include <inttypes.h>
#include <stdlib.h>

/* "Process" of the CPUs' tracks: a pid that Linux does not give */
#define CPUS_PID 4194305u

/**
 * enum chrome_kind - what an event class becomes
 */
enum chrome_kind {
	CHROME_INSTANT,
	CHROME_SWITCH,
	CHROME_ENTER,
	CHROME_EXIT,
};

/**
 * struct chrome_class - what was looked up once for a class
 * @call:  of system calls: the name, NULL if only the number is known
 */
struct chrome_class {
	enum chrome_kind kind;
	const char *call;
	const struct pev_field *next_pid, *next_comm, *nr, *ret;
};

/**
 * struct track - what goes on in a thread or on a CPU
 * @open:  a slice began at @begin
 * @what:  its name
 * @named: number of the name that the track was given
 */
struct track {
	uint32_t id;
	bool open;
	int64_t begin;
	uint32_t what;
	uint32_t named;
	char *args;
};

struct tracks {
	struct track *l;
	size_t n, cap;
	struct htab h;
};

/**
 * struct chrome - while it is written
 * @calls: names of system calls; none for a recording of another machine, which has others
 */
struct chrome {
	struct chrome_class *classes;
	struct tracks threads;
	struct tracks cpus;
	struct syscalls calls;
	struct strtab names;
	struct strbuf line;
	bool some;
};

static struct track *track_get(struct tracks *ls, uint32_t id)
{
	struct track *l;

	if (HTAB_GET(l, &ls->h, hash_u64(id), l->id == id, ls->l, ls->n, ls->cap)) {
		l->id = id;
		l->named = UINT32_MAX;
	}
	return l;
}

static void look_up(struct chrome_class *c, const struct pev_class *cls)
{
	if (!strcmp(cls->name, "sched:sched_switch")) {
		c->next_pid = pev_class_field(cls, "next_pid");
		c->next_comm = pev_class_field(cls, "next_comm");
		if (c->next_pid)
			c->kind = CHROME_SWITCH;
	} else if (!strncmp(cls->name, "syscalls:sys_enter_", 19)) {
		c->kind = CHROME_ENTER;
		c->call = cls->name + 19;
	} else if (!strncmp(cls->name, "syscalls:sys_exit_", 18)) {
		c->kind = CHROME_EXIT;
		c->ret = pev_class_field(cls, "ret");
	} else if (!strcmp(cls->name, "raw_syscalls:sys_enter")) {
		c->kind = CHROME_ENTER;
		c->nr = pev_class_field(cls, "id");
	} else if (!strcmp(cls->name, "raw_syscalls:sys_exit")) {
		c->kind = CHROME_EXIT;
		c->ret = pev_class_field(cls, "ret");
	}
}

static int begin(struct export *x, struct msg *m)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	(void)m;
	x->state = c;
	syscalls_init_trace(&c->calls, x->session.trace);
	c->classes = xcalloc(x->session.n_classes, sizeof(*c->classes));
	for (unsigned int i = 0; i < x->session.n_classes; i++)
		look_up(&c->classes[i], pev_trace_class(x->session.trace, i));
	out_puts(&x->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	return 0;
}

static void start_line(struct chrome *c)
{
	strbuf_reset(&c->line);
	if (c->some)
		strbuf_puts(&c->line, ",\n");
	c->some = true;
}

static void send_line(struct export *x)
{
	struct chrome *c = x->state;

	out_write(&x->out, c->line.s, c->line.len);
}

/* Writes microseconds with three decimals. */
static void put_us(struct strbuf *b, const char *key, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	strbuf_addf(b, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void put_meta(struct export *x, const char *what, uint32_t pid, uint32_t tid,
		     const char *name)
{
	struct chrome *c = x->state;

	start_line(c);
	strbuf_addf(&c->line, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
		    what, pid, tid);
	json_text(&c->line, name);
	strbuf_puts(&c->line, "}}");
	send_line(x);
}

static void put_slice(struct export *x, uint32_t pid, struct track *l, int64_t end)
{
	struct chrome *c = x->state;

	start_line(c);
	strbuf_addf(&c->line, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":", pid, l->id);
	json_text(&c->line, strtab_get(&c->names, l->what));
	put_us(&c->line, "ts", l->begin);
	put_us(&c->line, "dur", end - l->begin);
	strbuf_addf(&c->line, ",\"args\":{%s}}", l->args ? l->args : "");
	send_line(x);
	l->open = false;
	free(l->args);
	l->args = NULL;
}

/* Writes the fields as members of an object, all of them as strings. */
static void put_fields(struct strbuf *b, const struct pev_event *ev)
{
	char text[512];
	bool some = b->len && b->s[b->len - 1] != '{';

	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (export_is_plumbing(ev->cls, f))
			continue;
		pev_event_print_field(ev, f, PEV_PRINT_LABEL, text, sizeof(text));
		if (some)
			strbuf_putc(b, ',');
		some = true;
		json_text(b, f->name);
		strbuf_putc(b, ':');
		json_text(b, text);
	}
}

static void put_switch(struct export *x, const struct pev_event *ev,
		       const struct chrome_class *cc, int64_t ns)
{
	uint32_t next = (uint32_t)pev_event_int(ev, cc->next_pid);
	struct chrome *c = x->state;
	struct track *l = track_get(&c->cpus, ev->cpu);
	char comm[64] = "", name[96];

	if (l->named == UINT32_MAX) {
		if (c->cpus.n == 1)
			put_meta(x, "process_name", CPUS_PID, 0, "CPUs");
		snprintf(name, sizeof(name), "CPU %u", ev->cpu);
		put_meta(x, "thread_name", CPUS_PID, ev->cpu, name);
		l->named = 0;
	}
	if (l->open)
		put_slice(x, CPUS_PID, l, ns);
	if (!next)
		return;
	if (cc->next_comm)
		pev_event_copy_text(ev, cc->next_comm, comm, sizeof(comm));
	snprintf(name, sizeof(name), "%s %u", comm, next);
	l->open = true;
	l->begin = ns;
	l->what = strtab_id(&c->names, name);
}

/* A slice is written when its end is known; without an end it is an instant. */
static void put_instant(struct export *x, const struct thread *t, const char *name, int64_t ns,
			const char *args)
{
	struct chrome *c = x->state;

	start_line(c);
	strbuf_addf(&c->line, "{\"ph\":\"i\",\"s\":\"t\",\"pid\":%u,\"tid\":%u,\"name\":", t->pid,
		    t->tid);
	json_text(&c->line, name);
	put_us(&c->line, "ts", ns);
	strbuf_addf(&c->line, ",\"args\":{%s}}", args ? args : "");
	send_line(x);
}

static const char *call_name(const struct chrome *c, int64_t nr)
{
	const struct syscall_desc *d = syscalls_get(&c->calls, nr);

	return d ? d->name : NULL;
}

static void put_enter(struct export *x, const struct pev_event *ev,
		      const struct chrome_class *cc, const struct thread *t, int64_t ns)
{
	struct chrome *c = x->state;
	struct track *l = track_get(&c->threads, t->tid);
	struct strbuf args = { 0 };
	const char *call = cc->call;
	char name[64];

	if (l->open) /* its end was lost, or never came: execve() */
		put_instant(x, t, strtab_get(&c->names, l->what), l->begin, l->args);
	free(l->args);
	put_fields(&args, ev);
	if (!call)
		call = call_name(c, (int64_t)pev_event_int(ev, cc->nr));
	if (call)
		snprintf(name, sizeof(name), "%s", call);
	else
		snprintf(name, sizeof(name), "syscall %" PRIu64, pev_event_int(ev, cc->nr));
	l->open = true;
	l->begin = ns;
	l->what = strtab_id(&c->names, name);
	l->args = args.s;
}

static void put_exit(struct export *x, const struct pev_event *ev, const struct chrome_class *cc,
		     const struct thread *t, int64_t ns)
{
	struct chrome *c = x->state;
	struct track *l = track_get(&c->threads, t->tid);
	struct strbuf args = { 0 };

	if (!l->open) {
		put_instant(x, t, ev->cls->name, ns, NULL);
		return;
	}
	strbuf_puts(&args, l->args ? l->args : "");
	strbuf_addf(&args, "%s\"ret\":%" PRId64, args.len ? "," : "",
		    (int64_t)pev_event_int(ev, cc->ret));
	free(l->args);
	l->args = args.s;
	put_slice(x, t->pid, l, ns);
}

static void put_other(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		      const struct thread *t, int64_t ns)
{
	struct strbuf args = { 0 };
	struct export_sample s;
	uint32_t func;

	strbuf_add(&args, "", 0);
	if (export_sample_of(x, ev, cls, &s) && s.frame != FRAME_NONE) {
		func = export_frame_func(x, s.frame);
		strbuf_puts(&args, "\"function\":");
		json_text(&args, export_func_name(x, func));
	}
	put_fields(&args, ev);
	put_instant(x, t, ev->cls->name, ns, args.s);
	strbuf_free(&args);
}

static void name_thread(struct export *x, const struct thread *t)
{
	struct chrome *c = x->state;
	struct track *l = track_get(&c->threads, t->tid);
	const char *comm = machine_comm_name(&x->session.machine, t->comm);

	if (l->named == t->comm)
		return;
	l->named = t->comm;
	put_meta(x, "thread_name", t->pid, t->tid, comm);
	if (t->pid == t->tid)
		put_meta(x, "process_name", t->pid, t->tid, comm);
}

static int event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		 struct msg *m)
{
	struct chrome *c = x->state;
	const struct chrome_class *cc = &c->classes[ev->cls->index];
	struct thread t;
	int64_t ns = export_time(x, ev);

	(void)m;
	if (cls->kind != SESSION_EVENT)
		return 0;
	t = *session_thread(&x->session, ev);
	name_thread(x, &t);
	if (cc->kind == CHROME_SWITCH)
		put_switch(x, ev, cc, ns);
	else if (cc->kind == CHROME_ENTER)
		put_enter(x, ev, cc, &t, ns);
	else if (cc->kind == CHROME_EXIT)
		put_exit(x, ev, cc, &t, ns);
	else
		put_other(x, ev, cls, &t, ns);
	return 0;
}

/* Writes the slices that are still open at the end of the recording. */
static int end(struct export *x, struct msg *m)
{
	struct chrome *c = x->state;
	int64_t last = pev_trace_end_ns(x->session.trace) - x->begin;

	(void)m;
	for (size_t i = 0; i < c->threads.n; i++)
		if (c->threads.l[i].open) {
			struct thread t = *machine_thread(&x->session.machine, 0,
							  c->threads.l[i].id);

			put_slice(x, t.pid, &c->threads.l[i], max_u64((uint64_t)last,
				  (uint64_t)c->threads.l[i].begin));
		}
	for (size_t i = 0; i < c->cpus.n; i++)
		if (c->cpus.l[i].open)
			put_slice(x, CPUS_PID, &c->cpus.l[i], max_u64((uint64_t)last,
				  (uint64_t)c->cpus.l[i].begin));
	out_puts(&x->out, "\n]}\n");
	return 0;
}

static void free_tracks(struct tracks *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		free(ls->l[i].args);
	free(ls->l);
	htab_free(&ls->h);
}

static void done(struct export *x)
{
	struct chrome *c = x->state;

	if (!c)
		return;
	free_tracks(&c->threads);
	free_tracks(&c->cpus);
	syscalls_free(&c->calls);
	strtab_free(&c->names);
	strbuf_free(&c->line);
	free(c->classes);
	free(c);
}

const struct exporter export_chrome = {
	.name = "chrome",
	.file = "trace.json",
	.begin = begin,
	.event = event,
	.end = end,
	.free = done,
};
