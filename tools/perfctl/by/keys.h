/* SPDX-License-Identifier: GPL-2.0 */
/* What counts are split by, as typed: "cgroup", "process,cpu". */
#ifndef PERFCTL_BY_KEYS_H
#define PERFCTL_BY_KEYS_H

#include "base/util.h"

#include <pev/pev.h>

/* What stands behind --by, in --help */
#define BY_NAMES "cgroup, service, comm, process, thread or cpu"

enum by_kind {
	BY_CGROUP,
	BY_SERVICE,
	BY_COMM,
	BY_PROCESS,
	BY_THREAD,
	BY_CPU,

	BY_KINDS,
};

/* A process or thread takes two keys of a table: its number and its name. */
#define BY_MAX 3

/**
 * struct by_keys - what is asked for
 * @n: at least 1
 */
struct by_keys {
	enum by_kind kind[BY_MAX];
	unsigned int n;
};

/* Returns 0, or -EINVAL with a sentence. */
int by_keys_parse(struct by_keys *k, const char *text, struct msg *m);
/* As typed, and the member's name in JSON */
const char *by_kind_name(enum by_kind kind);
bool by_keys_have(const struct by_keys *k, enum by_kind kind);
/* Do rows have the name of a task beside its number? */
bool by_keys_named(const struct by_keys *k);
/* Fills in the keys of @t: those of @k in their order, and the name last. */
void by_keys_table(const struct by_keys *k, struct pev_table *t);
/* Returns "nginx.service" of "/system.slice/nginx.service/worker", or the path; to be freed. */
char *by_service_of(const char *path);

#endif
