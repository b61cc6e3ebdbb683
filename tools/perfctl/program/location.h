/* SPDX-License-Identifier: GPL-2.0 */
/* Where a value is by an expression of DWARF, as a probe that finds it there needs it. */
#ifndef PERFCTL_PROGRAM_LOCATION_H
#define PERFCTL_PROGRAM_LOCATION_H

#include "program.h"
#include "value.h"

/**
 * struct location - what an expression is about
 * @program: the file
 * @cfi:     of libdw, twice: its .eh_frame and .debug_frame; either may be NULL
 * @function: that has the code, whose frame values are in
 * @address: of the place
 * @attr:    the expression's attribute
 */
struct location {
	const struct program *program;
	Dwarf_CFI *cfi[2];
	Dwarf_Die *function;
	uint64_t address;
	Dwarf_Attribute *attr;
};

/**
 * struct location_of - where a value is
 * @v:    field, memory and offset are filled in
 * @own:  in the frame that the function sets up itself
 */
struct location_of {
	struct value *v;
	bool own;
};

/* Evaluates an expression. Returns 0, or -errno with a clause that says why it can't be. */
int location_evaluate(const struct location *l, const Dwarf_Op *ops, size_t n,
		      struct location_of *to, struct msg *m);

#endif
