// SPDX-License-Identifier: GPL-2.0
/* Adds up samples by thread and call chains. See rows.h. */
#include "rows.h"

#include <stdlib.h>

static uint32_t mix(uint32_t hash, uint64_t word)
{
	return hash_2u64(hash, word);
}

/* ---- chains ---- */

static uint32_t hash_of(const struct fold_chain *c)
{
	uint32_t hash = (uint32_t)c->n;

	for (size_t i = 0; i < c->n; i++)
		hash = mix(hash, c->ips[i]);
	return hash;
}

static bool is_chain(const struct fold_rows *r, const struct fold_stack *s,
		     const struct fold_chain *c)
{
	return s->n == c->n &&
	       (!c->n || !memcmp(r->frames + s->at, c->ips, c->n * sizeof(*c->ips)));
}

/* Returns the number of a chain, or that which it would get. */
static uint32_t find_chain(const struct fold_rows *r, const struct fold_chain *c, uint32_t hash)
{
	uint32_t pos;

	for (uint32_t ref = htab_first(&r->by_content, hash, &pos); ref;
	     ref = htab_next(&r->by_content, hash, &pos))
		if (is_chain(r, &r->stacks[ref - 1], c))
			return ref - 1;
	return (uint32_t)r->n_stacks;
}

static void add_chain(struct fold_rows *r, const struct fold_chain *c, uint32_t hash)
{
	*ARRAY_PUSH(r->stacks, r->n_stacks,
		    r->cap_stacks) = (struct fold_stack){ .at = r->n_frames, .n = (uint32_t)c->n };
	htab_add(&r->by_content, hash, (uint32_t)(r->n_stacks - 1));
	for (size_t i = 0; i < c->n; i++)
		*ARRAY_PUSH(r->frames, r->n_frames, r->cap_frames) = c->ips[i];
}

static bool chain_of(struct fold_rows *r, const struct fold_chain *c, uint32_t *number)
{
	uint32_t hash = hash_of(c);

	*number = find_chain(r, c, hash);
	if (*number < r->n_stacks)
		return true;
	if (r->n && r->n_frames + c->n > r->most_frames)
		return false;
	add_chain(r, c, hash);
	return true;
}

struct fold_chain fold_rows_chain(const struct fold_rows *r, uint32_t stack)
{
	const struct fold_stack *s = &r->stacks[stack];

	return (struct fold_chain){ .ips = s->n ? r->frames + s->at : NULL, .n = s->n };
}

/* ---- rows ---- */

static bool is_row(const struct fold_sum *row, const struct fold_sum *key)
{
	return row->event == key->event && row->pid == key->pid && row->tid == key->tid &&
	       row->kernel == key->kernel && row->user == key->user;
}

static struct fold_sum *row_of(struct fold_rows *r, const struct fold_sum *key)
{
	uint32_t hash = mix(mix(mix(key->event, key->pid), (uint64_t)key->tid << 32 | key->kernel),
			    key->user);
	uint32_t pos;

	for (uint32_t ref = htab_first(&r->by_key, hash, &pos); ref;
	     ref = htab_next(&r->by_key, hash, &pos))
		if (is_row(&r->v[ref - 1], key))
			return &r->v[ref - 1];
	if (r->n >= r->most_rows)
		return NULL;
	*ARRAY_PUSH(r->v, r->n, r->cap) = *key;
	htab_add(&r->by_key, hash, (uint32_t)(r->n - 1));
	return &r->v[r->n - 1];
}

bool fold_rows_add(struct fold_rows *r, const struct fold_sample *s)
{
	struct fold_sum key = { .event = s->event, .pid = s->pid, .tid = s->tid }, *row;

	if (!chain_of(r, &s->kernel, &key.kernel) || !chain_of(r, &s->user, &key.user))
		return false;
	row = row_of(r, &key);
	if (!row)
		return false;
	row->count++;
	row->sum += s->period;
	if (s->time > row->last)
		row->last = s->time;
	return true;
}

void fold_rows_clear(struct fold_rows *r)
{
	htab_clear(&r->by_key);
	htab_clear(&r->by_content);
	r->n = r->n_stacks = r->n_frames = 0;
}

void fold_rows_free(struct fold_rows *r)
{
	free(r->v);
	free(r->stacks);
	free(r->frames);
	htab_free(&r->by_key);
	htab_free(&r->by_content);
	*r = (struct fold_rows){ 0 };
}
