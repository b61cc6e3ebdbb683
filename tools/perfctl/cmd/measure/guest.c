// SPDX-License-Identifier: GPL-2.0
/* perfctl guest: virtual machines that run here, and what makes them stop. */
#include "cmd/commands.h"
#include "event/engine.h"
#include "guest/exits.h"
#include "guest/list.h"

#include <errno.h>

/* Reasons times eighths of powers of two, of each process */
#define ROWS_DEFAULT 8192

static const struct opt guest_options[] = {
	{ 0, OPT_HEADING, .help = "Which guests (default: all)" },
	GUEST_OPT(struct exits_opts, target),
	{ 0, OPT_HEADING, .help = "With exits" },
	{ 0, OPT_FLAG, "per-vcpu", NULL, "of each virtual processor",
	  offsetof(struct exits_opts, per_vcpu) },
	DELAY_OPT(struct exits_opts, span),
	TIMEOUT_OPT(struct exits_opts, span),
	{ 'I', OPT_MS, "interval-print", "TIME",
	  "print each TIME what came since the last time: 10s, 500ms; a number alone is "
	  "milliseconds",
	  offsetof(struct exits_opts, interval) },
	{ 0, OPT_POSITIVE, "rows", "N", "rows that there is room for on each CPU (default: 8192)",
	  offsetof(struct exits_opts, rows) },
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct exits_opts, json) },
	{ 'o', OPT_STRING, "output", "FILE",
	  "with exits: write there instead of to the standard output",
	  offsetof(struct exits_opts, output) },
	{ 0 },
};

/* What is of exits alone. */
static int list(const struct exits_opts *o, struct msg *m)
{
	const char *option = o->per_vcpu     ? "--per-vcpu" :
			     o->interval     ? "-I" :
			     o->span.delay   ? "--delay" :
			     o->span.timeout ? "--timeout" :
			     o->output	     ? "-o" :
					       NULL;

	if (option)
		return msg_set(m, -EINVAL,
			       "%s is for \"perfctl guest exits\": list shows what runs now",
			       option);
	return guest_list(o->target.guests, o->json, m);
}

static int exits(const struct exits_opts *o, int n, char **args, struct msg *m)
{
	struct exits_opts own = *o;

	if (o->rows > PEV_MAX_TABLE_ROWS)
		return msg_set(m, -EINVAL, "--rows takes at most %d", PEV_MAX_TABLE_ROWS);
	if (!own.output)
		own.output = "-";
	return exits_measure(&own, n ? args : NULL, m);
}

static int guest_run(const void *opts, int n, char **args, struct msg *m)
{
	if (n == 1 && !strcmp(args[0], "list"))
		return list(opts, m);
	if (n == 1 && !strcmp(args[0], "exits"))
		return exits(opts, 0, NULL, m);
	if (n > 2 && !strcmp(args[0], "exits") && !strcmp(args[1], "--"))
		return exits(opts, n - 2, args + 2, m);
	return msg_set(
		m, -EINVAL,
		"guest takes list, or exits, and behind that \"--\" and a command which says "
		"how long");
}

const struct command command_guest = {
	.name = "guest",
	.operands = "list | exits [-- COMMAND [ARG]...]",
	.summary = "see virtual machines of KVM, and what makes them stop",
	.about =
		"With list, shows the processes that run virtual machines, with their virtual "
		"processors, the threads that run them, and the time that these spent in the guest. "
		"With exits, counts for each virtual machine why its processors left the guest, and "
		"how long each took until it went on: what the hypervisor, and the program behind it, "
		"did meanwhile, or that the guest had nothing to do (hlt). Ends with the command, the "
		"processes or Ctrl-C.",
	.examples = "  perfctl guest list\n"
		    "  perfctl guest exits --timeout 10s\n"
		    "  perfctl guest exits --guest qemu-system-x86 --per-vcpu -- sleep 10\n"
		    "  perfctl guest exits -I 1s -j\n"
		    "  perfctl stat --guest all -- sleep 10    how long guests ran\n",
	.opts = guest_options,
	.parts_operands = true,
	.opts_size = sizeof(struct exits_opts),
	.defaults = &(const struct exits_opts){ .rows = ROWS_DEFAULT },
	.run = guest_run,
};
