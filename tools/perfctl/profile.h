/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples added up. Addresses become frames (object and offset), call chains
 * become numbers, samples become cells of a table; nothing is symbolized until
 * all samples are in, and then each place only once.
 */
#ifndef PERFCTL_PROFILE_H
#define PERFCTL_PROFILE_H

#include "lines.h"
#include "machine.h"
#include "object.h"
#include "unwind.h"

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
 * @symbol: for objects_symbol_name(), SYM_NONE if it is not known
 * @at:     of unknown ones, as in struct frame
 */
struct func {
	uint32_t object;
	uint32_t symbol;
	uint64_t at;
};

/* symbols from here on are profile.inlined's */
#define SYM_INLINED 0xc0000000u

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

#define FIELDS_MAX 4 /* fields of events that rows can be told apart by */

/**
 * struct cell_key - what samples are told apart by; members not asked for are 0
 * @time:  number of a span of time
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
	uint32_t value[FIELDS_MAX];
};

struct cell {
	struct cell_key key;
	uint64_t samples;
	uint64_t weight;
};

/**
 * struct place - an address whose frame was asked for last, of those that share the element
 *
 * All zero, it says what is true: no address in no address space is FRAME_NONE.
 */
struct place {
	uint64_t addr;
	uint32_t gen;
	uint32_t frame;
};

#define KNOWN_PLACES 2048

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

/**
 * struct int_value - an integer whose text is known
 * @field: whose (text depends on it)
 * @v:     the integer
 * @text:  number in profile.values
 */
struct int_value {
	const void *field;
	uint64_t v;
	uint32_t text;
};

/**
 * struct profile - all of it
 * @unwind: makes call chains, NULL: of samples that have them only
 * @line_texts: "file.c:12"
 * @inlined: names of functions that were inlined
 * @places: most samples are at an address that was just looked up
 * @frame_lines: of each frame the number in line_texts + 1, 0: not asked yet
 * @values: texts of fields; number 0 is for events that lack the field
 */
struct profile {
	struct machine machine;
	struct objects objects;
	struct strtab values;
	struct unwind *unwind;
	struct strtab line_texts;
	struct strtab inlined;
	uint32_t *frame_lines;
	size_t n_frame_lines;
	struct int_value *ints;
	size_t n_ints, cap_ints;
	struct htab h_ints;
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
/* A chain without its innermost @skip frames. */
uint32_t profile_chain_from(struct profile *p, uint32_t chain, uint32_t skip);
void profile_add(struct profile *p, const struct cell_key *key, uint64_t weight);

void profile_add_many(struct profile *p, const struct cell_key *key, uint64_t samples,
		      uint64_t weight);

/**
 * struct profile_map - numbers of one profile in another
 *
 * Grows with each profile_merge() of the same two.
 */
struct profile_map {
	uint32_t *objects, *comms, *values, *frames, *chains;
	size_t n_objects, n_comms, n_values, n_frames, n_chains;
};

/* Moves the cells of one profile to another. What it found stays in it. */
void profile_merge(struct profile *to, struct profile *from, struct profile_map *map);
void profile_map_free(struct profile_map *map);

/* After the caller changed cells: they can be found again. */
void profile_rehash_cells(struct profile *p);
/* Forgets samples, places and functions; processes and objects stay. */
void profile_forget(struct profile *p);

/* Finds the function of every frame that came since the last call. */
void profile_resolve(struct profile *p);
/* The number of a function. */
uint32_t profile_func(struct profile *p, const struct func *key);
/*
 * Makes frames of what was inlined, as far as debug information tells. To be
 * called once, when all samples are in and resolved.
 */
void profile_inline(struct profile *p);

/* "main", "libc.so.6+0x1234", "0xffffffff81000000"; into @b, harmless. */
void profile_func_name(struct profile *p, uint32_t func, struct strbuf *b);

/* The source line of a frame: number in line_texts. */
uint32_t profile_frame_line(struct profile *p, uint32_t frame);

static inline uint32_t profile_frame_func(const struct profile *p, uint32_t frame)
{
	return p->frames[frame].func;
}

#endif
