// SPDX-License-Identifier: GPL-2.0
/* Ids that a store has. See known.h. */
#include "known.h"
#include "store/wire.h"

#include <stdlib.h>

/* 6 MB */
#define IDS_MOST 262144

/* Steps over a row; returns its id. */
static uint64_t next_row(struct wire *w, enum store_table t)
{
	uint64_t id;
	size_t n;

	wire_u16(w);
	id = wire_u64(w);
	if (t == STORE_FRAMES)
		wire_u8(w);
	free(wire_text(w));
	if (t == STORE_FRAMES) {
		free(wire_text(w));
		wire_u64(w);
		free(wire_text(w));
	} else {
		for (n = wire_size(w, sizeof(uint64_t)); n; n--)
			wire_u64(w);
	}
	return id;
}

static struct wire wire_of(const struct strbuf *b)
{
	return (struct wire){ (const uint8_t *)b->s, (const uint8_t *)b->s + b->len, false };
}

static bool has(const struct known *k, uint64_t id)
{
	uint32_t hash = hash_u64(id), pos, ref = htab_first(&k->h, hash, &pos);

	while (ref && k->ids[ref - 1] != id)
		ref = htab_next(&k->h, hash, &pos);
	return ref;
}

static void leave_out(const struct known *k, struct store_batch *b, enum store_table t)
{
	struct wire w = wire_of(&b->rows[t]);
	struct strbuf kept = { 0 };

	while (wire_more(&w)) {
		const uint8_t *begin = w.p;
		uint64_t id = next_row(&w, t);

		if (!has(k, id))
			strbuf_add(&kept, begin, (size_t)(w.p - begin));
	}
	strbuf_free(&b->rows[t]);
	b->rows[t] = kept;
}

void known_leave_out(struct known *k, struct store_batch *b)
{
	if (k->day != b->day)
		known_forget(k);
	k->day = b->day;
	leave_out(k, b, STORE_FRAMES);
	leave_out(k, b, STORE_STACKS);
}

static void add(struct known *k, const struct store_batch *b, enum store_table t)
{
	struct wire w = wire_of(&b->rows[t]);

	while (wire_more(&w)) {
		uint64_t id = next_row(&w, t), *to;

		if (HTAB_GET(to, &k->h, hash_u64(id), *to == id, k->ids, k->n, k->cap))
			*to = id;
	}
}

void known_add(struct known *k, const struct store_batch *b)
{
	if (k->n > IDS_MOST)
		known_forget(k);
	add(k, b, STORE_FRAMES);
	add(k, b, STORE_STACKS);
}

void known_forget(struct known *k)
{
	k->n = 0;
	htab_clear(&k->h);
}

void known_free(struct known *k)
{
	free(k->ids);
	htab_free(&k->h);
	*k = (struct known){ 0 };
}
