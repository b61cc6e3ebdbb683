/* SPDX-License-Identifier: GPL-2.0 */
/* Samples added up: those of the same frame, chain, thread and so on become one cell. */
#ifndef PERFCTL_PROFILE_PROFILE_H
#define PERFCTL_PROFILE_PROFILE_H

#include "session/session.h"
#include "session/stacks.h"

#define FIELDS_MAX 4 /* fields of events that can distinguish rows */

/**
 * struct cell_key - what distinguishes samples; members not asked for are 0
 * @time:  number of a span of time
 * @guest: the process that runs the guest, with CELL_FOR_GUEST where the host was hit as it worked
 *         for it; 0: the host, for itself
 * @vcpu:  the thread that runs the virtual processor of the guest; 0: the host, for itself
 * @exit:  number in profile.values of why the guest was left; 0: not known, or it was not
 * @request: number of the trace id in profile.values, 0: none is known
 * @node, socket, core: where the CPU is, number + 1; 0: not known. @core with @socket
 * @value: numbers in profile.values of fields of the event
 */
struct cell_key {
	uint32_t event;
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t frame;
	uint32_t chain;
	uint32_t time;
	uint32_t guest;
	uint32_t request;
	uint32_t node;
	uint32_t socket;
	uint32_t core;
	uint32_t vcpu;
	uint32_t exit;
	uint32_t value[FIELDS_MAX];
};

#define CELL_FOR_GUEST (1u << 31)

struct cell {
	struct cell_key key;
	uint64_t samples;
	uint64_t weight;
};

/**
 * struct int_value - an integer and its text
 * @field: it belongs to (the text depends on it); NULL: it is why a guest was left
 * @v:     the integer
 * @text:  number in profile.values
 */
struct int_value {
	const void *field;
	uint64_t v;
	uint32_t text;
};

/**
 * struct profile - the samples of a session, added up
 * @session: where they come from; its frames and chains are theirs
 * @stacks:  of the session
 * @values:  texts of fields; number 0 is for events that lack the field
 * @ints:    integers of fields that have a text already
 */
struct profile {
	struct session *session;
	struct stacks *stacks;
	struct strtab values;
	struct int_value *ints;
	size_t n_ints, cap_ints;
	struct htab h_ints;
	struct cell *cells;
	size_t n_cells, cap_cells;
	struct htab h_cells;
};

void profile_init(struct profile *p, struct session *session);
void profile_free(struct profile *p);

/* Both return the number of the cell. */
uint32_t profile_add(struct profile *p, const struct cell_key *key, uint64_t weight);

uint32_t profile_add_many(struct profile *p, const struct cell_key *key, uint64_t samples,
			  uint64_t weight);

/**
 * struct profile_map - numbers of one profile in another
 *
 * Grows with each profile_merge() of the same two.
 */
struct profile_map {
	uint32_t *objects, *comms, *values;
	size_t n_objects, n_comms, n_values;
	struct stacks_map stacks;
};

/* Moves the cells of one profile to another. Its frames, chains and texts stay. */
void profile_merge(struct profile *to, struct profile *from, struct profile_map *map);
void profile_map_free(struct profile_map *map);

/* Makes cells findable again after the caller changed them. */
void profile_rehash_cells(struct profile *p);
/* Forgets samples, and the frames and chains of the session. */
void profile_forget(struct profile *p);

#endif
