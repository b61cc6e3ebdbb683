// SPDX-License-Identifier: GPL-2.0
/* perfctl archive: a recording that can be read on another machine. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/output.h"
#include "base/text.h"
#include "export/archive.h"
#include "session/fetch.h"
#include "session/use.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct archive_opts {
	const char *input;
	const char *output;
	bool no_debug;
	bool json;
};

static const struct opt archive_options[] = {
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct archive_opts, input) },
	{ 'o', OPT_STRING, "output", "FILE",
	  "\"-\": the standard output (default: the trace's name "
	  "and .tar)",
	  offsetof(struct archive_opts, output) },
	{ 0, OPT_FLAG, "programs-only", NULL,
	  "without separate debug information, which may be large",
	  offsetof(struct archive_opts, no_debug) },
	{ 'j', OPT_FLAG, "json", NULL, "print what was written as JSON",
	  offsetof(struct archive_opts, json) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

/* The last part of where a trace really is: "." has none. */
static char *base_of(const char *path)
{
	char *real = realpath(path, NULL), *name;
	const char *slash = real ? strrchr(real, '/') : NULL;

	name = xstrdup(slash && slash[1] ? slash + 1 : "pev.trace");
	free(real);
	return name;
}

static void say_what(const struct archive *a, const char *output)
{
	char bytes[32], name[512], to[512];

	/* others may have named the directory */
	text_safe(name, sizeof(name), a->name);
	text_safe(to, sizeof(to), output);
	fprintf(stderr,
		"[ %s: programs and libraries: %zu, files with debug information: %zu, %s ]\n", to,
		a->objects, a->debugs, text_bytes(bytes, a->bytes));
	fprintf(stderr, "[ elsewhere: tar -xf %s && perfctl report %s ]\n", to, name);
}

static void print_json(const struct archive *a, const char *output)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "file", output);
	json_string(&j, "trace", a->name);
	json_u64(&j, "programs", a->objects);
	json_u64(&j, "debug_files", a->debugs);
	json_u64(&j, "bytes", a->bytes);
	json_close(&j, '}');
	json_end_line(&j);
}

static int write_archive(struct session *session, const void *opts, struct msg *m)
{
	const struct archive_opts *o = opts;
	struct archive a = { .session = session, .name = base_of(pev_trace_path(session->trace)) };
	char *output = o->output ? xstrdup(o->output) : xasprintf("%s.tar", a.name);
	int err;

	if (!strcmp(output, "-") && o->json)
		err = msg_set(
			m, -EINVAL,
			"-j and the archive are both for the standard output: name a file with -o");
	else if (!strcmp(output, "-") && isatty(STDOUT_FILENO))
		err = msg_set(m, -EINVAL, "an archive is no text for a terminal; name a file with -o");
	else
		err = out_open(&a.out, output, OUT_WHOLE, m);
	/* as the recording that is in it */
	if (!err && a.out.is_file && !a.out.older && fchmod(a.out.fd, 0600))
		err = msg_set(m, -EIO, "%s: %s", output, strerror(errno));
	if (!err) {
		err = archive_write(&a, !o->no_debug, m);
		err = out_close(&a.out, err, m);
	}
	if (!err && o->json)
		print_json(&a, output);
	else if (!err && strcmp(output, "-"))
		say_what(&a, output);
	free(output);
	free(a.name);
	return err;
}

static int archive_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct archive_opts *o = opts;

	return session_use(n, args, o->input, write_archive, o, m);
}

const struct command command_archive = {
	.name = "archive",
	.operands = "[DIR]",
	.summary = "pack a recording with its programs, for another machine",
	.about = "Writes a tar file of a recording and of the programs, libraries and debug information "
		 "that its samples lie in. Unpacked anywhere, every command reads it with the names of "
		 "all functions and their source lines. It has the machine's programs and names of "
		 "files: look at whom you give it to.",
	.examples = "  perfctl archive                     pev.trace.tar\n"
		    "  perfctl archive -o - slow.trace | ssh desk tar -x\n"
		    "  tar -xf pev.trace.tar && perfctl report\n",
	.opts = archive_options,
	.opts_size = sizeof(struct archive_opts),
	.run = archive_run,
};
