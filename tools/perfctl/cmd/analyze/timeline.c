// SPDX-License-Identifier: GPL-2.0
/* perfctl timeline: what ran where and when, as tracks of characters. */
#include "cmd/commands.h"
#include "cli/term.h"
#include "fleet/course.h"
#include "profile/load.h"
#include "session/use.h"
#include "views/timeline.h"
#include "views/timeline_print.h"

#include <errno.h>

struct timeline_opts {
	struct pull_opts pull;
	const char *by;
	const char *event;
	const char *input;
	const char *time;
	const char *comm;
	const char *request;
	const char *color;
	uint64_t width;
	uint64_t most;
	bool threads;
	bool vcpus;
	bool json;
};

static const struct opt timeline_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of waits, or of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct timeline_opts, input) },
	PULL_OPTS(struct timeline_opts, pull),
	{ 0, OPT_STRING, "by", "LABEL[,LABEL]",
	  "a line for each host, service (default) or version: the processor time that it took",
	  offsetof(struct timeline_opts, by) },
	{ 'e', OPT_STRING, "event", "EVENT", "of the store (default: the one with most samples)",
	  offsetof(struct timeline_opts, event) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 't', OPT_FLAG, "threads", NULL,
	  "a track for each thread: when it ran, waited for a "
	  "processor, slept (default: a track for each CPU)",
	  offsetof(struct timeline_opts, threads) },
	{ 0, OPT_FLAG, "vcpus", NULL,
	  "above the CPUs a track for each virtual processor of KVM: in the guest, outside as the "
	  "host works for it, waiting for a processor (which the guest sees as stolen time), halted",
	  offsetof(struct timeline_opts, vcpus) },
	{ 'm', OPT_U64, "most", "N",
	  "with --threads and --from: so many, those that ran longest "
	  "(default: 20)",
	  offsetof(struct timeline_opts, most) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be missing",
	  offsetof(struct timeline_opts, time) },
	{ 0, OPT_STRING, "comm", "NAME",
	  "only threads of these programs (globs, several by commas)",
	  offsetof(struct timeline_opts, comm) },
	{ 0, OPT_STRING, "request", "ID",
	  "the time that a request took, and the threads that worked for it (with record --context): "
	  "a trace id, or TRACE/SPAN",
	  offsetof(struct timeline_opts, request) },
	{ 0, OPT_U64, "width", "COLUMNS", "(default: what the terminal has, else 100)",
	  offsetof(struct timeline_opts, width) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct timeline_opts, color) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON: ns of each column",
	  offsetof(struct timeline_opts, json) },
	{ 0 },
};

/* Limits the time to what --time chooses of the recording. */
static int choose_time(struct timeline *tl, const char *time, struct msg *m)
{
	const struct pev_trace *t = tl->session->trace;
	int err;

	tl->begin = pev_trace_begin_ns(t);
	err = load_parse_time(time, tl->begin, &tl->from, &tl->to, m);
	if (err)
		return err;
	if (tl->from < tl->begin)
		tl->from = tl->begin;
	if (tl->to > pev_trace_end_ns(t))
		tl->to = pev_trace_end_ns(t);
	return tl->from < tl->to ? 0 : msg_set(m, -EINVAL, "nothing was recorded in that time");
}

/* Limits it further to the time of a request, and shows the threads that worked for it. */
static int choose_request(struct timeline *tl, struct timeline_request *r, const char *id,
			  struct msg *m)
{
	int err = timeline_request_find(r, tl->session, id, m);

	if (err)
		return err;
	tl->request = r;
	tl->threads = true;
	if (tl->from < r->first)
		tl->from = r->first;
	if (tl->to > r->last)
		tl->to = r->last;
	return tl->from < tl->to ?
		       0 :
		       msg_set(m, -EINVAL,
			       "--request: that request has no length in that time: it has "
			       "one record, or --time leaves it out");
}

static int timeline(struct session *session, const void *opts, struct msg *m)
{
	const struct timeline_opts *o = opts;
	struct timeline_request request = { 0 };
	struct timeline tl = {
		.session = session,
		.comm = o->comm,
		.threads = o->threads,
		.vcpus = o->vcpus,
		.width = timeline_print_width(o->width),
	};
	int err = choose_time(&tl, o->time, m);

	if (!err && o->request)
		err = choose_request(&tl, &request, o->request, m);
	if (!err)
		err = timeline_load(&tl, m);
	if (!err && o->json)
		timeline_json(&tl, o->most);
	else if (!err)
		timeline_print(&tl, o->most, term_color(o->color));
	timeline_free(&tl);
	timeline_request_free(&request);
	return err;
}

/* A store has no switches: sums take the place of tracks. */
static int from_store(const struct timeline_opts *o, int n, struct msg *m)
{
	const struct course_opts course = { o->by ? o->by : "service", o->event, o->width, o->most,
					    o->json };

	if (n || o->input)
		return msg_set(m, -EINVAL, "--from takes the place of a recording: leave %s out",
			       n ? "it" : "-i");
	if (o->threads || o->vcpus || o->time || o->comm || o->request)
		return msg_set(m, -EINVAL,
			       "a store knows no threads: leave --%s out (--since, --until and "
			       "--where choose)",
			       o->threads ? "threads" :
			       o->vcpus	  ? "vcpus" :
			       o->time	  ? "time" :
			       o->comm	  ? "comm" :
					    "request");
	return course_show(&o->pull, &course, m);
}

static int check_store(const struct timeline_opts *o, struct msg *m)
{
	const char *option = o->by	   ? "by" :
			     o->event	   ? "event" :
			     o->pull.since ? "since" :
			     o->pull.until ? "until" :
			     o->pull.where ? "where" :
					     NULL;

	return option ? msg_set(m, -EINVAL, "--%s is asked of a store: name it with --from URL",
				option) :
			0;
}

static int timeline_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct timeline_opts *o = opts;
	int err;

	if (o->width > 10000)
		return msg_set(m, -EINVAL, "--width takes up to 10000 columns");
	if (o->vcpus && (o->threads || o->request))
		return msg_set(m, -EINVAL, "--vcpus and %s exclude each other",
			       o->threads ? "--threads" : "--request");
	err = term_check_color(o->color, m);
	if (!err && o->pull.from)
		return from_store(o, n, m);
	if (!err)
		err = check_store(o, m);
	return err ? err : session_use(n, args, o->input, timeline, o, m);
}

const struct command command_timeline = {
	.name = "timeline",
	.operands = "[DIR] | --from URL",
	.summary = "show who ran where and when",
	.about =
		"Prints a track for each CPU, or for each thread, from the scheduler's events. A letter "
		"stands for the program that ran longest in the time of a column. For a picture to "
		"zoom in, see \"perfctl report --html\".",
	.examples =
		"  perfctl record --waits=0 -- COMMAND\n"
		"  perfctl record -a -e sched:sched_switch -e sched:sched_wakeup -- COMMAND\n"
		"  perfctl timeline\n"
		"  perfctl timeline --threads --time 0.5,0.6\n"
		"  perfctl timeline --vcpus            with entries and exits of guests recorded\n"
		"  perfctl timeline --request 4bf92f3577b34da6a3ce929d0e0e4736\n"
		"  perfctl timeline --from http://store:8123 --since 24h --by service\n",
	.opts = timeline_options,
	.opts_size = sizeof(struct timeline_opts),
	.defaults = &(const struct timeline_opts){ .most = 20 },
	.run = timeline_run,
};
