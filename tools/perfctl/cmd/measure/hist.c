// SPDX-License-Identifier: GPL-2.0
/* perfctl hist: counts and sums by key in tables that the kernel keeps. */
#include "cmd/commands.h"
#include "event/engine.h"
#include "hist/keys.h"
#include "hist/latency.h"
#include "hist/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define ROWS_DEFAULT 1024

static const struct opt hist_options[] = {
	TARGET_OPTS(struct hist_opts, target, TARGET_COMMAND),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to count" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "events; may be repeated; all have the fields "
	  "that keys name",
	  offsetof(struct hist_opts, events), event_list_option },
	{ 0, OPT_CALL, "filter", "EXPR",
	  "count only what fulfils EXPR, for the events of the -e before",
	  offsetof(struct hist_opts, events), event_list_filter_option },
	{ 0, OPT_STRING, "sum", "FIELD",
	  "add up this field, too, with its least and greatest value; "
	  "period: what samples stand for",
	  offsetof(struct hist_opts, sum) },
	{ 0, OPT_STRING, "latency", "A..B [by PAIR[,PAIR]] [with KEY[,KEY]]",
	  "the time from event A to event B: of the same thread, or with equal PAIRs: fields, or "
	  "pid, cpu or cgroup; A=B if they have other names in B; by KEYs of A, too",
	  offsetof(struct hist_opts, latency) },
	{ 0, OPT_POSITIVE, "open", "N",
	  "with --latency, pairs that may be open at a time (default: 16384)",
	  offsetof(struct hist_opts, open) },
	{ 0, OPT_POSITIVE, "rows", "N", "rows that there is room for on each CPU (default: 1024)",
	  offsetof(struct hist_opts, rows) },
	{ 0, OPT_HEADING, .help = "How" },
	DELAY_OPT(struct hist_opts, span),
	TIMEOUT_OPT(struct hist_opts, span),
	{ 'I', OPT_MS, "interval-print", "TIME",
	  "print each TIME what came since the last time: 10s, 500ms; a number alone is "
	  "milliseconds",
	  offsetof(struct hist_opts, interval) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "csv", NULL, "print a line for each row, separated by commas",
	  offsetof(struct hist_opts, csv) },
	{ 'j', OPT_FLAG, "json", NULL, "print one JSON object, or one for each interval",
	  offsetof(struct hist_opts, json) },
	{ 'o', OPT_STRING, "output", "FILE", "write there instead of to the error output",
	  offsetof(struct hist_opts, output) },
	{ 0 },
};

/* The keys as one text: shells part them at blanks. */
static int parse_keys(struct pev_table *t, int n, char **args, struct msg *m)
{
	struct strbuf text = { 0 };
	int err = 0;

	for (int i = 0; i < n; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", args[i]);
	/* "A..B by comm" reads well */
	if (n && t->open && !strncmp(text.s, "by ", 3))
		err = hist_keys_parse(t, text.s + 3, m);
	else if (n || !t->open)
		err = hist_keys_parse(t, n ? text.s : "comm", m);
	strbuf_free(&text);
	return err;
}

/* What goes with pairs, before the keys. */
static int choose_latency(struct hist_opts *o, struct pev_table *t, struct msg *m)
{
	if (!o->latency)
		return 0;
	if (o->events.n || o->sum)
		return msg_set(m, -EINVAL,
			       "--latency names its events, and adds latencies up: -e and "
			       "--sum go without it");
	if (o->open < PEV_MIN_TABLE_OPEN || o->open > PEV_MAX_TABLE_OPEN)
		return msg_set(m, -EINVAL, "--open takes %d to %d, not %" PRIu64,
			       PEV_MIN_TABLE_OPEN, PEV_MAX_TABLE_OPEN, o->open);
	t->open = (uint32_t)o->open;
	return hist_latency_parse(t, &o->events, o->latency, m);
}

static int hist_run(const void *opts, int n, char **args, struct msg *m)
{
	struct hist_opts own = *(const struct hist_opts *)opts, *o = &own;
	struct pev_table table = { .rows = (uint32_t)o->rows };
	int keys = 0, err = choose_latency(o, &table, m);

	while (keys < n && strcmp(args[keys], "--"))
		keys++;
	if (err)
		return err;
	if (!o->events.n)
		return msg_set(m, -EINVAL,
			       "-e EVENT says what is counted; \"perfctl list\" shows "
			       "events, \"perfctl list -v EVENT\" the fields of one");
	if (o->json && o->csv)
		return msg_set(m, -EINVAL, "--json and --csv exclude each other");
	if (o->rows > PEV_MAX_TABLE_ROWS)
		return msg_set(m, -EINVAL, "--rows takes at most %d, not %" PRIu64,
			       PEV_MAX_TABLE_ROWS, o->rows);
	err = parse_keys(&table, keys, args, m);
	if (!err && o->sum)
		err = hist_value_parse(&table, o->sum, m);
	if (err)
		return err;
	return hist_measure(o, &table, keys + 1 < n ? args + keys + 1 : NULL, m);
}

const struct command command_hist = {
	.name = "hist",
	.operands = "[KEY [[by] KEY]...] [-- COMMAND [ARG]...]",
	.summary = "count events by key, as histograms",
	.about = "Counts, and sums up, by keys (default: comm) in tables that the kernel keeps: no "
		 "occurrence is written down, so that millions a second can be counted. A KEY is "
		 "comm, pid, tid, cpu, cgroup, event, call (the system call that the thread is in), "
		 "request (that it says it works for) or the name of a field; log2(FIELD) and "
		 "linear(FIELD,STEP) put values in buckets, "
		 "with bars; begin(KEY) is what A of --latency had. Up to four keys go together. "
		 "The last line says what became of all "
		 "occurrences. By perf_event_open(2) perfctl adds up records of them, which costs "
		 "more. Exits with the command's status.",
	.examples =
		"  perfctl hist -e syscalls:sys_enter_read 'log2(count)' -- make   sizes of reads\n"
		"  perfctl hist -e block:block_rq_issue 'log2(nr_sector) by comm' -a\n"
		"  perfctl hist -e raw_syscalls:sys_enter call comm -p 1234   calls by thread's name\n"
		"  perfctl hist -e syscalls:sys_exit_write comm --sum ret -a -I 1000   each second\n"
		"  perfctl hist -e 'kretprobe:vfs_read(duration)' 'log2(duration)' -a\n"
		"  perfctl hist -e cpu-clock/freq=999/ cpu comm -a -- sleep 5\n"
		"  perfctl hist --latency syscalls:sys_enter_read..sys_exit_read by comm -a\n"
		"  perfctl hist --latency 'block:block_rq_issue..block_rq_complete by dev,sector' \\\n"
		"      'begin(comm)' -a   by who asked for it\n",
	.opts = hist_options,
	.parts_operands = true,
	.opts_size = sizeof(struct hist_opts),
	.defaults = &(const struct hist_opts){ .rows = ROWS_DEFAULT, .open = HIST_OPEN },
	.run = hist_run,
};
