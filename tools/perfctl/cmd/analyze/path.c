// SPDX-License-Identifier: GPL-2.0
/* perfctl path: what a command's time was made of, through all threads that it waited for. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/text.h"
#include "session/fetch.h"
#include "session/use.h"
#include "views/path.h"

#include <errno.h>

struct path_opts {
	const char *input;
	uint64_t tid;
	bool json;
};

static const struct opt path_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of waits, or of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct path_opts, input) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 0, OPT_U64, "tid", "TID",
	  "the path to the end of this thread (default: of the recorded command's first)",
	  offsetof(struct path_opts, tid) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct path_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static const char *const kinds[] = {
	[PATH_RUNS] = "runs",
	[PATH_RUNNABLE] = "ready to run, without a processor",
	[PATH_BLOCKED] = "blocked",
};

static void print(const struct path *p)
{
	struct strbuf b = { 0 };
	char ns[32], n[32];

	printf("# %s, from thread to thread %s time%s\n", text_ns(ns, p->ns),
	       text_count(n, p->jumps), text_s(p->jumps));
	printf("#  Share        Time   Times  Program\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct path_part *part = &p->parts[i];
		const char *place = strtab_get(&p->names, part->place);

		strbuf_reset(&b);
		text_name(&b, machine_comm_name(&p->session->machine, part->comm));
		printf("%7.2f%%  %10s  %6s  %s: %s%s%s\n",
		       100.0 * (double)part->ns / (double)p->ns, text_ns(ns, part->ns),
		       text_count(n, part->times), b.s, kinds[part->what], *place ? " in " : "",
		       place);
	}
	strbuf_free(&b);
}

static void print_json(const struct path *p)
{
	static const char *const words[] = { [PATH_RUNS] = "runs",
					     [PATH_RUNNABLE] = "runnable",
					     [PATH_BLOCKED] = "blocked" };
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_u64(&j, "ns", p->ns);
	json_u64(&j, "jumps", p->jumps);
	json_open(&j, "parts", '[');
	for (size_t i = 0; i < p->n; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "comm", machine_comm_name(&p->session->machine, p->parts[i].comm));
		json_string(&j, "what", words[p->parts[i].what]);
		json_string(&j, "place", strtab_get(&p->names, p->parts[i].place));
		json_u64(&j, "ns", p->parts[i].ns);
		json_u64(&j, "times", p->parts[i].times);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

static int show(struct session *session, const void *opts, struct msg *m)
{
	const struct path_opts *o = opts;
	struct path path;
	int err;

	path_init(&path, session);
	err = path_find(&path, (uint32_t)o->tid, m);
	if (!err && o->json)
		print_json(&path);
	else if (!err)
		print(&path);
	path_free(&path);
	return err;
}

static int path_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct path_opts *o = opts;

	if (o->tid > UINT32_MAX)
		return msg_set(m, -EINVAL, "--tid takes the number of a thread");
	return session_use(n, args, o->input, show, o, m);
}

const struct command command_path = {
	.name = "path",
	.operands = "[DIR]",
	.summary = "show what a command's time was made of, through all that it waited for",
	.about = "Goes back from the end of the command's first thread: where it was blocked, to what "
		 "woke it, and through that thread's waits, to the beginning. All of the time is then "
		 "what some thread of the command ran, was runnable, or was blocked for what none of "
		 "them did, as a disk or a timer: to shorten any of it makes the command faster.",
	.examples = "  perfctl record --waits=0 -- make -j2\n"
		    "  perfctl path\n",
	.opts = path_options,
	.opts_size = sizeof(struct path_opts),
	.run = path_run,
};
