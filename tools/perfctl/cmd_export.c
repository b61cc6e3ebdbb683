// SPDX-License-Identifier: GPL-2.0
/* perfctl export: a recording in the formats of other programs. */
#include "export.h"
#include "perfctl.h"
#include "rows.h"
#include "text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const struct exporter *const formats[] = {
	&export_perf,	&export_pprof,	   &export_folded, &export_firefox,
	&export_chrome, &export_callgrind, &export_csv,	   &export_jsonl,
};

struct export_opts {
	const char *input;
	const char *output;
	const char *event;
};

static const struct opt export_options[] = {
	{ 'i', OPT_STRING, "input", "DIR", "the trace (default: pev.trace)",
	  offsetof(struct export_opts, input) },
	{ 'o', OPT_STRING, "output", "FILE", "where to, \"-\" for the standard output (default: "
	  "by format)", offsetof(struct export_opts, output) },
	{ 'e', OPT_STRING, "event", "NAME", "only these events; names may be globs, several by "
	  "commas", offsetof(struct export_opts, event) },
	{ 0 },
};

static const struct exporter *format_by_name(const char *name, struct msg *m)
{
	struct nearest near = { .word = name };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(formats[i]->name, name))
			return formats[i];
		nearest_offer(&near, formats[i]->name);
	}
	if (near.best)
		msg_set(m, -EINVAL, "unknown format \"%s\"; did you mean \"%s\"?", name, near.best);
	else
		msg_set(m, -EINVAL, "unknown format \"%s\"; there are perf.data, pprof, folded, "
			"firefox, chrome, callgrind, csv and jsonl", name);
	return NULL;
}

/* Asked once for each event name: 1 wanted, 2 not. */
static bool event_wanted(struct export *x, uint32_t event)
{
	uint8_t *v = &x->verdicts[event];

	if (!*v)
		*v = !x->event || globs_match(x->event, strtab_get(&x->feed.names, event)) ? 1 : 2;
	return *v == 1;
}

static int run_format(struct export *x, struct msg *m)
{
	const struct exporter *f = x->format;
	const struct feed_class *cls;
	const struct pev_event *ev;
	int err = f->begin ? f->begin(x, m) : 0, got = 0;

	while (!err && !out_failed(&x->out) && (got = feed_next(&x->feed, &ev, &cls, m)) > 0) {
		if (cls->kind == FEED_EVENT) {
			if (!event_wanted(x, cls->event) ||
			    (f->samples && !export_class_has_samples(ev->cls)))
				continue;
			x->exported++;
		}
		err = f->event(x, ev, cls, m);
	}
	if (!err && got < 0)
		err = got;
	if (!err && f->end && !out_failed(&x->out))
		err = f->end(x, m);
	return err;
}

static int export_trace(struct export *x, const char *output, struct msg *m)
{
	int err;

	if (!strcmp(output, "-") && isatty(1) &&
	    (x->format == &export_perf || x->format == &export_pprof))
		return msg_set(m, -EINVAL, "%s is no text for a terminal; name a file with -o",
			       x->format->name);
	x->begin = pev_trace_begin_ns(x->feed.trace);
	x->verdicts = xcalloc(x->feed.names.n, 1);
	err = out_open(&x->out, output, m);
	if (!err) {
		err = run_format(x, m);
		err = out_close(&x->out, err, m);
	}
	x->format->free(x);
	return err;
}

static void say_what(const struct export *x, const char *output)
{
	char a[32];

	if (!x->exported)
		note("no events%s in %s that %s could show", x->event ? " of that name" : "",
		     pev_trace_path(x->feed.trace), x->format->name);
	else if (strcmp(output, "-"))
		fprintf(stderr, "[ %s: %s events ]\n", output, text_count(a, x->exported));
}

static int export_run(int argc, char **argv)
{
	struct export_opts opts = { 0 };
	struct export x = { 0 };
	const char *output;
	struct msg m;
	int n, err, status;

	status = command_options(&command_export, &opts, argc, argv, &n);
	if (status >= 0)
		return status;
	if (!n) {
		complain("export to which format? There are perf.data, pprof, folded, firefox, "
			 "chrome, callgrind, csv and jsonl");
		return STATUS_USAGE;
	}
	if (n > 2 || (n == 2 && opts.input)) {
		complain("one trace at a time: \"%s\" is one too many", argv[n]);
		return STATUS_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	x.event = opts.event;
	x.format = format_by_name(argv[1], &m);
	output = opts.output ? opts.output : x.format ? x.format->file : NULL;
	err = x.format ? feed_open(&x.feed, n == 2 ? argv[2] : opts.input, &m) : -EINVAL;
	if (!err) {
		err = export_trace(&x, output, &m);
		if (!err)
			say_what(&x, output);
		feed_note_damage(&x.feed);
	}
	for (size_t i = 0; i < x.n_names; i++)
		free(x.names[i].name);
	free(x.names);
	free(x.verdicts);
	feed_close(&x.feed);
	if (err) {
		complain("%s", m.text);
		return status_of(err);
	}
	return STATUS_OK;
}

const struct command command_export = {
	.name = "export",
	.operands = "FORMAT [DIR]",
	.summary = "write a recording in the format of another program",
	.about = "FORMAT is one of: perf.data (perf report, perf script, hotspot), pprof (go tool "
		 "pprof, Pyroscope, Parca), folded (flame graphs, speedscope), firefox "
		 "(profiler.firefox.com), chrome (ui.perfetto.dev, chrome://tracing), callgrind "
		 "(kcachegrind), csv, jsonl (a JSON object a line). babeltrace2 and Trace Compass "
		 "read the recording as it is.",
	.examples = "  perfctl export perf.data              and then: perf report\n"
		    "  perfctl export pprof -o - | curl --data-binary @- ...\n"
		    "  perfctl export folded -e cpu-clock | flamegraph.pl >cpu.svg\n"
		    "  perfctl export jsonl -e 'sched:*' | jq .fields.next_comm\n",
	.opts = export_options,
	.run = export_run,
};
