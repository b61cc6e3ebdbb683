// SPDX-License-Identifier: GPL-2.0
/* perfctl import: a perf.data becomes a trace. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/say.h"
#include "base/text.h"
#include "import/file.h"
#include "import/import.h"
#include "import/input.h"
#include "import/missing.h"
#include "import/records.h"
#include "import/sort.h"
#include "import/write.h"
#include "record/trace_dir.h"
#include "session/received.h"

#include <inttypes.h>
#include <errno.h>
#include <stdlib.h>

#define DEFAULT_OUTPUT "pev.trace"

struct import_opts {
	const char *output;
	const char *kallsyms;
	bool json;
};

static const struct opt import_options[] = {
	{ 'o', OPT_STRING, "output", "DIR",
	  "the trace to write (default: " DEFAULT_OUTPUT "; an "
	  "older one is renamed to DIR.old)",
	  offsetof(struct import_opts, output) },
	{ 0, OPT_STRING, "kallsyms", "FILE",
	  "the functions of the kernel that was profiled "
	  "(default: from perf's cache of build ids, or /proc/kallsyms if it is the running one)",
	  offsetof(struct import_opts, kallsyms) },
	{ 'j', OPT_FLAG, "json", NULL, "print what was written as JSON",
	  offsetof(struct import_opts, json) },
	{ 0 },
};

/* Of a type of perf's records that a trace has no place for */
static const char *skipped_name(unsigned int type)
{
	static const char *const names[] = {
		[PERF_RECORD_THROTTLE] = "throttle", [PERF_RECORD_UNTHROTTLE] = "unthrottle",
		[PERF_RECORD_READ] = "read", [PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "itrace", [PERF_RECORD_SWITCH] = "switch",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "switch", [PERF_RECORD_NAMESPACES] = "namespaces",
		[PERF_RECORD_KSYMBOL] = "ksymbol", [PERF_RECORD_BPF_EVENT] = "bpf",
		[PERF_RECORD_CGROUP] = "cgroup", [PERF_RECORD_TEXT_POKE] = "text poke",
		[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX output",
	};

	return type < ARRAY_SIZE(names) && names[type] ? names[type] : "other";
}

static void say_skipped(const struct import *im)
{
	struct strbuf b = { 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(im->skipped); i++)
		if (im->skipped[i])
			strbuf_addf(&b, "%s%" PRIu64 " %s", b.len ? ", " : "", im->skipped[i],
				    skipped_name(i));
	if (b.len)
		note("records that a trace has no place for were left out: %s", b.s);
	strbuf_free(&b);
}

static void say_result(const struct import *im, const char *output)
{
	char a[32], b[32];

	fprintf(stderr, "[ %s: %s sample%s of %zu event%s, %s mappings and tasks ]\n", output,
		text_count(a, im->samples), text_s(im->samples), im->n_events, text_s(im->n_events),
		text_count(b, im->sideband));
	say_skipped(im);
	if (im->late)
		note("%s records came too late for their place: they have the time of the one "
		     "before", text_count(a, im->late));
}

static void print_json(const struct import *im, const char *output)
{
	struct json j = { .out = stdout };
	struct strbuf missing = { 0 };

	import_missing(im, &missing);
	json_open(&j, NULL, '{');
	json_string(&j, "trace", output);
	json_u64(&j, "events", im->n_events);
	json_u64(&j, "samples", im->samples);
	json_u64(&j, "mappings_and_tasks", im->sideband);
	json_u64(&j, "lost", im->lost);
	json_u64(&j, "late", im->late);
	json_open(&j, "left_out", '[');
	for (unsigned int i = 0; i < ARRAY_SIZE(im->skipped); i++) {
		if (!im->skipped[i])
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "type", skipped_name(i));
		json_u64(&j, "records", im->skipped[i]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_bool(&j, "complete", !missing.len);
	if (missing.len)
		json_string(&j, "missing", missing.s);
	json_close(&j, '}');
	json_end_line(&j);
	strbuf_free(&missing);
}

/* What could be read is there, but must not be taken for all. */
static int fail_if_incomplete(const struct import *im, const char *output, struct msg *m)
{
	struct strbuf b = { 0 };
	int err = 0;

	import_missing(im, &b);
	if (b.len)
		err = msg_set(m, -EBADMSG, "%s can be used, but does not have all of %s: %s",
			      output, im->path, b.s);
	strbuf_free(&b);
	return err;
}

static int import_file(struct import *im, const struct import_opts *o, const char *output,
		       struct msg *m)
{
	int err = import_input(im, output, m);

	if (!err)
		err = import_open(im, m);

	if (err)
		return err;
	err = import_write_open(im, output, o->kallsyms, m);
	if (!err)
		err = import_each(im, import_queue_add, m);
	if (!err)
		err = import_queue_end(im, m);
	err = import_write_close(im, err, m);
	if (err)
		return err;
	if (o->json)
		print_json(im, output);
	else
		say_result(im, output);
	return fail_if_incomplete(im, output, m);
}

/* What "perfctl record -o -" writes has all that a trace has. */
static int import_trace(const struct import *im, const struct import_opts *o, const char *output,
			struct msg *m)
{
	struct json j = { .out = stdout };
	struct pev_writer *w;
	struct received r;
	struct trace_dir dir;
	uint64_t bytes = 0;
	char text[32];
	int err = trace_dir_open(&dir, output, &w, m);

	if (err)
		return err;
	err = received_open(&r, w, im->head, im->n_head, m);
	if (!err)
		err = received_all(&r, m);
	bytes = pev_writer_bytes(w);
	err = received_close(&r, err, m);
	if (err && !bytes)
		trace_dir_discard(&dir);
	else
		trace_dir_free(&dir);
	if (!err && !o->json)
		fprintf(stderr, "[ %s: %s ]\n", output, text_bytes(text, bytes));
	if (err || !o->json)
		return err;
	json_open(&j, NULL, '{');
	json_string(&j, "trace", output);
	json_u64(&j, "bytes", bytes);
	json_close(&j, '}');
	json_end_line(&j);
	return 0;
}

static int import_stdin(struct import *im, const struct import_opts *o, const char *output,
			struct msg *m)
{
	ssize_t len;
	int err = received_head(im->head, &len, m);

	im->n_head = (size_t)len;
	if (err)
		return err;
	return pev_pipe_begins(im->head, im->n_head) ? import_trace(im, o, output, m) :
						       import_file(im, o, output, m);
}

static int import_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct import_opts *o = opts;
	const char *output = o->output ? o->output : DEFAULT_OUTPUT;
	struct import im = { 0 };
	int err;

	if (n > 1)
		return msg_set(m, -EINVAL, "one file at a time: \"%s\" is one too many",
			       args[n - 1]);
	im.path = n ? args[0] : "perf.data";
	err = strcmp(im.path, "-") ? import_file(&im, o, output, m) :
				     import_stdin(&im, o, output, m);
	import_queue_free(&im);
	import_free(&im);
	return err;
}

const struct command command_import = {
	.name = "import",
	.operands = "[perf.data | -]",
	.summary = "make a recording of perf's perf.data",
	.about = "Reads what perf record wrote, compressed or not, from a file or a pipe (-: the "
		 "standard input, for what \"perfctl record -o -\" writes, too), and "
		 "writes the same as a trace that report, script and export read: samples with "
		 "call chains, user registers and stacks, tracepoints with their fields, the "
		 "processes and their mappings with build ids.",
	.examples = "  perfctl import && perfctl report\n"
		    "  perf record -o - ./program | perfctl import -\n"
		    "  ssh HOST perfctl record -o - -a --timeout 10 | perfctl import -\n"
		    "  perfctl import -o old.trace archive/perf.data\n",
	.opts = import_options,
	.opts_size = sizeof(struct import_opts),
	.run = import_run,
};
