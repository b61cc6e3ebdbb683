// SPDX-License-Identifier: GPL-2.0
/* perfctl flame: a flame graph as one SVG file, without any script. */
#include "cmd/commands.h"
#include "base/output.h"
#include "base/say.h"
#include "fleet/pull.h"
#include "profile/inline.h"
#include "profile/load.h"
#include "report/out.h"
#include "report/times.h"
#include "views/flame.h"
#include "views/flame_svg.h"
#include "waits/wall.h"
#include "session/fetch.h"
#include "session/use.h"

#include <errno.h>

struct flame_opts {
	struct pull_opts pull;
	const char *input;
	const char *output;
	const char *event;
	const char *time;
	const char *title;
	const char *comm;
	uint64_t width;
	double least;
	bool icicle;
	bool inlined;
	bool folded;
	bool json;
	bool wall;
};

static const struct opt flame_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct flame_opts, input) },
	{ 0, OPT_HEADING, .help = "Which samples (names may be globs, several by commas)" },
	{ 'e', OPT_STRING, "event", "EVENT", "of these events the first that has samples",
	  offsetof(struct flame_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs", offsetof(struct flame_opts, comm) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be "
	  "missing",
	  offsetof(struct flame_opts, time) },
	{ 0, OPT_FLAG, "wall", NULL,
	  "wall-clock time: what threads ran, and beside it what they waited for, of a recording "
	  "with --waits; of a recorded command, or of --comm",
	  offsetof(struct flame_opts, wall) },
	PULL_OPTS(struct flame_opts, pull),
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'o', OPT_STRING, "output", "FILE", "\"-\": the standard output (default: flame.svg)",
	  offsetof(struct flame_opts, output) },
	{ 0, OPT_STRING, "title", "TEXT", "above the picture (default: the command)",
	  offsetof(struct flame_opts, title) },
	{ 0, OPT_U64, "width", "PIXELS", "(default: 1200)", offsetof(struct flame_opts, width) },
	{ 0, OPT_DOUBLE, "least", "PIXELS", "what would be narrower is left out (default: 0.3)",
	  offsetof(struct flame_opts, least) },
	{ 0, OPT_FLAG, "icicle", NULL, "from the top downwards",
	  offsetof(struct flame_opts, icicle) },
	{ 0, OPT_FLAG, "inline", NULL,
	  "draw what was inlined as functions of their own, by debug "
	  "information",
	  offsetof(struct flame_opts, inlined) },
	{ 0, OPT_FLAG, "folded", NULL, "chains as text, one a line, for other programs",
	  offsetof(struct flame_opts, folded) },
	{ 'j', OPT_FLAG, "json", NULL, "the tree as one object",
	  offsetof(struct flame_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static int write_flame(const struct flame_opts *o, const struct flame *f, struct msg *m)
{
	const char *path = o->output ? o->output : o->folded || o->json ? "-" : "flame.svg";
	const struct flame_style style = { .title = o->title,
					   .width = o->width,
					   .least = o->least,
					   .icicle = o->icicle,
					   .wall = o->wall };
	struct out out;
	int err;

	if (!f->total)
		return msg_set(m, -ENOENT, "no samples match");
	err = out_open(&out, path, OUT_WHOLE, m);
	if (err)
		return err;
	if (o->json)
		flame_json(f, out.f);
	else if (o->folded)
		flame_folded(f, out.f);
	else
		flame_svg(f, &style, out.f);
	return out_close(&out, 0, m);
}

/* Returns the number of the first event that is recorded for its own sake. */
static uint32_t first_event(const struct session *s)
{
	for (unsigned int c = 0; c < s->n_classes; c++)
		if (s->classes[c].kind == SESSION_EVENT)
			return s->classes[c].event;
	return 0;
}

static int flame(const struct flame_opts *o, struct session *s, struct load *l, struct msg *m)
{
	struct load_config config = { .event = o->event,
				      .chains = true,
				      .mask = o->comm ? 1u << SORT_COMM : 0 };
	uint32_t event = 0;
	struct flame f;
	int err;

	if (o->wall && !times_has(s))
		return msg_set(m, -EBADMSG,
			       "%s has no waits beside its samples; record with "
			       "\"perfctl record --waits -- COMMAND\"",
			       pev_trace_path(s->trace));
	if (o->wall) {
		config.mask |= 1u << SORT_COMM | 1u << SORT_PID;
		config.except = times_events();
	}
	err = load_parse_time(o->time, pev_trace_begin_ns(s->trace), &config.from, &config.to, m);

	if (!err)
		err = load_samples(l, s, &config, m);
	if (err)
		return err;
	if (o->inlined)
		profile_inline(&l->profile);
	while (event < s->names.n && !report_has_event(&l->profile, event))
		event++;
	/* what only waited has no samples */
	if (event == s->names.n && o->wall)
		event = first_event(s);
	if (event == s->names.n)
		return msg_set(m, -ENOENT, "no samples%s in %s",
			       o->event || o->time ? " that match" : "", pev_trace_path(s->trace));
	if (o->wall)
		err = wall_add(l, event, o->comm, m);
	if (err)
		return err;
	if (!l->chains)
		note("the recording has no call chains (record -g): the graph is flat");
	flame_make(&f, &l->profile, event, o->comm);
	err = write_flame(o, &f, m);
	flame_free(&f);
	return err;
}

static int flame_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct flame_opts *o = opts;
	struct session session = { 0 };
	const struct pull_shape shape = { 0 };
	struct load load = { 0 };
	int err;

	if (o->json && o->folded)
		return msg_set(m, -EINVAL, "--json and --folded exclude each other");
	if (o->wall && o->time)
		return msg_set(m, -EINVAL, "--wall is of a whole recording: leave --time out");
	if (session_given_twice(n, args, o->input, m))
		return -EINVAL;
	if (o->width < 200 || o->width > 20000)
		return msg_set(m, -EINVAL, "--width takes 200 to 20000 pixels");
	err = pull_session(&session, n ? args[0] : o->input, &o->pull, &shape, m);
	if (!err)
		err = flame(o, &session, &load, m);
	fflush(stdout);
	if (session.trace && !err)
		session_note_damage(&session);
	load_free(&load);
	session_close(&session);
	/* a recording without what was asked for is no mistake in the command line */
	return err == -ENOENT ? -ENODATA : err;
}

const struct command command_flame = {
	.name = "flame",
	.operands = "[DIR]",
	.summary = "draw a flame graph as SVG",
	.about = "Writes a picture of all call chains: the wider a function, the more samples; above "
		 "it stands what it called. Any browser shows it; pointing at a function gives its "
		 "name and share. For a page to search and zoom in, see \"perfctl report --html\".",
	.examples = "  perfctl flame -o hot.svg\n"
		    "  perfctl flame --comm sqlite3 --icicle\n"
		    "  perfctl flame --wall -o wall.svg    with what it waited for\n"
		    "  perfctl flame --folded | head\n",
	.opts = flame_options,
	.opts_size = sizeof(struct flame_opts),
	.defaults = &(const struct flame_opts){ .width = 1200, .least = 0.3 },
	.run = flame_run,
};
