/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns addresses into frames (object and offset) and call chains into numbers.
 * A place is not symbolized until it is asked for, and then only once.
 */
#ifndef PERFCTL_SESSION_STACKS_H
#define PERFCTL_SESSION_STACKS_H

#include "machine.h"
#include "object.h"

/**
 * struct frame - a place in code
 * @at:     offset in the object; address in the kernel or in no object
 * @object: number in struct objects
 * @func:   number of the function, set by stacks_resolve()
 */
struct frame {
	uint64_t at;
	uint32_t object;
	uint32_t func;
};

/**
 * struct func - a function, or a place with only its offset known
 * @object: number in struct objects
 * @symbol: for objects_symbol_name(), SYM_NONE if it is not known
 * @at:     of unknown functions, as in struct frame
 */
struct func {
	uint32_t object;
	uint32_t symbol;
	uint64_t at;
};

/* symbols from here on are stacks.inlined's */
#define SYM_INLINED 0xc0000000u

#define CHAIN_NONE 0u
#define FRAME_NONE 0u /* of samples without an address */

/**
 * struct chain - a call chain, innermost frame first
 * @first: index in stacks.chain_frames
 * @n:     frames
 * @cut:   it reached the limit, or ended where a whole chain cannot
 */
struct chain {
	uint32_t first;
	uint32_t n;
};

/**
 * struct place - the last address looked up among those that share the element
 *
 * All zeroes are valid: no address in no address space is FRAME_NONE.
 */
struct place {
	uint64_t addr;
	uint32_t gen;
	uint32_t frame;
};

#define KNOWN_PLACES 2048

/**
 * struct raw_chain - a chain as sampled, to recognize it when it repeats
 * @words: index in stacks.raw_words of the addresses
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

/**
 * struct stacks - the frames and call chains of a session
 * @objects:     what frames lie in
 * @line_texts:  "file.c:12"
 * @inlined:     names of functions that were inlined
 * @frame_lines: for each frame the number in line_texts + 1, 0: not asked yet
 * @places:      cache, as most samples are at an address that was just looked up
 * @n_resolved:  frames that have their function
 */
struct stacks {
	struct objects *objects;
	struct strtab line_texts;
	struct strtab inlined;
	uint32_t *frame_lines;
	size_t n_frame_lines;
	struct frame *frames;
	size_t n_frames, cap_frames;
	struct htab h_frames;
	struct place places[KNOWN_PLACES];
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
};

/**
 * struct stacks_map - frames and chains of one session as those of another
 *
 * Grows with each stacks_map() of the same two.
 */
struct stacks_map {
	uint32_t *frames, *chains;
	size_t n_frames, n_chains;
};

void stacks_init(struct stacks *s, struct objects *objects);
void stacks_free(struct stacks *s);
/* Adds what @from has; @objects: the numbers of its objects here. */
void stacks_map(struct stacks *s, const struct stacks *from, struct stacks_map *map,
		const uint32_t *objects);
/* Forgets frames, chains and functions; objects stay. */
void stacks_forget(struct stacks *s);

bool addr_is_kernel(uint64_t addr);

/* Returns the frame at an address of a process; never fails. */
uint32_t stacks_frame(struct stacks *s, const struct mapset *space, uint64_t addr);
/* The same of a sample, which may have hit a guest: @guest is PEV_GUEST_*. */
uint32_t stacks_sampled(struct stacks *s, const struct mapset *space, uint64_t addr,
			uint32_t guest);
/*
 * Returns the chain of a sample of a guest: nothing is known of its callers, but it lies on the
 * guest that process @pid runs.
 */
uint32_t stacks_guest_chain(struct stacks *s, uint32_t frame, uint32_t pid);
/* Returns the number of a chain, CHAIN_NONE if there are no addresses at all. */
uint32_t stacks_chain(struct stacks *s, const struct mapset *space, const uint64_t *kernel,
		      uint32_t nk, const uint64_t *user, uint32_t nu);
/* Returns a chain without its innermost @skip frames. */
uint32_t stacks_chain_from(struct stacks *s, uint32_t chain, uint32_t skip);

/* Finds the function of every frame added since the last call. */
void stacks_resolve(struct stacks *s);
/* The same with a bar on the terminal, if it takes long: for what comes after all events. */
void stacks_resolve_all(struct stacks *s);
/* Returns the number of a function. */
uint32_t stacks_func(struct stacks *s, const struct func *key);

/* Appends "main", "libc.so.6+0x1234" or "0xffffffff81000000" to @b, escaped. */
void stacks_func_name(struct stacks *s, uint32_t func, struct strbuf *b);

/* Returns the source line of a frame: its number in line_texts. */
uint32_t stacks_frame_line(struct stacks *s, uint32_t frame);

static inline uint32_t stacks_frame_func(const struct stacks *s, uint32_t frame)
{
	return s->frames[frame].func;
}

#endif
