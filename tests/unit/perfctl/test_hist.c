// SPDX-License-Identifier: GPL-2.0
/* perfctl hist: keys as typed, and rows in their order. */
#include "hist/keys.h"
#include "hist/rows.h"
#include "tests.h"

#include <errno.h>

static struct pev_table table;
static struct msg said;

static int keys(const char *text)
{
	table = (struct pev_table){ 0 };
	said.text[0] = 0;
	return hist_keys_parse(&table, text, &said);
}

static bool is_key(unsigned int nr, uint32_t from, uint32_t bucket, uint64_t step, const char *name)
{
	const struct pev_table_key *k = &table.keys[nr];

	return nr < table.nr_keys && k->from == from && k->bucket == bucket && k->step == step &&
	       !strcmp(k->name, name);
}

static bool refused(const char *text, const char *why)
{
	return keys(text) == -EINVAL && strstr(said.text, why);
}

static void test_keys(void)
{
	static const char *const all[] = { "pid", "tid", "comm", "cpu", "cgroup", "event", "call" };
	char text[HIST_KEY_TEXT];

	for (uint32_t i = 0; i < ARRAY_SIZE(all); i++)
		OK(!keys(all[i]) && is_key(0, i, PEV_TABLE_EXACT, 0, ""), "key %s", all[i]);
	OK(!keys("log2(nr_sector) by comm") && table.nr_keys == 2 &&
		   is_key(0, PEV_TABLE_FIELD, PEV_TABLE_LOG2, 0, "nr_sector") &&
		   is_key(1, PEV_TABLE_COMM, PEV_TABLE_EXACT, 0, ""),
	   "two keys with \"by\"");
	OK(!keys("bytes") && is_key(0, PEV_TABLE_FIELD, PEV_TABLE_EXACT, 0, "bytes"),
	   "a name that begins with \"by\"");
	OK(!keys("cpu,pid comm by by") && table.nr_keys == 4 &&
		   is_key(3, PEV_TABLE_FIELD, PEV_TABLE_EXACT, 0, "by"),
	   "commas and blanks, too");
	OK(!keys(" linear( count , 4096 )") &&
		   is_key(0, PEV_TABLE_FIELD, PEV_TABLE_LINEAR, 4096, "count"),
	   "a step");
	OK(!keys("field(pid)") && is_key(0, PEV_TABLE_FIELD, PEV_TABLE_EXACT, 0, "pid"),
	   "a field that is called as a key");
	IS_STR(hist_key_text(&table.keys[0], text), "field(pid)", "... and its text");
	OK(!keys("log2(pid)") && is_key(0, PEV_TABLE_FIELD, PEV_TABLE_LOG2, 0, "pid"),
	   "log2() has a field");
	OK(!keys("linear(field(x),18446744073709551615) pid") && table.keys[0].step == UINT64_MAX &&
		   hist_axis(&table) == 0,
	   "the greatest step");
	IS_STR(hist_key_text(&table.keys[0], text), "linear(x,18446744073709551615)",
	       "... and its text");
	OK(!keys("pid,log2(a),log2(b)") && hist_axis(&table) == 1, "the first one has the bars");
	OK(!keys("pid") && hist_axis(&table) == -1, "no bars");
}

static void test_refusals(void)
{
	OK(refused("a b c d e", "at most 4 keys"), "five keys");
	OK(refused("", "a name is wanted at \"the end\""), "nothing");
	OK(refused("pid,", "a name is wanted"), "a comma at the end");
	OK(refused("log2(", "a name"), "an open parenthesis");
	OK(refused("log2(a", "\")\" is wanted"), "... behind a name");
	OK(refused("log(a)", "did you mean log2()"), "a function that isn't there");
	OK(refused("pid(a)", "there is no pid()"), "a key is none");
	OK(refused("linear(a)", "the width of a bucket"), "no step");
	OK(refused("linear(a,0)", "1 or more"), "a step of 0");
	OK(refused("linear(a,18446744073709551616)", "1 or more"), "a step that is too great");
	OK(refused("linear(a,111111111111111111111111111)", "1 or more"), "... by far");
	OK(refused("a-b", "a name is wanted at \"-b\""), "no name");
	OK(refused("a234567890123456789012345678901234567890123456789012345678901234",
		   "at most 63 bytes"),
	   "a name of 64 bytes");
	OK(!keys("a23456789012345678901234567890123456789012345678901234567890123"), "... of 63");
}

static void test_value(void)
{
	struct pev_table t = { 0 };

	OK(!hist_value_parse(&t, "ret", &said) && t.value == PEV_TABLE_OF_FIELD &&
		   !strcmp(t.field, "ret"),
	   "the sum of a field");
	OK(!hist_value_parse(&t, "field(period)", &said) && t.value == PEV_TABLE_OF_FIELD &&
		   !strcmp(t.field, "period"),
	   "... that is called period");
	t = (struct pev_table){ 0 };
	OK(!hist_value_parse(&t, "period", &said) && t.value == PEV_TABLE_PERIOD && !t.field[0],
	   "what samples stand for");
	IS_NUM(hist_value_parse(&t, "log2(ret)", &said), -EINVAL, "a bucket is no sum");
	IS_NUM(hist_value_parse(&t, "", &said), -EINVAL, "no name");
}

/**
 * struct made_row - a row as a kernel gives it
 * @row: with two words of a name, and one of the other key
 */
struct made_row {
	struct pev_table_row row;
	__u64 key[3];
};

static void add(struct hist_rows *r, const char *comm, int64_t word, uint64_t count, int64_t value)
{
	struct made_row made = {
		.row = { .count = count,
			 .sum = count * (uint64_t)value,
			 .min = (uint64_t)value,
			 .max = (uint64_t)value },
		.key = { [2] = (uint64_t)word },
	};

	memcpy(made.key, comm, strlen(comm));
	hist_rows_add(r, &made.row);
}

static bool is_row(const struct hist_rows *r, size_t nr, const char *comm, int64_t word,
		   uint64_t count, bool begins)
{
	const struct hist_row *row = &r->v[nr];

	return nr < r->n && !strcmp((const char *)row->key[0], comm) &&
	       (int64_t)row->key[1][0] == word && row->count == count &&
	       hist_rows_begins(r, nr) == begins;
}

static void test_order(void)
{
	struct hist_rows r = { .table = &table };

	keys("comm by log2(ret)");
	add(&r, "cat", 5, 10, 20);
	add(&r, "dd", 9, 30, 300);
	add(&r, "dd", -2, 1, -3);
	add(&r, "cat", 1, 8, 1);
	hist_rows_sort(&r);
	OK(r.n == 4 && is_row(&r, 0, "dd", -2, 1, true) && is_row(&r, 1, "dd", 9, 30, false) &&
		   is_row(&r, 2, "cat", 1, 8, true) && is_row(&r, 3, "cat", 5, 10, false),
	   "groups by their count, buckets by their values");
	OK(r.v[0].group == 31 && r.v[3].group == 18, "what comes in a group");
	hist_rows_free(&r);
	keys("comm by ret");
	add(&r, "b", 5, 10, 0);
	add(&r, "a", 5, 10, 0);
	add(&r, "c", 7, 11, 0);
	hist_rows_sort(&r);
	OK(is_row(&r, 0, "c", 7, 11, true) && is_row(&r, 1, "a", 5, 10, true) &&
		   is_row(&r, 2, "b", 5, 10, true),
	   "rows by their count, then by their keys");
	hist_rows_free(&r);
	hist_rows_sort(&r);
	IS_NUM(r.n, 0, "no rows");
}

static void test_events(void)
{
	static const uint32_t events[] = { 0, 0, 1, 0 };
	struct hist_rows r = { .table = &table, .events = events, .n_events = ARRAY_SIZE(events) };

	keys("comm event");
	hist_value_parse(&table, "ret", &said);
	add(&r, "dd", 1, 2, -4);
	add(&r, "dd", 2, 4, 0);
	add(&r, "dd", 3, 5, 7);
	hist_rows_sort(&r);
	OK(r.n == 2 && is_row(&r, 0, "dd", 0, 7, true) && is_row(&r, 1, "dd", 1, 4, true),
	   "descriptors of one event are one row");
	OK((int64_t)r.v[0].min == -4 && r.v[0].max == 7 && r.v[0].sum == 27,
	   "... with the least, the greatest and the sum");
	hist_rows_free(&r);
}

void test_hist(void)
{
	test_keys();
	test_refusals();
	test_value();
	test_order();
	test_events();
}
