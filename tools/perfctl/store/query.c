// SPDX-License-Identifier: GPL-2.0
/* Has a store add up samples. See query.h. */
#include "query.h"
#include "schema.h"
#include "where.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* So many call chains are asked for by their ids: a server reads 256 KiB of a query. */
#define STACKS_BY_ID 8000

/**
 * struct question - a query in SQL
 * @suffix: of tables
 * @days:   condition on days
 * @rows:   the rows that count: what stands behind SELECT ...
 * @by:     how it is bounded, if it is
 * @stacks: a condition on ids of call chains, once rows are answered: theirs
 */
struct question {
	const char *suffix;
	struct strbuf days;
	struct strbuf rows;
	struct narrowed by;
	struct strbuf stacks;
};

static int make_question(struct question *s, const struct store_query *q, struct msg *m)
{
	strbuf_addf(&s->days, "day BETWEEN toDate(%u) AND toDate(%u)", q->from / STORE_DAY,
		    (q->to - 1) / STORE_DAY);
	strbuf_addf(&s->rows,
		    " FROM pev_rows%s WHERE %s AND time >= %u AND time < %u AND batch GLOBAL NOT "
		    "IN (SELECT batch FROM pev_voids%s)",
		    s->suffix, s->days.s, q->from, q->to, s->suffix);
	if (!q->where)
		return 0;
	strbuf_puts(&s->rows, " AND ");
	return where_sql(q->where, s->suffix, s->days.s, &s->rows, m);
}

static int ask(struct http *h, struct strbuf *sql, struct answer *a,
	       int (*read)(struct answer *a, const struct strbuf *b), struct msg *m)
{
	struct strbuf got = { 0 };
	int err;

	strbuf_puts(sql, " FORMAT RowBinary");
	err = http_ask(h, sql->s, NULL, &got, m);
	if (!err && got.len && read(a, &got))
		err = msg_set(m, -EBADMSG, "the store's answer is damaged");
	strbuf_free(&got);
	strbuf_free(sql);
	return err;
}

static void put_column(const struct store_query *q, const struct question *s, bool apart, int kind,
		       const char *plain, struct strbuf *sql)
{
	if (!apart)
		strbuf_puts(sql, "toUInt64(0)");
	else if (q->most)
		narrow_column(&s->by, kind, sql);
	else
		strbuf_puts(sql, plain);
}

static int ask_rows(struct http *h, const struct store_query *q, const struct question *s,
		    struct answer *a, struct msg *m)
{
	struct strbuf sql = { 0 };

	if (a->step)
		strbuf_addf(&sql, "SELECT toUInt32(intDiv(time - %u, %u) * %u + %u)", q->from,
			    a->step, a->step, q->from);
	else
		strbuf_addf(&sql, "SELECT toUInt32(%u)", q->from);
	strbuf_puts(&sql, " AS t, event, ");
	put_column(q, s, !q->sums, NARROW_STACK, "stack", &sql);
	strbuf_puts(&sql, " AS c, ");
	put_column(q, s, q->by_host, NARROW_HOST, "host", &sql);
	strbuf_puts(&sql, " AS h, ");
	put_column(q, s, q->by_service, NARROW_SERVICE, "service", &sql);
	strbuf_addf(&sql, " AS s, toUInt64(sum(samples)), toUInt64(sum(weight))%s", s->rows.s);
	if (q->most) {
		strbuf_puts(&sql, " AND ");
		narrow_condition(&s->by, NARROW_EVENT, &sql);
	}
	strbuf_puts(&sql, " GROUP BY t, event, c, h, s ORDER BY t, c, event, h, s");
	return ask(h, &sql, a, answer_read_rows, m);
}

/* Several rows of an id are the same, so that any will do: also below. */
static int ask_names(struct http *h, const struct store_query *q, const struct question *s,
		     struct answer *a, struct msg *m)
{
	static const int named[] = { NARROW_EVENT, NARROW_HOST, NARROW_SERVICE };
	struct strbuf sql = { 0 };

	strbuf_addf(&sql, "SELECT kind, id, any(name), any(more) FROM pev_names%s WHERE %s",
		    s->suffix, s->days.s);
	for (size_t i = 0; q->most && i < ARRAY_SIZE(named); i++)
		strbuf_addf(&sql, "%s%s", i ? "," : " AND (id IN (", s->by.ids[named[i]].s);
	if (q->most)
		strbuf_addf(&sql, ") OR kind = %d)", STORE_REMARK);
	strbuf_puts(&sql, " GROUP BY kind, id");
	return ask(h, &sql, a, answer_read_names, m);
}

static int ask_chains(struct http *h, const struct question *s, struct answer *a, struct msg *m)
{
	struct strbuf sql = { 0 };
	int err;

	strbuf_addf(&sql,
		    "SELECT id, any(program), any(frames) FROM pev_stacks%s WHERE %s AND id "
		    "%s GROUP BY id",
		    s->suffix, s->days.s, s->stacks.s);
	err = ask(h, &sql, a, answer_read_stacks, m);
	if (err)
		return err;
	strbuf_addf(
		&sql,
		"SELECT id, any(kind), any(build_id), any(path), any(place), any(name) "
		"FROM pev_frames%s WHERE %s AND id GLOBAL IN (SELECT DISTINCT arrayJoin(frames) "
		"FROM pev_stacks%s WHERE %s AND id %s) GROUP BY id",
		s->suffix, s->days.s, s->suffix, s->days.s, s->stacks.s);
	return ask(h, &sql, a, answer_read_frames, m);
}

/* Functions of files that may have one of the frames, if any were uploaded */
static int ask_symbols(struct http *h, const struct question *s, struct answer *a, struct msg *m)
{
	struct strbuf sql = { 0 };
	bool any;
	int err = schema_has_table(h, store_table_name(STORE_SYMBOLS), &any, m);

	if (err || !any)
		return err;
	strbuf_addf(
		&sql,
		"SELECT build_id, place, any(size), any(name) FROM pev_symbols%s WHERE (build_id, "
		"block) GLOBAL IN (SELECT DISTINCT build_id, toUInt32(intDiv(place, %u)) FROM "
		"pev_frames%s WHERE %s AND kind = %u AND id GLOBAL IN (SELECT DISTINCT "
		"arrayJoin(frames) FROM pev_stacks%s WHERE %s AND id %s)) GROUP BY build_id, "
		"place",
		s->suffix, STORE_BLOCK, s->suffix, s->days.s, STORE_FRAME_FILE, s->suffix,
		s->days.s, s->stacks.s);
	return ask(h, &sql, a, answer_read_symbols, m);
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Call chains of the answer. The rows are looked through again only where these are too many. */
static void condition_on_stacks(struct question *s, const struct answer *a)
{
	uint64_t *ids = xcalloc(a->n_rows, sizeof(*ids));
	size_t n = 0;

	for (size_t i = 0; i < a->n_rows; i++)
		ids[i] = a->rows[i].stack;
	qsort(ids, a->n_rows, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < a->n_rows; i++)
		if (!n || ids[i] != ids[n - 1])
			ids[n++] = ids[i];
	if (n > STACKS_BY_ID) {
		strbuf_addf(&s->stacks, "GLOBAL IN (SELECT DISTINCT stack%s)", s->rows.s);
	} else {
		for (size_t i = 0; i < n; i++)
			strbuf_addf(&s->stacks, "%s%" PRIu64, i ? "," : "IN (", ids[i]);
		strbuf_puts(&s->stacks, ")");
	}
	free(ids);
}

static int bound(struct http *h, const struct store_query *q, struct question *s, struct answer *a,
		 struct msg *m)
{
	int err;

	a->step = q->step;
	if (!q->most)
		return 0;
	err = narrow(h, q->most, s->rows.s, q->from, q->step, &s->by, m);
	if (err)
		return err;
	memcpy(a->kept, s->by.kept, sizeof(a->kept));
	a->step = s->by.step;
	return 0;
}

int store_ask(struct http *h, const struct store_query *q, struct answer *a, struct msg *m)
{
	struct question s = { 0 };
	int err = schema_suffix(h, &s.suffix, m);

	*a = (struct answer){ 0 };
	if (!err)
		err = make_question(&s, q, m);
	if (!err)
		err = bound(h, q, &s, a, m);
	if (!err)
		err = ask_rows(h, q, &s, a, m);
	if (!err && a->n_rows)
		err = ask_names(h, q, &s, a, m);
	if (!err && a->n_rows && !q->sums) {
		condition_on_stacks(&s, a);
		err = ask_chains(h, &s, a, m);
	}
	if (!err && a->n_rows && !q->sums)
		err = ask_symbols(h, &s, a, m);
	strbuf_free(&s.days);
	strbuf_free(&s.rows);
	strbuf_free(&s.stacks);
	narrow_free(&s.by);
	if (err)
		answer_free(a);
	return err;
}
