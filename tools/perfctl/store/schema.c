// SPDX-License-Identifier: GPL-2.0
/* The tables of a store as a whole. See schema.h. */
#include "schema.h"
#include "sql.h"
#include "tables.h"
#include "wire.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define VERSION_TABLE "pev_version"

static int run(struct http *h, struct strbuf *sql, struct strbuf *answer, struct msg *m)
{
	int err = http_ask(h, sql->s, NULL, answer, m);

	strbuf_free(sql);
	return err;
}

/* A statement that returns one number */
int schema_ask_number(struct http *h, const char *sql, uint64_t *v, struct msg *m)
{
	struct strbuf answer = { 0 };
	int err = http_ask(h, sql, NULL, &answer, m);
	struct wire w = { (const uint8_t *)answer.s, (const uint8_t *)answer.s + answer.len,
			  false };

	*v = err ? 0 : wire_u64(&w);
	if (!err && w.broken)
		err = msg_set(m, -EBADMSG, "the store's answer makes no sense: is it ClickHouse?");
	strbuf_free(&answer);
	return err;
}

int schema_has_table(struct http *h, const char *name, bool *exists, struct msg *m)
{
	struct strbuf sql = { 0 };
	uint64_t n;
	int err;

	strbuf_puts(&sql, "SELECT count() FROM system.tables WHERE database = currentDatabase() "
			  "AND name = ");
	sql_text(&sql, name);
	strbuf_puts(&sql, " FORMAT RowBinary");
	err = schema_ask_number(h, sql.s, &n, m);
	*exists = n;
	strbuf_free(&sql);
	return err;
}

int schema_suffix(struct http *h, const char **suffix, struct msg *m)
{
	bool all = false;
	int err = schema_has_table(h, "pev_rows_all", &all, m);

	*suffix = all ? "_all" : "";
	return err;
}

/*
 * *version: 0 if there is none, also of one that was interrupted before the row came. Refuses tables
 * of a later perfctl, which may mean something else.
 */
static int find_version(struct http *h, uint64_t *version, struct msg *m)
{
	bool exists;
	int err = schema_has_table(h, VERSION_TABLE, &exists, m);

	*version = 0;
	if (err || !exists)
		return err;
	err = schema_ask_number(h,
				"SELECT toUInt64(max(version)) FROM " VERSION_TABLE
				" FORMAT RowBinary",
				version, m);
	if (!err && *version > STORE_VERSION)
		err = msg_set(m, -EINVAL,
			      "the store has tables of version %" PRIu64 ", and this perfctl takes "
			      "version %d: use a newer one, or another database of the store",
			      *version, STORE_VERSION);
	return err;
}

static int make_version(struct http *h, struct msg *m)
{
	struct strbuf sql = { 0 };
	int err = http_ask(h,
			   "CREATE TABLE IF NOT EXISTS " VERSION_TABLE
			   " (version UInt32) ENGINE = TinyLog",
			   NULL, NULL, m);

	if (err)
		return err;
	strbuf_addf(&sql, "INSERT INTO " VERSION_TABLE " VALUES (%d)", STORE_VERSION);
	return run(h, &sql, NULL, m);
}

static int make_table(struct http *h, enum store_table t, const char *cluster, struct msg *m)
{
	const char *name = store_table_name(t), *columns = store_table_columns(t);
	struct strbuf sql = { 0 };
	int err;

	strbuf_addf(&sql, "CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = %s", name, columns,
		    store_table_engine(t));
	err = run(h, &sql, NULL, m);
	if (err || !cluster)
		return err;
	strbuf_addf(&sql,
		    "CREATE TABLE IF NOT EXISTS %s_all (%s) "
		    "ENGINE = Distributed(%s, currentDatabase(), %s)",
		    name, columns, cluster, name);
	return run(h, &sql, NULL, m);
}

/* On a server of a cluster, what is new is needed over all of them, too. */
static int check_cluster(struct http *h, struct msg *m)
{
	const char *suffix;
	int err = schema_suffix(h, &suffix, m);

	if (!err && *suffix)
		err = msg_set(m, -EINVAL,
			      "the store is one of several servers: name their cluster with "
			      "--cluster to bring its tables to version %d",
			      STORE_VERSION);
	return err;
}

/*
 * What a version lacks is made: versions before have the same tables, but not all, so that agents of
 * theirs can go on.
 */
int schema_init(struct http *h, const char *cluster, struct msg *m)
{
	uint64_t version;
	int err;

	if (cluster && !sql_is_name(cluster))
		return msg_set(m, -EINVAL,
			       "--cluster: \"%s\" is no name of letters, digits and underscores",
			       cluster);
	err = find_version(h, &version, m);
	if (!err && version && version < STORE_VERSION && !cluster)
		err = check_cluster(h, m);
	for (int t = 0; t < STORE_TABLES && !err; t++)
		err = make_table(h, (enum store_table)t, cluster, m);
	/* agents take the tables for complete from here on */
	return err || version == STORE_VERSION ? err : make_version(h, m);
}

/* ---- check ---- */

static int table_figures(struct http *h, enum store_table t, uint64_t v[4], struct msg *m)
{
	struct strbuf sql = { 0 }, answer = { 0 };
	struct wire w;
	int err;

	strbuf_addf(&sql,
		    "SELECT toUInt64(sum(rows)), toUInt64(sum(bytes_on_disk)), toUInt64(toUInt16("
		    "min(min_date))), toUInt64(toUInt16(max(max_date))) FROM system.parts WHERE "
		    "active AND database = currentDatabase() AND table = '%s' FORMAT RowBinary",
		    store_table_name(t));
	err = run(h, &sql, &answer, m);
	w = (struct wire){ (const uint8_t *)answer.s, (const uint8_t *)answer.s + answer.len,
			   false };
	for (int i = 0; i < 4; i++)
		v[i] = err ? 0 : wire_u64(&w);
	if (!err && w.broken)
		err = msg_set(m, -EBADMSG, "the store's answer makes no sense: is it ClickHouse?");
	strbuf_free(&answer);
	return err;
}

static void print_day(FILE *out, uint64_t day)
{
	time_t at = (time_t)day * STORE_DAY;
	struct tm tm;
	char text[32];

	strftime(text, sizeof(text), "%Y-%m-%d", gmtime_r(&at, &tm));
	fputs(text, out);
}

static void print_figures(FILE *out, enum store_table t, const uint64_t v[4])
{
	char rows[32], bytes[32];

	fprintf(out, "%-12s %14s rows %12s", store_table_name(t), text_count(rows, v[0]),
		text_bytes(bytes, v[1]));
	if (v[0])
		fprintf(out, "  %.1f bytes a row", (double)v[1] / (double)v[0]);
	if (v[0] && store_table_has_days(t)) {
		fputs(", ", out);
		print_day(out, v[2]);
		fputs(" to ", out);
		print_day(out, v[3]);
	}
	fputc('\n', out);
}

int schema_ready(struct http *h, struct msg *m)
{
	uint64_t version;
	int err = find_version(h, &version, m);

	if (!err && version && version < STORE_VERSION)
		err = msg_set(m, -ENODATA,
			      "the store has tables of version %" PRIu64 ", and this perfctl makes "
			      "those of version %d: \"perfctl store init URL\" adds what is "
			      "missing; agents of before can go on",
			      version, STORE_VERSION);
	if (!err && !version)
		err = msg_set(
			m, -ENODATA,
			"the store has no tables of pev yet: \"perfctl store init URL\" makes "
			"them");
	return err;
}

int schema_check(struct http *h, FILE *out, struct msg *m)
{
	uint64_t v[4], dead;
	int err = schema_ready(h, m);

	for (int t = 0; t < STORE_TABLES && !err; t++) {
		err = table_figures(h, (enum store_table)t, v, m);
		if (!err)
			print_figures(out, (enum store_table)t, v);
	}
	if (!err)
		err = schema_ask_number(
			h,
			"SELECT toUInt64(count()) FROM pev_rows WHERE batch IN (SELECT "
			"batch FROM pev_voids) FORMAT RowBinary",
			&dead, m);
	if (!err)
		fprintf(out, "%" PRIu64 " rows are void: they were sent again, and do not count\n",
			dead);
	return err;
}

/* ---- expire ---- */

static int drop(struct http *h, enum store_table t, uint32_t day, FILE *out, struct msg *m)
{
	time_t at = (time_t)day * STORE_DAY;
	struct strbuf sql = { 0 };
	struct tm tm;
	char text[32];
	int err;

	strftime(text, sizeof(text), "%Y-%m-%d", gmtime_r(&at, &tm));
	strbuf_addf(&sql, "ALTER TABLE %s DROP PARTITION '%s'", store_table_name(t), text);
	err = run(h, &sql, NULL, m);
	if (!err)
		fprintf(out, "%s: %s dropped\n", store_table_name(t), text);
	return err;
}

static int expire_table(struct http *h, enum store_table t, uint32_t day, FILE *out, struct msg *m)
{
	struct strbuf sql = { 0 }, answer = { 0 };
	struct wire w;
	int err;

	strbuf_addf(&sql,
		    "SELECT DISTINCT min_date FROM system.parts WHERE active AND database = "
		    "currentDatabase() AND table = '%s' AND toUInt16(min_date) < %u "
		    "ORDER BY min_date FORMAT RowBinary",
		    store_table_name(t), day);
	err = run(h, &sql, &answer, m);
	w = (struct wire){ (const uint8_t *)answer.s, (const uint8_t *)answer.s + answer.len,
			   false };
	while (!err && wire_more(&w))
		err = drop(h, t, wire_u16(&w), out, m);
	strbuf_free(&answer);
	return err;
}

/* Functions of files that have run on none of the days that stay; one may be uploaded before it runs. */
static int expire_symbols(struct http *h, uint32_t day, FILE *out, struct msg *m)
{
	struct strbuf old = { 0 }, sql = { 0 };
	const char *suffix;
	uint64_t n = 0;
	int err = schema_suffix(h, &suffix, m);

	if (err)
		return err;
	strbuf_addf(&old,
		    "day < toDate(%u) AND build_id NOT IN (SELECT DISTINCT build_id FROM %s%s)",
		    day, store_table_name(STORE_FRAMES), suffix);
	strbuf_addf(&sql, "SELECT toUInt64(count()) FROM %s WHERE %s FORMAT RowBinary",
		    store_table_name(STORE_SYMBOLS), old.s);
	err = schema_ask_number(h, sql.s, &n, m);
	strbuf_reset(&sql);
	strbuf_addf(&sql, "ALTER TABLE %s DELETE WHERE %s", store_table_name(STORE_SYMBOLS), old.s);
	if (!err && n)
		err = http_ask(h, sql.s, NULL, NULL, m);
	if (!err && n)
		fprintf(out, "%s: %" PRIu64 " functions of files that run no more dropped\n",
			store_table_name(STORE_SYMBOLS), n);
	strbuf_free(&sql);
	strbuf_free(&old);
	return err;
}

int schema_expire(struct http *h, uint32_t day, FILE *out, struct msg *m)
{
	/* what rows mean goes after them, and what makes some void last of all */
	static const enum store_table order[] = {
		STORE_ROWS, STORE_STACKS, STORE_FRAMES, STORE_NAMES, STORE_VOIDS,
	};
	bool symbols;
	int err = schema_has_table(h, store_table_name(STORE_SYMBOLS), &symbols, m);

	for (size_t i = 0; i < ARRAY_SIZE(order) && !err; i++)
		err = expire_table(h, order[i], day, out, m);
	return err || !symbols ? err : expire_symbols(h, day, out, m);
}
