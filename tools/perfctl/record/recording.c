// SPDX-License-Identifier: GPL-2.0
/* From the options of perfctl record to the end of the recording. See recording.h. */
#include "recording.h"
#include "control.h"
#include "measure.h"
#include "options.h"
#include "recorder.h"
#include "snapshot.h"
#include "summary.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/plan.h"
#include "event/sampling.h"
#include "relay/url.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_HZ 999
/* Samples that hold a piece of the stack need larger rings */
#define STACK_RING (8u << 20)
#define FLUSH_NS 1000000000ull
/* Complete packets are on the disk after this at the latest */
#define DRAIN_MS 500
#define PROGRESS_MS 500

/**
 * struct record_run - a recording from its options to its end
 * @relay:   where it goes to; without a host: elsewhere
 * @pipe:    the same, 0: into a directory
 * @sampling: what its events have
 * @stopped: by a command
 */
struct record_run {
	struct record_opts opts;
	struct measure measure;
	struct event_plan plan;
	struct recorder recorder;
	struct parts parts;
	struct control control;
	struct sampling sampling;
	bool stopped;
	struct strbuf command;
	struct relay_url relay;
	int pipe;
	struct timespec start;
	struct timespec part_start;
	unsigned int snapshots;
	bool progress;
};

/* Asks for the strings of system calls; false if none is recorded. */
static bool plan_texts(struct event_plan *plan)
{
	bool some = false;

	for (size_t i = 0; i < plan->n; i++) {
		struct planned_event *e = &plan->events[i];

		if (e->attr.type != PEV_TYPE_TRACEPOINT ||
		    (strncmp(e->name, "syscalls:", 9) && strncmp(e->name, "raw_syscalls:", 13)))
			continue;
		e->attr.flags |= PEV_F_TEXT;
		some = true;
	}
	return some;
}

static int plan_strings(struct record_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!(info.event_flags & PEV_F_TEXT))
		return msg_set(m, -EOPNOTSUPP,
			       "--strings: this kernel does not copy what arguments "
			       "point to");
	if (!plan_texts(&r->plan))
		return msg_set(m, -EINVAL,
			       "--strings is for system calls, e.g. "
			       "-e 'syscalls:sys_*_openat' or -e 'raw_syscalls:*'");
	return 0;
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void clear_progress(const struct record_run *r)
{
	if (r->progress)
		summary_progress_clear();
}

static int snapshot(struct record_run *r, struct msg *m)
{
	char *path;
	int err;

	if (!r->opts.overwrite)
		return msg_set(m, -EINVAL,
			       "only --overwrite has snapshots; --switch-output has parts");
	path = xasprintf("%s.%u", r->opts.output, ++r->snapshots);
	err = recorder_snapshot(&r->recorder, path, m);
	if (!err)
		note("snapshot written to %s", path);
	free(path);
	return err;
}

/* The next part begins, and what the limits leave no room for goes. */
static int next_part(struct record_run *r, struct msg *m)
{
	uint64_t before = r->recorder.bytes;
	char *name = r->parts.path;
	int err = recorder_switch(&r->recorder, parts_next(&r->parts), m);

	if (err)
		return err;
	clear_progress(r);
	if (!r->opts.quiet)
		summary_part(name, r->recorder.bytes - before, seconds_since(&r->part_start));
	clock_gettime(CLOCK_MONOTONIC, &r->part_start);
	return wait_loop_alarm(&r->measure.wait, WAIT_PART, r->opts.parts.ns, m);
}

static int look_at_parts(struct record_run *r, unsigned int got, struct msg *m)
{
	uint64_t bytes = recorder_bytes(&r->recorder) - r->recorder.bytes;
	int err = 0;

	if (got & (WAIT_PART | WAIT_SNAPSHOT) || parts_full(&r->parts, bytes)) {
		err = next_part(r, m);
		bytes = 0;
	}
	if (!err && parts_over(&r->parts, bytes)) {
		err = switch_finish(&r->recorder);
		if (err)
			return recorder_write_failed(&r->recorder, err, m);
		parts_trim(&r->parts, bytes);
	}
	return err;
}

/* Is there as much as --max-size allows for one recording? */
static bool is_enough(const struct record_run *r)
{
	char size[32];

	if (r->opts.parts.on || !r->opts.parts.max_size ||
	    recorder_bytes(&r->recorder) < r->opts.parts.max_size)
		return false;
	clear_progress(r);
	note("%s has %s: the recording ends, as --max-size says", r->recorder.config.path,
	     text_bytes(size, recorder_bytes(&r->recorder)));
	return true;
}

static int record_start(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	int err = r->opts.paused ? 0 : recorder_start(&r->recorder, m);

	if (err)
		return err;
	for (size_t i = 0; i < r->plan.n; i++)
		r->plan.events[i].on = !r->opts.paused;
	clock_gettime(CLOCK_MONOTONIC, &r->start);
	r->part_start = r->start;
	return wait_loop_alarm(&r->measure.wait, WAIT_PART, r->opts.parts.ns, m);
}

/* Moves what there is to the disk; once that fails, nothing is recorded any more. */
static int drain(struct record_run *r, unsigned int got, struct msg *m)
{
	int err = 0;

	if (recorder_drain(&r->recorder) < 0) {
		err = r->recorder.failed;
		msg_set(m, err,
			"%s: %s: the recording ends here; what was written before "
			"can be read",
			r->recorder.config.path, recorder_strerror(err));
	} else if (r->opts.parts.on) {
		err = look_at_parts(r, got, m);
	}
	if (err) {
		r->recorder.failed = err;
		clear_progress(r);
		pev_engine_disable(engine(), r->recorder.fd, 0);
	}
	return err;
}

static int control_enable(void *arg, const char *event, bool on, struct msg *m)
{
	struct record_run *r = arg;
	size_t found = 0;
	int err = 0;

	for (size_t i = 0; i < r->plan.n && !err; i++) {
		const char *label = r->plan.events[i].label;

		if (event && strcmp(label, event) && fnmatch(event, label, 0))
			continue;
		found++;
		err = event_set_enable_one(&r->recorder.set, i, on, m);
		if (!err)
			r->plan.events[i].on = on;
	}
	if (!found)
		return msg_set(m, -ENOENT, "no event is called %s: evlist has their names", event);
	return err;
}

static int control_snapshot(void *arg, struct msg *m)
{
	struct record_run *r = arg;

	return r->opts.parts.on ? drain(r, WAIT_SNAPSHOT, m) : snapshot(r, m);
}

static int control_stop(void *arg, struct msg *m)
{
	struct record_run *r = arg;

	(void)m;
	r->stopped = true;
	return 0;
}

static void control_list(void *arg, struct strbuf *out)
{
	const struct record_run *r = arg;

	for (size_t i = 0; i < r->plan.n; i++)
		strbuf_addf(out, "%s %s\n", r->plan.events[i].label,
			    r->plan.events[i].on ? "on" : "off");
}

static const struct control_ops control_ops = {
	.enable = control_enable,
	.snapshot = control_snapshot,
	.stop = control_stop,
	.list = control_list,
};

/*
 * What froze the rings is written, and they go on; what stopped them for good ends the recording.
 * Returns WAIT_* bits, or -errno.
 */
static int take_triggers(struct record_run *r, struct msg *m)
{
	int state = triggers_state(r->recorder.fd, m), err = 0;

	if (state > 0 && (unsigned int)state & PEV_STATE_FROZEN) {
		if (snapshot(r, m))
			print_error("%s", m->text);
		err = triggers_thaw(r->recorder.fd, m);
	}
	if (state < 0 || err)
		return state < 0 ? state : err;
	if (!((unsigned int)state & PEV_STATE_STOPPED) || r->opts.triggers.flags & PEV_F_START)
		return 0;
	clear_progress(r);
	note("the recording ends, as --stop-on says");
	return WAIT_TIME;
}

/* Returns WAIT_* bits for what was asked for. */
static unsigned int take_commands(struct record_run *r)
{
	control_read(&r->control, &control_ops, r);
	r->measure.wait.control = r->control.in < 0 ? 0 : r->control.in;
	return r->stopped ? WAIT_TIME : 0;
}

static int record_loop(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	int timeout = r->progress ? PROGRESS_MS : DRAIN_MS, fd = recorder_fd(&r->recorder), err = 0;
	int half = (int)(r->recorder.config.flush / 2000000);
	unsigned int got = 0;

	timeout = timeout < half ? timeout : half;

	r->measure.wait.control = r->opts.control ? r->control.in : 0;
	r->measure.wait.channel = r->opts.triggers.flags ? r->recorder.fd : 0;
	if (r->recorder.marks.user)
		timeout = USER_MARKS_MS;
	do {
		got = wait_loop_wait(&r->measure.wait, fd, timeout);
		r->recorder.ending |= !!(got & WAIT_STOP);
		if (got & WAIT_SNAPSHOT && !r->opts.parts.on && snapshot(r, m))
			print_error("%s", m->text);
		if (got & WAIT_TRIGGER) {
			int more = take_triggers(r, m);

			if (more < 0)
				return more;
			got |= (unsigned int)more;
		}
		if (got & WAIT_BEGIN)
			err = record_start(r, m);
		if (got & WAIT_BEGIN && !err)
			err = measure_begins(&r->measure, m);
		if (!err)
			err = drain(r, got, m);
		if (err && fd >= 0 && r->measure.argv)
			print_error("%s. Waiting for %s to end", m->text, r->measure.argv[0]);
		if (err && !r->measure.argv)
			return err;
		if (err)
			fd = -1;
		if (got & WAIT_CONTROL)
			got |= take_commands(r);
		if (!err && is_enough(r))
			got |= WAIT_TIME;
		if (r->progress && !err)
			summary_progress(&r->recorder, seconds_since(&r->start));
	} while (measure_goes_on(&r->measure, got));
	clear_progress(r);
	return err;
}

static int record_open(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	struct recorder_config config = {
		.plan = &r->plan,
		.target = &r->measure.target,
		.events = &r->opts.events,
		.sampling = &r->sampling,
		.channel = r->opts.channel,
		.path = r->pipe ? "the standard output" : r->opts.output,
		.pipe = r->pipe,
		.relay = r->relay.host ? &r->relay : NULL,
		.ring_size = r->opts.ring_size,
		.ring_default = r->opts.stack_user ? STACK_RING : 0,
		.flush = r->opts.flush ? r->opts.flush : FLUSH_NS,
		.compress = r->opts.compress,
		.level = r->opts.level,
		/* zstd finds the same chains itself, and names of them make what it writes larger */
		.intern = !r->opts.no_intern && !r->opts.compress && !r->opts.fold,
		.writers = (unsigned int)r->opts.writers,
		.overwrite = r->opts.overwrite,
		.crash = r->opts.crash,
		.panic = r->opts.panic,
		.stopped = r->opts.triggers.flags & PEV_F_START,
		.waits = r->opts.waits,
		.fold = r->opts.fold,
		.state = !r->opts.no_state && !r->opts.fold,
		.max_stack = (uint32_t)r->opts.max_stack,
		.pairs = r->opts.latency ? &r->opts.pairs : NULL,
		.later = r->opts.span.delay != 0 || r->opts.paused,
		.clock = r->opts.clock,
		.command = r->command.s ? r->command.s : "",
		.command_pid = r->measure.workload.pid,
	};

	if (r->opts.parts.on) {
		int err = parts_open(&r->parts, r->opts.output, &r->opts.parts, m);

		if (err)
			return err;
		config.path = parts_next(&r->parts);
	}
	return recorder_open(&r->recorder, &config, m);
}

/* Did the command, or the last one of a shell that it is, end as --snapshot-on-exit says? */
static bool is_kept(const struct record_run *r)
{
	int status = workload_status(&r->measure.workload), sig = status - 128;

	if (!r->opts.on_exit)
		return true;
	if (r->measure.workload.ended && sig > 0 && sig < 64 && r->opts.on_exit >> sig & 1)
		return true;
	if (!r->opts.quiet)
		fprintf(stderr, "[ nothing is written: %s ended with status %d ]\n",
			r->measure.argv[0], status);
	return false;
}

static int record_end(void *arg, int err, struct msg *m)
{
	struct record_run *r = arg;
	struct msg end_msg;
	int end_err;
	char *all;

	/* the trigger may have been the command's last act */
	if (!err && r->opts.triggers.flags & PEV_F_FREEZE && take_triggers(r, m) < 0)
		print_error("%s", m->text);
	if (!is_kept(r))
		return err;
	end_err = recorder_end(&r->recorder, &end_msg);
	all = parts_text(&r->parts);
	if (end_err)
		*m = end_msg;
	event_plan_note_user_only(&r->plan);
	if (all)
		r->recorder.config.path = all;
	if (!r->opts.quiet && r->opts.channel)
		summary_channel(&r->recorder, seconds_since(&r->start));
	else if (!r->opts.quiet)
		summary_records(&r->recorder, seconds_since(&r->start));
	if (!r->opts.quiet && r->opts.triggers.flags)
		triggers_summary(&r->recorder.set);
	summary_hardware(&r->recorder);
	free(all);
	return end_err ? end_err : err;
}

static void record_close(void *arg)
{
	struct record_run *r = arg;

	recorder_close(&r->recorder);
	parts_close(&r->parts);
}

static const struct measure_ops record_ops = {
	.open = record_open,
	.start = record_start,
	.run = record_loop,
	.end = record_end,
	.close = record_close,
};

/* The recording gets the standard output for itself; the command writes where errors go. */
static int take_stdout(struct record_run *r, struct msg *m)
{
	if (r->opts.overwrite)
		return msg_set(m, -EINVAL,
			       "--overwrite makes a recording at each SIGUSR2, for which "
			       "a pipe has no place: name a directory with -o");
	if (isatty(STDOUT_FILENO))
		return msg_set(m, -EINVAL,
			       "-o - writes a recording that no terminal can show: "
			       "let a command read it (| perfctl script -i -)");
	r->pipe = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (r->pipe < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return msg_set(m, -EIO, "the standard output: %s", strerror(errno));
	return 0;
}

static int take_relay(struct record_run *r, struct msg *m)
{
	char hostname[256] = "";

	if (r->opts.overwrite)
		return msg_set(
			m, -EINVAL,
			"--overwrite makes a recording at each SIGUSR2, for which a relay has "
			"no place: name a directory with -o");
	gethostname(hostname, sizeof(hostname) - 1);
	return relay_url_parse(&r->relay, r->opts.output, hostname, getpid(), m);
}

/* Streams of marks belong to one recording, from its begin to its end. */
static int check_marks(const struct record_run *r, struct msg *m)
{
	for (size_t i = 0; r->opts.parts.on && i < r->plan.n; i++)
		if (user_marks_are(&r->plan.events[i]))
			return msg_set(m, -EINVAL,
				       "--switch-output does not go together with the marks of "
				       "programs (%s)", r->plan.events[i].name);
	return 0;
}

/* The option by which records are added up on the way, or NULL */
static const char *adding_up(const struct record_opts *opts)
{
	if (opts->fold)
		return "--fold";
	return opts->latency ? "--latency" : NULL;
}

static int take_output(struct record_run *r, struct msg *m)
{
	if (!strcmp(r->opts.output, "-"))
		return take_stdout(r, m);
	if (relay_url_is(r->opts.output))
		return take_relay(r, m);
	return 0;
}

static int check_options(struct record_run *r, const struct pev_info *info, struct msg *m)
{
	int err;

	if (r->opts.freq && r->opts.count)
		return msg_set(m, -EINVAL, "-F and -c exclude each other");
	err = record_options_check(&r->opts, r->measure.argv, m);
	if (!err)
		err = record_options_events(&r->opts, info, m);
	if (!err)
		err = triggers_check(&r->opts.triggers, info, r->opts.overwrite,
				     adding_up(&r->opts), m);
	return err;
}

static int make_plan(struct record_run *r, struct msg *m)
{
	int err = 0;

	/* a sample says by its event on which kind of core it was taken */
	r->opts.events.by_kind = true;
	if (!r->opts.channel)
		err = event_plan_make(&r->plan, &r->opts.events,
				      r->opts.count ? PLAN_SAMPLE : PLAN_RECORD, m);
	if (!err && r->opts.latency && r->plan.n != PAIR_EVENTS)
		err = msg_set(m, -EINVAL, "--latency takes two events, not %zu", r->plan.n);
	if (!err && r->opts.plan_waits)
		event_plan_waits(&r->plan, r->opts.waits_least);
	if (!err)
		err = check_marks(r, m);
	if (!err && r->opts.strings)
		err = plan_strings(r, m);
	return err;
}

static int make_sampling(struct record_run *r, const struct pev_info *info, struct msg *m)
{
	int err;

	r->sampling = (struct sampling){
		.freq = r->opts.freq,
		.usual_freq = DEFAULT_HZ,
		.count = r->opts.count,
		.chains = r->opts.graph,
		.max_stack = (uint32_t)r->opts.max_stack,
		.stack_user = r->opts.stack_user,
		.guests = r->opts.target.guests ||
			  (r->opts.exits && info->sample & PEV_SAMPLE_GUEST),
		.exits = r->opts.exits,
		.context = r->opts.context,
		.deferred = r->opts.deferred,
	};
	err = event_plan_deferred(&r->plan, &r->sampling, info, adding_up(&r->opts), m);
	if (!err)
		event_plan_sampling(&r->plan, &r->sampling);
	return err;
}

static int prepare(struct record_run *r, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (!err)
		err = take_output(r, m);
	if (!err)
		err = check_options(r, &info, m);
	if (err)
		return err;
	event_list_take(&r->opts.events, &r->opts.triggers.events);
	err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = make_plan(r, m);
	if (!err)
		err = make_sampling(r, &info, m);
	if (err)
		return err;
	for (int i = 0; r->measure.argv && r->measure.argv[i]; i++)
		strbuf_addf(&r->command, "%s%s", i ? " " : "", r->measure.argv[i]);
	r->progress = !r->opts.quiet && isatty(2);
	if (r->opts.control)
		err = control_open(&r->control, r->opts.control, m);
	return err ? err : measure_init(&r->measure, m);
}

int recording_measure(const struct record_opts *opts, char **argv, struct msg *m)
{
	struct record_run r = {
		.opts = *opts,
		.measure = { .argv = argv, .span = opts->span },
		.recorder = { .fd = -1 },
		.control = { .in = -1, .out = -1 },
	};
	int err = prepare(&r, m);

	if (!err)
		err = measure_run(&r.measure, &record_ops, &r, m);
	if (r.pipe > 0)
		close(r.pipe);
	control_close(&r.control);
	relay_url_free(&r.relay);
	strbuf_free(&r.command);
	event_plan_free(&r.plan);
	event_list_free(&r.opts.events);
	event_list_free(&r.opts.triggers.events);
	return measure_exit(&r.measure, err, m);
}
