// SPDX-License-Identifier: GPL-2.0
/* perfctl info: what is in a recording, and how complete it is. */
#include "cmd/commands.h"
#include "cli/term.h"
#include "session/session.h"
#include "session/use.h"
#include "views/contents_json.h"
#include "views/contents_print.h"
#include "views/inventory.h"

#include <errno.h>

#define PROGRAMS_MOST 10

struct info_opts {
	const char *input;
	bool all;
	bool json;
	bool state;
};

static const struct opt info_options[] = {
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct info_opts, input) },
	{ 0, OPT_FLAG, "all", NULL, "name all processes, not only the ten with most records",
	  offsetof(struct info_opts, all) },
	{ 0, OPT_FLAG, "state", NULL,
	  "print what the machine had when the recording began, and nothing else: CPUs, interrupts, "
	  "network interfaces, disks, mounts, cgroups, modules, open files; with -j, beside the rest",
	  offsetof(struct info_opts, state) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON, with all processes",
	  offsetof(struct info_opts, json) },
	{ 0 },
};

/* Older recordings have none, and those that were made without. */
static int info_state(const struct session *session, struct msg *m)
{
	struct inventory v = { 0 };
	int err = 0;

	inventory_load(&v, session->trace);
	if (v.n) {
		term_pager_start();
		inventory_print(&v, stdout);
		term_pager_end();
	} else {
		err = msg_set(
			m, -ENODATA,
			"%s does not say what its machine had: \"perfctl record\" writes that, "
			"unless --no-state or --fold is given",
			pev_trace_path(session->trace));
	}
	inventory_free(&v);
	return err;
}

static int info(const struct info_opts *o, struct session *session, struct msg *m)
{
	struct contents c;
	int err = contents_load(&c, session, m);

	if (!err && o->json) {
		contents_json(&c, o->state, stdout);
	} else if (!err) {
		term_pager_start();
		contents_print(&c, o->all ? SIZE_MAX : PROGRAMS_MOST, stdout);
		term_pager_end();
	}
	contents_free(&c);
	return err;
}

static int info_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct info_opts *o = opts;
	struct session session = { 0 };
	int err;

	if (session_given_twice(n, args, o->input, m))
		return -EINVAL;
	err = session_open(&session, n ? args[0] : o->input, m);
	if (!err)
		err = o->state && !o->json ? info_state(&session, m) : info(o, &session, m);
	session_close(&session);
	return err;
}

const struct command command_info = {
	.name = "info",
	.operands = "[DIR]",
	.summary = "show what is in a recording, and how complete it is",
	.about = "Prints what was recorded, by what and when, the machine and its kernel, what is "
		 "missing, the events with their numbers and losses, the processes that have most of "
		 "them, and the files of the recording.",
	.examples = "  perfctl info                        of pev.trace\n"
		    "  perfctl info --state                what its machine had\n"
		    "  perfctl info -j old.trace | jq .lost\n",
	.opts = info_options,
	.opts_size = sizeof(struct info_opts),
	.run = info_run,
};
