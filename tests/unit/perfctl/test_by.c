// SPDX-License-Identifier: GPL-2.0
/* perfctl stat --by: what counts are split by, as typed, and rows added up. */
#include "by/keys.h"
#include "by/rows.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>

static struct by_keys keys;
static struct msg said;

static bool refused(const char *text, const char *why)
{
	return by_keys_parse(&keys, text, &said) == -EINVAL && strstr(said.text, why);
}

static void test_keys(void)
{
	static const char *const names[] = {
		"cgroup", "service", "comm", "process", "thread", "cpu"
	};
	struct pev_table table = { 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		OK(!by_keys_parse(&keys, names[i], &said) && keys.n == 1 && keys.kind[0] == i,
		   "by %s", names[i]);
	OK(!by_keys_parse(&keys, "cgroup,process,cpu", &said) && keys.n == 3, "three names");
	by_keys_table(&keys, &table);
	OK(table.nr_keys == 4 && table.keys[0].from == PEV_TABLE_CGROUP &&
		   table.keys[1].from == PEV_TABLE_PID && table.keys[2].from == PEV_TABLE_CPU &&
		   table.keys[3].from == PEV_TABLE_COMM,
	   "... are keys, and the name of the process comes last");
	OK(refused("cpu,cgruop", "did you mean \"cgroup\"?"), "a slip");
	OK(refused("weekday", "split by cgroup, service, comm"), "nonsense");
	OK(refused("cpu,cpu", "twice"), "the same twice");
	OK(refused("cpu,comm,cgroup,thread", "at most 3"), "too many");
	OK(refused(",", "needs a name"), "nothing");
}

static bool service_is(const char *path, const char *service)
{
	char *got = by_service_of(path);
	bool same = !strcmp(got, service);

	free(got);
	return same;
}

static void test_service(void)
{
	OK(service_is("/system.slice/nginx.service", "nginx.service"), "a service");
	OK(service_is("/system.slice/nginx.service/worker/7", "nginx.service"),
	   "... from below it");
	OK(service_is("/user.slice/user-0.slice/session-1.scope", "session-1.scope"), "a scope");
	OK(service_is("/a.service/b.scope/c", "b.scope"), "the innermost of two");
	OK(service_is("/user.slice/user-0.slice", "/user.slice/user-0.slice"), "neither");
	OK(service_is("/", "/"), "the root");
	OK(service_is("/.service", "/.service"), "an ending alone is no name");
}

static void add(struct by_rows *r, uint64_t a, uint64_t b, const char *comm, size_t event,
		uint64_t value)
{
	by_rows_add(r, (const uint64_t[BY_MAX]){ a, b }, comm, event, value);
}

static void test_sums(void)
{
	struct by_rows r = { .n_keys = 2, .events = 2 };

	add(&r, 1, 1, "sh", 0, 10);
	add(&r, 1, 1, "make", 0, 30);
	add(&r, 1, 1, "other", 1, 99);
	add(&r, 1, 2, NULL, 0, 25);
	add(&r, 2, 1, "late", 1, 7);
	add(&r, 3, 1, NULL, 0, 25);
	by_rows_sort(&r, 0);
	OK(r.n == 4, "rows of the same key are one");
	OK(r.v[0].values[0] == 40 && r.v[0].values[1] == 99, "... with the sums of each event");
	IS_STR(r.v[0].comm, "make", "... and the name that counted most of the first");
	OK(r.v[1].key[0] == 1 && r.v[2].key[0] == 3, "equal ones are in the order of their keys");
	IS_STR(r.v[3].comm, "late", "a name without any of the first event");
	by_rows_sort(&r, 1);
	OK(r.v[0].values[1] == 99 && r.v[1].values[1] == 7, "by another event");
	by_rows_clear(&r);
	add(&r, 2, 1, NULL, 0, 3);
	OK(r.n == 1 && r.v[0].values[0] == 3, "they begin again");
	by_rows_free(&r);
}

void test_by(void)
{
	test_keys();
	test_service();
	test_sums();
}
