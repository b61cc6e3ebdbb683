// SPDX-License-Identifier: GPL-2.0
/* perfctl trace: the system calls of a program as it makes them. */
#include "cmd/commands.h"
#include "event/engine.h"
#include "strace/measure.h"

#include <errno.h>

/* Bytes of data, as in strace; names are shown in full, up to a limit */
#define BYTES_DEFAULT 32

static const struct opt trace_options[] = {
	TARGET_OPTS(struct trace_opts, target, TARGET_COMMAND),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "Which calls" },
	{ 'e', OPT_STRING, "syscall", "NAME",
	  "only these system calls; names may be globs, or kinds of calls such as %file and "
	  "%network; several by commas; the kernel leaves the others out; a name with a colon is an "
	  "event, as record -e takes it: a probe, a tracepoint, a marker",
	  offsetof(struct trace_opts, calls) },
	{ 'z', OPT_FLAG, "failed", NULL, "only calls that fail",
	  offsetof(struct trace_opts, failed) },
	{ 0, OPT_TIME, "duration", "TIME", "only calls that take so long at least, e.g. 1ms",
	  offsetof(struct trace_opts, least) },
	TIMEOUT_OPT(struct trace_opts, span),
	{ 0, OPT_HEADING, .help = "Output" },
	{ 's', OPT_U64, "string-size", "N",
	  "bytes of data that are shown, of what a program "
	  "writes and reads (default: 32); names of files are shown in full, up to 256 bytes or N",
	  offsetof(struct trace_opts, bytes) },
	{ 0, OPT_FLAG, "strings", NULL,
	  "show what arguments point to (default); --no-strings "
	  "shows numbers, and costs the program less",
	  offsetof(struct trace_opts, strings) },
	{ 0, OPT_FLAG, "read-later", NULL,
	  "where the kernel does not copy what arguments point to (perf_event_open(2)), read it from "
	  "the program's memory when its call is shown, some ms later: the program may have changed "
	  "it by then, or run another one, so each of these has a mark: ~\"/etc/passwd\"",
	  offsetof(struct trace_opts, later) },
	{ 'y', OPT_FLAG, "paths", NULL, "show what descriptors are: 3</etc/passwd>",
	  offsetof(struct trace_opts, paths) },
	{ 0, OPT_FLAG, "signals", NULL, "show the signals that are delivered (default)",
	  offsetof(struct trace_opts, signals) },
	{ 0, OPT_FLAG, "names", NULL,
	  "show the names of arguments (default); --no-names shows "
	  "calls as strace does",
	  offsetof(struct trace_opts, names) },
	{ 'S', OPT_FLAG, "summary", NULL,
	  "no lines, but a table of calls, errors and times at the "
	  "end",
	  offsetof(struct trace_opts, summary) },
	{ 0, OPT_FLAG, "per-thread", NULL, "-S: a table for each thread",
	  offsetof(struct trace_opts, per_thread) },
	{ 0, OPT_FLAG, "histogram", NULL, "-S: how the times of each call are distributed, too",
	  offsetof(struct trace_opts, histogram) },
	{ 'j', OPT_FLAG, "json", NULL, "an object a line, with times in ns",
	  offsetof(struct trace_opts, json) },
	{ 'o', OPT_STRING, "output", "FILE", "write to a file (default: the error output)",
	  offsetof(struct trace_opts, output) },
	{ 'm', OPT_SIZE, "ring-size", "SIZE", "ring of each CPU (default: 16M)",
	  offsetof(struct trace_opts, ring) },
	{ 0 },
};

static int trace_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct trace_opts *o = opts;

	if ((o->per_thread || o->histogram) && !o->summary)
		return msg_set(m, -EINVAL, "%s belongs to the table that -S prints",
			       o->per_thread ? "--per-thread" : "--histogram");
	if (o->histogram && o->json)
		return msg_set(m, -EINVAL, "--histogram and -j exclude each other");
	if (o->later && (o->summary || !o->strings))
		return msg_set(m, -EINVAL,
			       "--read-later is for lines with strings, and %s has none",
			       o->summary ? "-S" : "--no-strings");
	if (o->paths && o->summary)
		return msg_set(m, -EINVAL, "-y is for lines, and -S prints none");
	return strace_measure(opts, n ? args : NULL, m);
}

const struct command command_trace = {
	.name = "trace",
	.operands = "[--] [COMMAND [ARG]...]",
	.summary = "show the system calls of a command or of what runs, live",
	.about = "Prints a line for each system call when it ends: when it began, the thread, the "
		 "call with its arguments as the kernel names them, the result and how long it "
		 "took. The program is not stopped, as a debugger would: strings and data that "
		 "arguments point to are copied by the kernel as they pass, and shown as numbers "
		 "where their memory was not there. Calls of 32-bit programs are named as such, by "
		 "their own table. Ends with the command, the processes or Ctrl-C; "
		 "exits with the command's status.",
	.examples =
		"  perfctl trace -- ls\n"
		"  perfctl trace -e 'open*,stat*' -z -- ./program   what it does not find\n"
		"  perfctl trace -S -p 1234                         a table, until Ctrl-C\n"
		"  perfctl trace -a -e connect,accept4              on the whole machine\n"
		"  perfctl trace -e 'openat,kprobe:vfs_read(count)' -- ls    with a probe between\n",
	.opts = trace_options,
	.runs_command = true,
	.opts_size = sizeof(struct trace_opts),
	.defaults = &(const struct trace_opts){ .bytes = BYTES_DEFAULT,
						.names = true,
						.strings = true,
						.signals = true },
	.run = trace_run,
};
