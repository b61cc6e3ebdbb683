// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluates expressions of DWARF without a process: to a register, an offset, and loads. See
 * location.h.
 */
#include "location.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* Registers as perf and pev number them, whatever machine reads the file. */
#define X86_IP 8
#define X86_R8 16
#define PPC_IP 32
#define ARM64_IP 32

#define TERMS_MAX 8

/**
 * struct term - what is on the stack of an expression
 * @constant: it is @add alone; else @field finds what is @add bytes before it
 * @frame:    it is in the caller's frame from @base on, and below that in the function's own
 * @fixed:    it is an address of the program
 */
struct term {
	bool constant;
	bool frame;
	int64_t base;
	bool fixed;
	struct pev_probe_field field;
	int64_t add;
};

struct evaluation {
	const struct location *l;
	struct term terms[TERMS_MAX];
	unsigned int n;
	bool value;
	bool in_register;
	unsigned int depth;
	struct msg *m;
};

static int not_understood(struct evaluation *e, unsigned int op)
{
	return msg_set(e->m, -EOPNOTSUPP,
		       "its place is computed in a way that no probe can do "
		       "(operation 0x%x of DWARF)",
		       op);
}

static int find_register(struct evaluation *e, uint64_t dwarf, uint32_t *number)
{
	static const uint8_t x86[] = { 0, 3, 2, 1, 4, 5, 6, 7 };
	unsigned int machine = e->l->program->machine;

	/* arm64's last one is the stack pointer, by both numberings */
	if ((machine == EM_PPC64 || machine == EM_AARCH64) && dwarf < 32)
		*number = (uint32_t)dwarf;
	else if (machine == EM_X86_64 && dwarf < ARRAY_SIZE(x86))
		*number = x86[dwarf];
	else if (machine == EM_X86_64 && dwarf < 16)
		*number = X86_R8 + (uint32_t)dwarf - 8;
	else
		return msg_set(e->m, -EOPNOTSUPP, "it is not in a general register there");
	return 0;
}

static int push(struct evaluation *e, const struct term *t)
{
	if (e->n == TERMS_MAX)
		return not_understood(e, DW_OP_dup);
	e->terms[e->n++] = *t;
	return 0;
}

static int push_constant(struct evaluation *e, int64_t value)
{
	return push(e, &(struct term){ .constant = true, .add = value });
}

static int push_register(struct evaluation *e, uint64_t dwarf, int64_t offset)
{
	struct term t = { .field.from = PEV_PROBE_REGISTER, .add = offset };
	int err = find_register(e, dwarf, &t.field.number);

	return err ? err : push(e, &t);
}

/* Code and variables are at a constant distance, wherever they are mapped. */
static int push_address(struct evaluation *e, uint64_t address)
{
	struct term t = { .fixed = true,
			  .field.from = PEV_PROBE_REGISTER,
			  .add = (int64_t)(address - e->l->address) };

	t.field.number = e->l->program->machine == EM_PPC64   ? PPC_IP :
			 e->l->program->machine == EM_AARCH64 ? ARM64_IP :
								X86_IP;
	return push(e, &t);
}

/* An address in a table of the unit */
static int push_indexed(struct evaluation *e, const Dwarf_Op *op)
{
	Dwarf_Attribute found;
	Dwarf_Addr address;

	if (dwarf_getlocation_attr(e->l->attr, op, &found) || dwarf_formaddr(&found, &address))
		return not_understood(e, op->atom);
	return push_address(e, address);
}

static int run(struct evaluation *e, const Dwarf_Op *ops, size_t n);

/* Where the caller's frame ends, by the rules for unwinding */
static int push_frame(struct evaluation *e)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	int err;

	if (e->depth++ > 2)
		return not_understood(e, DW_OP_call_frame_cfa);
	for (size_t i = 0; i < ARRAY_SIZE(e->l->cfi) && !frame; i++)
		if (e->l->cfi[i] && dwarf_cfi_addrframe(e->l->cfi[i], e->l->address, &frame))
			frame = NULL;
	if (!frame)
		return msg_set(e->m, -ENODATA,
			       "the file does not say where the stack's frame is "
			       "there");
	if (dwarf_frame_cfa(frame, &ops, &n))
		err = not_understood(e, DW_OP_call_frame_cfa);
	else
		err = run(e, ops, n);
	free(frame);
	if (err || !e->n)
		return err;
	e->terms[e->n - 1].frame = true;
	e->terms[e->n - 1].base = e->terms[e->n - 1].add;
	return 0;
}

/* A frame's base may be a register itself. */
static int push_frame_base(struct evaluation *e, int64_t offset)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	int err;

	if (e->depth++ > 2 || !dwarf_attr_integrate(e->l->function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, e->l->address, &ops, &n, 1) != 1)
		return msg_set(e->m, -ENODATA,
			       "the debug information does not say where the "
			       "stack's frame is there");
	err = run(e, ops, n);
	e->in_register = false;
	if (!err && e->n)
		e->terms[e->n - 1].add += offset;
	return err;
}

static int add_terms(struct evaluation *e, bool minus)
{
	struct term *a, *b;

	if (e->n < 2)
		return not_understood(e, DW_OP_plus);
	b = &e->terms[--e->n];
	a = &e->terms[e->n - 1];
	if (!minus && a->constant) {
		struct term swap = *a;

		*a = *b;
		*b = swap;
	}
	if (!b->constant)
		return msg_set(e->m, -EOPNOTSUPP, "it is computed of two values there");
	a->add += minus ? -b->add : b->add;
	return 0;
}

static int load(struct evaluation *e)
{
	struct term *t = &e->terms[e->n - 1];

	if (!e->n || t->constant || t->field.nr_loads == PEV_MAX_PROBE_LOADS)
		return not_understood(e, DW_OP_deref);
	t->field.offsets[t->field.nr_loads++] = t->add;
	t->add = 0;
	t->frame = false;
	return 0;
}

static int set_value(struct evaluation *e)
{
	e->value = true;
	return e->n ? 0 : not_understood(e, DW_OP_stack_value);
}

static int run_other(struct evaluation *e, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_plus_uconst:
		if (!e->n)
			return not_understood(e, op->atom);
		e->terms[e->n - 1].add += (int64_t)op->number;
		return 0;
	case DW_OP_plus:
	case DW_OP_minus:
		return add_terms(e, op->atom == DW_OP_minus);
	case DW_OP_deref:
		return load(e);
	case DW_OP_stack_value:
		return set_value(e);
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return msg_set(e->m, -EOPNOTSUPP, "it is there in parts, in several registers");
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return msg_set(e->m, -EOPNOTSUPP,
			       "it is not kept there: only what it was when the function was "
			       "called is known, probe that");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return msg_set(e->m, -EOPNOTSUPP,
			       "each thread has its own, and where is not known");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return msg_set(e->m, -EOPNOTSUPP, "what it points to was optimized out");
	default:
		return not_understood(e, op->atom);
	}
}

static int run_one(struct evaluation *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		e->in_register = true;
		return push_register(e, op->atom - DW_OP_reg0, 0);
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(e, op->atom - DW_OP_breg0, (int64_t)op->number);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_constant(e, op->atom - DW_OP_lit0);
	switch (op->atom) {
	case DW_OP_regx:
		e->in_register = true;
		return push_register(e, op->number, 0);
	case DW_OP_bregx:
		return push_register(e, op->number, (int64_t)op->number2);
	case DW_OP_fbreg:
		return push_frame_base(e, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		return push_frame(e);
	case DW_OP_addr:
		return push_address(e, op->number);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indexed(e, op);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		/* libdw has extended the sign */
		return push_constant(e, (int64_t)op->number);
	default:
		return run_other(e, op);
	}
}

static int run(struct evaluation *e, const Dwarf_Op *ops, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = run_one(e, &ops[i]);
	return err;
}

static int take_term(const struct evaluation *e, const struct term *t, struct value *v)
{
	v->field = t->field;
	v->memory = !e->in_register && !e->value;
	v->offset = v->memory ? t->add : 0;
	if (v->memory)
		return t->constant ? msg_set(e->m, -EOPNOTSUPP, "it is at a fixed address") : 0;
	if (t->constant) {
		v->field.from = PEV_PROBE_CONSTANT;
		v->field.offsets[0] = t->add;
	} else if (t->add) {
		return msg_set(e->m, -EOPNOTSUPP,
			       "it is computed of another value there, and is "
			       "nowhere itself");
	}
	return 0;
}

int location_evaluate(const struct location *l, const Dwarf_Op *ops, size_t n,
		      struct location_of *to, struct msg *m)
{
	struct evaluation e = { .l = l, .m = m };
	int err = run(&e, ops, n);

	if (err)
		return err;
	if (e.n != 1)
		return msg_set(m, -EOPNOTSUPP, "it was optimized out there");
	to->own = !e.terms[0].fixed && (!e.terms[0].frame || e.terms[0].add < e.terms[0].base);
	return take_term(&e, &e.terms[0], to->v);
}
