// SPDX-License-Identifier: GPL-2.0
/* perfctl export: a recording in the formats of other programs. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "fleet/pull.h"
#include "profile/rows.h"
#include "export/common.h"
#include "export/export.h"
#include "export/formats.h"
#include "session/fetch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct export_opts {
	struct pull_opts pull;
	const char *input;
	const char *output;
	const char *event;
	bool force;
	bool json;
};

static const struct opt export_options[] = {
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct export_opts, input) },
	{ 'o', OPT_STRING, "output", "FILE",
	  "where to, \"-\" for the standard output (default: "
	  "by format)",
	  offsetof(struct export_opts, output) },
	{ 'e', OPT_STRING, "event", "NAME",
	  "only these events; names may be globs, several by "
	  "commas",
	  offsetof(struct export_opts, event) },
	{ 0, OPT_FLAG, "force", NULL, "replace even a recording that perf made",
	  offsetof(struct export_opts, force) },
	{ 'j', OPT_FLAG, "json", NULL, "print what was written as JSON",
	  offsetof(struct export_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	PULL_OPTS(struct export_opts, pull),
	{ 0 },
};

/* "perf.data, pprof and csv" */
static const char *format_names(char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < export_formats_n && len < size; i++) {
		const char *between = i + 1 < export_formats_n ? ", " : " and ";

		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? between : "",
					export_formats[i]->name);
	}
	return text;
}

static const struct exporter *format_by_name(const char *name, struct msg *m)
{
	struct suggestion near = { .word = name };
	char names[256];

	for (size_t i = 0; i < export_formats_n; i++) {
		if (!strcmp(export_formats[i]->name, name))
			return export_formats[i];
		suggest_offer(&near, export_formats[i]->name);
	}
	if (near.best)
		msg_set(m, -EINVAL, "unknown format \"%s\"; did you mean \"%s\"?", name, near.best);
	else
		msg_set(m, -EINVAL, "unknown format \"%s\"; there are %s", name,
			format_names(names, sizeof(names)));
	return NULL;
}

/* Looks a name up once for each event: 1 wanted, 2 not. */
static bool event_wanted(struct export *x, uint32_t event)
{
	uint8_t *v = &x->verdicts[event];

	if (!*v)
		*v = !x->event || globs_match(x->event, strtab_get(&x->session.names, event)) ? 1 :
												2;
	return *v == 1;
}

static int run_format(struct export *x, struct msg *m)
{
	const struct exporter *f = x->format;
	const struct session_class *cls;
	const struct pev_event *ev;
	int err = f->begin ? f->begin(x, m) : 0, got = 0;

	/* lines on a terminal are progress enough */
	if (x->out.is_file || !isatty(STDOUT_FILENO))
		session_progress(&x->session, "exporting");
	while (!err && !out_failed(&x->out) &&
	       (got = session_next(&x->session, &ev, &cls, m)) > 0) {
		if (cls->kind == SESSION_EVENT) {
			if (!event_wanted(x, cls->event) ||
			    (f->samples && !export_class_has_samples(ev->cls)))
				continue;
			x->exported++;
			ev = session_unwind(&x->session, NULL, ev);
		}
		err = f->event(x, ev, cls, m);
	}
	session_progress(&x->session, NULL);
	if (!err && got < 0)
		err = got;
	if (!err && f->end && !out_failed(&x->out))
		err = f->end(x, m);
	return err;
}

static int export_trace(struct export *x, const char *output, bool force, struct msg *m)
{
	int err;

	if (!strcmp(output, "-") && isatty(1) && x->format->binary)
		return msg_set(m, -EINVAL, "%s is no text for a terminal; name a file with -o",
			       x->format->name);
	profile_init(&x->profile, &x->session);
	x->begin = pev_trace_begin_ns(x->session.trace);
	x->verdicts = xcalloc(x->session.names.n, 1);
	err = out_open(&x->out, output, force ? OUT_FORCE : OUT_WHOLE, m);
	if (!err) {
		err = run_format(x, m);
		err = out_close(&x->out, err, m);
	}
	if (x->format->free)
		x->format->free(x);
	return err;
}

static void say_what(const struct export *x, const char *output)
{
	char a[32];

	if (!x->exported)
		note("no events%s in %s that %s could show", x->event ? " of that name" : "",
		     pev_trace_path(x->session.trace), x->format->name);
	else if (strcmp(output, "-"))
		fprintf(stderr, "[ %s: %s event%s ]\n", output, text_count(a, x->exported),
			text_s(x->exported));
}

static void print_json(const struct export *x, const char *output)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "file", output);
	json_string(&j, "format", x->format->name);
	json_u64(&j, "events", x->exported);
	json_close(&j, '}');
	json_end_line(&j);
}

static int export_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct export_opts *o = opts;
	const struct pull_shape shape = { .host = true, .service = true };
	struct export x = { 0 };
	const char *output;
	char names[256];
	int err;

	if (!n)
		return msg_set(m, -EINVAL, "export to which format? There are %s",
			       format_names(names, sizeof(names)));
	if (n > 2 || (n == 2 && o->input))
		return msg_set(m, -EINVAL, "one trace at a time: \"%s\" is one too many",
			       args[n - 1]);
	signal(SIGPIPE, SIG_IGN);
	x.event = o->event;
	x.format = format_by_name(args[0], m);
	output = o->output ? o->output : x.format ? x.format->file : NULL;
	if (x.format && o->json && !strcmp(output, "-"))
		return msg_set(
			m, -EINVAL,
			"-j and the export are both for the standard output: name a file with -o");
	err = x.format ?
		      pull_session(&x.session, n == 2 ? args[1] : o->input, &o->pull, &shape, m) :
		      -EINVAL;
	if (!err) {
		err = export_trace(&x, output, o->force, m);
		if (!err && o->json)
			print_json(&x, output);
		else if (!err)
			say_what(&x, output);
		session_note_damage(&x.session);
	}
	for (size_t i = 0; i < x.n_names; i++)
		free(x.names[i].name);
	free(x.names);
	free(x.verdicts);
	profile_free(&x.profile);
	session_close(&x.session);
	return err;
}

#define FORMAT_HELP(name, help) help ", "
#define FORMATS_HELP EXPORT_FORMATS(FORMAT_HELP)

const struct command command_export = {
	.name = "export",
	.operands = "FORMAT [DIR]",
	.summary = "write a recording in the format of another program",
	.about = "FORMAT is one of: " FORMATS_HELP
		 "and no other: babeltrace2 and Trace Compass read the recording as it is.",
	.examples = "  perfctl export perf.data              and then: perf report\n"
		    "  perfctl export pprof -o - | curl --data-binary @- ...\n"
		    "  perfctl export folded -e cpu-clock | flamegraph.pl >cpu.svg\n"
		    "  perfctl export jsonl -e 'sched:*' | jq .fields.next_comm\n",
	.opts = export_options,
	.opts_size = sizeof(struct export_opts),
	.run = export_run,
};
