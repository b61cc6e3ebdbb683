// SPDX-License-Identifier: GPL-2.0
/* perfctl record: writes samples and events of a command or of what runs to a trace. */
#include "commands.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/sampling.h"
#include "event/set.h"
#include "record/measure.h"
#include "record/recorder.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_DIR   "pev.trace"
#define DEFAULT_HZ    999
/* of the stack, in each sample with -g dwarf; and what the rings are then */
#define STACK_DEFAULT 8192
#define STACK_RING    (8u << 20)
/* complete packets are on the disk after this at the latest */
#define DRAIN_MS      1000
#define PROGRESS_MS   500
#define SWITCH	      "sched:sched_switch"

struct record_opts {
	struct target_opts target;
	struct event_list events;
	uint64_t freq;
	uint64_t count;
	uint64_t ring_size;
	uint64_t max_stack;
	const char *output;
	uint32_t clock;
	bool graph;
	bool graph_typed;
	bool off_cpu;
	bool strings;
	uint32_t stack_user;
	bool overwrite;
	bool quiet;
};

struct record_run {
	struct record_opts opts;
	struct measure measure;
	struct event_plan plan;
	struct recorder recorder;
	struct strbuf command;
	struct timespec start;
	unsigned int snapshots;
	bool progress;
};

static bool is_graph_mode(const char *word)
{
	return !strcmp(word, "fp") || !strncmp(word, "dwarf", 5) || !strcmp(word, "lbr") ||
	       !strcmp(word, "no") || !strcmp(word, "none");
}

/* "dwarf" or "dwarf,16384": bytes of the stack */
static int set_dwarf(struct record_opts *o, const char *arg, struct msg *m)
{
	uint64_t bytes = STACK_DEFAULT;

	if (arg[5] && (arg[5] != ',' || parse_size(arg + 6, &bytes) || bytes < 64 ||
		       bytes > PEV_MAX_STACK_DUMP))
		return msg_set(m, -EINVAL, "-g dwarf,BYTES takes 64 to %u bytes of the stack, not "
			       "\"%s\"", PEV_MAX_STACK_DUMP, arg[5] ? arg + 6 : "");
	o->stack_user = (uint32_t)(bytes + 7) & ~7u;
	return 0;
}

static int set_graph(void *opts, const char *arg, struct msg *m)
{
	struct record_opts *o = opts;

	o->graph = o->graph_typed = true;
	o->stack_user = 0;
	if (!arg || !strcmp(arg, "fp"))
		return 0;
	if (!strncmp(arg, "dwarf", 5))
		return set_dwarf(o, arg, m);
	o->graph = false;
	if (!strcmp(arg, "no") || !strcmp(arg, "none"))
		return 0;
	return msg_set(m, -EINVAL, "call chains by \"%s\" are not available: \"fp\" (frame pointers), "
		       "\"dwarf\" (unwind tables) and \"no\" are", arg);
}

static int set_clock(void *opts, const char *arg, struct msg *m)
{
	struct record_opts *o = opts;

	if (!strcmp(arg, "monotonic") || !strcmp(arg, "mono"))
		o->clock = PEV_CLOCK_MONOTONIC;
	else if (!strcmp(arg, "cycles"))
		o->clock = PEV_CLOCK_CYCLES;
	else if (!strcmp(arg, "default"))
		o->clock = PEV_CLOCK_DEFAULT;
	else
		return msg_set(m, -EINVAL, "the clocks are default, monotonic and cycles, not "
			       "\"%s\"", arg);
	return 0;
}

static const struct opt record_options[] = {
	TARGET_OPTS(struct record_opts, target, TARGET_COMMAND),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to record" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "events; may be repeated (default: cycles, or "
	  "cpu-clock, a timer, where there is no PMU)",
	  offsetof(struct record_opts, events), event_list_option },
	{ 0, OPT_CALL, "filter", "EXPR",
	  "record only what fulfils EXPR, for the tracepoints "
	  "and markers of the -e before",
	  offsetof(struct record_opts, events), event_list_filter_option },
	{ 'F', OPT_U64, "freq", "HZ", "samples a second (default: 999)",
	  offsetof(struct record_opts, freq) },
	{ 'c', OPT_U64, "count", "N", "a sample for each N events, or each N ns of a clock",
	  offsetof(struct record_opts, count) },
	{ 'g', OPT_CALL, "call-graph", "HOW",
	  "record call chains: fp, by frame pointers (default); "
	  "dwarf[,BYTES], by unwind tables, from BYTES of the stack (8192); no",
	  0, set_graph, is_graph_mode },
	{ 0, OPT_FLAG, "off-cpu", NULL,
	  "what \"perfctl off-cpu\" reads: " SWITCH " on all CPUs "
	  "with call chains",
	  offsetof(struct record_opts, off_cpu) },
	{ 0, OPT_FLAG, "strings", NULL,
	  "with the events of system calls, what their arguments point "
	  "to: names, and what is written and read, up to 256 bytes of each",
	  offsetof(struct record_opts, strings) },
	{ 0, OPT_U64, "max-stack", "N",
	  "frames in a call chain, at most 127 each in the kernel "
	  "and in the program",
	  offsetof(struct record_opts, max_stack) },
	{ 0, OPT_HEADING, .help = "Where to" },
	{ 'o', OPT_STRING, "output", "DIR",
	  "directory of the trace (default: " DEFAULT_DIR "); "
	  "an older trace of that name becomes DIR.old",
	  offsetof(struct record_opts, output) },
	{ 'm', OPT_SIZE, "ring-size", "SIZE", "size of each CPU's ring, e.g. 4M (default: 1M)",
	  offsetof(struct record_opts, ring_size) },
	{ 0, OPT_FLAG, "overwrite", NULL,
	  "flight recorder: keep the newest data in memory; write "
	  "at the end, and at SIGUSR2 to DIR.1, DIR.2, ...",
	  offsetof(struct record_opts, overwrite) },
	{ 0, OPT_CALL, "clock", "CLOCK", "default, monotonic or cycles", 0, set_clock },
	{ 'q', OPT_FLAG, "quiet", NULL, "say nothing unless something goes wrong",
	  offsetof(struct record_opts, quiet) },
	{ 0 },
};

/* Return: was there an event that can have texts? */
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
		return msg_set(m, -EOPNOTSUPP, "--strings: this kernel does not copy what arguments "
			       "point to");
	if (!plan_texts(&r->plan))
		return msg_set(m, -EINVAL, "--strings is for system calls, e.g. "
			       "-e 'syscalls:sys_*_openat' or -e 'raw_syscalls:*'");
	return 0;
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void show_progress(const struct record_run *r)
{
	char bytes[32], lost[32];
	uint64_t n = recorder_lost(&r->recorder);

	fprintf(stderr, "\r[ recording %.1f s: %s", seconds_since(&r->start),
		text_bytes(bytes, recorder_bytes(&r->recorder)));
	if (n && !r->opts.overwrite)
		fprintf(stderr, ", %s lost", text_count(lost, n));
	fprintf(stderr, " ]\033[K");
}

static void clear_progress(const struct record_run *r)
{
	if (r->progress)
		fprintf(stderr, "\r\033[K");
}

static void snapshot(struct record_run *r)
{
	char *path;
	struct msg m;

	if (!r->opts.overwrite) {
		note("SIGUSR2 asks for a snapshot: only --overwrite has them");
		return;
	}
	path = xasprintf("%s.%u", r->opts.output, ++r->snapshots);
	if (recorder_snapshot(&r->recorder, path, &m))
		print_error("%s", m.text);
	else
		note("snapshot written to %s", path);
	free(path);
}

static int record_loop(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	int timeout = r->progress ? PROGRESS_MS : DRAIN_MS, fd = recorder_fd(&r->recorder), err = 0;
	unsigned int got = 0;

	do {
		got = wait_loop_wait(&r->measure.wait, fd, timeout);
		if (got & WAIT_SNAPSHOT)
			snapshot(r);
		if (got & WAIT_HUP)
			fd = -1; /* all targets have ended */
		if (!err && recorder_drain(&r->recorder) < 0) {
			err = r->recorder.failed;
			clear_progress(r);
			msg_set(m, err, "%s: %s: the recording ends here; what was written before "
				"can be read", r->opts.output, strerror(-err));
			pev_engine_disable(engine(), r->recorder.fd, 0);
			fd = -1;
			if (r->measure.argv)
				print_error("%s. Waiting for %s to end", m->text, r->measure.argv[0]);
			else
				return err;
		}
		if (r->progress && !err)
			show_progress(r);
	} while (measure_goes_on(&r->measure, got));
	clear_progress(r);
	return err;
}

static void add_value(struct pev_value *to, const struct pev_value *v)
{
	to->value += v->value;
	to->samples += v->samples;
	to->lost += v->lost;
	to->filtered += v->filtered;
}

static void summary_event(const char *label, const struct pev_value *v, bool filter)
{
	char a[32], b[32], c[32], safe[256];

	fprintf(stderr, "  %-40s %14s %12s %12s\n", text_safe(safe, sizeof(safe), label),
		text_count(a, v->samples), text_count(b, v->lost),
		filter ? text_count(c, v->filtered) : "-");
}

/* Where records were lost, and what helps. */
static void summary_losses(const struct record_run *r, const struct pev_value *total)
{
	char a[32], b[32];

	fprintf(stderr, "  lost on");
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->recorder.channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(r->recorder.channel, nr);

		if (!ring || !pev_ring_lost(ring))
			continue;
		if (pev_ring_cpu(ring) >= 0)
			fprintf(stderr, " CPU %d: ", pev_ring_cpu(ring));
		else
			fprintf(stderr, " ring %u: ", nr);
		fprintf(stderr, "%s", text_count(a, pev_ring_lost(ring)));
	}
	fprintf(stderr, "\n");
	note("%s of %s records were lost (%.2f %%), because they came faster than they could be "
	     "written: try a larger ring (-m %s), fewer events or a filter",
	     text_count(a, total->lost), text_count(b, total->lost + total->samples),
	     100.0 * (double)total->lost / (double)(total->lost + total->samples),
	     r->opts.ring_size > (1 << 24) ? "256M" : "16M");
}

static void summary(const struct record_run *r)
{
	const struct event_plan *plan = &r->plan;
	struct pev_value total = { 0 }, *v = xcalloc(plan->n, sizeof(*v));
	double seconds = seconds_since(&r->start);
	char a[32], b[32];
	struct msg m;

	if (event_set_read(&r->recorder.set, v, &m))
		print_error("%s", m.text);
	for (size_t i = 0; i < plan->n; i++)
		add_value(&total, &v[i]);
	if (r->opts.overwrite)
		total.lost = 0;
	fprintf(stderr, "[ %s: %s records, %s, %.2f s%s%s ]\n", r->opts.output,
		text_count(a, total.samples), text_bytes(b, recorder_bytes(&r->recorder)), seconds,
		r->opts.overwrite ? ", of which the newest were kept" : "",
		total.lost ? "" : ", nothing lost");
	if (plan->n > 1 || total.lost || total.filtered) {
		fprintf(stderr, "  %-40s %14s %12s %12s\n", "event", "records", "lost", "filtered");
		for (size_t i = 0; i < plan->n; i++)
			if (plan->n <= 20 || v[i].samples || v[i].lost)
				/* perf does not count what a filter refuses */
				summary_event(plan->events[i].label, &v[i],
					      plan->events[i].filter && engine_is_pev());
	}
	if (total.lost)
		summary_losses(r, &total);
	free(v);
}

static void note_throttled(const char *label, const struct pev_multiplexed *w)
{
	char a[32], b[32];

	note("%s: sampling was held up %s times, for %s in all, because samples came faster than the "
	     "kernel lets them: take a lower frequency (-F) or a longer period (-c)", label,
	     text_count(a, w->throttled), text_ns(b, w->throttled_ns));
}

/* What the samples of hardware events lack */
static void summary_hardware(const struct record_run *r)
{
	size_t ids = r->recorder.set.n_ids;
	struct pev_multiplexed *w = xcalloc(ids, sizeof(*w));

	for (size_t i = 0; ids && i < r->plan.n; i++) {
		const char *label = r->plan.events[i].label;

		if (event_set_read_windows(&r->recorder.set, i, w))
			continue;
		for (size_t k = 1; k < ids; k++) {
			w->throttled += w[k].throttled;
			w->throttled_ns += w[k].throttled_ns;
			w->time_enabled += w[k].time_enabled;
			w->time_running += w[k].time_running;
		}
		if (w->throttled)
			note_throttled(label, w);
		if (w->time_enabled > w->time_running + w->throttled_ns + w->time_enabled / 100)
			note("%s: was sampled for %.1f %% of the time; otherwise other events had the "
			     "counters (see \"perfctl pmu\")", label,
			     100.0 * (double)w->time_running / (double)w->time_enabled);
	}
	free(w);
}

static int record_open(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	struct recorder_config config = {
		.plan = &r->plan,
		.target = &r->measure.target,
		.path = r->opts.output,
		.ring_size = r->opts.ring_size,
		.ring_default = r->opts.stack_user ? STACK_RING : 0,
		.overwrite = r->opts.overwrite,
		.clock = r->opts.clock,
		.command = r->command.s ? r->command.s : "",
	};

	return recorder_open(&r->recorder, &config, m);
}

static int record_start(void *arg, struct msg *m)
{
	struct record_run *r = arg;
	int err = recorder_start(&r->recorder, m);

	if (!err)
		clock_gettime(CLOCK_MONOTONIC, &r->start);
	return err;
}

static int record_end(void *arg, int err, struct msg *m)
{
	struct record_run *r = arg;
	struct msg end_msg;
	int end_err = recorder_end(&r->recorder, &end_msg);

	if (end_err)
		*m = end_msg;
	event_plan_note_user_only(&r->plan);
	if (!r->opts.quiet)
		summary(r);
	summary_hardware(r);
	return err ? err : end_err;
}

static void record_close(void *arg)
{
	struct record_run *r = arg;

	recorder_close(&r->recorder);
}

static const struct measure_ops record_ops = {
	.open = record_open,
	.start = record_start,
	.run = record_loop,
	.end = record_end,
	.close = record_close,
};

/*
 * --off-cpu: who comes back to a processor does so in the record of who leaves it,
 * so that threads cannot be picked.
 */
static int add_off_cpu(struct record_opts *o, struct msg *m)
{
	const struct target_opts *t = &o->target;

	if (t->pids || t->tids || t->subtree || t->cpus || t->cgroup)
		return msg_set(m, -EINVAL, "--off-cpu records the whole machine: choose threads when "
			       "you read it (\"perfctl off-cpu --comm NAME\")");
	o->target.all = true;
	if (!o->graph_typed)
		o->graph = true;
	for (size_t i = 0; i < o->events.n; i++)
		if (o->events.specs[i].kind == SPEC_NAMED &&
		    !fnmatch(o->events.specs[i].name, SWITCH, 0))
			return 0;
	return event_list_parse(&o->events, SWITCH, m);
}

static int prepare(struct record_run *r, struct msg *m)
{
	struct sampling sampling;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (r->opts.freq && r->opts.count)
		return msg_set(m, -EINVAL, "-F and -c exclude each other");
	if (r->opts.off_cpu)
		err = add_off_cpu(&r->opts, m);
	if (!err && !r->opts.events.n)
		err = event_list_parse(&r->opts.events,
				       event_to_sample(&info, r->opts.quiet), m);
	if (!err)
		err = target_make(&r->measure.target, &r->opts.target, r->measure.argv, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_SAMPLE, m);
	if (!err && r->opts.strings)
		err = plan_strings(r, m);
	if (err)
		return err;
	sampling = (struct sampling){
		.freq = r->opts.freq ? r->opts.freq : DEFAULT_HZ,
		.count = r->opts.count,
		.chains = r->opts.graph,
		.max_stack = (uint32_t)r->opts.max_stack,
		.stack_user = r->opts.stack_user,
	};
	event_plan_sampling(&r->plan, &sampling);
	if (!r->opts.output)
		r->opts.output = DEFAULT_DIR;
	for (int i = 0; r->measure.argv && r->measure.argv[i]; i++)
		strbuf_addf(&r->command, "%s%s", i ? " " : "", r->measure.argv[i]);
	r->progress = !r->opts.quiet && isatty(2);
	return measure_init(&r->measure, m);
}

static int record_run(const void *opts, int n, char **args, struct msg *m)
{
	struct record_run r = { .opts = *(const struct record_opts *)opts,
				.recorder = { .fd = -1 } };
	int err;

	r.measure.argv = n ? args : NULL;
	err = prepare(&r, m);
	if (!err)
		err = measure_run(&r.measure, &record_ops, &r, m);
	strbuf_free(&r.command);
	event_plan_free(&r.plan);
	event_list_free(&r.opts.events);
	return measure_exit(&r.measure, err, m);
}

const struct command command_record = {
	.name = "record",
	.operands = "[--] [COMMAND [ARG]...]",
	.summary = "record samples and events of a command or of what runs",
	.about = "Writes samples and events of a command with all processes that it starts, of "
		 "processes that run, of CPUs or of a cgroup into a directory, until the command "
		 "ends, the processes end or Ctrl-C is pressed. The directory is a CTF 1.8 trace: "
		 "\"perfctl report\", \"perfctl script\" and babeltrace2 read it. Exits with the "
		 "command's status.",
	.examples =
		"  perfctl record -g -- ./program        samples with call chains\n"
		"  perfctl record -g dwarf -- ./program    of code without frame pointers\n"
		"  perfctl record -F 99 -ag -- sleep 10    the whole machine, for 10 seconds\n"
		"  perfctl record -c 100000 -e cache-misses -- ./program   where they happen\n"
		"  perfctl record -e sched:sched_switch --filter 'prev_prio < 100' -a\n"
		"  perfctl record --off-cpu -- ./program   where threads wait\n"
		"  perfctl record --overwrite -a -e 'sched:*'   kill -USR2 writes what was last\n",
	.opts = record_options,
	.runs_command = true,
	.opts_size = sizeof(struct record_opts),
	.run = record_run,
};
