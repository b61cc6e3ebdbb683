/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds out how to unwind at one address.
 */
#ifndef _PEV_SYM_DWARF_CFI_ROW_H
#define _PEV_SYM_DWARF_CFI_ROW_H

#include "dwarf/cfi.h"
#include "util/arch.h"

enum rule_kind {
	RULE_SAME,	/* the register has its value still; of the CFA: no rule */
	RULE_UNDEFINED,
	RULE_AT,	/* in memory, at CFA + v */
	RULE_IS,	/* CFA + v; of the CFA: register + v */
	RULE_REG,	/* in register v */
	RULE_AT_EXPR,	/* in memory, where an expression says */
	RULE_IS_EXPR,
};

/**
 * struct rule - how to find the caller's value of a register
 * @v:   see enum rule_kind; of expressions the offset in the section
 * @len: bytes of an expression
 * @reg: of the CFA: which register
 */
struct rule {
	int64_t		v;
	uint32_t	len;
	uint8_t		kind;
	uint8_t		reg;
};

/**
 * struct row - how to unwind at one address
 * @cfa: RULE_IS with @reg, or RULE_IS_EXPR
 * @ra:  register that has the return address
 */
struct row {
	struct rule	cfa;
	struct rule	r[REGS_MAX];
	uint8_t		ra;
	bool		signal;
};

/* Runs the instructions of a function up to @vaddr; false if they make no sense. */
bool cfi_row(const struct cfi *c, const struct fde *f, uint64_t vaddr, const struct arch *arch,
	     struct row *row);

#endif /* _PEV_SYM_DWARF_CFI_ROW_H */
