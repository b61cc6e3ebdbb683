// SPDX-License-Identifier: GPL-2.0
/* perfctl script: all events of a recording as text, in order of time. */
#include "cmd/commands.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/suggest.h"
#include "session/session.h"
#include "profile/load.h"
#include "profile/rows.h"
#include "session/fetch.h"
#include "strace/syscalls.h"
#include "views/handlers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Columns of a line, in the order of printing. */
enum script_field {
	FIELD_COMM = 1u << 0,
	FIELD_PID = 1u << 1,
	FIELD_TID = 1u << 2,
	FIELD_CPU = 1u << 3,
	FIELD_TIME = 1u << 4,
	FIELD_ABSTIME = 1u << 5,
	FIELD_EVENT = 1u << 6,
	FIELD_IP = 1u << 7,
	FIELD_FIELDS = 1u << 8,
	FIELD_CHAIN = 1u << 9,
	FIELD_SRCLINE = 1u << 10,
};

#define FIELD_DEFAULT                                                                    \
	(FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT | FIELD_IP |      \
	 FIELD_FIELDS | FIELD_CHAIN)

struct script_opts {
	const char *vmlinux;
	const char *input;
	const char *time;
	const char *event;
	const char *comm;
	const char *pids;
	const char *tids;
	const char *cpus;
	const char *handlers;
	unsigned int fields;
	bool no_sideband;
	bool inlined;
	bool follow;
};

struct script_run {
	struct script_opts opts;
	struct session session;
	int64_t begin;
	int64_t from;
	int64_t to;
	struct strbuf line;
	struct syscalls calls;
	char **places; /* what is printed of each frame, NULL: not made yet */
	size_t n_places;
	uint64_t printed;
};

static int set_fields(void *opts, const char *arg, struct msg *m)
{
	static const struct {
		const char *name;
		unsigned int bit;
	} names[] = {
		{ "comm", FIELD_COMM },	  { "pid", FIELD_PID },	    { "tid", FIELD_TID },
		{ "cpu", FIELD_CPU },	  { "time", FIELD_TIME },   { "abstime", FIELD_ABSTIME },
		{ "event", FIELD_EVENT }, { "ip", FIELD_IP },	    { "sym", FIELD_IP },
		{ "fields", FIELD_FIELDS }, { "trace", FIELD_FIELDS }, { "chain", FIELD_CHAIN },
		{ "srcline", FIELD_SRCLINE },
	};
	char *copy = xstrdup(arg), *save, *p;
	int err = 0;

	((struct script_opts *)opts)->fields = 0;
	for (p = strtok_r(copy, ", ", &save); p && !err; p = strtok_r(NULL, ", ", &save)) {
		struct suggestion near = { .word = p };
		size_t i;

		for (i = 0; i < ARRAY_SIZE(names) && strcmp(names[i].name, p); i++)
			suggest_offer(&near, names[i].name);
		if (i < ARRAY_SIZE(names))
			((struct script_opts *)opts)->fields |= names[i].bit;
		else
			err = msg_set(m, -EINVAL, "-F: unknown field \"%s\"; %s%s%s", p,
				      near.best ? "did you mean \"" : "there are comm, pid, tid, "
				      "cpu, time, abstime, event, ip, fields, chain and srcline",
				      near.best ? near.best : "", near.best ? "\"?" : "");
	}
	free(copy);
	return err;
}

static const struct opt script_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct script_opts, input) },
	{ 'f', OPT_FLAG, "follow", NULL,
	  "of a recording that is being made, print what comes, until it ends",
	  offsetof(struct script_opts, follow) },
	VMLINUX_OPT(struct script_opts, vmlinux),
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0, OPT_HEADING, .help = "What to print" },
	{ 'F', OPT_CALL, "fields", "FIELD[,FIELD]",
	  "of comm, pid, tid, cpu, time (seconds since "
	  "the trace's begin), abstime (since 1970), event, ip (with its function), fields, chain, "
	  "srcline (default: all but pid, abstime and srcline)",
	  0, set_fields },
	{ 0, OPT_FLAG, "inline", NULL,
	  "print what was inlined as frames of their own, by debug "
	  "information",
	  offsetof(struct script_opts, inlined) },
	{ 's', OPT_STRING, "script", "FILE",
	  "print nothing, but call functions of a file in Python: "
	  "begin(trace), sched__sched_switch(event) and the like, event(event) for the others, "
	  "end()",
	  offsetof(struct script_opts, handlers) },
	{ 0, OPT_HEADING, .help = "Which events (names may be globs, several by commas)" },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be "
	  "missing",
	  offsetof(struct script_opts, time) },
	{ 'e', OPT_STRING, "event", "NAME", "only these events",
	  offsetof(struct script_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct script_opts, comm) },
	{ 0, OPT_STRING, "pid", "PID", "only these processes", offsetof(struct script_opts, pids) },
	{ 0, OPT_STRING, "tid", "TID", "only these threads", offsetof(struct script_opts, tids) },
	{ 'C', OPT_STRING, "cpu", "CPU", "only these CPUs, as numbers",
	  offsetof(struct script_opts, cpus) },
	{ 0, OPT_FLAG, "no-sideband", NULL, "leave out mmap, comm, fork, exec and exit",
	  offsetof(struct script_opts, no_sideband) },
	{ 0 },
};

static bool wanted(const struct script_run *r, const struct pev_event *ev,
		   const struct session_class *cls, const struct thread *t, int64_t ns)
{
	const struct script_opts *o = &r->opts;

	if (ns < r->from || ns > r->to)
		return false;
	if (o->no_sideband && cls->kind != SESSION_EVENT)
		return false;
	return (!o->event || globs_match(o->event, ev->cls->name)) &&
	       (!o->comm ||
		globs_match(o->comm, machine_comm_name(&r->session.machine, t->comm))) &&
	       numbers_match(o->pids, t->pid) &&
	       numbers_match(o->tids, t->tid) &&
	       numbers_match(o->cpus, ev->cpu);
}

static void put_time(struct strbuf *b, int64_t ns)
{
	strbuf_addf(b, " %" PRId64 ".%09" PRId64 ":", ns / 1000000000,
		    (ns < 0 ? -ns : ns) % 1000000000);
}

/* The length and offset of another field are of no use to a reader. */
static bool is_plumbing(const struct pev_class *cls, const struct pev_field *f)
{
	const char *end = strrchr(f->name, '_');
	char owner[64];

	if (!strcmp(f->name, "text_copied") || !strcmp(f->name, "text_cut"))
		return true;
	if (strstr(f->name, "__data_loc") || !end || f->shape != PEV_SHAPE_INT)
		return strstr(f->name, "__data_loc") != NULL;
	if (strcmp(end, "_off") && strcmp(end, "_len"))
		return false;
	snprintf(owner, sizeof(owner), "%.*s", (int)(end - f->name), f->name);
	return pev_class_field(cls, owner) != NULL;
}

/* Is this an argument that points to no text, or to text that could not be copied? */
static bool is_no_text(const struct pev_event *ev, const struct pev_field *f)
{
	const char *end = strrchr(f->name, '_'), *text;

	return f->is_text && end && !strcmp(end, "_text") && !pev_event_text(ev, f, &text);
}

/* "(openat)" behind the number of a system call */
static void put_call(struct script_run *r, const struct pev_event *ev, const struct pev_field *f)
{
	const struct syscall_desc *d;

	if (strncmp(ev->cls->name, "raw_syscalls:sys_", 17) || strcmp(f->name, "id"))
		return;
	d = syscalls_get(&r->calls, (int64_t)pev_event_int(ev, f));
	if (d)
		strbuf_addf(&r->line, "(%s)", d->name);
}

static void put_payload(struct script_run *r, const struct pev_event *ev)
{
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];
		char small[512], *big = NULL;
		int n;

		if (is_plumbing(ev->cls, f) || is_no_text(ev, f))
			continue;
		n = pev_event_print_field(ev, f, 0, small, sizeof(small));
		if (n >= (int)sizeof(small)) {
			big = xmalloc((size_t)n + 1);
			pev_event_print_field(ev, f, 0, big, (size_t)n + 1);
		}
		strbuf_addf(&r->line, " %s=", f->name);
		text_name(&r->line, n < 0 ? "?" : big ? big : small);
		free(big);
		put_call(r, ev, f);
	}
}

static void add_line(const struct script_run *r, struct strbuf *b, const struct pev_sym_line *l)
{
	if (!(r->opts.fields & FIELD_SRCLINE) || !l->file)
		return;
	strbuf_putc(b, ' ');
	text_name(b, l->file);
	strbuf_addf(b, ":%u", l->line);
}

/* Prints the function of a frame after those that were inlined there, one a line. */
static char *place_text(struct script_run *r, uint32_t frame)
{
	struct stacks *st = &r->session.stacks;
	uint32_t func = stacks_frame_func(st, frame);
	const struct frame *f = &st->frames[frame];
	struct pev_sym_line l[64] = { 0 };
	struct strbuf b = { 0 };
	int n = 0;

	if (r->opts.inlined || r->opts.fields & FIELD_SRCLINE)
		n = pev_sym_lines(st->objects->syms, (int)f->object, f->at, l,
				  r->opts.inlined ? 64 : 1);
	for (int i = 0; i < n - 1; i++) {
		text_name(&b, l[i].function ? l[i].function : "?");
		strbuf_puts(&b, " (inlined)");
		add_line(r, &b, &l[i]);
		strbuf_putc(&b, '\n');
	}
	stacks_func_name(st, func, &b);
	strbuf_addf(&b, " (%s)", object_name(st->objects, st->funcs[func].object));
	if (n > 0)
		add_line(r, &b, &l[n - 1]);
	return b.s;
}

static const char *place(struct script_run *r, uint32_t frame)
{
	struct stacks *st = &r->session.stacks;

	stacks_resolve(st);
	if (r->n_places < st->n_frames) {
		r->places = xrealloc(r->places, st->cap_frames * sizeof(*r->places));
		memset(r->places + r->n_places, 0,
		       (st->cap_frames - r->n_places) * sizeof(*r->places));
		r->n_places = st->cap_frames;
	}
	if (!r->places[frame])
		r->places[frame] = place_text(r, frame);
	return r->places[frame];
}

static void put_address(struct strbuf *b, uint64_t addr)
{
	strbuf_putc(b, ' ');
	strbuf_hex(b, addr, 16);
	strbuf_putc(b, ' ');
}

static void put_place(struct script_run *r, uint32_t frame, uint64_t addr)
{
	const char *text = place(r, frame), *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		put_address(&r->line, addr);
		strbuf_add(&r->line, text, (size_t)(end - text) + 1);
		strbuf_puts(&r->line, "       ");
	}
	put_address(&r->line, addr);
	strbuf_puts(&r->line, text);
}

static void put_chain(struct script_run *r, const struct mapset *space, const uint64_t *chain,
		      uint32_t n)
{
	while (n > 1 && !chain[n - 1])
		n--;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = i && chain[i] ? chain[i] - 1 : chain[i];

		strbuf_puts(&r->line, "\n       ");
		put_place(r, stacks_frame(&r->session.stacks, space, at), chain[i]);
	}
}

static void put_cpu(struct strbuf *b, uint32_t cpu)
{
	if (cpu == UINT32_MAX)
		strbuf_puts(b, " [---]");
	else
		strbuf_addf(b, " [%03u]", cpu);
}

static void put_head(struct script_run *r, const struct pev_event *ev, const struct thread *t,
		     int64_t ns)
{
	unsigned int f = r->opts.fields;
	struct strbuf *b = &r->line;
	char comm[128];

	if (f & FIELD_COMM)
		strbuf_addf(b, "%16s",
			    text_safe(comm, sizeof(comm),
				      machine_comm_name(&r->session.machine, t->comm)));
	if (f & FIELD_PID)
		strbuf_addf(b, " %7u", t->pid);
	if (f & FIELD_TID)
		strbuf_addf(b, " %7u", t->tid);
	if (f & FIELD_CPU)
		put_cpu(b, ev->cpu);
	if (f & FIELD_ABSTIME)
		put_time(b, ns);
	if (f & FIELD_TIME)
		put_time(b, ns - r->begin);
	if (f & FIELD_EVENT) {
		strbuf_putc(b, ' ');
		text_name(b, ev->cls->name);
		strbuf_putc(b, ':');
	}
}

static void print_event(struct script_run *r, const struct pev_event *ev, const struct thread *t,
			int64_t ns)
{
	const struct mapset *space = r->session.machine.processes[t->process].space;
	uint64_t sample = ev->cls->sample;

	strbuf_reset(&r->line);
	put_head(r, ev, t, ns);
	if (r->opts.fields & FIELD_FIELDS) {
		if (sample & PEV_SAMPLE_PERIOD)
			strbuf_addf(&r->line, " period=%" PRIu64, ev->period);
		if (sample & PEV_SAMPLE_ADDR)
			strbuf_addf(&r->line, " addr=0x%" PRIx64, ev->addr);
		put_payload(r, ev);
	}
	if ((r->opts.fields & FIELD_IP) && (sample & PEV_SAMPLE_IP) &&
	    !((r->opts.fields & FIELD_CHAIN) && (ev->kstack_len || ev->ustack_len)))
		put_place(r, stacks_frame(&r->session.stacks, space, ev->ip), ev->ip);
	if (r->opts.fields & FIELD_CHAIN) {
		put_chain(r, space, ev->kstack, ev->kstack_len);
		put_chain(r, space, ev->ustack, ev->ustack_len);
		if (ev->kstack_len || ev->ustack_len)
			strbuf_putc(&r->line, '\n');
	}
	strbuf_putc(&r->line, '\n');
	fwrite(r->line.s, 1, r->line.len, stdout);
	r->printed++;
}

static int set_times(struct script_run *r, struct msg *m)
{
	r->begin = pev_trace_begin_ns(r->session.trace);
	return load_parse_time(r->opts.time, r->begin, &r->from, &r->to, m);
}

/* Before more is waited for, what came is shown. */
static void show_lines(void)
{
	fflush(stdout);
}

/* What comes through a pipe is shown as it comes. */
static int open_session(struct script_run *r, const char *path, struct msg *m)
{
	if (r->opts.follow || (path && !strcmp(path, "-") && !r->opts.handlers))
		return session_follow(&r->session, path, show_lines, m);
	return session_open(&r->session, path, m);
}

static int script_trace(struct script_run *r, struct msg *m)
{
	const struct pev_event *ev;
	const struct session_class *cls;
	int err;

	err = set_times(r, m);
	if (err)
		return err;
	/* lines on a terminal are progress enough */
	if (!isatty(STDOUT_FILENO) && !r->session.follow.on)
		session_progress(&r->session, "reading");
	while ((err = session_next(&r->session, &ev, &cls, m)) > 0) {
		const struct thread *t = session_thread(&r->session, ev);
		int64_t ns = pev_event_ns(ev);

		/* nothing was there when it began to be followed */
		if (!r->begin) {
			err = set_times(r, m);
			if (err)
				return err;
		}
		if (ns > r->to)
			break;
		if (wanted(r, ev, cls, t, ns))
			print_event(r, session_unwind(&r->session, NULL, ev), t, ns);
		if (ferror(stdout))
			return 0; /* said by main() */
	}
	session_progress(&r->session, NULL);
	if (err >= 0 && !r->printed)
		print_error("no events%s in %s",
			    r->opts.event || r->opts.comm || r->opts.pids || r->opts.tids ||
					    r->opts.cpus || r->opts.time ?
				    " that match" :
				    "",
			    pev_trace_path(r->session.trace));
	return err < 0 ? err : 0;
}

/* Returns only if it fails. */
static int script_handlers(struct script_run *r, struct msg *m)
{
	const struct script_opts *o = &r->opts;
	const struct pev_trace *t = r->session.trace;
	int err;

	if (o->comm || o->pids || o->tids || o->cpus || o->no_sideband || o->inlined || o->follow)
		return msg_set(m, -EINVAL, "-s goes with -e and --time only: the functions choose by "
			       "event.comm, event.pid, event.tid and event.cpu");
	r->begin = pev_trace_begin_ns(t);
	err = load_parse_time(o->time, r->begin, &r->from, &r->to, m);
	if (err)
		return err;
	session_note_damage(&r->session);
	received_dir_pass_on(&r->session.dir);
	return handlers_exec(o->handlers, pev_trace_path(t), r->from, r->to, o->event, m);
}

static int script_run(const void *opts, int n, char **args, struct msg *m)
{
	struct script_run r = { .opts = *(const struct script_opts *)opts };
	static char buffer[1 << 18];
	int err;

	if (command_trace_twice(n, args, r.opts.input, m))
		return -EINVAL;
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	err = open_session(&r, n ? args[0] : r.opts.input, m);
	if (!err)
		err = session_vmlinux(&r.session, r.opts.vmlinux, m);
	if (!err)
		syscalls_init_trace(&r.calls, r.session.trace);
	if (!err && r.opts.handlers)
		err = script_handlers(&r, m);
	else if (!err)
		err = script_trace(&r, m);
	fflush(stdout);
	if (!err)
		session_note_damage(&r.session);
	for (size_t i = 0; i < r.n_places; i++)
		free(r.places[i]);
	free(r.places);
	syscalls_free(&r.calls);
	session_close(&r.session);
	strbuf_free(&r.line);
	return err;
}

const struct command command_script = {
	.name = "script",
	.operands = "[DIR]",
	.summary = "print all events of a recording in order of time",
	.about = "Prints a line for each event: program, thread, CPU, time, name and fields, with "
		 "call chains below.",
	.examples = "  perfctl script | less\n"
		    "  perfctl script -e 'sched:*' --time 0.5,0.6\n"
		    "  perfctl script -F tid,time,event,fields --no-sideband\n"
		    "  perfctl script -s wakeups.py\n"
		    "  perfctl script -f                   while it is recorded\n"
		    "  ssh HOST perfctl record -a -e 'sched:*' -o - | perfctl script -i -\n",
	.opts = script_options,
	.opts_size = sizeof(struct script_opts),
	.defaults = &(const struct script_opts){ .fields = FIELD_DEFAULT },
	.run = script_run,
};
