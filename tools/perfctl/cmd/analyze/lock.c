// SPDX-License-Identifier: GPL-2.0
/* perfctl lock: which locks threads waited for. */
#include "cmd/commands.h"
#include "base/output.h"
#include "base/say.h"
#include "cli/term.h"
#include "session/fetch.h"
#include "session/use.h"
#include "views/lock_print.h"

#include <errno.h>
#include <string.h>

#define ROWS_MOST 40

struct lock_opts {
	const char *input;
	const char *comm;
	const char *time;
	const char *by;
	uint64_t least_us;
	bool all;
	bool whole;
	bool json;
};

static const struct opt lock_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of waits, or of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct lock_opts, input) },
	{ 0, OPT_HEADING, .help = "Which waits" },
	{ 'a', OPT_FLAG, "all", NULL,
	  "all programs (default: of a recorded command, it and its children)",
	  offsetof(struct lock_opts, all) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs (globs, several by commas)",
	  offsetof(struct lock_opts, comm) },
	{ 0, OPT_U64, "least", "US", "leave out waits shorter than so many microseconds",
	  offsetof(struct lock_opts, least_us) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "only waits that end within, in seconds since the trace's begin",
	  offsetof(struct lock_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_STRING, "by", "WHAT",
	  "what has a row of its own: function (that takes the lock), holder (the thread that gave it "
	  "free, too) or stack (default: function)",
	  offsetof(struct lock_opts, by) },
	{ 0, OPT_FLAG, "whole", NULL, "all rows (default: 40)", offsetof(struct lock_opts, whole) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct lock_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static int parse_by(enum lock_by *by, const char *text, struct msg *m)
{
	static const char *const names[] = {
		[LOCK_BY_FUNCTION] = "function", [LOCK_BY_HOLDER] = "holder", [LOCK_BY_STACK] = "stack"
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i]))
			continue;
		*by = (enum lock_by)i;
		return 0;
	}
	return msg_set(m, -EINVAL, "--by takes function, holder or stack, not \"%s\"", text);
}

static int show_locks(struct locks *l, const struct lock_opts *o, struct msg *m)
{
	int err = wait_filter_init(&l->filter, l->session, o->comm, o->all, o->time, m);

	l->filter.least_ns = o->least_us * 1000;
	if (!err && l->waits.source == &waits_by_switch)
		err = msg_set(m, -ENODATA, "%s", waits_without_chains(&l->waits));
	if (!err)
		err = locks_load(l, m);
	if (err)
		return err;
	term_pager_start();
	if (o->json)
		lock_json(l, stdout);
	else if (l->n)
		lock_print(l, o->whole ? 0 : ROWS_MOST, stdout);
	else
		print_error("no wait for a lock matches");
	term_pager_end();
	fflush(stdout);
	if (!l->waits.chains)
		note("%s", waits_without_chains(&l->waits));
	return 0;
}

/**
 * struct wanted - what is shown
 */
struct wanted {
	const struct lock_opts *opts;
	enum lock_by by;
};

static int show(struct session *session, const void *opts, struct msg *m)
{
	const struct wanted *wanted = opts;
	struct locks locks;
	int err;

	locks_init(&locks, session);
	locks.by = wanted->by;
	err = show_locks(&locks, wanted->opts, m);
	locks_free(&locks);
	return err;
}

static int lock_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct lock_opts *o = opts;
	struct wanted wanted = { .opts = o, .by = LOCK_BY_FUNCTION };
	int err = o->by ? parse_by(&wanted.by, o->by, m) : 0;

	return err ? err : session_use(n, args, o->input, show, &wanted, m);
}

const struct command command_lock = {
	.name = "lock",
	.operands = "[DIR]",
	.summary = "show which locks threads waited for, and what held them",
	.about = "Adds up the waits for locks of programs (futexes) and of the kernel, by the function "
		 "that takes the lock, with percentiles. What is recorded is who gave a lock free, "
		 "which is who held it.",
	.examples = "  perfctl record --waits=0 -g dwarf -- COMMAND\n"
		    "  perfctl lock                        which locks, and for how long\n"
		    "  perfctl lock --by holder            for whom\n"
		    "  perfctl lock --by stack --comm mysqld\n",
	.opts = lock_options,
	.opts_size = sizeof(struct lock_opts),
	.run = lock_run,
};
