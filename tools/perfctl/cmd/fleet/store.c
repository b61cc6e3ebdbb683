// SPDX-License-Identifier: GPL-2.0
/* perfctl store: makes, examines and cleans the store of a fleet. */
#include "cmd/commands.h"
#include "store/schema.h"
#include "store/tables.h"

#include <errno.h>
#include <time.h>

#define KEEP_DAYS 30

struct storage_opts {
	const char *cluster;
	uint64_t keep;
	struct store_opts store;
};

static const struct opt store_options[] = {
	{ 0, OPT_STRING, "cluster", "NAME",
	  "init: also tables over all servers of that cluster, which the store's configuration "
	  "names; for each server in turn",
	  offsetof(struct storage_opts, cluster) },
	{ 0, OPT_POSITIVE, "keep", "DAYS", "expire: the days that stay (default: 30)",
	  offsetof(struct storage_opts, keep) },
	STORE_OPTS(struct storage_opts, store),
	{ 0 },
};

static int init(struct http *h, const struct storage_opts *o, struct msg *m)
{
	return schema_init(h, o->cluster, m);
}

static int check(struct http *h, const struct storage_opts *o, struct msg *m)
{
	(void)o;
	return schema_check(h, stdout, m);
}

/* Today is the last of the days that stay. */
static int expire(struct http *h, const struct storage_opts *o, struct msg *m)
{
	uint64_t today = (uint64_t)time(NULL) / STORE_DAY;

	return o->keep > today ? 0 : schema_expire(h, (uint32_t)(today + 1 - o->keep), stdout, m);
}

static const struct {
	const char *name;
	int (*run)(struct http *h, const struct storage_opts *o, struct msg *m);
} verbs[] = { { "init", init }, { "check", check }, { "expire", expire } };

static int store_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct storage_opts *o = opts;
	struct store_url url = { 0 };
	struct http *h = NULL;
	size_t verb = 0;
	int err;

	while (n && verb < ARRAY_SIZE(verbs) && strcmp(args[0], verbs[verb].name))
		verb++;
	if (n != 2 || verb == ARRAY_SIZE(verbs))
		return msg_set(m, -EINVAL,
			       "store takes init, check or expire, and the URL of a store");
	if (o->cluster && verbs[verb].run != init)
		return msg_set(m, -EINVAL, "--cluster is for \"perfctl store init\"");
	err = store_url_parse(&url, args[1], &o->store, m);
	if (!err)
		err = http_open(&url, &h, m);
	if (!err)
		err = verbs[verb].run(h, o, m);
	fflush(stdout);
	http_close(h);
	store_url_free(&url);
	return http_error(err);
}

const struct command command_store = {
	.name = "store",
	.operands = "init|check|expire URL",
	.summary = "make, examine and clean the store of a fleet",
	.about =
		"A store is a ClickHouse server, version 18.16 or newer. \"init\" makes the tables "
		"that it lacks, \"check\" says what they have, \"expire\" drops old days. The URL is "
		"http://HOST:8123 or https://HOST:8443, with /DATABASE if it is not the default one.",
	.examples = "  perfctl store init http://store:8123\n"
		    "  perfctl store check http://store:8123\n"
		    "  perfctl store expire http://store:8123 --keep 14\n",
	.opts = store_options,
	.opts_size = sizeof(struct storage_opts),
	.defaults = &(const struct storage_opts){ .keep = KEEP_DAYS },
	.run = store_run,
};
