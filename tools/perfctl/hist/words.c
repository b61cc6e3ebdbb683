// SPDX-License-Identifier: GPL-2.0
/* Names of numbers in keys. See words.h. */
#include "words.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
/* Numbers below are addresses of the kernel rather than less than nothing. */
#define LEAST_NUMBER (-(1LL << 46))

/* The number of a cgroup is that of its directory's inode. Closes @fd. */
static void add_cgroups(struct hist_words *w, int fd, const char *path)
{
	struct hist_cgroup *c;
	struct dirent *e;
	struct stat st;
	DIR *dir = fdopendir(fd);

	if (!dir || fstat(fd, &st)) {
		close(fd);
		return;
	}
	c = ARRAY_PUSH(w->cgroups, w->n, w->cap);
	c->id = st.st_ino;
	c->path = xstrdup(*path ? path : "/");
	while ((e = readdir(dir))) {
		char *below;
		int sub;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, e->d_name);
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (sub >= 0)
			add_cgroups(w, sub, below);
		free(below);
	}
	closedir(dir);
}

static void forget_cgroups(struct hist_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->cgroups[i].path);
	w->n = 0;
}

static const char *cgroup_path(struct hist_words *w, uint64_t id)
{
	if (!w->looked) {
		int fd = open(CGROUP_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		forget_cgroups(w);
		if (fd >= 0)
			add_cgroups(w, fd, "");
		w->looked = true;
	}
	for (size_t i = 0; i < w->n; i++)
		if (w->cgroups[i].id == id)
			return w->cgroups[i].path;
	return NULL;
}

void hist_words_refresh(struct hist_words *w)
{
	w->looked = false;
}

void hist_words_free(struct hist_words *w)
{
	forget_cgroups(w);
	free(w->cgroups);
	w->cgroups = NULL;
}

bool hist_word_is_number(const struct pev_table_key *key)
{
	return key->from == PEV_TABLE_PID || key->from == PEV_TABLE_TID ||
	       key->from == PEV_TABLE_CPU || key->from == PEV_TABLE_FIELD;
}

static void put_call(struct strbuf *b, int64_t nr)
{
	const char *name = nr >= 0 && nr < INT32_MAX ? pev_syscall_name((unsigned int)nr) : NULL;

	if (nr < 0)
		strbuf_puts(b, "none");
	else if (name)
		strbuf_puts(b, name);
	else
		strbuf_addf(b, "syscall_%" PRId64, nr);
}

/* Of keys that are no numbers */
static void put_name(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	const char *path = NULL;

	switch (key->from) {
	case PEV_TABLE_COMM:
		strbuf_add(b, word, strnlen((const char *)word, 2 * sizeof(*word)));
		break;
	case PEV_TABLE_CGROUP:
		path = cgroup_path(w, *word);
		if (path)
			strbuf_puts(b, path);
		else
			strbuf_addf(b, "cgroup %" PRIu64, *word);
		break;
	case PEV_TABLE_EVENT:
		if (*word < w->plan->n)
			strbuf_puts(b, w->plan->events[*word].label);
		break;
	default:
		put_call(b, (int64_t)*word);
	}
}

void hist_word_plain(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	uint64_t low, high;

	if (!hist_word_is_number(key))
		put_name(b, w, key, word);
	else if (!pev_table_bounds(key, *word, &low, &high))
		strbuf_addf(b, "%" PRId64, (int64_t)low);
}

static void put_number(struct strbuf *b, uint64_t v, bool separated)
{
	int64_t number = (int64_t)v;
	char buf[32];

	if (number < LEAST_NUMBER)
		strbuf_addf(b, "0x%" PRIx64, v);
	else if (!separated)
		strbuf_addf(b, "%" PRId64, number);
	else
		strbuf_addf(b, "%s%s", number < 0 ? "-" : "", text_count(buf, number < 0 ? -v : v));
}

void hist_word_shown(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	uint64_t low, high;

	if (!hist_word_is_number(key)) {
		struct strbuf name = { 0 };

		put_name(&name, w, key, word);
		text_name(b, name.len ? name.s : "");
		strbuf_free(&name);
		return;
	}
	if (pev_table_bounds(key, *word, &low, &high))
		return;
	/* numbers of processes and the like have no separators anywhere */
	put_number(b, low, key->bucket != PEV_TABLE_EXACT);
	if (low != high) {
		strbuf_puts(b, " to ");
		put_number(b, high, true);
	}
}
