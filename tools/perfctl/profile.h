/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples added up. Addresses become frames (object and offset), call chains
 * become numbers, samples become cells of a table; nothing is symbolized until
 * all samples are in, and then each place only once.
 */
#ifndef PERFCTL_PROFILE_H
#define PERFCTL_PROFILE_H

#include "machine.h"
#include "object.h"

/**
 * struct frame - a place in code
 * @at:     offset in the object; address in the kernel or in no object
 * @object: number in struct objects
 * @func:   number of the function, set by profile_resolve()
 */
struct frame {
	uint64_t at;
	uint32_t object;
	uint32_t func;
};

/**
 * struct func - a function, or a place of which only the offset is known
 * @object: number in struct objects
 * @symbol: for symtab_name(), SYM_NONE if it is not known
 * @at:     of unknown ones, as in struct frame
 */
struct func {
	uint32_t object;
	uint32_t symbol;
	uint64_t at;
};

#define CHAIN_NONE 0u
#define FRAME_NONE 0u /* of samples without an address */

/**
 * struct chain - a call chain, innermost frame first
 * @first: index in profile.chain_frames
 * @n:     frames
 * @cut:   it reached the limit or ended where no chain ends
 */
struct chain {
	uint32_t first;
	uint32_t n;
};

/* What samples are told apart by; members that are not asked for are 0. */
struct cell_key {
	uint32_t event;
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t frame;
	uint32_t chain;
};

struct cell {
	struct cell_key key;
	uint64_t samples;
	uint64_t weight;
};

/**
 * struct raw_chain - a chain as sampled, to recognize it when it comes again
 * @words: index in profile.raw_words of the addresses
 * @nk:    kernel addresses
 * @nu:    user addresses
 * @gen:   address space that they belong to
 * @chain: what it became
 */
struct raw_chain {
	uint64_t words;
	uint32_t nk;
	uint32_t nu;
	uint32_t gen;
	uint32_t chain;
};

struct profile {
	struct machine machine;
	struct objects objects;
	struct frame *frames;
	size_t n_frames, cap_frames;
	struct htab h_frames;
	size_t n_resolved;
	struct func *funcs;
	size_t n_funcs, cap_funcs;
	struct htab h_funcs;
	struct chain *chains;
	size_t n_chains, cap_chains;
	uint32_t *chain_frames;
	size_t n_chain_frames, cap_chain_frames;
	struct htab h_chains;
	struct raw_chain *raw;
	size_t n_raw, cap_raw;
	uint64_t *raw_words;
	size_t n_raw_words, cap_raw_words;
	struct htab h_raw;
	struct cell *cells;
	size_t n_cells, cap_cells;
	struct htab h_cells;
};

void profile_init(struct profile *p);
void profile_free(struct profile *p);

bool addr_is_kernel(uint64_t addr);

/* The frame at an address of a process; never fails. */
uint32_t profile_frame(struct profile *p, const struct mapset *space, uint64_t addr);
/* CHAIN_NONE for no addresses at all. */
uint32_t profile_chain(struct profile *p, const struct mapset *space, const uint64_t *kernel,
		       uint32_t nk, const uint64_t *user, uint32_t nu);
void profile_add(struct profile *p, const struct cell_key *key, uint64_t weight);

/* Finds the function of every frame that came since the last call. */
void profile_resolve(struct profile *p);

/* "main", "libc.so.6+0x1234", "0xffffffff81000000"; into @b, harmless. */
void profile_func_name(struct profile *p, uint32_t func, struct strbuf *b);

static inline uint32_t profile_frame_func(const struct profile *p, uint32_t frame)
{
	return p->frames[frame].func;
}

#endif
