// SPDX-License-Identifier: GPL-2.0
/* Functions of files in a store. See symbols.h. */
#include "symbols.h"
#include "schema.h"
#include "sql.h"
#include "wire.h"

#include <errno.h>
#include <stdlib.h>

/* C++ has names of thousands of letters, which are cut no more then */
#define NAME_MOST 8192
/* A function that is larger is found in its first 64 MiB. */
#define BLOCKS_MOST 1024
#define FILES_MOST 10000

void store_functions_add(struct store_functions *f, uint64_t place, uint64_t size, const char *name)
{
	uint64_t first = place / STORE_BLOCK, last = (place + (size ? size - 1 : 0)) / STORE_BLOCK;
	char *text = xstrndup(name, NAME_MOST);

	last = min_u64(last < first ? first : last, first + BLOCKS_MOST - 1);
	for (uint64_t block = first; block <= last && block <= UINT32_MAX; block++) {
		wire_put_u16(&f->rows, (uint16_t)f->day);
		wire_put_text(&f->rows, f->build_id);
		wire_put_u32(&f->rows, (uint32_t)block);
		wire_put_u64(&f->rows, place);
		wire_put_u64(&f->rows, size);
		wire_put_text(&f->rows, text);
		f->n++;
	}
	free(text);
}

int store_functions_insert(struct http *h, struct store_functions *f, struct msg *m)
{
	int err = 0;

	if (f->rows.len)
		err = http_ask(h, "INSERT INTO pev_symbols FORMAT RowBinary", &f->rows, NULL, m);
	strbuf_reset(&f->rows);
	return err;
}

int store_functions_count(struct http *h, const char *build_id, uint64_t *n, struct msg *m)
{
	struct strbuf sql = { 0 };
	const char *suffix;
	int err = schema_suffix(h, &suffix, m);

	if (err)
		return err;
	strbuf_addf(&sql,
		    "SELECT toUInt64(uniqExact(block, place)) FROM pev_symbols%s WHERE build_id = ",
		    suffix);
	sql_text(&sql, build_id);
	strbuf_puts(&sql, " FORMAT RowBinary");
	err = schema_ask_number(h, sql.s, n, m);
	strbuf_free(&sql);
	return err;
}

static int read_files(const struct strbuf *b, struct store_file **files, size_t *n)
{
	struct wire w = { (const uint8_t *)b->s, (const uint8_t *)b->s + b->len, false };
	size_t cap = 0;

	while (wire_more(&w)) {
		struct store_file *f = ARRAY_PUSH(*files, *n, cap);

		f->build_id = wire_text(&w);
		f->path = wire_text(&w);
		f->places = wire_u64(&w);
		f->named = wire_u64(&w);
	}
	return w.broken ? -EBADMSG : 0;
}

int store_files(struct http *h, struct store_file **files, size_t *n, struct msg *m)
{
	struct strbuf sql = { 0 }, answer = { 0 };
	const char *suffix;
	int err = schema_suffix(h, &suffix, m);

	*files = NULL;
	*n = 0;
	if (err)
		return err;
	strbuf_addf(&sql,
		    "SELECT build_id, any(path), toUInt64(uniqExact(id)) AS n, any(named) FROM "
		    "pev_frames%s GLOBAL ANY LEFT JOIN (SELECT build_id, toUInt64(uniqExact(block, "
		    "place)) AS named FROM pev_symbols%s GROUP BY build_id) USING build_id WHERE "
		    "kind = %u AND build_id != '' GROUP BY build_id ORDER BY n DESC, build_id "
		    "LIMIT %u FORMAT RowBinary",
		    suffix, suffix, STORE_FRAME_FILE, FILES_MOST);
	err = http_ask(h, sql.s, NULL, &answer, m);
	if (!err && answer.len && read_files(&answer, files, n))
		err = msg_set(m, -EBADMSG, "the store's answer is damaged");
	if (err) {
		store_files_free(*files, *n);
		*files = NULL;
		*n = 0;
	}
	strbuf_free(&answer);
	strbuf_free(&sql);
	return err;
}

void store_files_free(struct store_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(files[i].build_id);
		free(files[i].path);
	}
	free(files);
}
