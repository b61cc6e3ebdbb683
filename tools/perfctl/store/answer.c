// SPDX-License-Identifier: GPL-2.0
/* What a store answers, which others wrote into it. See answer.h. */
#include "answer.h"
#include "wire.h"

#include <errno.h>
#include <stdlib.h>

static struct wire wire_of(const struct strbuf *b)
{
	return (struct wire){ (const uint8_t *)b->s, (const uint8_t *)b->s + b->len, false };
}

static int done(const struct wire *w)
{
	return w->broken ? -EBADMSG : 0;
}

int answer_read_rows(struct answer *a, const struct strbuf *b)
{
	struct wire w = wire_of(b);

	while (wire_more(&w)) {
		struct answer_row row = { .time = wire_u32(&w) };

		row.event = wire_u64(&w);
		row.stack = wire_u64(&w);
		row.host = wire_u64(&w);
		row.service = wire_u64(&w);
		row.samples = wire_u64(&w);
		row.weight = wire_u64(&w);
		if (!w.broken)
			*ARRAY_PUSH(a->rows, a->n_rows, a->cap_rows) = row;
	}
	return done(&w);
}

int answer_read_names(struct answer *a, const struct strbuf *b)
{
	struct wire w = wire_of(b);

	while (wire_more(&w)) {
		struct answer_name *n = ARRAY_PUSH(a->names, a->n_names, a->cap_names);

		n->kind = wire_u8(&w);
		n->id = wire_u64(&w);
		n->name = wire_text(&w);
		n->more = wire_text(&w);
		htab_add(&a->h_names, hash_2u64(n->id, n->kind), (uint32_t)a->n_names - 1);
	}
	return done(&w);
}

int answer_read_stacks(struct answer *a, const struct strbuf *b)
{
	struct wire w = wire_of(b);

	while (wire_more(&w)) {
		struct answer_stack *s = ARRAY_PUSH(a->stacks, a->n_stacks, a->cap_stacks);

		s->id = wire_u64(&w);
		s->program = wire_text(&w);
		s->first = a->n_chain;
		s->n = wire_size(&w, sizeof(uint64_t));
		for (size_t i = 0; i < s->n; i++)
			*ARRAY_PUSH(a->chain, a->n_chain, a->cap_chain) = wire_u64(&w);
		htab_add(&a->h_stacks, hash_u64(s->id), (uint32_t)a->n_stacks - 1);
	}
	return done(&w);
}

int answer_read_frames(struct answer *a, const struct strbuf *b)
{
	struct wire w = wire_of(b);

	while (wire_more(&w)) {
		struct answer_frame *f = ARRAY_PUSH(a->frames, a->n_frames, a->cap_frames);

		f->id = wire_u64(&w);
		f->kind = wire_u8(&w);
		f->build_id = wire_text(&w);
		f->path = wire_text(&w);
		f->place = wire_u64(&w);
		f->name = wire_text(&w);
		htab_add(&a->h_frames, hash_u64(f->id), (uint32_t)a->n_frames - 1);
	}
	return done(&w);
}

static int compare_symbols(const void *x, const void *y)
{
	const struct answer_symbol *a = x, *b = y;
	int c = strcmp(a->build_id, b->build_id);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

int answer_read_symbols(struct answer *a, const struct strbuf *b)
{
	struct wire w = wire_of(b);

	while (wire_more(&w)) {
		struct answer_symbol *s = ARRAY_PUSH(a->symbols, a->n_symbols, a->cap_symbols);

		s->build_id = wire_text(&w);
		s->place = wire_u64(&w);
		s->size = wire_u64(&w);
		s->name = wire_text(&w);
	}
	if (a->n_symbols)
		qsort(a->symbols, a->n_symbols, sizeof(*a->symbols), compare_symbols);
	return done(&w);
}

const struct answer_name *answer_name(const struct answer *a, enum store_name kind, uint64_t id)
{
	uint32_t hash = hash_2u64(id, kind), pos, ref = htab_first(&a->h_names, hash, &pos);

	for (; ref; ref = htab_next(&a->h_names, hash, &pos))
		if (a->names[ref - 1].id == id && a->names[ref - 1].kind == kind)
			return &a->names[ref - 1];
	return NULL;
}

const struct answer_frame *answer_frame(const struct answer *a, uint64_t id)
{
	uint32_t hash = hash_u64(id), pos, ref = htab_first(&a->h_frames, hash, &pos);

	for (; ref; ref = htab_next(&a->h_frames, hash, &pos))
		if (a->frames[ref - 1].id == id)
			return &a->frames[ref - 1];
	return NULL;
}

const struct answer_stack *answer_stack(const struct answer *a, uint64_t id)
{
	uint32_t hash = hash_u64(id), pos, ref = htab_first(&a->h_stacks, hash, &pos);

	for (; ref; ref = htab_next(&a->h_stacks, hash, &pos))
		if (a->stacks[ref - 1].id == id)
			return &a->stacks[ref - 1];
	return NULL;
}

void answer_free(struct answer *a)
{
	for (size_t i = 0; i < a->n_names; i++) {
		free(a->names[i].name);
		free(a->names[i].more);
	}
	for (size_t i = 0; i < a->n_frames; i++) {
		free(a->frames[i].build_id);
		free(a->frames[i].path);
		free(a->frames[i].name);
	}
	for (size_t i = 0; i < a->n_stacks; i++)
		free(a->stacks[i].program);
	for (size_t i = 0; i < a->n_symbols; i++) {
		free(a->symbols[i].build_id);
		free(a->symbols[i].name);
	}
	free(a->symbols);
	free(a->rows);
	free(a->names);
	free(a->frames);
	free(a->stacks);
	free(a->chain);
	htab_free(&a->h_names);
	htab_free(&a->h_frames);
	htab_free(&a->h_stacks);
	*a = (struct answer){ 0 };
}
