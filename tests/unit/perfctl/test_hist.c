// SPDX-License-Identifier: GPL-2.0
/* perfctl hist: keys as typed, and rows in their order. */
#include "hist/keys.h"
#include "hist/latency.h"
#include "hist/own_table.h"
#include "hist/rows.h"
#include "tests.h"

#include <errno.h>
#include <inttypes.h>

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
	OK(!keys("request") && is_key(0, PEV_TABLE_REQUEST, PEV_TABLE_EXACT, 0, ""), "key request");
	OK(refused("comm kstack", "record --fold") && refused("ustack", "record --fold") &&
		   !keys("field(ustack)"),
	   "who counts call chains is said");
	OK(refused("begin(request)", "begin() takes"), "a request is that of the end");
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
	OK(!keys("begin(comm) begin(log2(count))") && table.nr_keys == 2 &&
		   is_key(0, PEV_TABLE_COMM | PEV_TABLE_AT_BEGIN, PEV_TABLE_EXACT, 0, "") &&
		   is_key(1, PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN, PEV_TABLE_LOG2, 0, "count"),
	   "what began a pair had");
	IS_STR(hist_key_text(&table.keys[1], text), "begin(log2(count))", "... and its text");
	OK(!keys("begin") && is_key(0, PEV_TABLE_FIELD, PEV_TABLE_EXACT, 0, "begin"),
	   "a field that is called begin");
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
	OK(refused("begin(event)", "begin() takes a field"), "an event is no key of its begin");
	OK(refused("begin(begin(a))", "begin() takes a field"), "begin() in itself");
	OK(refused("begin(a", "\")\" is wanted"), "begin() without its end");
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
	struct hist_rows r = { .table = &table, .sign = 1 << 1 };

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
	struct hist_rows r = { .table = &table,
			       .sign = 1 << PEV_MAX_TABLE_KEYS,
			       .events = events,
			       .n_events = ARRAY_SIZE(events) };

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

static void test_unsigned(void)
{
	struct hist_rows r = { .table = &table };

	keys("comm by log2(address)");
	hist_value_parse(&table, "address", &said);
	add(&r, "dd", 64, 1, INT64_MIN);
	add(&r, "dd", 64, 1, 5);
	add(&r, "dd", 3, 1, 5);
	hist_rows_sort(&r);
	OK(r.n == 2 && is_row(&r, 0, "dd", 3, 1, true) && r.v[1].min == 5 &&
		   r.v[1].max == 1ULL << 63,
	   "2^63 is the greatest of numbers without a sign");
	hist_rows_free(&r);
	add(&r, "dd", INT64_MIN, 1, 0);
	add(&r, "dd", 0, 1, 0);
	hist_rows_sort(&r);
	OK(is_row(&r, 0, "dd", 0, 1, true), "... as a key, too");
	hist_rows_free(&r);
}

/* ---- latencies ---- */

static struct event_list list;

static int latency(const char *text)
{
	event_list_free(&list);
	list = (struct event_list){ 0 };
	table = (struct pev_table){ .open = HIST_OPEN };
	said.text[0] = 0;
	return hist_latency_parse(&table, &list, text, &said);
}

static bool no_latency(const char *text, const char *why)
{
	return latency(text) == -EINVAL && strstr(said.text, why);
}

static void test_latency(void)
{
	OK(!latency("syscalls:sys_enter_read..sys_exit_read") && list.n == 2 &&
		   table.nr_pair == 1 && table.begin[0].from == PEV_TABLE_TID &&
		   table.end[0].from == PEV_TABLE_TID,
	   "two events of a thread");
	IS_STR(list.specs[1].name, "syscalls:sys_exit_read", "... the second of the same system");
	OK(table.nr_keys == 1 && table.keys[0].from == PEV_TABLE_LATENCY &&
		   table.keys[0].bucket == PEV_TABLE_EIGHTHS && table.value == PEV_TABLE_OF_LATENCY,
	   "... latencies as keys and values");
	OK(!latency("block:block_rq_issue..block:block_rq_complete by dev,sector") &&
		   table.nr_pair == 2 && !strcmp(table.begin[1].name, "sector") &&
		   !strcmp(table.end[0].name, "dev"),
	   "by fields that both have");
	OK(!latency("sched:sched_waking..sched_switch by field(pid)=next_pid") &&
		   !strcmp(table.begin[0].name, "pid") && !strcmp(table.end[0].name, "next_pid"),
	   "by fields that have two names");
	OK(!latency("sched:sched_waking .. sched_switch by field(pid)=next_pid, cpu") &&
		   table.nr_pair == 2 && table.begin[1].from == PEV_TABLE_CPU,
	   "blanks");
	OK(!latency("a:b..c by d with comm,log2(e)") && table.nr_pair == 1 && table.nr_keys == 3 &&
		   is_key(1, PEV_TABLE_COMM | PEV_TABLE_AT_BEGIN, PEV_TABLE_EXACT, 0, "") &&
		   is_key(2, PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN, PEV_TABLE_LOG2, 0, "e"),
	   "what is kept of the first one");
	OK(!latency("a:b..c with pid") && table.nr_pair == 1 &&
		   table.begin[0].from == PEV_TABLE_TID && table.nr_keys == 2,
	   "... of a thread");
	OK(no_latency("a:b..c with event", "\"with\" takes"), "the event itself is not kept");
	OK(no_latency("a:b..c by begin(d)", "pairs are found by"), "pairs by begin()");
	OK(no_latency("sched:sched_waking", "takes two events"), "one event");
	OK(no_latency("..sched:sched_switch", "takes two events"), "no first one");
	OK(no_latency("sched:sched_waking..", "takes two events"), "no second one");
	OK(no_latency("a:b..c by log2(d)", "pairs are found by"), "a bucket");
	OK(no_latency("a:b..c by d,e,f,g,h", "at most 4"), "too many");
	event_list_free(&list);
}

static void test_quantiles(void)
{
	struct hist_rows r = { .table = &table }, coarse;
	uint64_t q[HIST_QUANTILES];
	struct pev_table powers;

	latency("a:b..c");
	hist_keys_parse(&table, "cpu", &said);
	for (uint64_t i = 0; i < 100; i++) {
		struct made_row made = {
			/* 1000 to 1099, of which the buckets are 960 to 1023 and 1024 to 1151 */
			.row = { .count = 1, .sum = 1000 + i, .min = 1000 + i, .max = 1000 + i },
			.key = { 1000 + i < 1024 ? 63 : 64, 1 },
		};

		hist_rows_add(&r, &made.row);
	}
	hist_rows_sort(&r);
	hist_quantiles(&r, 0, q);
	OK(r.n == 2, "two buckets");
	OK(q[HIST_P50] >= 1048 && q[HIST_P50] <= 1051, "p50 %" PRIu64, q[HIST_P50]);
	OK(q[HIST_P90] >= 1088 && q[HIST_P90] <= 1091, "p90 %" PRIu64, q[HIST_P90]);
	OK(q[HIST_P99] >= 1097 && q[HIST_P99] <= 1099, "p99 %" PRIu64, q[HIST_P99]);
	hist_rows_coarse(&r, &coarse, &powers);
	OK(coarse.n == 2 && coarse.v[0].key[0][0] == 10 && coarse.v[1].key[0][0] == 11 &&
		   coarse.v[0].count == 24 && powers.keys[0].bucket == PEV_TABLE_LOG2,
	   "powers of two");
	hist_rows_free(&coarse);
	hist_rows_free(&r);
}

static void test_own_table(void)
{
	const struct pev_table asked = { .rows = 2, .nr_keys = 1, .open = 2 };
	struct own_table t = { .table = &asked, .room = 2, .sign = 1u << PEV_MAX_TABLE_KEYS };
	uint64_t key[OWN_WORDS] = { 0 };
	const struct own_pair *p;

	for (uint64_t i = 0; i < 9; i++) {
		key[0] = i % 3;
		own_table_add(&t, key, 4 - i);
	}
	OK(t.n_rows == 2 && t.rows[1].count == 3 && (int64_t)t.rows[1].min == -3 &&
		   t.rows[1].max == 3 && t.rows[1].sum == 0,
	   "rows, with values below 0");
	OK(t.sums.generated.count == 9 && t.sums.rows.count == 6 && t.sums.other.count == 3 &&
		   t.sums.generated.sum == t.sums.rows.sum + t.sums.other.sum,
	   "what found no row is told");
	for (uint64_t i = 0; i < 4; i++) {
		key[0] = i % 3;
		own_table_begin(&t, key, key, 10 * i);
	}
	OK(t.sums.begun == 4 && t.sums.open == 2 && t.sums.replaced == 1 && t.sums.dropped == 1,
	   "pairs: one is replaced, one has no room");
	key[0] = 0;
	p = own_table_end(&t, key);
	OK(p && p->ns == 30 && t.sums.open == 1, "the newer one ends");
	OK(!own_table_end(&t, key) && t.sums.unmatched.count == 1, "once");
	key[0] = 2;
	own_table_begin(&t, key, key, 50);
	OK(t.sums.open == 2 && t.sums.dropped == 1, "there is room again");
	own_table_clear(&t);
	key[0] = 1;
	p = own_table_end(&t, key);
	OK(p && p->ns == 10 && t.sums.open == 1 && !t.n_rows, "what is open stays so");
	own_table_free(&t);
}

void test_hist(void)
{
	test_own_table();
	test_unsigned();
	test_latency();
	test_quantiles();
	test_keys();
	test_refusals();
	test_value();
	test_order();
	test_events();
}
