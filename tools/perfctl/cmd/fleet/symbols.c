// SPDX-License-Identifier: GPL-2.0
/* perfctl symbols: names of functions for the store of a fleet. */
#include "cmd/commands.h"
#include "base/text.h"
#include "store/schema.h"
#include "symbols/upload.h"

#include <errno.h>

struct symbols_opts {
	bool verbose;
	struct store_opts store;
};

static const struct opt symbols_options[] = {
	{ 'v', OPT_FLAG, "verbose", NULL, "upload: print what became of each file",
	  offsetof(struct symbols_opts, verbose) },
	STORE_OPTS(struct symbols_opts, store),
	{ 0 },
};

static void say(const struct upload *u)
{
	char a[32], b[32], c[32], d[32];

	fprintf(stderr, "[ %s functions of %s files; %s files were there, %s have none to send ]\n",
		text_count(a, u->functions), text_count(b, u->files), text_count(c, u->there),
		text_count(d, u->without));
}

static int upload(struct http *h, const struct symbols_opts *o, int n, char **paths, struct msg *m)
{
	struct upload u = { .h = h, .verbose = o->verbose };
	int err = n ? 0 : upload_missing(&u, m);

	for (int i = 0; i < n && !err; i++)
		err = upload_path(&u, paths[i], m);
	if (!err)
		say(&u);
	return err;
}

static int symbols_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct symbols_opts *o = opts;
	bool list = n == 2 && !strcmp(args[0], "list");
	struct store_url url = { 0 };
	struct http *h = NULL;
	int err;

	if (!list && (n < 2 || strcmp(args[0], "upload")))
		return msg_set(m, -EINVAL,
			       "symbols takes \"upload\", the URL of a store, and files or "
			       "directories; or \"list\" and the URL");
	err = store_url_parse(&url, args[1], &o->store, m);
	if (!err)
		err = http_open(&url, &h, m);
	if (!err)
		err = schema_ready(h, m);
	if (!err)
		err = list ? upload_list(h, stdout, m) : upload(h, o, n - 2, args + 2, m);
	fflush(stdout);
	http_close(h);
	store_url_free(&url);
	return http_error(err);
}

const struct command command_symbols = {
	.name = "symbols",
	.operands = "upload URL [FILE|DIR]...|list URL",
	.summary = "give a fleet's store the names of functions",
	.about =
		"A store has build ids and offsets of what its machines run. \"upload\" sends the "
		"functions of files, or of all below directories: from where they were built, say. "
		"Without any, it sends those that the store lacks and this machine, or a debuginfod "
		"server (DEBUGINFOD_URLS), has. Then \"--from\" names them everywhere. What is there "
		"is not sent again. \"list\" says which files have names.",
	.examples = "  perfctl symbols upload http://store:8123 build/\n"
		    "  perfctl symbols upload http://store:8123    what is missing\n"
		    "  perfctl symbols list http://store:8123\n",
	.opts = symbols_options,
	.opts_size = sizeof(struct symbols_opts),
	.run = symbols_run,
};
