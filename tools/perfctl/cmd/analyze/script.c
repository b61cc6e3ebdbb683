// SPDX-License-Identifier: GPL-2.0
/* perfctl script: all events of a recording as text, in order of time. */
#include "cmd/commands.h"
#include "base/say.h"
#include "base/text.h"
#include "session/session.h"
#include "profile/load.h"
#include "profile/rows.h"
#include "script/line.h"
#include "session/fetch.h"
#include "session/guest.h"
#include "session/use.h"
#include "views/handlers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

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
	struct script_line line;
	int64_t from;
	int64_t to;
	uint64_t printed;
};

static int set_fields(void *opts, const char *arg, struct msg *m)
{
	return script_fields(&((struct script_opts *)opts)->fields, arg, m);
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
	GUEST_KALLSYMS_OPT,
	GUEST_MOUNT_OPT,
	DEBUGINFOD_OPT,
	{ 0, OPT_HEADING, .help = "What to print" },
	{ 'F', OPT_CALL, "fields", "FIELD[,FIELD]",
	  "of comm, pid, tid, cpu, time (seconds since "
	  "the trace's begin), abstime (since 1970), event, request, exit (why the guest was left for which the host works), ip (with its function), fields, chain, "
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
	/* numbers show it where they have names; all of it is perfctl info's */
	if (cls->kind == SESSION_INVENTORY && !o->event)
		return false;
	return (!o->event || globs_match(o->event, ev->cls->name)) &&
	       (!o->comm ||
		globs_match(o->comm, machine_comm_name(&r->session.machine, t->comm))) &&
	       numbers_match(o->pids, t->pid) &&
	       numbers_match(o->tids, t->tid) &&
	       numbers_match(o->cpus, ev->cpu);
}

static void print_event(struct script_run *r, const struct pev_event *ev, const struct thread *t,
			int64_t ns)
{
	script_line_make(&r->line, session_unwind(&r->session, NULL, ev), t, ns);
	fwrite(r->line.text.s, 1, r->line.text.len, stdout);
	r->printed++;
}

static int set_times(struct script_run *r, struct msg *m)
{
	r->line.begin = pev_trace_begin_ns(r->session.trace);
	return load_parse_time(r->opts.time, r->line.begin, &r->from, &r->to, m);
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
	if (!err)
		err = session_seek(&r->session, r->from, m);
	if (err)
		return err;
	/* lines on a terminal are progress enough */
	if (!isatty(STDOUT_FILENO) && !r->session.follow.on)
		session_progress(&r->session, "reading");
	while ((err = session_next(&r->session, &ev, &cls, m)) > 0) {
		const struct thread *t = session_thread(&r->session, ev);
		int64_t ns = pev_event_ns(ev);

		/* nothing was there when it began to be followed */
		if (!r->line.begin) {
			err = set_times(r, m);
			if (err)
				return err;
		}
		if (ns > r->to)
			break;
		if (wanted(r, ev, cls, t, ns))
			print_event(r, ev, t, ns);
		script_line_seen(&r->line, ev, cls, t);
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
	r->line.begin = pev_trace_begin_ns(t);
	err = load_parse_time(o->time, r->line.begin, &r->from, &r->to, m);
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

	if (session_given_twice(n, args, r.opts.input, m))
		return -EINVAL;
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	err = open_session(&r, n ? args[0] : r.opts.input, m);
	if (!err)
		err = session_vmlinux(&r.session, r.opts.vmlinux, m);
	if (!err)
		script_line_init(&r.line, &r.session, r.opts.fields, r.opts.inlined, !r.opts.time);
	if (!err && r.opts.handlers)
		err = script_handlers(&r, m);
	else if (!err)
		err = script_trace(&r, m);
	fflush(stdout);
	if (!err)
		session_note_damage(&r.session);
	script_line_free(&r.line);
	session_close(&r.session);
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
	.defaults = &(const struct script_opts){ .fields = SCRIPT_DEFAULT },
	.run = script_run,
};
