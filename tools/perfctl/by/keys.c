// SPDX-License-Identifier: GPL-2.0
/* What counts are split by. See keys.h. */
#include "keys.h"
#include "cli/suggest.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	const char *name;
	uint32_t from;
} kinds[BY_KINDS] = {
	[BY_CGROUP] = { "cgroup", PEV_TABLE_CGROUP },
	[BY_SERVICE] = { "service", PEV_TABLE_CGROUP },
	[BY_COMM] = { "comm", PEV_TABLE_COMM },
	[BY_PROCESS] = { "process", PEV_TABLE_PID },
	[BY_THREAD] = { "thread", PEV_TABLE_TID },
	[BY_CPU] = { "cpu", PEV_TABLE_CPU },
};

const char *by_kind_name(enum by_kind kind)
{
	return kinds[kind].name;
}

bool by_keys_have(const struct by_keys *k, enum by_kind kind)
{
	for (unsigned int i = 0; i < k->n; i++)
		if (k->kind[i] == kind)
			return true;
	return false;
}

bool by_keys_named(const struct by_keys *k)
{
	return by_keys_have(k, BY_PROCESS) || by_keys_have(k, BY_THREAD);
}

static int unknown(const char *word, struct msg *m)
{
	struct suggestion near = { .word = word };

	for (size_t i = 0; i < BY_KINDS; i++)
		suggest_offer(&near, kinds[i].name);
	if (near.best)
		return msg_set(m, -EINVAL, "--by %s: did you mean \"%s\"?", word, near.best);
	return msg_set(m, -EINVAL, "--by %s: counts are split by " BY_NAMES, word);
}

static int add_key(struct by_keys *k, const char *word, struct msg *m)
{
	size_t kind = 0;

	while (kind < BY_KINDS && strcmp(kinds[kind].name, word))
		kind++;
	if (kind == BY_KINDS)
		return unknown(word, m);
	if (by_keys_have(k, (enum by_kind)kind))
		return msg_set(m, -EINVAL, "--by names %s twice", word);
	if (k->n == BY_MAX)
		return msg_set(m, -EINVAL, "--by takes at most %d names", BY_MAX);
	k->kind[k->n++] = (enum by_kind)kind;
	return 0;
}

int by_keys_parse(struct by_keys *k, const char *text, struct msg *m)
{
	char *copy = xstrdup(text), *save, *word;
	int err = 0;

	*k = (struct by_keys){ 0 };
	for (word = strtok_r(copy, ",", &save); word && !err; word = strtok_r(NULL, ",", &save))
		err = add_key(k, word, m);
	free(copy);
	return err || k->n ? err : msg_set(m, -EINVAL, "--by needs a name: " BY_NAMES);
}

void by_keys_table(const struct by_keys *k, struct pev_table *t)
{
	for (unsigned int i = 0; i < k->n; i++)
		t->keys[t->nr_keys++].from = kinds[k->kind[i]].from;
	if (by_keys_named(k))
		t->keys[t->nr_keys++].from = PEV_TABLE_COMM;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(text + len - n, end, n);
}

char *by_service_of(const char *path)
{
	const char *at = path + strlen(path), *end;

	/* the innermost part that systemd manages */
	for (end = at; end > path; end = at) {
		while (at > path && at[-1] != '/')
			at--;
		if (ends_with(at, (size_t)(end - at), ".service") ||
		    ends_with(at, (size_t)(end - at), ".scope"))
			return xstrndup(at, (size_t)(end - at));
		at = at > path ? at - 1 : path;
	}
	return xstrdup(path);
}
