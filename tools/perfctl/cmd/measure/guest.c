// SPDX-License-Identifier: GPL-2.0
/* perfctl guest: virtual machines that run here, what makes them stop, and what they are lent. */
#include "cmd/commands.h"
#include "event/engine.h"
#include "guest/exits.h"
#include "guest/grant.h"
#include "guest/list.h"

#include <linux/pev_guest.h>

#include <errno.h>

/* Reasons times eighths of powers of two, of each process */
#define ROWS_DEFAULT 8192
#define COUNTERS_DEFAULT 4

/**
 * struct guest_opts - as typed, of all subcommands
 * @counters: 0: not typed
 */
struct guest_opts {
	struct target_opts target;
	struct span_opts span;
	const char *output;
	uint64_t interval;
	uint64_t rows;
	uint64_t counters;
	bool per_vcpu;
	bool json;
};

static const struct opt guest_options[] = {
	{ 0, OPT_HEADING, .help = "Which guests (default: all; with grant it has to be said)" },
	GUEST_OPT(struct guest_opts, target),
	{ 0, OPT_HEADING, .help = "With exits" },
	{ 0, OPT_FLAG, "per-vcpu", NULL, "of each virtual processor",
	  offsetof(struct guest_opts, per_vcpu) },
	DELAY_OPT(struct guest_opts, span),
	{ 'I', OPT_MS, "interval-print", "TIME",
	  "print each TIME what came since the last time: 10s, 500ms; a number alone is "
	  "milliseconds",
	  offsetof(struct guest_opts, interval) },
	{ 0, OPT_POSITIVE, "rows", "N", "rows that there is room for on each CPU (default: 8192)",
	  offsetof(struct guest_opts, rows) },
	{ 0, OPT_HEADING, .help = "With grant" },
	{ 0, OPT_POSITIVE, "counters", "N",
	  "so many to each virtual processor, 1 to 8 (default: 4)",
	  offsetof(struct guest_opts, counters) },
	{ 0, OPT_HEADING, .help = "With exits and grant" },
	TIMEOUT_OPT(struct guest_opts, span),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct guest_opts, json) },
	{ 'o', OPT_STRING, "output", "FILE",
	  "with exits and grant: write there instead of to the standard output",
	  offsetof(struct guest_opts, output) },
	{ 0 },
};

/* What is of exits alone; NULL: nothing of it was given. */
static const char *of_exits(const struct guest_opts *o)
{
	return o->per_vcpu	       ? "--per-vcpu" :
	       o->interval	       ? "-I" :
	       o->span.delay	       ? "--delay" :
	       o->rows != ROWS_DEFAULT ? "--rows" :
					 NULL;
}

static const char *of_grant(const struct guest_opts *o)
{
	return o->counters ? "--counters" : NULL;
}

static int list(const struct guest_opts *o, struct msg *m)
{
	const char *option = of_exits(o);

	if (!option)
		option = o->span.timeout ? "--timeout" : o->output ? "-o" : NULL;
	if (option)
		return msg_set(m, -EINVAL,
			       "%s is for \"perfctl guest exits\": list shows what runs now",
			       option);
	if (of_grant(o))
		return msg_set(m, -EINVAL, "%s is for \"perfctl guest grant\"", of_grant(o));
	return guest_list(o->target.guests, o->json, m);
}

static int exits(const struct guest_opts *o, char **argv, struct msg *m)
{
	struct exits_opts own = {
		.target = o->target,
		.span = o->span,
		.output = o->output ? o->output : "-",
		.interval = o->interval,
		.rows = o->rows,
		.per_vcpu = o->per_vcpu,
		.json = o->json,
	};

	if (of_grant(o))
		return msg_set(m, -EINVAL, "%s is for \"perfctl guest grant\"", of_grant(o));
	if (o->rows > PEV_MAX_TABLE_ROWS)
		return msg_set(m, -EINVAL, "--rows takes at most %d", PEV_MAX_TABLE_ROWS);
	return exits_measure(&own, argv, m);
}

/* @guests: which, NULL: --guest says it */
static int grant(const struct guest_opts *o, const char *guests, char **argv, struct msg *m)
{
	struct grant_opts own = {
		.target = o->target,
		.span = o->span,
		.output = o->output ? o->output : "-",
		.counters = o->counters ? o->counters : COUNTERS_DEFAULT,
		.any_number = !o->counters,
		.json = o->json,
	};

	if (of_exits(o))
		return msg_set(m, -EINVAL, "%s is for \"perfctl guest exits\"", of_exits(o));
	if (!guests == !own.target.guests)
		return msg_set(m, -EINVAL,
			       "which guests are lent counters? \"perfctl guest grant\" takes one "
			       "PID, PID,PID, NAME or all; \"perfctl guest list\" shows them");
	if (o->counters > PEV_GUEST_COUNTERS)
		return msg_set(m, -EINVAL, "--counters takes at most %d", PEV_GUEST_COUNTERS);
	if (guests)
		own.target.guests = guests;
	return grant_hold(&own, argv, m);
}

/* What is ahead of "--" is counted, and what is behind it is the command. */
static int guest_run(const void *opts, int n, char **args, struct msg *m)
{
	char **argv = NULL;
	int words = 0;

	while (words < n && strcmp(args[words], "--"))
		words++;
	if (words < n - 1)
		argv = args + words + 1;
	if (words == n || argv) {
		if (words == 1 && !argv && !strcmp(args[0], "list"))
			return list(opts, m);
		if (words == 1 && !strcmp(args[0], "exits"))
			return exits(opts, argv, m);
		if ((words == 1 || words == 2) && !strcmp(args[0], "grant"))
			return grant(opts, words == 2 ? args[1] : NULL, argv, m);
	}
	return msg_set(m, -EINVAL,
		       "guest takes list, exits, or grant and which guest, and behind the last two "
		       "\"--\" and a command which says how long");
}

const struct command command_guest = {
	.name = "guest",
	.operands = "list | exits [-- COMMAND [ARG]...] | grant PID|NAME|all [-- COMMAND [ARG]...]",
	.summary = "see virtual machines of KVM and what makes them stop, lend them counters",
	.about =
		"With list, shows the processes that run virtual machines, with their virtual "
		"processors, the threads that run them, and the time that these spent in the guest. "
		"With exits, counts for each virtual machine why its processors left the guest, and "
		"how long each took until it went on: what the hypervisor, and the program behind it, "
		"did meanwhile, or that the guest had nothing to do (hlt). "
		"With grant, lends hardware counters to guests, so that pev in the guest counts and "
		"samples by them, and says at the end what became of them. "
		"exits and grant end with the command, the processes or Ctrl-C.",
	.examples = "  perfctl guest list\n"
		    "  perfctl guest exits --timeout 10s\n"
		    "  perfctl guest exits --guest qemu-system-x86 --per-vcpu -- sleep 10\n"
		    "  perfctl guest exits -I 1s -j\n"
		    "  perfctl guest grant all                 guests count by the host's counters\n"
		    "  perfctl guest grant 1234 --counters 2 --timeout 60s\n"
		    "  perfctl stat --guest all -- sleep 10    how long guests ran\n",
	.opts = guest_options,
	.parts_operands = true,
	.opts_size = sizeof(struct guest_opts),
	.defaults = &(const struct guest_opts){ .rows = ROWS_DEFAULT },
	.run = guest_run,
};
