// SPDX-License-Identifier: GPL-2.0
/* perfctl stat --by: what counts are split by, as typed, and rows added up. */
#include "by/keys.h"
#include "by/print.h"
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
	by_rows_sort(&r, (const double[]){ 1, 0 });
	OK(r.n == 4, "rows of the same key are one");
	OK(r.v[0].values[0] == 40 && r.v[0].values[1] == 99, "... with the sums of each event");
	IS_STR(r.v[0].comm, "make", "... and the name that counted most of the first");
	OK(r.v[1].key[0] == 1 && r.v[2].key[0] == 3, "equal ones are in the order of their keys");
	IS_STR(r.v[3].comm, "late", "a name without any of the first event");
	by_rows_sort(&r, (const double[]){ 0, 1 });
	OK(r.v[0].values[1] == 99 && r.v[1].values[1] == 7, "by another event");
	by_rows_sort(&r, (const double[]){ 1, 10 });
	OK(r.v[0].values[0] == 40 && r.v[1].values[1] == 7, "by the sum of two");
	by_rows_clear(&r);
	add(&r, 2, 1, NULL, 0, 3);
	OK(r.n == 1 && r.v[0].values[0] == 3, "they begin again");
	by_rows_free(&r);
}

/**
 * struct kinds - what two kinds of cores counted
 */
struct kinds {
	struct planned_event events[3];
	struct event_plan plan;
	struct by_counts counts;
	uint64_t other[3];
	uint64_t total[3];
	double share[3];
};

/* Cycles of each kind, of which the second had a counter half of the time, and a clock */
static void make_kinds(struct kinds *k)
{
	static const char *const labels[] = { "cpu_core/cycles/", "cpu_atom/cycles/", "faults" };

	*k = (struct kinds){ .plan = { .events = k->events, .n = 3, .units = 1, .sums = 1 } };
	for (size_t i = 0; i < 3; i++)
		k->events[i] = (struct planned_event){
			.label = (char *)labels[i],
			.unit = "",
			.scale = 1,
			.unit_nr = i < 2,
			.sum = i < 2,
			.sum_label = (char *)"cycles",
		};
	by_keys_parse(&keys, "cpu", &said);
	k->counts = (struct by_counts){ .rows = { .n_keys = 1, .events = 3 },
					.other = k->other,
					.total = k->total,
					.share = k->share };
	k->counts.share[0] = k->counts.share[2] = 1;
	k->counts.share[1] = 0.5;
	add(&k->counts.rows, 0, 0, NULL, 0, 300);
	add(&k->counts.rows, 0, 0, NULL, 2, 7);
	add(&k->counts.rows, 1, 0, NULL, 1, 200);
	k->counts.other[0] = 50;
	k->counts.total[0] = 350;
	k->counts.total[1] = 200;
}

/* Returns what is printed; to be freed. */
static char *printed(struct kinds *k, bool json)
{
	struct by_picture picture = { .counts = &k->counts,
				      .keys = &keys,
				      .plan = &k->plan,
				      .target = "",
				      .at = -1,
				      .first = true };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	by_print(&picture,
		 &(struct by_style){ .out = out, .sep = json ? NULL : ",", .json = json });
	fclose(out);
	return text;
}

static void test_kinds(void)
{
	struct kinds k;
	char *text;

	make_kinds(&k);
	text = printed(&k, false);
	OK(strstr(text, "\n1,400,,sum of cycles,73.33\n") &&
		   strstr(text, "\n0,300,,sum of cycles,73.33\n"),
	   "each row has a sum over kinds of cores, with what one did not count");
	OK(strstr(text, "\n(other),50,,sum of cycles") &&
		   strstr(text, "\n(total),750,,sum of cycles"),
	   "... and so has what is other, and all");
	OK(strstr(text, "cpu_atom") < strstr(text, "sum of") &&
		   strstr(text, "sum of") < strstr(text, "faults"),
	   "... behind the kinds");
	OK(!strncmp(text, "1,", 2), "rows are in the order of their sums");
	free(text);
	text = printed(&k, true);
	OK(strstr(text, "\"event\": \"cpu_atom/cycles/\"") &&
		   strstr(text, "\"sum\": \"sum of cycles\""),
	   "JSON names the sum that an event is part of");
	free(text);
	k.events[1].refused = (char *)"no";
	text = printed(&k, false);
	OK(!strstr(text, "sum of cycles"), "no sum without one of the kinds");
	free(text);
	by_rows_free(&k.counts.rows);
}

void test_by(void)
{
	test_kinds();
	test_keys();
	test_service();
	test_sums();
}
