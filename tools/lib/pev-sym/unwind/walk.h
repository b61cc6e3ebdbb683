/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a chain is made of, and what it may read.
 */
#ifndef _PEV_SYM_UNWIND_WALK_H
#define _PEV_SYM_UNWIND_WALK_H

#include <pev/sym.h>
#include "syms/syms.h"
#include "util/arch.h"

/**
 * struct unwind_walk - a chain while it is made
 * @regs:  of the frame, ours by number
 * @valid: mask of those that are known
 * @sp0:   where the piece of the stack begins
 * @map:   that was found last; end 0: none
 * @exact: the address is not a return address
 * @why:   what the last failed read means for the chain
 */
struct unwind_walk {
	struct pev_unwind		*u;
	const struct pev_unwind_sample	*in;
	uint64_t			regs[REGS_MAX];
	uint64_t			valid;
	uint64_t			sp0;
	struct pev_unwind_map		map;
	bool				exact;
	enum pev_unwind_end		why;
};

/**
 * struct brief_row - struct row, small: there are many
 * @object: what it is for
 * @first:  its saved registers, in unwind.saves
 * @which:  of the object's two sections
 */
struct brief_row {
	int32_t		cfa_v;
	uint32_t	first;
	int32_t		object;
	uint16_t	cfa_len;
	uint8_t		cfa_kind;
	uint8_t		cfa_reg;
	uint8_t		n;
	uint8_t		ra;
	uint8_t		which;
	bool		signal;
};

struct save {
	int32_t		v;
	uint16_t	len;
	uint8_t		reg;
	uint8_t		kind;
};

#define HOT_SIZE 4096u

/**
 * struct hot_row - the row of an address of an address space
 * @row: index + 1, 0: nothing
 */
struct hot_row {
	uint64_t	space;
	uint64_t	ip;
	uint32_t	row;
};

struct lu;

/**
 * struct pev_unwind - an unwinder
 * @mask:  registers that samples have
 * @rows:  of all places met so far
 * @by_object: for each object: rows by address of the tables; UINT32_MAX - 1:
 *         there is none
 * @lu_steps: frames that libunwind has found; the tests look at it
 */
struct pev_unwind {
	struct pev_syms		*syms;
	const struct arch	*arch;
	uint64_t		mask;
	unsigned int		flags;
	VEC(struct brief_row)	rows;
	VEC(struct save)	saves;
	VEC(struct hmap)	by_object;
	struct hot_row		hot[HOT_SIZE];
	struct lu		*lu;
	uint64_t		lu_steps;
};

/* Reads 8 bytes of the stack, or of a file that is mapped there. */
bool walk_read(struct unwind_walk *w, uint64_t addr, uint64_t *v);
/* Finds the map of an address; false if nothing is mapped there. */
bool walk_map(struct unwind_walk *w, uint64_t addr);

#endif /* _PEV_SYM_UNWIND_WALK_H */
