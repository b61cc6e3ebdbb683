// SPDX-License-Identifier: GPL-2.0
/* Rows on their way into a store. See insert.h. */
#include "insert.h"
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* of a row of pev_rows, the id of its batch last */
#define ROW_BYTES (2 + 4 + 4 * 8 + 4 + 8 + 8)

void store_batch_free(struct store_batch *b)
{
	for (int t = 0; t < STORE_VOIDS; t++)
		strbuf_free(&b->rows[t]);
	*b = (struct store_batch){ 0 };
}

void store_batch_name(struct store_batch *b, enum store_name kind, uint64_t id, const char *name,
		      const char *more)
{
	struct strbuf *to = &b->rows[STORE_NAMES];

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u8(to, (uint8_t)kind);
	wire_put_u64(to, id);
	wire_put_text(to, name);
	wire_put_text(to, more);
}

void store_batch_row(struct store_batch *b, const struct store_row *row)
{
	struct strbuf *to = &b->rows[STORE_ROWS];

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u32(to, row->time);
	wire_put_u64(to, row->host);
	wire_put_u64(to, row->service);
	wire_put_u64(to, row->event);
	wire_put_u64(to, row->stack);
	wire_put_u32(to, row->samples);
	wire_put_u64(to, row->weight);
	wire_put_u64(to, 0);
	b->samples += row->samples;
}

bool store_batch_is_empty(const struct store_batch *b)
{
	return !b->rows[STORE_ROWS].len;
}

uint64_t store_new_id(void)
{
	uint64_t id = 0;

	/* 64 random bits: of a million attempts a day, two have the same id in 10^7 days */
	while (!id)
		if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
			id = 0;
	return id;
}

static void set_id(struct strbuf *rows, uint64_t id)
{
	struct strbuf le = { 0 };

	wire_put_u64(&le, id);
	for (size_t at = ROW_BYTES - 8; at < rows->len; at += ROW_BYTES)
		memcpy(rows->s + at, le.s, 8);
	strbuf_free(&le);
}

static int insert(struct http *h, enum store_table t, const struct strbuf *rows, struct msg *m)
{
	char sql[128];

	if (!rows->len)
		return 0;
	snprintf(sql, sizeof(sql), "INSERT INTO %s FORMAT RowBinary", store_table_name(t));
	return http_ask(h, sql, rows, NULL, m);
}

int store_insert(struct http *h, struct store_batch *b, uint64_t id, bool *sent, struct msg *m)
{
	int err = 0;

	*sent = false;
	for (int t = 0; t < STORE_ROWS && !err; t++)
		err = insert(h, (enum store_table)t, &b->rows[t], m);
	if (err)
		return err;
	set_id(&b->rows[STORE_ROWS], id);
	err = insert(h, STORE_ROWS, &b->rows[STORE_ROWS], m);
	*sent = err != -ENOTCONN;
	return err;
}

int store_void(struct http *h, uint32_t day, uint64_t id, struct msg *m)
{
	struct strbuf row = { 0 };
	int err;

	wire_put_u16(&row, (uint16_t)day);
	wire_put_u64(&row, id);
	err = insert(h, STORE_VOIDS, &row, m);
	strbuf_free(&row);
	return err;
}
