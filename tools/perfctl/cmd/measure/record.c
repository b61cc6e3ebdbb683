// SPDX-License-Identifier: GPL-2.0
/* perfctl record: writes samples and events of a command or of running tasks to a trace. */
#include "cmd/commands.h"
#include "base/text.h"
#include "crash/take.h"
#include "event/engine.h"
#include "event/sampling.h"
#include "hist/latency.h"
#include "record/recording.h"
#include "relay/url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define DEFAULT_DIR   "pev.trace"
/* Bytes of the stack in each sample with -g dwarf */
#define STACK_DEFAULT 8192
/* Waits that take so long have a record, in ns */
#define WAITS_LEAST 1000000
/* Of each CPU, for what is kept of begins; others are counted without it */
#define PAIR_ROWS 1024

static bool is_graph_mode(const char *word)
{
	return !strcmp(word, "fp") || !strncmp(word, "dwarf", 5) || !strcmp(word, "lbr") ||
	       !strcmp(word, "no") || !strcmp(word, "none");
}

/* Parses "dwarf" or "dwarf,16384", the bytes of the stack. */
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
		       "\"dwarf\" (unwind tables) and \"none\" are", arg);
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

/* "SEGV,ABRT": with or without SIG, or as numbers; any */
static int set_exit(void *opts, const char *arg, struct msg *m)
{
	uint64_t *mask = &((struct record_opts *)opts)->on_exit, n;
	char *copy = xstrdup(arg), *save, *word;
	int err = 0;

	for (word = strtok_r(copy, ",", &save); word && !err; word = strtok_r(NULL, ",", &save)) {
		const char *name = word + (strncmp(word, "SIG", 3) ? 0 : 3);
		int sig = 1;

		while (sig < 64 && (!sigabbrev_np(sig) || strcmp(sigabbrev_np(sig), name)))
			sig++;
		if (!strcmp(word, "any"))
			*mask |= ~1ull;
		else if (sig < 64 || (!parse_u64(word, &n) && n && n < 64))
			*mask |= 1ull << (sig < 64 ? (uint64_t)sig : n);
		else
			err = msg_set(m, -EINVAL,
				      "--snapshot-on-exit: there is no signal \"%s\"; it "
				      "takes names such as SEGV,ABRT, or any",
				      word);
	}
	free(copy);
	return err;
}

static int set_start_on(void *opts, const char *arg, struct msg *m)
{
	return triggers_add(&((struct record_opts *)opts)->triggers, PEV_F_START, arg, m);
}

static int set_stop_on(void *opts, const char *arg, struct msg *m)
{
	return triggers_add(&((struct record_opts *)opts)->triggers, PEV_F_STOP, arg, m);
}

static int set_snapshot_on(void *opts, const char *arg, struct msg *m)
{
	return triggers_add(&((struct record_opts *)opts)->triggers, PEV_F_FREEZE, arg, m);
}

static int set_parts(void *opts, const char *arg, struct msg *m)
{
	return parts_parse(&((struct record_opts *)opts)->parts, arg, m);
}

static bool is_part_size(const char *word)
{
	uint64_t n;

	return !strcmp(word, "signal") || !parse_time(word, &n) || !parse_size(word, &n);
}

/* Levels of zstd: better ones from 1 on, faster ones from -1 down */
#define LEVEL_BEST 19
#define LEVEL_FASTEST (-100)

/* "no" is that of --no-compress. */
static bool is_level(const char *word)
{
	char *end;

	strtol(word, &end, 10);
	return !strcmp(word, "no") || (end != word && !*end);
}

static int set_level(void *opts, const char *arg, struct msg *m)
{
	struct record_opts *o = opts;
	char *end;
	long level = arg ? strtol(arg, &end, 10) : 0;

	o->compress = !arg || strcmp(arg, "no");
	o->level = 0;
	if (!arg || !o->compress)
		return 0;
	if (end == arg || *end || !level || level > LEVEL_BEST || level < LEVEL_FASTEST)
		return msg_set(m, -EINVAL,
			       "-z takes a level of zstd, 1 to %d, or -1 to %d for less time, not "
			       "\"%s\"",
			       LEVEL_BEST, LEVEL_FASTEST, arg);
	o->level = (int)level;
	return 0;
}

static bool is_time(const char *word)
{
	uint64_t ns;

	return !strcmp(word, "0") || !parse_time(word, &ns);
}

static int set_waits(void *opts, const char *arg, struct msg *m)
{
	struct record_opts *o = opts;

	o->waits = true;
	o->waits_least = WAITS_LEAST;
	if (arg && !strcmp(arg, "0"))
		o->waits_least = 0;
	else if (arg && parse_time(arg, &o->waits_least))
		return msg_set(m, -EINVAL, "--waits takes a time such as 1ms or 0, not \"%s\"",
			       arg);
	return 0;
}

static const struct opt record_options[] = {
	TARGET_OPTS(struct record_opts, target, TARGET_COMMAND),
	GUEST_OPT(struct record_opts, target),
	GUEST_ROOT_OPT(struct record_opts, target),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to record" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "events; may be repeated (default: cycles, or "
	  "cpu-clock, a timer, where there is no PMU)",
	  offsetof(struct record_opts, events), event_list_option },
	{ 0, OPT_CALL, "filter", "EXPR",
	  "record only what fulfils EXPR, for the events of the -e before: tracepoints, markers, "
	  "software events and timers",
	  offsetof(struct record_opts, events), event_list_filter_option },
	FREQ_OPT(struct record_opts, freq, "samples a second (default: 999)"),
	{ 'c', OPT_POSITIVE, "count", "N", "a sample for each N events, or each N ns of a clock",
	  offsetof(struct record_opts, count) },
	{ 'g', OPT_CALL, "call-graph", "HOW",
	  "record call chains: fp, by frame pointers (default); "
	  "dwarf[,BYTES], by unwind tables, from BYTES of the stack (8192); none",
	  0, set_graph, is_graph_mode },
	{ 0, OPT_FLAG, "deferred", NULL,
	  "take the program's part of call chains when the thread returns to it from the kernel, once "
	  "for all samples of one system call: smaller recordings, above all with -g dwarf",
	  offsetof(struct record_opts, deferred) },
	{ 0, OPT_FLAG, "off-cpu", NULL,
	  "what \"perfctl off-cpu\" reads: " RECORD_SWITCH " and " RECORD_WAKING " on all CPUs "
	  "with call chains",
	  offsetof(struct record_opts, off_cpu) },
	{ 0, OPT_CALL, "waits", "TIME",
	  "what threads wait for, and for how long, beside samples: a record for each wait of at "
	  "least TIME (1ms; 0: all), sums of the others; \"perfctl report\" and \"perfctl "
	  "off-cpu\" show them. Without pev in the kernel, by the scheduler's events on all CPUs, "
	  "or by the threads' own switches",
	  0, set_waits, is_time },
	{ 0, OPT_STRING, "latency", "A..B [by PAIR[,PAIR]] [with KEY[,KEY]]",
	  "the time from event A to event B: of the same thread, or with equal PAIRs: fields, or "
	  "pid, cpu or cgroup; A=B if they have other names in B. A record of B has it, and the "
	  "KEYs that A had",
	  offsetof(struct record_opts, latency) },
	{ 0, OPT_TIME, "min", "TIME",
	  "with --latency, a record only if it took so long; the others are counted",
	  offsetof(struct record_opts, least) },
	{ 0, OPT_POSITIVE, "open", "N",
	  "with --latency, pairs that may be open at a time (default: 16384)",
	  offsetof(struct record_opts, open) },
	{ 0, OPT_STRING, "channel", "NAME",
	  "what a part of the kernel writes to a channel of its own, and nothing else; \"perfctl "
	  "list client\" shows which there are",
	  offsetof(struct record_opts, channel) },
	{ 0, OPT_FLAG, "strings", NULL,
	  "with the events of system calls, what their arguments point "
	  "to: names, and what is written and read, up to 256 bytes of each",
	  offsetof(struct record_opts, strings) },
	{ 0, OPT_FLAG, "context", NULL,
	  "which request the thread works for, as programs say by pev_context_attach() or "
	  "OpenTelemetry's thread context; \"perfctl report --sort request\" shows it",
	  offsetof(struct record_opts, context) },
	{ 0, OPT_FLAG, "exits", NULL,
	  "of what the host does for a guest of KVM, why it was left; \"perfctl report --sort guest,exit\" "
	  "shows it",
	  offsetof(struct record_opts, exits) },
	{ 0, OPT_U64, "max-stack", "N",
	  "frames in a call chain, at most 127 each in the kernel "
	  "and in the program",
	  offsetof(struct record_opts, max_stack) },
	DELAY_OPT(struct record_opts, span),
	TIMEOUT_OPT(struct record_opts, span),
	{ 0, OPT_CALL, "start-on", "EVENT[ if EXPR]",
	  "record nothing before this event happens; may be repeated, as the next one", 0,
	  set_start_on },
	{ 0, OPT_CALL, "stop-on", "EVENT[ if EXPR]",
	  "record nothing behind this event: the recording ends, or with --start-on waits for that "
	  "again",
	  0, set_stop_on },
	{ 0, OPT_STRING, "control", "fifo:PATH[,PATH]",
	  "take commands from there, or from fd:N[,N]: enable and disable [EVENT], snapshot, evlist, ping, "
	  "stop; the second one gets the answers, \"ack\" or \"error: WHY\"",
	  offsetof(struct record_opts, control) },
	{ 0, OPT_FLAG, "paused", NULL, "begin with the command enable of --control",
	  offsetof(struct record_opts, paused) },
	{ 0, OPT_HEADING, .help = "Where to" },
	{ 'o', OPT_STRING, "output", "DIR",
	  "directory of the trace (default: " DEFAULT_DIR "); "
	  "an older trace of that name becomes DIR.old; -: the standard output, for a pipe; "
	  "net://HOST[:CONTROL-PORT:DATA-PORT][/SESSION]: lttng-relayd there, for live viewers",
	  offsetof(struct record_opts, output) },
	{ 'm', OPT_SIZE, "ring-size", "SIZE", "size of each CPU's ring, e.g. 4M (default: 1M)",
	  offsetof(struct record_opts, ring_size) },
	{ 'z', OPT_CALL, "compress", "LEVEL",
	  "compress by zstd, each packet alone: 1 (default) to 19, or -1 to -100, which takes less time; "
	  "babeltrace2 reads it after \"perfctl cut\" or \"zstd -d\"",
	  0, set_level, is_level },
	{ 0, OPT_FLAG, "no-intern", NULL,
	  "write a call chain with each record that has it, not once a packet: for programs other than "
	  "perfctl that read chains",
	  offsetof(struct record_opts, no_intern) },
	{ 0, OPT_POSITIVE, "writers", "N",
	  "threads that write, each the rings of some CPUs (default: 1): where one is busy all the time, "
	  "as with -z and many CPUs",
	  offsetof(struct record_opts, writers) },
	{ 0, OPT_TIME, "flush", "TIME",
	  "what is older than TIME is on the disk, and live readers see it after twice the time at "
	  "most, from idle CPUs, too (default: 1s)",
	  offsetof(struct record_opts, flush) },
	{ 0, OPT_FLAG, "overwrite", NULL,
	  "flight recorder: keep the newest data in memory; write "
	  "at the end, and at SIGUSR2 to DIR.1, DIR.2, ...",
	  offsetof(struct record_opts, overwrite) },
	{ 0, OPT_FLAG, "crash", NULL,
	  "as --overwrite, in memory that outlives a crash or a reset: what was last is "
	  "there after the reboot. The kernel was booted with reserve_mem=SIZE:4096:pev",
	  offsetof(struct record_opts, crash) },
	{ 0, OPT_FLAG, "panic", NULL,
	  "with --overwrite: if the kernel panics it prints the last records to the console, as "
	  "many as kernel.pev_panic_records says; those of --crash it prints without this",
	  offsetof(struct record_opts, panic) },
	{ 0, OPT_FLAG, "from-crash", NULL,
	  "write what --crash had when the machine went down, and record nothing; then the memory "
	  "is free again",
	  offsetof(struct record_opts, from_crash) },
	{ 0, OPT_FLAG, "drop-crash", NULL, "drop that, and record nothing",
	  offsetof(struct record_opts, drop_crash) },
	{ 0, OPT_CALL, "snapshot-on", "EVENT[ if EXPR]",
	  "with --overwrite, write DIR.1, DIR.2, ... when this event happens: what led to it is kept "
	  "until it is written; may be repeated",
	  0, set_snapshot_on },
	{ 0, OPT_CALL, "snapshot-on-exit", "SIGNAL[,SIGNAL]",
	  "with --overwrite, write at the end only if the command was ended by one of these signals: "
	  "SEGV,ABRT; any",
	  0, set_exit },
	{ 0, OPT_CALL, "switch-output", "WHEN",
	  "write parts, DIR.1, DIR.2, ...: another one at SIGUSR2, and each time that one has this size "
	  "(100M) or time (1h)",
	  0, set_parts, is_part_size },
	{ 0, OPT_POSITIVE, "max-files", "N", "keep N parts; older ones are removed",
	  offsetof(struct record_opts, parts.max_files) },
	{ 0, OPT_SIZE, "max-size", "SIZE",
	  "end when the recording has this size; of parts, the oldest are removed instead",
	  offsetof(struct record_opts, parts.max_size) },
	{ 0, OPT_CALL, "clock", "CLOCK", "default, monotonic or cycles", 0, set_clock },
	{ 0, OPT_FLAG, "fold", NULL,
	  "count samples by their call chains, and write down how often each came: "
	  "for hours and days, with -F 99",
	  offsetof(struct record_opts, fold) },
	{ 0, OPT_FLAG, "no-state", NULL,
	  "leave out what the machine has at the begin: CPUs, interrupts, network interfaces, disks, "
	  "mounts, cgroups, modules, and what the processes have open, by which other machines "
	  "understand numbers",
	  offsetof(struct record_opts, no_state) },
	{ 'q', OPT_FLAG, "quiet", NULL, "say nothing unless something goes wrong",
	  offsetof(struct record_opts, quiet) },
	{ 0 },
};

/* Rows have one key, which is the same in all of them, and what is kept of the begin. */
static int choose_pairs(struct record_opts *o, struct msg *m)
{
	int err;

	if (!o->latency)
		return o->least ? msg_set(m, -EINVAL, "--min is the least time of --latency") : 0;
	if (o->events.n)
		return msg_set(m, -EINVAL, "--latency names its events: -e goes without it");
	if (o->open < PEV_MIN_TABLE_OPEN || o->open > PEV_MAX_TABLE_OPEN)
		return msg_set(m, -EINVAL, "--open takes %d to %d, not %" PRIu64,
			       PEV_MIN_TABLE_OPEN, PEV_MAX_TABLE_OPEN, o->open);
	o->pairs = (struct pev_table){ .rows = PAIR_ROWS,
				       .open = (uint32_t)o->open,
				       .least = o->least };
	err = hist_latency_parse(&o->pairs, &o->events, o->latency, m);
	o->pairs.keys[0] = (struct pev_table_key){ .from = PEV_TABLE_EVENT };
	return err;
}

/* What the channel's owner has chosen, or what needs events of one's own; NULL: nothing */
static const char *other_option(const struct record_opts *o)
{
	const struct target_opts *t = &o->target;

	return o->events.n				     ? "-e" :
	       o->off_cpu				     ? "--off-cpu" :
	       o->waits					     ? "--waits" :
	       o->latency				     ? "--latency" :
	       o->fold					     ? "--fold" :
	       o->triggers.events.n			     ? "an event that starts or stops it" :
	       o->strings				     ? "--strings" :
	       o->context				     ? "--context" :
	       o->exits					     ? "--exits" :
	       o->deferred				     ? "--deferred" :
	       o->graph_typed || o->max_stack		     ? "-g" :
	       o->freq					     ? "-F" :
	       o->count					     ? "-c" :
	       o->ring_size				     ? "-m" :
	       o->clock					     ? "--clock" :
	       o->crash					     ? "--crash" :
	       o->overwrite				     ? "--overwrite" :
	       o->panic					     ? "--panic" :
	       o->parts.on				     ? "--switch-output" :
	       o->control				     ? "--control" :
	       o->span.delay				     ? "--delay" :
	       relay_url_is(o->output)			     ? "-o net://" :
	       t->pids || t->tids || t->subtree || t->guests ? "a process" :
	       t->cpus					     ? "-C" :
	       t->cgroup				     ? "-G" :
							       NULL;
}

static int choose_channel(struct record_opts *o, struct msg *m)
{
	const char *other = o->channel ? other_option(o) : NULL;

	if (other)
		return msg_set(m, -EINVAL,
			       "--channel records what a part of the kernel writes, as it is: %s "
			       "has no place there; leave one of them out",
			       other);
	/* whatever there is in the channel */
	o->target.all |= o->channel != NULL;
	return 0;
}

static bool chooses_target(const struct target_opts *t)
{
	return t->all || t->pids || t->tids || t->subtree || t->guests || t->cpus || t->cgroup;
}

/* What is there was recorded, whatever is asked for now. */
static int record_from_crash(const struct record_opts *o, bool command, struct msg *m)
{
	const char *option = o->from_crash ? "--from-crash" : "--drop-crash";
	const char *other = other_option(o);

	if (!other)
		other = command				    ? "a command" :
			chooses_target(&o->target)	    ? "-a" :
			o->channel			    ? "--channel" :
			o->compress			    ? "-z" :
			o->from_crash && o->drop_crash	    ? "--drop-crash" :
			o->from_crash && !strcmp(o->output, "-") ? "-o -" :
							      NULL;
	if (other)
		return msg_set(m, -EINVAL, "%s records nothing new: leave %s out", option, other);
	return o->from_crash ? crash_take(o->output, o->quiet, m) : crash_drop(o->quiet, m);
}

static int record_run(const void *opts, int n, char **args, struct msg *m)
{
	struct record_opts own = *(const struct record_opts *)opts;
	int err;

	if (own.from_crash || own.drop_crash)
		return record_from_crash(&own, n, m);
	own.overwrite |= own.crash;
	err = choose_channel(&own, m);
	if (!err)
		err = choose_pairs(&own, m);
	return err ? err : recording_measure(&own, n ? args : NULL, m);
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
		"  perfctl record --fold -F 99 -a    for days: call chains are counted, not written\n"
		"  perfctl record -c 100000 -e cache-misses -- ./program   where they happen\n"
		"  perfctl record -e sched:sched_switch --filter 'prev_prio < 100' -a\n"
		"  perfctl record --guest qemu-system-x86   what a virtual machine does\n"
		"  perfctl record --waits -- ./program   where it ran, and what it waited for\n"
		"  perfctl record --off-cpu -- ./program   where threads wait\n"
		"  perfctl record --channel my_driver   what a driver writes to its own channel\n"
		"  perfctl record --latency syscalls:sys_enter_fsync..sys_exit_fsync --min 10ms -a\n"
		"  ssh HOST perfctl record -o - -a --timeout 10 | perfctl report -i -\n"
		"  perfctl record -a -e 'sched:*' -o net://HOST/web   babeltrace2 shows it live\n"
		"  perfctl record -a --switch-output=1h --max-size 20G   for weeks\n"
		"  perfctl record --overwrite -a -e 'sched:*'   kill -USR2 writes what was last\n"
		"  perfctl record --overwrite -a --snapshot-on 'signal:signal_generate if sig == 11'\n"
		"  perfctl record --crash -a -e 'sched:*'   what was last before a crash ...\n"
		"  perfctl record --from-crash -o last.trace    ... after the reboot\n",
	.opts = record_options,
	.runs_command = true,
	.opts_size = sizeof(struct record_opts),
	.defaults = &(const struct record_opts){ .output = DEFAULT_DIR, .open = HIST_OPEN },
	.run = record_run,
};
