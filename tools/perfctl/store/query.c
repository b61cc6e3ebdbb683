// SPDX-License-Identifier: GPL-2.0
/* Has a store add up samples. See query.h. */
#include "query.h"
#include "schema.h"
#include "where.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct question - a query in SQL
 * @suffix: of tables
 * @days:   condition on days
 * @rows:   the rows that count: what stands behind SELECT ...
 */
struct question {
	const char *suffix;
	struct strbuf days;
	struct strbuf rows;
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

static int ask_rows(struct http *h, const struct store_query *q, const struct question *s,
		    struct answer *a, struct msg *m)
{
	struct strbuf sql = { 0 }, time = { 0 };

	if (q->step)
		strbuf_addf(&time, "toUInt32(intDiv(time, %u) * %u)", q->step, q->step);
	else
		strbuf_addf(&time, "toUInt32(%u)", q->from);
	strbuf_addf(
		&sql,
		"SELECT %s AS t, event, stack, %s AS h, %s AS s, toUInt64(sum(samples)), "
		"toUInt64(sum(weight))%s GROUP BY t, event, stack, h, s ORDER BY t, stack, event, "
		"h, s",
		time.s, q->by_host ? "host" : "toUInt64(0)",
		q->by_service ? "service" : "toUInt64(0)", s->rows.s);
	strbuf_free(&time);
	return ask(h, &sql, a, answer_read_rows, m);
}

/* Several rows of an id are the same, so that any will do. */
static int ask_meaning(struct http *h, const struct question *s, struct answer *a, struct msg *m)
{
	struct strbuf sql = { 0 };
	int err;

	strbuf_addf(&sql,
		    "SELECT kind, id, any(name), any(more) FROM pev_names%s WHERE %s GROUP BY "
		    "kind, id",
		    s->suffix, s->days.s);
	err = ask(h, &sql, a, answer_read_names, m);
	if (err)
		return err;
	strbuf_addf(&sql,
		    "SELECT id, any(program), any(frames) FROM pev_stacks%s WHERE %s AND id "
		    "GLOBAL IN (SELECT DISTINCT stack%s) GROUP BY id",
		    s->suffix, s->days.s, s->rows.s);
	err = ask(h, &sql, a, answer_read_stacks, m);
	if (err)
		return err;
	strbuf_addf(
		&sql,
		"SELECT id, any(kind), any(build_id), any(path), any(place), any(name) "
		"FROM pev_frames%s WHERE %s AND id GLOBAL IN (SELECT DISTINCT arrayJoin(frames) "
		"FROM pev_stacks%s WHERE %s AND id GLOBAL IN (SELECT DISTINCT stack%s)) "
		"GROUP BY id",
		s->suffix, s->days.s, s->suffix, s->days.s, s->rows.s);
	return ask(h, &sql, a, answer_read_frames, m);
}

int store_ask(struct http *h, const struct store_query *q, struct answer *a, struct msg *m)
{
	struct question s = { 0 };
	int err = schema_suffix(h, &s.suffix, m);

	*a = (struct answer){ 0 };
	if (!err)
		err = make_question(&s, q, m);
	if (!err)
		err = ask_rows(h, q, &s, a, m);
	if (!err && a->n_rows)
		err = ask_meaning(h, &s, a, m);
	strbuf_free(&s.days);
	strbuf_free(&s.rows);
	if (err)
		answer_free(a);
	return err;
}
