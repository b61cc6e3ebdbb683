// SPDX-License-Identifier: LGPL-2.1-only
/* Runs the instructions of unwind tables up to a place in a function: gives a row. */
#include <dwarf.h>
#include "dwarf/cfi_row.h"
#include "util/cursor.h"

#define REMEMBER_MAX 16

struct run {
	const struct cfi	*cfi;
	const struct cie	*cie;
	const struct arch	*arch;
	uint64_t		at;	/* where the instructions are */
	uint64_t		target;
	struct row		row;
	struct row		first;	/* as the CIE left it */
	struct row		kept[REMEMBER_MAX];
	unsigned int		n_kept;
	struct rule		ignored; /* of registers that do not matter */
	bool			bad;
};

static struct rule *rule_of(struct run *r, uint64_t dwarf)
{
	int reg = arch_reg(r->arch, dwarf);

	return reg < 0 ? &r->ignored : &r->row.r[reg];
}

static void set(struct run *r, uint64_t dwarf, enum rule_kind kind, int64_t v)
{
	*rule_of(r, dwarf) = (struct rule){ .kind = (uint8_t)kind, .v = v };
}

/* Hostile factors may overflow: let them wrap. */
static int64_t factored(const struct run *r, int64_t v)
{
	return (int64_t)((uint64_t)v * (uint64_t)r->cie->data_align);
}

static void restore(struct run *r, uint64_t dwarf)
{
	int reg = arch_reg(r->arch, dwarf);

	if (reg >= 0)
		r->row.r[reg] = r->first.r[reg];
}

static void set_expr(struct run *r, struct cursor *c, uint64_t dwarf, enum rule_kind kind)
{
	uint64_t len = get_uleb(c);

	if (c->bad || len > left(c) || len > UINT32_MAX) {
		r->bad = true;
		return;
	}
	*rule_of(r, dwarf) = (struct rule){ .kind = (uint8_t)kind, .len = (uint32_t)len,
					    .v = c->p - r->cfi->sec.data };
	c->p += len;
}

static void cfa_reg(struct run *r, uint64_t dwarf)
{
	int reg = arch_reg(r->arch, dwarf);

	if (reg < 0)
		r->bad = true;
	r->row.cfa.kind = RULE_IS;
	r->row.cfa.reg = (uint8_t)reg;
}

/*
 * Half of a rule is about to change, so it must be one of a register and an offset.
 * In the rule of an expression @v is its place, which no table may set.
 */
static void cfa_amend(struct run *r)
{
	if (r->row.cfa.kind == RULE_IS_EXPR)
		r->bad = true;
}

static void cfa_expr(struct run *r, struct cursor *c)
{
	uint64_t len = get_uleb(c);

	if (c->bad || len > left(c) || len > UINT32_MAX) {
		r->bad = true;
		return;
	}
	r->row.cfa = (struct rule){ .kind = RULE_IS_EXPR, .len = (uint32_t)len,
				    .v = c->p - r->cfi->sec.data };
	c->p += len;
}

static bool cfa_op(struct run *r, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_def_cfa:
		cfa_reg(r, get_uleb(c));
		r->row.cfa.v = (int64_t)get_uleb(c);
		return true;
	case DW_CFA_def_cfa_sf:
		cfa_reg(r, get_uleb(c));
		r->row.cfa.v = factored(r, get_sleb(c));
		return true;
	case DW_CFA_def_cfa_register:
		cfa_amend(r);
		cfa_reg(r, get_uleb(c));
		return true;
	case DW_CFA_def_cfa_offset:
		cfa_amend(r);
		r->row.cfa.v = (int64_t)get_uleb(c);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		cfa_amend(r);
		r->row.cfa.v = factored(r, get_sleb(c));
		return true;
	case DW_CFA_def_cfa_expression: cfa_expr(r, c); return true;
	default: return false;
	}
}

static bool register_op(struct run *r, struct cursor *c, uint8_t op)
{
	uint64_t reg;
	int other;

	if (op < DW_CFA_offset_extended || op > DW_CFA_GNU_negative_offset_extended)
		return false;
	switch (op) {
	case DW_CFA_offset_extended:
		reg = get_uleb(c);
		set(r, reg, RULE_AT, factored(r, (int64_t)get_uleb(c)));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = get_uleb(c);
		set(r, reg, RULE_AT, factored(r, get_sleb(c)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = get_uleb(c);
		set(r, reg, RULE_AT, factored(r, (int64_t)(0 - get_uleb(c))));
		return true;
	case DW_CFA_val_offset:
		reg = get_uleb(c);
		set(r, reg, RULE_IS, factored(r, (int64_t)get_uleb(c)));
		return true;
	case DW_CFA_val_offset_sf:
		reg = get_uleb(c);
		set(r, reg, RULE_IS, factored(r, get_sleb(c)));
		return true;
	case DW_CFA_restore_extended: restore(r, get_uleb(c)); return true;
	case DW_CFA_undefined: set(r, get_uleb(c), RULE_UNDEFINED, 0); return true;
	case DW_CFA_same_value: set(r, get_uleb(c), RULE_SAME, 0); return true;
	case DW_CFA_register:
		reg = get_uleb(c);
		other = arch_reg(r->arch, get_uleb(c));
		set(r, reg, other < 0 ? RULE_UNDEFINED : RULE_REG, other);
		return true;
	case DW_CFA_expression:
		reg = get_uleb(c);
		set_expr(r, c, reg, RULE_AT_EXPR);
		return true;
	case DW_CFA_val_expression:
		reg = get_uleb(c);
		set_expr(r, c, reg, RULE_IS_EXPR);
		return true;
	default:
		return false;
	}
}

static bool state_op(struct run *r, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save:
		return true;
	case DW_CFA_GNU_args_size:
		get_uleb(c);
		return true;
	case DW_CFA_remember_state:
		if (r->n_kept == REMEMBER_MAX)
			r->bad = true;
		else
			r->kept[r->n_kept++] = r->row;
		return true;
	case DW_CFA_restore_state:
		if (!r->n_kept)
			r->bad = true;
		else
			r->row = r->kept[--r->n_kept];
		return true;
	default:
		return false;
	}
}

static void advance(struct run *r, uint64_t by)
{
	by *= r->cie->code_align;
	r->at = r->at + by < r->at ? UINT64_MAX : r->at + by;
}

static bool location_op(struct run *r, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_advance_loc1: advance(r, get_u8(c)); return true;
	case DW_CFA_advance_loc2: advance(r, get_u16(c)); return true;
	case DW_CFA_advance_loc4: advance(r, get_u32(c)); return true;
	default: return false;
	}
}

static bool run(struct run *r, size_t insns, size_t len)
{
	const uint8_t *p = r->cfi->sec.data + insns;
	struct cursor c = { .p = p, .end = p + len };

	while (c.p < c.end) {
		uint8_t op = get_u8(&c), low = op & 0x3f;

		if ((op & 0xc0) == DW_CFA_advance_loc)
			advance(r, low);
		else if ((op & 0xc0) == DW_CFA_offset)
			set(r, low, RULE_AT, factored(r, (int64_t)get_uleb(&c)));
		else if ((op & 0xc0) == DW_CFA_restore)
			restore(r, low);
		else if (!location_op(r, &c, op) && !cfa_op(r, &c, op) &&
			 !state_op(r, &c, op) && !register_op(r, &c, op))
			return false;
		if (c.bad || r->bad)
			return false;
		if (r->at > r->target)
			return true;
	}
	return true;
}

bool cfi_row(const struct cfi *cfi, const struct fde *f, uint64_t vaddr, const struct arch *arch,
	     struct row *row)
{
	const struct cie *cie = &cfi->cies.p[f->cie];
	int ra = arch_reg(arch, cie->ra);
	struct run r;

	if (ra < 0)
		return false;
	/* don't clear the remembered states, which are large and mostly not needed */
	memset(&r, 0, offsetof(struct run, kept));
	r.n_kept = 0;
	r.bad = false;
	r.cfi = cfi;
	r.cie = cie;
	r.arch = arch;
	r.target = UINT64_MAX;
	r.row.ra = (uint8_t)ra;
	r.row.signal = cie->signal;
	if (!run(&r, cie->insns, cie->insns_len))
		return false;
	r.first = r.row;
	r.at = f->start;
	r.target = vaddr;
	if (!run(&r, f->insns, f->insns_len))
		return false;
	*row = r.row;
	return row->cfa.kind == RULE_IS || row->cfa.kind == RULE_IS_EXPR;
}
