// SPDX-License-Identifier: GPL-2.0
/* Numbers addresses and call chains. See stacks.h. */
#include "stacks.h"
#include "lines.h"
#include "base/text.h"
#include "cli/term.h"

#include <inttypes.h>
#include <linux/pev.h>
#include <stdlib.h>

/* addresses in the chains that are kept to recognize repeated ones */
#define RAW_WORDS (2u << 20)

/* All unmapped addresses share one frame: one says no more than another. */
#define AT_UNKNOWN 1

/* This holds on all 64-bit architectures that pev runs on. */
bool addr_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

static uint32_t frame_id(struct stacks *s, uint32_t object, uint64_t at)
{
	struct frame *f;

	if (HTAB_GET(f, &s->h_frames, hash_2u64(at, object), f->at == at && f->object == object,
		     s->frames, s->n_frames, s->cap_frames)) {
		f->at = at;
		f->object = object;
	}
	return (uint32_t)(f - s->frames);
}

/* Makes CHAIN_NONE and FRAME_NONE the first chain and frame. */
static void add_none(struct stacks *s)
{
	ARRAY_PUSH(s->chains, s->n_chains, s->cap_chains);
	frame_id(s, OBJECT_ID_UNKNOWN, 0);
}

void stacks_init(struct stacks *s, struct objects *objects)
{
	*s = (struct stacks){ .objects = objects };
	add_none(s);
}

void stacks_free(struct stacks *s)
{
	strtab_free(&s->inlined);
	strtab_free(&s->line_texts);
	free(s->frame_lines);
	free(s->frames);
	free(s->funcs);
	free(s->chains);
	free(s->chain_frames);
	free(s->raw);
	free(s->raw_words);
	htab_free(&s->h_frames);
	htab_free(&s->h_funcs);
	htab_free(&s->h_chains);
	htab_free(&s->h_raw);
	*s = (struct stacks){ 0 };
}

static uint32_t find_frame(struct stacks *s, const struct mapset *space, uint64_t addr)
{
	const struct map *map;

	if (addr_is_kernel(addr))
		return frame_id(s, OBJECT_ID_KERNEL, addr);
	map = space ? mapset_find(space, addr) : NULL;
	if (!map)
		return frame_id(s, OBJECT_ID_UNKNOWN, addr);
	return frame_id(s, map->object, addr - map->start + map->offset);
}

uint32_t stacks_frame(struct stacks *s, const struct mapset *space, uint64_t addr)
{
	uint32_t gen = space ? space->gen : 0;
	struct place *place = &s->places[hash_u64(addr) % KNOWN_PLACES];

	if (place->addr != addr || place->gen != gen)
		*place = (struct place){ addr, gen, find_frame(s, space, addr) };
	return place->frame;
}

uint32_t stacks_sampled(struct stacks *s, const struct mapset *space, uint64_t addr, uint32_t guest)
{
	if (!(guest & PEV_GUEST_CODE))
		return stacks_frame(s, space, addr);
	return frame_id(s, objects_guest(s->objects, guest & PEV_GUEST_USER), addr);
}

/* Makes a chain of the frames at the end of chain_frames, or finds an equal one. */
static uint32_t chain_id(struct stacks *s, size_t first)
{
	uint32_t n = (uint32_t)(s->n_chain_frames - first);
	const uint32_t *frames = s->chain_frames + first;
	uint32_t hash = hash_bytes(frames, n * sizeof(*frames));
	struct chain *c;

	if (HTAB_GET(c, &s->h_chains, hash,
		     c->n == n && !memcmp(s->chain_frames + c->first, frames, n * sizeof(*frames)),
		     s->chains, s->n_chains, s->cap_chains)) {
		c->first = (uint32_t)first;
		c->n = n;
	} else {
		s->n_chain_frames = first;
	}
	return (uint32_t)(c - s->chains);
}

static void push_frame(struct stacks *s, uint32_t frame)
{
	*ARRAY_PUSH(s->chain_frames, s->n_chain_frames, s->cap_chain_frames) = frame;
}

uint32_t stacks_guest_chain(struct stacks *s, uint32_t frame, uint32_t pid)
{
	size_t first = s->n_chain_frames;

	push_frame(s, frame);
	push_frame(s, frame_id(s, objects_guest_whole(s->objects, pid), 0));
	return chain_id(s, first);
}

/* A broken chain of frame pointers may hold any address, but never code of the kernel. */
static uint32_t user_frame(struct stacks *s, const struct mapset *space, uint64_t addr)
{
	if (addr_is_kernel(addr))
		return frame_id(s, OBJECT_ID_UNKNOWN, addr);
	return stacks_frame(s, space, addr);
}

/*
 * A return address lies behind its call: one byte before, it is still in the call.
 * Several unmapped addresses in a row count as one frame.
 */
static uint32_t chain_build(struct stacks *s, const struct mapset *space, const uint64_t *kernel,
			    uint32_t nk, const uint64_t *user, uint32_t nu)
{
	size_t first = s->n_chain_frames;
	bool lost_way = false;

	for (uint32_t i = 0; i < nk; i++)
		push_frame(s, stacks_frame(s, space, i ? kernel[i] - 1 : kernel[i]));
	/* the last frame pointer of a thread is 0: there is no caller to return to */
	while (nu > 1 && !user[nu - 1])
		nu--;
	for (uint32_t i = 0; i < nu; i++) {
		uint32_t frame = user_frame(s, space, i && user[i] ? user[i] - 1 : user[i]);

		if (s->frames[frame].object != OBJECT_ID_UNKNOWN)
			lost_way = false;
		else if (lost_way)
			continue;
		else
			lost_way = true;
		push_frame(s, frame);
	}
	return chain_id(s, first);
}

/* Chains that do not repeat would otherwise take more room than the profile. */
static void forget_raw(struct stacks *s)
{
	s->n_raw = s->n_raw_words = 0;
	htab_clear(&s->h_raw);
}

static void push_words(struct stacks *s, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*ARRAY_PUSH(s->raw_words, s->n_raw_words, s->cap_raw_words) = words[i];
}

uint32_t stacks_chain(struct stacks *s, const struct mapset *space, const uint64_t *kernel,
		      uint32_t nk, const uint64_t *user, uint32_t nu)
{
	uint32_t gen = nu && space ? space->gen : 0, hash, pos, ref, chain;
	size_t sk = nk * sizeof(*kernel), su = nu * sizeof(*user);
	struct raw_chain *r;

	if (!nk && !nu)
		return CHAIN_NONE;
	hash = hash_2u64(hash_bytes(kernel, sk), (uint64_t)gen << 32 | hash_bytes(user, su));
	for (ref = htab_first(&s->h_raw, hash, &pos); ref; ref = htab_next(&s->h_raw, hash, &pos)) {
		r = &s->raw[ref - 1];
		if (r->nk == nk && r->nu == nu && r->gen == gen &&
		    (!sk || !memcmp(s->raw_words + r->words, kernel, sk)) &&
		    (!su || !memcmp(s->raw_words + r->words + nk, user, su)))
			return r->chain;
	}
	chain = chain_build(s, space, kernel, nk, user, nu);
	if (s->n_raw_words > RAW_WORDS)
		forget_raw(s);
	r = ARRAY_PUSH(s->raw, s->n_raw, s->cap_raw);
	*r = (struct raw_chain){
		.words = s->n_raw_words, .nk = nk, .nu = nu, .gen = gen, .chain = chain
	};
	push_words(s, kernel, nk);
	push_words(s, user, nu);
	htab_add(&s->h_raw, hash, (uint32_t)(s->n_raw - 1));
	return chain;
}

uint32_t stacks_chain_from(struct stacks *s, uint32_t chain, uint32_t skip)
{
	struct chain c = s->chains[chain];
	size_t first = s->n_chain_frames;

	if (!skip || skip >= c.n)
		return chain;
	for (uint32_t i = skip; i < c.n; i++)
		push_frame(s, s->chain_frames[c.first + i]);
	return chain_id(s, first);
}

void stacks_forget(struct stacks *s)
{
	forget_raw(s);
	s->n_funcs = s->n_resolved = 0;
	s->n_chains = s->n_chain_frames = s->n_frames = s->n_frame_lines = 0;
	htab_clear(&s->h_funcs);
	htab_clear(&s->h_chains);
	htab_clear(&s->h_frames);
	memset(s->places, 0, sizeof(s->places));
	strtab_free(&s->inlined);
	strtab_free(&s->line_texts);
	add_none(s);
}

void stacks_map(struct stacks *s, const struct stacks *from, struct stacks_map *map,
		const uint32_t *objects)
{
	map->frames = map_grow(map->frames, map->n_frames, from->n_frames);
	for (; map->n_frames < from->n_frames; map->n_frames++) {
		const struct frame *f = &from->frames[map->n_frames];

		map->frames[map->n_frames] = frame_id(s, objects[f->object], f->at);
	}
	map->chains = map_grow(map->chains, map->n_chains, from->n_chains);
	for (; map->n_chains < from->n_chains; map->n_chains++) {
		const struct chain *c = &from->chains[map->n_chains];
		size_t first = s->n_chain_frames;

		if (!map->n_chains) {
			map->chains[0] = CHAIN_NONE;
			continue;
		}
		for (uint32_t i = 0; i < c->n; i++)
			push_frame(s, map->frames[from->chain_frames[c->first + i]]);
		map->chains[map->n_chains] = chain_id(s, first);
	}
}

uint32_t stacks_func(struct stacks *s, const struct func *key)
{
	uint32_t hash = hash_2u64((uint64_t)key->object << 32 | key->symbol, key->at);
	struct func *f;

	if (HTAB_GET(f, &s->h_funcs, hash,
		     f->object == key->object && f->symbol == key->symbol && f->at == key->at,
		     s->funcs, s->n_funcs, s->cap_funcs))
		*f = *key;
	return (uint32_t)(f - s->funcs);
}

static void resolve(struct stacks *s, const char *doing)
{
	for (size_t i = s->n_resolved; i < s->n_frames; i++) {
		struct frame *f = &s->frames[i];
		struct func func = { .object = f->object };
		uint64_t at = f->at;

		func.symbol = objects_resolve(s->objects, &func.object, &at);
		if (func.object == OBJECT_ID_UNKNOWN)
			func.at = at ? AT_UNKNOWN : 0;
		else if (func.symbol == SYM_NONE)
			func.at = at;
		f->func = stacks_func(s, &func);
		if (doing)
			term_progress((void *)doing, i, s->n_frames);
	}
	s->n_resolved = s->n_frames;
}

void stacks_resolve(struct stacks *s)
{
	resolve(s, NULL);
}

void stacks_resolve_all(struct stacks *s)
{
	resolve(s, "looking for functions");
	term_progress_end();
}

static uint32_t find_line(struct stacks *s, const struct frame *f)
{
	struct line_at at;
	char text[512];

	if (!lines_find(s->objects, f->object, f->at, &at))
		snprintf(text, sizeof(text), "%s", object_name(s->objects, f->object));
	else
		snprintf(text, sizeof(text), "%s:%d", at.base, at.line);
	return strtab_id(&s->line_texts, text);
}

uint32_t stacks_frame_line(struct stacks *s, uint32_t frame)
{
	if (s->n_frame_lines < s->n_frames) {
		s->frame_lines = xrealloc(s->frame_lines, s->n_frames * sizeof(*s->frame_lines));
		memset(s->frame_lines + s->n_frame_lines, 0,
		       (s->n_frames - s->n_frame_lines) * sizeof(*s->frame_lines));
		s->n_frame_lines = s->n_frames;
	}
	if (!s->frame_lines[frame])
		s->frame_lines[frame] = find_line(s, &s->frames[frame]) + 1;
	return s->frame_lines[frame] - 1;
}

void stacks_func_name(struct stacks *s, uint32_t func, struct strbuf *b)
{
	const struct func *f = &s->funcs[func];

	if (f->symbol >= SYM_INLINED && f->symbol != SYM_NONE)
		text_name(b, strtab_get(&s->inlined, f->symbol - SYM_INLINED));
	else if (f->symbol != SYM_NONE)
		text_name(b, objects_symbol_name(s->objects, f->object, f->symbol));
	else if (f->object == OBJECT_ID_UNKNOWN && !f->at)
		strbuf_puts(b, "[no address]");
	else if (f->object == OBJECT_ID_UNKNOWN)
		strbuf_puts(b, "[unknown]");
	else if (object_is_whole_guest(&s->objects->o[f->object]))
		strbuf_puts(b, s->objects->o[f->object].path);
	else if (f->object == OBJECT_ID_KERNEL || object_is_guest(&s->objects->o[f->object]))
		strbuf_addf(b, "0x%" PRIx64, f->at);
	else
		strbuf_addf(b, "%s+0x%" PRIx64, object_name(s->objects, f->object), f->at);
}
