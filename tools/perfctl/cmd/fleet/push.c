// SPDX-License-Identifier: GPL-2.0
/* perfctl push: sends the samples of a recording to the store of a fleet. */
#include "cmd/commands.h"
#include "base/text.h"
#include "fleet/push.h"

#include <errno.h>

struct push_opts {
	const char *host;
	const char *service;
	const char *version;
	struct store_opts store;
	bool quiet;
};

static const struct opt push_options[] = {
	{ 0, OPT_STRING, "host", "NAME", "of the machine (default: as recorded)",
	  offsetof(struct push_opts, host) },
	{ 0, OPT_STRING, "service", "NAME", "that all samples are counted to (default: unknown)",
	  offsetof(struct push_opts, service) },
	{ 0, OPT_STRING, "version", "TEXT", "of the service", offsetof(struct push_opts, version) },
	STORE_OPTS(struct push_opts, store),
	{ 'q', OPT_FLAG, "quiet", NULL, "say nothing unless something goes wrong",
	  offsetof(struct push_opts, quiet) },
	{ 0 },
};

static void say(const struct push_result *r, const char *url)
{
	char a[32], b[32];

	if (r->already)
		fprintf(stderr, "[ %s: %s sample%s, %s more were there ]\n", url,
			text_count(a, r->samples), text_s(r->samples), text_count(b, r->already));
	else
		fprintf(stderr, "[ %s: %s sample%s ]\n", url, text_count(a, r->samples),
			text_s(r->samples));
}

static int push_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct push_opts *o = opts;
	struct push_result result;
	struct store_url url = { 0 };
	struct push_config config = {
		.url = &url,
		.path = n > 1 ? args[1] : NULL,
		.host = o->host,
		.service = { o->service, o->version ? o->version : "" },
	};
	int err;

	if (!n || n > 2)
		return msg_set(m, -EINVAL, "push takes the URL of a store, and a recording");
	if (!*o->service || (o->host && !*o->host))
		return msg_set(m, -EINVAL, "a host and a service have names");
	err = store_url_parse(&url, args[0], &o->store, m);
	if (!err)
		err = push_recording(&config, &result, m);
	if (!err && !o->quiet)
		say(&result, args[0]);
	store_url_free(&url);
	return http_error(err);
}

const struct command command_push = {
	.name = "push",
	.operands = "URL [DIR]",
	.summary = "send the samples of a recording to a fleet's store",
	.about =
		"Adds up the samples of a recording by call chain and spans of 10 seconds, and sends "
		"the sums to a store that \"perfctl store init\" made, where \"perfctl report "
		"--from\" finds them. If it fails, call it again: what the store has already is not "
		"counted twice.",
	.examples = "  perfctl push http://store:8123 pev.trace --service db\n"
		    "  perfctl report --from http://store:8123 --where 'service = \"db\"'\n",
	.opts = push_options,
	.opts_size = sizeof(struct push_opts),
	.defaults = &(const struct push_opts){ .service = "unknown" },
	.run = push_run,
};
