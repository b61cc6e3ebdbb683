/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Evaluates DWARF expressions.
 */
#ifndef _PEV_SYM_DWARF_EXPR_H
#define _PEV_SYM_DWARF_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include "util/arch.h"

/**
 * struct expr_env - what an expression can look at
 * @read: 8 bytes of memory; false: they are not there
 */
struct expr_env {
	const struct arch *arch;
	const uint64_t	*regs;
	uint64_t	valid;
	bool		(*read)(void *arg, uint64_t addr, uint64_t *v);
	void		*arg;
	uint64_t	cfa;
};

/* Evaluates an expression; @push: the CFA is on the stack at first. */
bool expr_eval(const struct expr_env *env, const uint8_t *expr, size_t len, bool push,
	       uint64_t *v);

#endif /* _PEV_SYM_DWARF_EXPR_H */
