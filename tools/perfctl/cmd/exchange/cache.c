// SPDX-License-Identifier: GPL-2.0
/* perfctl cache: the files that were kept for their functions, and how to be rid of them. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <pev/sym.h>

struct cache_opts {
	uint64_t keep;
	bool json;
};

static const struct opt cache_options[] = {
	{ 0, OPT_SIZE, "keep", "SIZE",
	  "with purge: so much may stay, of what was used last (default: nothing)",
	  offsetof(struct cache_opts, keep) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct cache_opts, json) },
	{ 0 },
};

static void print(const struct pev_syms_cache *c)
{
	char a[32], b[32];

	printf("%s: %u file%s, %s of at most %s\n", c->path, c->files, text_s(c->files),
	       text_bytes(a, c->bytes), text_bytes(b, c->most));
}

static void print_json(const struct pev_syms_cache *c, bool purge)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "path", c->path);
	json_u64(&j, "files", c->files);
	json_u64(&j, "bytes", c->bytes);
	json_u64(&j, "most_bytes", c->most);
	if (purge)
		json_u64(&j, "removed", c->removed);
	json_close(&j, '}');
	json_end_line(&j);
}

static int cache_run(const void *opts, int n, char **args, struct msg *m)
{
	struct pev_syms_cache cache = { .size = sizeof(cache) };
	const struct cache_opts *o = opts;
	bool purge = n && !strcmp(args[0], "purge");
	int err;

	if (n > 1 || (n && !purge && strcmp(args[0], "show")))
		return msg_set(m, -EINVAL, "cache takes show or purge, not \"%s\"", args[n > 1]);
	if (o->keep && !purge)
		return msg_set(m, -EINVAL, "--keep is for \"perfctl cache purge\"");
	err = pev_syms_cache(purge ? o->keep : UINT64_MAX, &cache);
	if (err)
		return msg_set(m, err, "there is no cache: neither XDG_CACHE_HOME nor HOME is set");
	if (o->json) {
		print_json(&cache, purge);
		return 0;
	}
	if (purge)
		printf("%u file%s removed\n", cache.removed, text_s(cache.removed));
	print(&cache);
	return 0;
}

const struct command command_cache = {
	.name = "cache",
	.operands = "[show|purge]",
	.summary = "show or remove programs that were kept for their functions",
	.about = "Programs and libraries of containers are gone with these, and their functions have "
		 "no names then: report and others keep copies by build id. When these would take "
		 "more than 1 GiB, the ones that were not used for the longest time are removed. "
		 "Files from debuginfod servers are kept by its own client.",
	.examples = "  perfctl cache                       where it is, and what it takes\n"
		    "  perfctl cache purge                 remove all\n"
		    "  perfctl cache purge --keep 100M     but what was used last\n",
	.opts = cache_options,
	.opts_size = sizeof(struct cache_opts),
	.run = cache_run,
};
