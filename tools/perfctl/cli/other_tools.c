// SPDX-License-Identifier: GPL-2.0
/* What people type who come from other tools. See other_tools.h. */
#include "other_tools.h"
#include "base/text.h"

#include <stdlib.h>

#define NO_MEMORY "memory accesses are not sampled here (PEBS, IBS); \"perfctl list cache\" has counters"

/* clang-format off */
static const struct other_tool others[] = {
	{ "perf", NULL, "sched record", "\"perfctl record --waits=0 -- COMMAND\"" },
	{ "perf", NULL, "sched map", "\"perfctl timeline\" draws it, of the same recordings as "
	  "\"perfctl sched\"" },
	{ "perf", NULL, "lock record", "\"perfctl record --waits=0 -g dwarf -- COMMAND\"" },
	{ "perf", NULL, "timechart", "\"perfctl timeline\", or \"perfctl report --html FILE\"" },
	{ "perf", NULL, "c2c", NO_MEMORY },
	{ "perf", NULL, "mem", NO_MEMORY },
	{ "perf", NULL, "probe", "nothing is to be set up: \"perfctl record -e kprobe:FUNCTION\", or "
	  "-e uprobe:FILE:FUNCTION, or for the probes of sys/sdt.h -e 'usdt:FILE:*'" },
	{ "perf", NULL, "kvm", "\"perfctl guest exits\" (kvm stat), and record, top, stat with --guest; :G and :H behind "
	  "an event of the processor, or a clock, count guests and the host alone; \"perfctl guest "
	  "grant\" lends a guest the host's counters" },
	{ "perf", NULL, "kmem", "\"perfctl record -ag -e 'kmem:*'\", then \"perfctl report\"" },
	{ "perf", NULL, "kwork", "\"perfctl record -a -e 'irq:*' -e 'workqueue:*'\", then \"perfctl "
	  "script\"" },
	{ "perf", NULL, "ftrace", "\"perfctl record -a -e 'function:tcp_*'\" on a kernel with pev, "
	  "then \"perfctl script\"" },
	{ "perf", NULL, "inject", "nothing is needed: build ids and the code of JITs are found when a "
	  "recording is read" },
	{ "perf", NULL, "data", "\"perfctl export\"; a recording is a CTF trace already" },
	{ "perf", NULL, "evlist", "\"perfctl info\"" },
	{ "perf", NULL, "buildid-list", "\"perfctl script -e pev:mmap\" shows each object with its build "
	  "id" },
	{ "perf", NULL, "buildid-cache", "files are found by build id, in the usual places, below "
	  "--symfs DIR and at DEBUGINFOD_URLS; \"perfctl help symbols\" says more" },
	{ "perf", NULL, "config", "\"perfctl help config\"" },
	{ "perf", NULL, "bench", "perfctl has no benchmarks; \"perfctl stat -r 10 -- COMMAND\" measures "
	  "one of yours" },
	{ "perf", NULL, "test", "\"perfctl doctor --self-test\"" },
	{ "perf", NULL, "daemon", "\"perfctl record --overwrite -a\" is a flight recorder: kill -USR2 "
	  "writes what was last" },

	{ "perf", "stat", "-B", "numbers always have separators; -x and -j never", true },
	{ "perf", "stat", "--no-aggr", "-A" },
	{ "perf", "stat", "-D", "--delay TIME; perf's is in milliseconds, here 500 is 500 s and 500ms "
	  "half of one" },
	{ "samply", "stat", "--duration", "--timeout TIME" },

	{ "perf", "record", "-D", "--delay TIME; perf's is in milliseconds, here 500 is 500 s and 500ms "
	  "half of one" },
	{ "samply", "record", "--duration", "--timeout TIME" },
	{ "perf", "record", "-b", "branches are not recorded (LBR): -g fp or -g dwarf has callers" },
	{ "perf", "record", "-j", "branches are not recorded (LBR): -g fp or -g dwarf has callers" },
	{ "perf", "record", "-d", "addresses are recorded of page faults alone" },
	{ "perf", "record", "-k", "--clock monotonic" },
	{ "perf", "record", "--clockid", "--clock monotonic" },
	{ "perf", "record", "-i", "-t TID measures one thread; a command is measured with all that it "
	  "starts" },
	{ "perf", "record", "--switch-max-files", "--max-files N" },
	{ "perf", "record", "--compression-level", "-z LEVEL" },
	{ "perf", "record", "--threads", "--writers N" },
	{ "perf", "record", "-s", "each sample has its thread, for \"perfctl report --sort tid\"", true },
	{ "perf", "record", "-T", "each sample has its time", true },
	{ "perf", "record", "-B", "build ids are part of the recording", true },
	{ "perf", "record", "-N", "nothing is cached when recording", true },

	{ "perf", "report", "-G", "-g caller" },
	{ "perf", "report", "-F", "--sort chooses the columns, -n adds the number of samples" },
	{ "perf", "report", "-S", "--symbol NAME" },
	{ "perf", "report", "-c", "--comm NAME" },
	{ "perf", "report", "-d", "--dso NAME" },
	{ "perf", "report", "-p", "--sort parent --parent NAME" },
	{ "perf", "report", "-T", "--sort tid" },
	{ "perf", "report", "-K", "record with the event followed by :u" },
	{ "perf", "report", "-U", "record with the event followed by :k" },
	{ "perf", "report", "--hierarchy", "--sort dso, then --dso NAME --sort symbol" },
	{ "perf", "report", "-f", "anybody may read a recording that the file system lets them", true },
	{ "perf", "report", "--header", "\"perfctl info\"" },
	{ "perf", "report", "--header-only", "\"perfctl info\"" },
	{ "perf", "report", "-v", "notes below the table say what is missing", true },

	{ "perf", "script", "--ns", "times always have nine digits", true },
	{ "perf", "annotate", "--stdio", "it always prints text", true },
	{ "perf", "annotate", "-s", "the function is an operand: \"perfctl annotate NAME\"" },
	{ "perf", "annotate", "-l", "source lines are always shown", true },
	{ "perf", "diff", "-o", "the recordings are operands: \"perfctl diff OLD NEW\"" },
	{ "perf", "diff", "-c", "--absolute compares numbers of samples instead of shares" },
	{ "perf", "top", "-g", "call chains are always recorded", true },
	{ "perf", "top", "-K", "-e with the event followed by :u" },
	{ "perf", "top", "-U", "-e with the event followed by :k" },
	{ "perf", "trace", "-s", "perf's summary is -S" },
	{ "perf", "trace", "--no-syscalls", "\"perfctl record -e EVENT\", then \"perfctl script\"" },

	{ "strace", "trace", "-f", "children are always followed", true },
	{ "strace", "trace", "-T", "the time that a call took is always shown", true },
	{ "strace", "trace", "-r", "the time since the begin is always shown", true },
	{ "strace", "trace", "-c", "-S" },
	{ "strace", "trace", "-P", "-y shows the files of descriptors; grep chooses among the lines" },
	{ "strace", "trace", "-q", "nothing is said of processes that are attached to", true },
	{ "strace", "trace", "--trace", "-e" },
	{ "strace", "trace", "-k", "\"perfctl record -g -e 'syscalls:sys_enter_NAME'\", then \"perfctl "
	  "report\"" },
};
/* clang-format on */

static const struct other_tool *find(const char *command, const char *typed)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct other_tool *h = &others[i];

		if (!strcmp(h->typed, typed) &&
		    (command && h->command ? !strcmp(h->command, command) : command == h->command))
			return h;
	}
	return NULL;
}

const struct other_tool *other_tools_option(const char *command, const char *typed)
{
	return find(command, typed);
}

const struct other_tool *other_tools_command(const char *name, const char *next)
{
	char *both = xasprintf("%s %s", name, next ? next : "");
	const struct other_tool *h = find(NULL, both);

	free(both);
	return h ? h : find(NULL, name);
}

void other_tools_print(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct other_tool *h = &others[i];

		bool sub = h->command && strcmp(h->tool, "strace");

		fprintf(out, "  %s%s%s %s\n      %s", h->tool, sub ? " " : "",
			sub ? h->command : "", h->typed, h->ignored ? "nothing:" : "");
		text_wrapped(out, h->answer, 6, h->ignored ? 14 : 6);
	}
}
