// SPDX-License-Identifier: GPL-2.0
/* Samples added up. See profile.h. */
#include "profile.h"

#include <stdlib.h>

void profile_init(struct profile *p, struct session *session)
{
	*p = (struct profile){ .session = session, .stacks = &session->stacks };
	strtab_id(&p->values, "");
}

void profile_free(struct profile *p)
{
	strtab_free(&p->values);
	free(p->ints);
	free(p->cells);
	htab_free(&p->h_ints);
	htab_free(&p->h_cells);
	*p = (struct profile){ 0 };
}

/* frames in chains that a profile may have when it has been merged into another */
#define MERGED_FRAMES (2u << 20)

/*
 * Keys are read as they are written, member by member: a wider load right after the
 * stores would have to wait until all of them have reached the cache. The products
 * do not depend on each other, so that the CPU computes them in parallel.
 */
static uint32_t key_hash(const struct cell_key *k)
{
	uint64_t values[2];

	_Static_assert(sizeof(values) == sizeof(k->value), "all values are hashed");
	memcpy(values, k->value, sizeof(values));
	return hash_u64(
		hash_fold(hash_pair(k->event, k->comm) ^ 0x9e3779b97f4a7c15ULL,
			  hash_pair(k->frame, k->chain) ^ 0xbf58476d1ce4e5b9ULL) +
		hash_fold(hash_pair(k->pid, k->tid) ^ 0xbf58476d1ce4e5b9ULL,
			  hash_pair(k->cpu, k->time) ^ 0x94d049bb133111ebULL) +
		hash_fold(values[0] ^ 0x94d049bb133111ebULL, values[1] ^ 0x9e3779b97f4a7c15ULL) +
		hash_fold(hash_pair(k->guest, k->request) ^ 0x9e3779b97f4a7c15ULL,
			  hash_pair(k->node ^ k->socket << 16,
				    k->core ^ k->vcpu << 8 ^ k->exit << 16) ^
				  0xbf58476d1ce4e5b9ULL));
}

static bool key_equal(const struct cell_key *a, const struct cell_key *b)
{
	return a->frame == b->frame && a->chain == b->chain && a->comm == b->comm &&
	       a->event == b->event && a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->time == b->time && a->guest == b->guest && a->request == b->request &&
	       a->node == b->node && a->socket == b->socket && a->core == b->core &&
	       a->vcpu == b->vcpu && a->exit == b->exit &&
	       !memcmp(a->value, b->value, sizeof(a->value));
}

uint32_t profile_add_many(struct profile *p, const struct cell_key *key, uint64_t samples,
			  uint64_t weight)
{
	struct cell *c;

	if (HTAB_GET(c, &p->h_cells, key_hash(key), key_equal(&c->key, key), p->cells, p->n_cells,
		     p->cap_cells))
		c->key = *key;
	c->samples += samples;
	c->weight += weight;
	return (uint32_t)(c - p->cells);
}

uint32_t profile_add(struct profile *p, const struct cell_key *key, uint64_t weight)
{
	return profile_add_many(p, key, 1, weight);
}

void profile_rehash_cells(struct profile *p)
{
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < p->n_cells; i++)
		htab_add(&p->h_cells, key_hash(&p->cells[i].key), (uint32_t)i);
}

void profile_forget(struct profile *p)
{
	p->n_cells = 0;
	htab_clear(&p->h_cells);
	strtab_free(&p->values);
	strtab_id(&p->values, "");
	p->n_ints = 0;
	htab_clear(&p->h_ints);
	stacks_forget(p->stacks);
}

/* Maps names in the order in which they were found, which is the order of time. */
static void map_names(struct profile *to, const struct profile *from, struct profile_map *map)
{
	const struct objects *objects = &from->session->objects;
	const struct strtab *comms = &from->session->machine.comms;
	struct session *s = to->session;

	map->objects = map_grow(map->objects, map->n_objects, objects->n);
	for (; map->n_objects < objects->n; map->n_objects++) {
		const struct object *o = &objects->o[map->n_objects];

		map->objects[map->n_objects] = map->n_objects <= OBJECT_ID_KERNEL ?
						       (uint32_t)map->n_objects :
						       objects_get(&s->objects, o->path, &o->id);
		objects_mapped_by(&s->objects, map->objects[map->n_objects], o->pid);
	}
	map->comms = map_grow(map->comms, map->n_comms, comms->n);
	for (; map->n_comms < comms->n; map->n_comms++)
		map->comms[map->n_comms] = strtab_id(&s->machine.comms, comms->s[map->n_comms]);
	map->values = map_grow(map->values, map->n_values, from->values.n);
	for (; map->n_values < from->values.n; map->n_values++)
		map->values[map->n_values] = strtab_id(&to->values, from->values.s[map->n_values]);
}

void profile_merge(struct profile *to, struct profile *from, struct profile_map *map)
{
	map_names(to, from, map);
	stacks_map(to->stacks, from->stacks, &map->stacks, map->objects);
	for (size_t i = 0; i < from->n_cells; i++) {
		struct cell_key key = from->cells[i].key;

		key.comm = map->comms[key.comm];
		key.frame = map->stacks.frames[key.frame];
		key.chain = map->stacks.chains[key.chain];
		key.request = map->values[key.request];
		key.exit = map->values[key.exit];
		for (unsigned int k = 0; k < FIELDS_MAX; k++)
			key.value[k] = map->values[key.value[k]];
		profile_add_many(to, &key, from->cells[i].samples, from->cells[i].weight);
	}
	unwind_merge(to->session->unwind, from->session->unwind);
	owed_merge(&to->session->owes, &from->session->owes);
	if (from->stacks->n_chain_frames > MERGED_FRAMES) {
		profile_forget(from);
		map->stacks.n_frames = map->stacks.n_chains = 0;
		map->n_values = 0;
	}
	from->n_cells = 0;
	htab_clear(&from->h_cells);
}

void profile_map_free(struct profile_map *map)
{
	free(map->objects);
	free(map->comms);
	free(map->values);
	free(map->stacks.frames);
	free(map->stacks.chains);
	*map = (struct profile_map){ 0 };
}
