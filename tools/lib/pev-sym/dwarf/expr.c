// SPDX-License-Identifier: LGPL-2.1-only
/* Evaluates DWARF expressions, as unwind tables have them. */
#include <dwarf.h>
#include "dwarf/expr.h"
#include "util/cursor.h"

#define STACK_MAX 64
/* no sane expression jumps around for long */
#define STEPS_MAX 2000

struct machine {
	const struct expr_env *env;
	struct cursor c;
	uint64_t s[STACK_MAX];
	unsigned int n;
	bool bad;
};

static void push(struct machine *m, uint64_t v)
{
	if (m->n == STACK_MAX)
		m->bad = true;
	else
		m->s[m->n++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (!m->n) {
		m->bad = true;
		return 0;
	}
	return m->s[--m->n];
}

static void push_reg(struct machine *m, uint64_t dwarf, int64_t off)
{
	int reg = arch_reg(m->env->arch, dwarf);

	if (reg < 0 || !(m->env->valid >> reg & 1))
		m->bad = true;
	else
		push(m, m->env->regs[reg] + (uint64_t)off);
}

static void deref(struct machine *m, unsigned int size)
{
	uint64_t v = 0;

	if (size < 1 || size > 8 || !m->env->read(m->env->arg, pop(m), &v)) {
		m->bad = true;
		return;
	}
	push(m, size == 8 ? v : v & ((1ULL << 8 * size) - 1));
}

static bool constant(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s: push(m, get_u64(&m->c)); return true;
	case DW_OP_const1u: push(m, get_u8(&m->c)); return true;
	case DW_OP_const1s: push(m, (uint64_t)(int8_t)get_u8(&m->c)); return true;
	case DW_OP_const2u: push(m, get_u16(&m->c)); return true;
	case DW_OP_const2s: push(m, (uint64_t)(int16_t)get_u16(&m->c)); return true;
	case DW_OP_const4u: push(m, get_u32(&m->c)); return true;
	case DW_OP_const4s: push(m, (uint64_t)(int32_t)get_u32(&m->c)); return true;
	case DW_OP_constu: push(m, get_uleb(&m->c)); return true;
	case DW_OP_consts: push(m, (uint64_t)get_sleb(&m->c)); return true;
	default: return false;
	}
}

static void pick(struct machine *m, unsigned int index)
{
	if (index >= m->n)
		m->bad = true;
	else
		push(m, m->s[m->n - 1 - index]);
}

static bool stack_op(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup: pick(m, 0); return true;
	case DW_OP_drop: pop(m); return true;
	case DW_OP_over: pick(m, 1); return true;
	case DW_OP_pick: pick(m, get_u8(&m->c)); return true;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		return true;
	case DW_OP_rot:
		a = pop(m);
		b = pop(m);
		c = pop(m);
		push(m, a);
		push(m, c);
		push(m, b);
		return true;
	default:
		return false;
	}
}

static bool unary(struct machine *m, uint8_t op)
{
	uint64_t a;

	switch (op) {
	case DW_OP_abs:
		a = pop(m);
		push(m, (int64_t)a < 0 ? 0 - a : a);
		return true;
	case DW_OP_neg: push(m, 0 - pop(m)); return true;
	case DW_OP_not: push(m, ~pop(m)); return true;
	case DW_OP_plus_uconst: push(m, pop(m) + get_uleb(&m->c)); return true;
	case DW_OP_deref: deref(m, 8); return true;
	case DW_OP_deref_size: deref(m, get_u8(&m->c)); return true;
	case DW_OP_nop: return true;
	case DW_OP_call_frame_cfa: push(m, m->env->cfa); return true;
	default: return false;
	}
}

static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (!b || (a == INT64_MIN && b == -1)) {
		m->bad = true;
		return 0;
	}
	return (uint64_t)(a / b);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool arithmetic)
{
	uint64_t fill = arithmetic && (int64_t)a < 0 ? ~0ULL : 0;

	if (b > 63)
		return fill;
	return b ? a >> b | fill << (64 - b) : a;
}

static bool binary(struct machine *m, uint8_t op)
{
	uint64_t a, b, v;

	if (op < DW_OP_and || op > DW_OP_ne || op == DW_OP_neg || op == DW_OP_not ||
	    op == DW_OP_plus_uconst || op == DW_OP_bra)
		return false;
	b = pop(m);
	a = pop(m);
	switch (op) {
	case DW_OP_and: v = a & b; break;
	case DW_OP_or: v = a | b; break;
	case DW_OP_xor: v = a ^ b; break;
	case DW_OP_plus: v = a + b; break;
	case DW_OP_minus: v = a - b; break;
	case DW_OP_mul: v = a * b; break;
	case DW_OP_div: v = divide(m, (int64_t)a, (int64_t)b); break;
	case DW_OP_mod:
		m->bad |= !b;
		v = b ? a % b : 0;
		break;
	case DW_OP_shl: v = b > 63 ? 0 : a << b; break;
	case DW_OP_shr: v = shift_right(a, b, false); break;
	case DW_OP_shra: v = shift_right(a, b, true); break;
	case DW_OP_eq: v = a == b; break;
	case DW_OP_ne: v = a != b; break;
	case DW_OP_ge: v = (int64_t)a >= (int64_t)b; break;
	case DW_OP_gt: v = (int64_t)a > (int64_t)b; break;
	case DW_OP_le: v = (int64_t)a <= (int64_t)b; break;
	case DW_OP_lt: v = (int64_t)a < (int64_t)b; break;
	default: return false;
	}
	push(m, v);
	return true;
}

static bool jump(struct machine *m, uint8_t op, const uint8_t *start)
{
	ptrdiff_t to;
	int16_t by;

	if (op != DW_OP_skip && op != DW_OP_bra)
		return false;
	by = (int16_t)get_u16(&m->c);
	if (op == DW_OP_bra && !pop(m))
		return true;
	to = m->c.p - start + by;
	if (to < 0 || to > m->c.end - start)
		m->bad = true;
	else
		m->c.p = start + to;
	return true;
}

static bool registers(struct machine *m, uint8_t op)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(m, op - DW_OP_breg0, get_sleb(&m->c));
	} else if (op == DW_OP_bregx) {
		uint64_t reg = get_uleb(&m->c);

		push_reg(m, reg, get_sleb(&m->c));
	} else {
		return false;
	}
	return true;
}

bool expr_eval(const struct expr_env *env, const uint8_t *expr, size_t len, bool with_cfa,
	       uint64_t *v)
{
	struct machine m = { .env = env, .c = { .p = expr, .end = expr + len } };

	if (with_cfa)
		push(&m, env->cfa);
	for (unsigned int steps = 0; m.c.p < m.c.end; steps++) {
		uint8_t op = get_u8(&m.c);

		if (!registers(&m, op) && !constant(&m, op) && !stack_op(&m, op) &&
		    !unary(&m, op) && !jump(&m, op, expr) && !binary(&m, op))
			return false;
		if (m.bad || m.c.bad || steps > STEPS_MAX)
			return false;
	}
	*v = pop(&m);
	return !m.bad;
}
