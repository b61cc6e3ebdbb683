// SPDX-License-Identifier: GPL-2.0
/* Samples added up. See profile.h. */
#include "profile.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

void profile_free(struct profile *p)
{
	machine_free(&p->machine);
	objects_free(&p->objects);
	strtab_free(&p->inlined);
	strtab_free(&p->values);
	unwind_free(p->unwind);
	strtab_free(&p->line_texts);
	free(p->frame_lines);
	free(p->ints);
	free(p->frames);
	free(p->funcs);
	free(p->chains);
	free(p->chain_frames);
	free(p->raw);
	free(p->raw_words);
	free(p->cells);
	htab_free(&p->h_ints);
	htab_free(&p->h_frames);
	htab_free(&p->h_funcs);
	htab_free(&p->h_chains);
	htab_free(&p->h_raw);
	htab_free(&p->h_cells);
	*p = (struct profile){ 0 };
}

/* addresses in chains that are kept to recognize a chain by */
#define RAW_WORDS     (2u << 20)
/* frames in chains that a profile may have when it has been merged into another */
#define MERGED_FRAMES (2u << 20)

/* True on all 64-bit architectures that pev runs on. */
bool addr_is_kernel(uint64_t addr)
{
	return addr >> 63;
}

static uint32_t frame_id(struct profile *p, uint32_t object, uint64_t at)
{
	uint32_t hash = hash_2u64(at, object), pos, ref;
	struct frame *f;

	for (ref = htab_first(&p->h_frames, hash, &pos); ref;
	     ref = htab_next(&p->h_frames, hash, &pos)) {
		f = &p->frames[ref - 1];
		if (f->at == at && f->object == object)
			return ref - 1;
	}
	f = ARRAY_PUSH(p->frames, p->n_frames, p->cap_frames);
	f->at = at;
	f->object = object;
	htab_add(&p->h_frames, hash, (uint32_t)(p->n_frames - 1));
	return (uint32_t)(p->n_frames - 1);
}

void profile_init(struct profile *p)
{
	*p = (struct profile){ 0 };
	machine_init(&p->machine);
	objects_init(&p->objects);
	strtab_id(&p->values, "");
	ARRAY_PUSH(p->chains, p->n_chains, p->cap_chains); /* CHAIN_NONE */
	frame_id(p, OBJECT_ID_UNKNOWN, 0);		   /* FRAME_NONE */
}

static uint32_t find_frame(struct profile *p, const struct mapset *space, uint64_t addr)
{
	const struct map *map;

	if (addr_is_kernel(addr))
		return frame_id(p, OBJECT_ID_KERNEL, addr);
	map = space ? mapset_find(space, addr) : NULL;
	if (!map)
		return frame_id(p, OBJECT_ID_UNKNOWN, addr);
	return frame_id(p, map->object, addr - map->start + map->offset);
}

uint32_t profile_frame(struct profile *p, const struct mapset *space, uint64_t addr)
{
	uint32_t gen = space ? space->gen : 0;
	struct place *place = &p->places[hash_u64(addr) % KNOWN_PLACES];

	if (place->addr != addr || place->gen != gen)
		*place = (struct place){ addr, gen, find_frame(p, space, addr) };
	return place->frame;
}

/* Puts the frames at the end of chain_frames into a chain, or finds one like it. */
static uint32_t chain_id(struct profile *p, size_t first)
{
	uint32_t n = (uint32_t)(p->n_chain_frames - first), pos, ref;
	const uint32_t *frames = p->chain_frames + first;
	uint32_t hash = hash_bytes(frames, n * sizeof(*frames));
	struct chain *c;

	for (ref = htab_first(&p->h_chains, hash, &pos); ref;
	     ref = htab_next(&p->h_chains, hash, &pos)) {
		c = &p->chains[ref - 1];
		if (c->n == n && !memcmp(p->chain_frames + c->first, frames, n * sizeof(*frames))) {
			p->n_chain_frames = first;
			return ref - 1;
		}
	}
	c = ARRAY_PUSH(p->chains, p->n_chains, p->cap_chains);
	c->first = (uint32_t)first;
	c->n = n;
	htab_add(&p->h_chains, hash, (uint32_t)(p->n_chains - 1));
	return (uint32_t)(p->n_chains - 1);
}

/* Where nothing is mapped one address says no more than another: they are one. */
#define AT_UNKNOWN 1

static void push_frame(struct profile *p, uint32_t frame)
{
	*ARRAY_PUSH(p->chain_frames, p->n_chain_frames, p->cap_chain_frames) = frame;
}

/* Whatever a broken chain of frame pointers holds, it is not the kernel's. */
static uint32_t user_frame(struct profile *p, const struct mapset *space, uint64_t addr)
{
	if (addr_is_kernel(addr))
		return frame_id(p, OBJECT_ID_UNKNOWN, addr);
	return profile_frame(p, space, addr);
}

/*
 * Return addresses lie behind the call: the call itself is one byte before.
 * Several addresses in a row where nothing is mapped are one lost way.
 */
static uint32_t chain_build(struct profile *p, const struct mapset *space, const uint64_t *kernel,
			    uint32_t nk, const uint64_t *user, uint32_t nu)
{
	size_t first = p->n_chain_frames;
	bool lost_way = false;

	for (uint32_t i = 0; i < nk; i++)
		push_frame(p, profile_frame(p, space, i ? kernel[i] - 1 : kernel[i]));
	/* the last frame pointer of a thread is 0: there is nobody to return to */
	while (nu > 1 && !user[nu - 1])
		nu--;
	for (uint32_t i = 0; i < nu; i++) {
		uint32_t frame = user_frame(p, space, i && user[i] ? user[i] - 1 : user[i]);

		if (p->frames[frame].object != OBJECT_ID_UNKNOWN)
			lost_way = false;
		else if (lost_way)
			continue;
		else
			lost_way = true;
		push_frame(p, frame);
	}
	return chain_id(p, first);
}

/* Chains that do not come again would otherwise take more room than the profile. */
static void forget_raw(struct profile *p)
{
	p->n_raw = p->n_raw_words = 0;
	htab_clear(&p->h_raw);
}

static void push_words(struct profile *p, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*ARRAY_PUSH(p->raw_words, p->n_raw_words, p->cap_raw_words) = words[i];
}

uint32_t profile_chain(struct profile *p, const struct mapset *space, const uint64_t *kernel,
		       uint32_t nk, const uint64_t *user, uint32_t nu)
{
	uint32_t gen = nu && space ? space->gen : 0, hash, pos, ref, chain;
	size_t sk = nk * sizeof(*kernel), su = nu * sizeof(*user);
	struct raw_chain *r;

	if (!nk && !nu)
		return CHAIN_NONE;
	hash = hash_2u64(hash_bytes(kernel, sk), (uint64_t)gen << 32 | hash_bytes(user, su));
	for (ref = htab_first(&p->h_raw, hash, &pos); ref; ref = htab_next(&p->h_raw, hash, &pos)) {
		r = &p->raw[ref - 1];
		if (r->nk == nk && r->nu == nu && r->gen == gen &&
		    (!sk || !memcmp(p->raw_words + r->words, kernel, sk)) &&
		    (!su || !memcmp(p->raw_words + r->words + nk, user, su)))
			return r->chain;
	}
	chain = chain_build(p, space, kernel, nk, user, nu);
	if (p->n_raw_words > RAW_WORDS)
		forget_raw(p);
	r = ARRAY_PUSH(p->raw, p->n_raw, p->cap_raw);
	*r = (struct raw_chain){ .words = p->n_raw_words, .nk = nk, .nu = nu, .gen = gen,
				 .chain = chain };
	push_words(p, kernel, nk);
	push_words(p, user, nu);
	htab_add(&p->h_raw, hash, (uint32_t)(p->n_raw - 1));
	return chain;
}

uint32_t profile_chain_from(struct profile *p, uint32_t chain, uint32_t skip)
{
	struct chain c = p->chains[chain];
	size_t first = p->n_chain_frames;

	if (!skip || skip >= c.n)
		return chain;
	for (uint32_t i = skip; i < c.n; i++)
		push_frame(p, p->chain_frames[c.first + i]);
	return chain_id(p, first);
}

/*
 * Keys are read as they are written, member by member: whoever reads more at once
 * right after that waits until all of it has reached the cache. The products do
 * not depend on each other, so that they are made side by side.
 */
static uint32_t key_hash(const struct cell_key *k)
{
	uint64_t values[2];

	_Static_assert(sizeof(values) == sizeof(k->value), "all values are hashed");
	memcpy(values, k->value, sizeof(values));
	return hash_u64(hash_fold(hash_pair(k->event, k->comm) ^ 0x9e3779b97f4a7c15ULL,
				  hash_pair(k->frame, k->chain) ^ 0xbf58476d1ce4e5b9ULL) +
			hash_fold(hash_pair(k->pid, k->tid) ^ 0xbf58476d1ce4e5b9ULL,
				  hash_pair(k->cpu, k->time) ^ 0x94d049bb133111ebULL) +
			hash_fold(values[0] ^ 0x94d049bb133111ebULL,
				  values[1] ^ 0x9e3779b97f4a7c15ULL));
}

static bool key_equal(const struct cell_key *a, const struct cell_key *b)
{
	return a->frame == b->frame && a->chain == b->chain && a->comm == b->comm &&
	       a->event == b->event && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->time == b->time &&
	       !memcmp(a->value, b->value, sizeof(a->value));
}

void profile_add_many(struct profile *p, const struct cell_key *key, uint64_t samples,
		      uint64_t weight)
{
	uint32_t hash = key_hash(key), pos, ref;
	struct cell *c;

	for (ref = htab_first(&p->h_cells, hash, &pos); ref;
	     ref = htab_next(&p->h_cells, hash, &pos)) {
		c = &p->cells[ref - 1];
		if (key_equal(&c->key, key)) {
			c->samples += samples;
			c->weight += weight;
			return;
		}
	}
	c = ARRAY_PUSH(p->cells, p->n_cells, p->cap_cells);
	*c = (struct cell){ .key = *key, .samples = samples, .weight = weight };
	htab_add(&p->h_cells, hash, (uint32_t)(p->n_cells - 1));
}

void profile_add(struct profile *p, const struct cell_key *key, uint64_t weight)
{
	profile_add_many(p, key, 1, weight);
}

void profile_rehash_cells(struct profile *p)
{
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < p->n_cells; i++)
		htab_add(&p->h_cells, key_hash(&p->cells[i].key), (uint32_t)i);
}

void profile_forget(struct profile *p)
{
	forget_raw(p);
	p->n_cells = p->n_funcs = p->n_resolved = 0;
	p->n_chains = p->n_chain_frames = p->n_frames = p->n_frame_lines = 0;
	htab_clear(&p->h_cells);
	htab_clear(&p->h_funcs);
	htab_clear(&p->h_chains);
	htab_clear(&p->h_frames);
	memset(p->places, 0, sizeof(p->places));
	ARRAY_PUSH(p->chains, p->n_chains, p->cap_chains); /* CHAIN_NONE */
	frame_id(p, OBJECT_ID_UNKNOWN, 0);		   /* FRAME_NONE */
}

static uint32_t *more(uint32_t *map, size_t from, size_t to)
{
	return from == to ? map : xrealloc(map, to * sizeof(*map));
}

/* In the order in which they were found: that is the order of time. */
static void map_names(struct profile *to, struct profile *from, struct profile_map *map)
{
	map->objects = more(map->objects, map->n_objects, from->objects.n);
	for (; map->n_objects < from->objects.n; map->n_objects++) {
		const struct object *o = &from->objects.o[map->n_objects];

		map->objects[map->n_objects] =
			map->n_objects <= OBJECT_ID_KERNEL ? (uint32_t)map->n_objects :
			objects_get(&to->objects, o->path, &o->id);
		objects_mapped_by(&to->objects, map->objects[map->n_objects], o->pid);
	}
	map->comms = more(map->comms, map->n_comms, from->machine.comms.n);
	for (; map->n_comms < from->machine.comms.n; map->n_comms++)
		map->comms[map->n_comms] = strtab_id(&to->machine.comms,
						     from->machine.comms.s[map->n_comms]);
	map->values = more(map->values, map->n_values, from->values.n);
	for (; map->n_values < from->values.n; map->n_values++)
		map->values[map->n_values] = strtab_id(&to->values, from->values.s[map->n_values]);
}

static void map_chains(struct profile *to, struct profile *from, struct profile_map *map)
{
	map->frames = more(map->frames, map->n_frames, from->n_frames);
	for (; map->n_frames < from->n_frames; map->n_frames++) {
		const struct frame *f = &from->frames[map->n_frames];

		map->frames[map->n_frames] = frame_id(to, map->objects[f->object], f->at);
	}
	map->chains = more(map->chains, map->n_chains, from->n_chains);
	for (; map->n_chains < from->n_chains; map->n_chains++) {
		const struct chain *c = &from->chains[map->n_chains];
		size_t first = to->n_chain_frames;

		if (!map->n_chains) {
			map->chains[0] = CHAIN_NONE;
			continue;
		}
		for (uint32_t i = 0; i < c->n; i++)
			push_frame(to, map->frames[from->chain_frames[c->first + i]]);
		map->chains[map->n_chains] = chain_id(to, first);
	}
}

void profile_merge(struct profile *to, struct profile *from, struct profile_map *map)
{
	map_names(to, from, map);
	map_chains(to, from, map);
	for (size_t i = 0; i < from->n_cells; i++) {
		struct cell_key key = from->cells[i].key;

		key.comm = map->comms[key.comm];
		key.frame = map->frames[key.frame];
		key.chain = map->chains[key.chain];
		for (unsigned int k = 0; k < FIELDS_MAX; k++)
			key.value[k] = map->values[key.value[k]];
		profile_add_many(to, &key, from->cells[i].samples, from->cells[i].weight);
	}
	unwind_merge(to->unwind, from->unwind);
	if (from->n_chain_frames > MERGED_FRAMES) {
		profile_forget(from);
		map->n_frames = map->n_chains = 0;
	}
	from->n_cells = 0;
	htab_clear(&from->h_cells);
}

void profile_map_free(struct profile_map *map)
{
	free(map->objects);
	free(map->comms);
	free(map->values);
	free(map->frames);
	free(map->chains);
	*map = (struct profile_map){ 0 };
}

uint32_t profile_func(struct profile *p, const struct func *key)
{
	uint32_t hash = hash_2u64((uint64_t)key->object << 32 | key->symbol, key->at), pos, ref;

	for (ref = htab_first(&p->h_funcs, hash, &pos); ref;
	     ref = htab_next(&p->h_funcs, hash, &pos)) {
		const struct func *f = &p->funcs[ref - 1];

		if (f->object == key->object && f->symbol == key->symbol && f->at == key->at)
			return ref - 1;
	}
	*ARRAY_PUSH(p->funcs, p->n_funcs, p->cap_funcs) = *key;
	htab_add(&p->h_funcs, hash, (uint32_t)(p->n_funcs - 1));
	return (uint32_t)(p->n_funcs - 1);
}

void profile_resolve(struct profile *p)
{
	for (size_t i = p->n_resolved; i < p->n_frames; i++) {
		struct frame *f = &p->frames[i];
		struct func func = { .object = f->object };
		uint64_t at = f->at;

		func.symbol = objects_resolve(&p->objects, &func.object, &at);
		if (func.object == OBJECT_ID_UNKNOWN)
			func.at = at ? AT_UNKNOWN : 0;
		else if (func.symbol == SYM_NONE)
			func.at = at;
		f->func = profile_func(p, &func);
	}
	p->n_resolved = p->n_frames;
}

static uint32_t find_line(struct profile *p, const struct frame *f)
{
	struct line_at at;
	char text[512];

	if (!lines_find(&p->objects, f->object, f->at, &at))
		snprintf(text, sizeof(text), "%s", object_name(&p->objects, f->object));
	else
		snprintf(text, sizeof(text), "%s:%d", at.base, at.line);
	return strtab_id(&p->line_texts, text);
}

uint32_t profile_frame_line(struct profile *p, uint32_t frame)
{
	if (p->n_frame_lines < p->n_frames) {
		p->frame_lines = xrealloc(p->frame_lines, p->n_frames * sizeof(*p->frame_lines));
		memset(p->frame_lines + p->n_frame_lines, 0,
		       (p->n_frames - p->n_frame_lines) * sizeof(*p->frame_lines));
		p->n_frame_lines = p->n_frames;
	}
	if (!p->frame_lines[frame])
		p->frame_lines[frame] = find_line(p, &p->frames[frame]) + 1;
	return p->frame_lines[frame] - 1;
}

void profile_func_name(struct profile *p, uint32_t func, struct strbuf *b)
{
	const struct func *f = &p->funcs[func];

	if (f->symbol >= SYM_INLINED && f->symbol != SYM_NONE)
		text_name(b, strtab_get(&p->inlined, f->symbol - SYM_INLINED));
	else if (f->symbol != SYM_NONE)
		text_name(b, objects_symbol_name(&p->objects, f->object, f->symbol));
	else if (f->object == OBJECT_ID_UNKNOWN && !f->at)
		strbuf_puts(b, "[no address]");
	else if (f->object == OBJECT_ID_UNKNOWN)
		strbuf_puts(b, "[unknown]");
	else if (f->object == OBJECT_ID_KERNEL)
		strbuf_addf(b, "0x%" PRIx64, f->at);
	else
		strbuf_addf(b, "%s+0x%" PRIx64, object_name(&p->objects, f->object), f->at);
}
