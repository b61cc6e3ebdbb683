// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes call chains from registers and a piece of the stack.
 *
 * How to unwind at an address (a row) is taken from the tables once and kept, as
 * samples come from the same places again and again. A frame then costs a look into
 * a small table and a few words of the stack. Documentation/design/unwinding.rst
 * says how much that saves.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "dwarf/cfi_row.h"
#include "dwarf/expr.h"
#include "object/elf.h"
#include "unwind/libunwind.h"

#define NO_ROW (UINT32_MAX - 1)

PEV_EXPORT uint64_t pev_unwind_regs(const char *machine)
{
	const struct arch *a = arch_find(machine);

	return a ? a->record : 0;
}

PEV_EXPORT int pev_unwind_new(struct pev_syms *syms, const char *machine, uint64_t regs,
			      unsigned int flags, struct pev_unwind **unwind)
{
	const struct arch *arch = arch_find(machine);
	struct pev_unwind *u;
	uint64_t have = 0;

	if (!arch || flags & ~PEV_UNWIND_LIBUNWIND)
		return arch ? -EINVAL : -EOPNOTSUPP;
	for (unsigned int i = 0; i < arch->nr_perf; i++)
		if (regs >> i & 1 && arch->perf[i] >= 0)
			have |= 1ULL << arch->perf[i];
	if (!(have >> arch->sp & 1) || !(have >> arch->ip & 1))
		return -EINVAL;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->syms = syms;
	u->arch = arch;
	u->mask = regs;
	u->flags = flags;
	if (!lu_new(u) && flags & PEV_UNWIND_LIBUNWIND) {
		free(u);
		return -EOPNOTSUPP;
	}
	*unwind = u;
	return 0;
}

PEV_EXPORT void pev_unwind_free(struct pev_unwind *u)
{
	if (!u)
		return;
	lu_free(u);
	for (size_t i = 0; i < u->by_object.n; i++)
		hmap_free(&u->by_object.p[i]);
	free(u->by_object.p);
	free(u->rows.p);
	free(u->saves.p);
	free(u);
}

static bool expr_read(void *arg, uint64_t addr, uint64_t *v)
{
	return walk_read(arg, addr, v);
}

/* Returns false for a row that does not fit the small form. */
static bool keep_saves(struct pev_unwind *u, const struct row *row, struct brief_row *b)
{
	b->first = (uint32_t)u->saves.n;
	for (uint8_t i = 0; i < u->arch->nr; i++) {
		const struct rule *r = &row->r[i];
		struct save *s;

		if (r->kind == RULE_SAME)
			continue;
		if (r->v != (int32_t)r->v || r->len > UINT16_MAX)
			return false;
		s = VEC_PUSH(&u->saves);
		if (!s)
			return false;
		*s = (struct save){ (int32_t)r->v, (uint16_t)r->len, i, r->kind };
		b->n++;
	}
	return true;
}

/* Makes a row from an object's tables; NO_ROW if these do not have the address. */
static uint32_t make_row(struct pev_unwind *u, int object, struct sym_object *o, uint64_t vaddr)
{
	for (unsigned int which = 0; which < 2; which++) {
		const struct cfi *cfi = elf_cfi(o, which);
		const struct fde *f = cfi ? cfi_find(cfi, vaddr) : NULL;
		struct brief_row b = { .object = object, .which = (uint8_t)which }, *to;
		struct row row;

		if (!f || !cfi_row(cfi, f, vaddr, u->arch, &row) ||
		    row.cfa.v != (int32_t)row.cfa.v || row.cfa.len > UINT16_MAX)
			continue;
		b.cfa_v = (int32_t)row.cfa.v;
		b.cfa_len = (uint16_t)row.cfa.len;
		b.cfa_kind = row.cfa.kind;
		b.cfa_reg = row.cfa.reg;
		b.ra = row.ra;
		b.signal = row.signal;
		if (!keep_saves(u, &row, &b))
			continue;
		to = u->rows.n < NO_ROW ? VEC_PUSH(&u->rows) : NULL;
		if (!to)
			continue;
		*to = b;
		return (uint32_t)(u->rows.n - 1);
	}
	return NO_ROW;
}

static struct hmap *rows_of(struct pev_unwind *u, int object)
{
	while (u->by_object.n <= (size_t)object)
		if (!VEC_PUSH(&u->by_object))
			return NULL;
	return &u->by_object.p[object];
}

/* Returns the row of @ip in the object of the map that was found for it. */
static uint32_t object_row(struct unwind_walk *w, uint64_t ip)
{
	struct pev_unwind *u = w->u;
	struct sym_object *o = syms_loaded(u->syms, w->map.object);
	uint64_t vaddr = sym_object_vaddr(o, ip - w->map.start + w->map.offset);
	struct hmap *rows = vaddr == UINT64_MAX ? NULL : rows_of(u, w->map.object);
	uint32_t row;

	if (!rows || !o->file || elf_machine(o->file) != u->arch->elf_machine)
		return NO_ROW;
	row = hmap_get(rows, vaddr);
	if (row == UINT32_MAX) {
		row = make_row(u, w->map.object, o, vaddr);
		hmap_add(rows, vaddr, row);
	}
	return row;
}

static uint32_t find_row(struct unwind_walk *w, uint64_t ip)
{
	struct hot_row *hot = &w->u->hot[(uint32_t)mix(ip ^ w->in->space << 40) & (HOT_SIZE - 1)];
	uint32_t row;

	if (w->in->space && hot->row && hot->ip == ip && hot->space == w->in->space)
		return hot->row - 1;
	row = walk_map(w, ip) ? object_row(w, ip) : NO_ROW;
	if (w->in->space && row != NO_ROW)
		*hot = (struct hot_row){ w->in->space, ip, row + 1 };
	return row;
}

static const uint8_t *expr_of(struct unwind_walk *w, const struct brief_row *b, int32_t v)
{
	return elf_cfi(syms_object(w->u->syms, b->object), b->which)->sec.data + v;
}

static bool eval(struct unwind_walk *w, const struct brief_row *b, int32_t v, uint16_t len, bool push,
		 uint64_t cfa, uint64_t *result)
{
	struct expr_env env = { .arch = w->u->arch, .regs = w->regs, .valid = w->valid,
				.read = expr_read, .arg = w, .cfa = cfa };

	return expr_eval(&env, expr_of(w, b, v), len, push, result);
}

static bool find_cfa(struct unwind_walk *w, const struct brief_row *b, uint64_t *cfa)
{
	if (b->cfa_kind == RULE_IS_EXPR)
		return eval(w, b, b->cfa_v, b->cfa_len, false, 0, cfa);
	if (!(w->valid >> b->cfa_reg & 1))
		return false;
	*cfa = w->regs[b->cfa_reg] + (uint64_t)(int64_t)b->cfa_v;
	return true;
}

/* Returns false if the caller's value cannot be known. */
static bool saved(struct unwind_walk *w, const struct brief_row *b, const struct save *s, uint64_t cfa,
		  uint64_t *v)
{
	uint64_t at;

	switch (s->kind) {
	case RULE_AT:
		return walk_read(w, cfa + (uint64_t)(int64_t)s->v, v);
	case RULE_IS:
		*v = cfa + (uint64_t)(int64_t)s->v;
		return true;
	case RULE_REG:
		*v = w->regs[s->v];
		return w->valid >> s->v & 1;
	case RULE_AT_EXPR:
		return eval(w, b, s->v, s->len, true, cfa, &at) && walk_read(w, at, v);
	case RULE_IS_EXPR:
		return eval(w, b, s->v, s->len, true, cfa, v);
	default:
		w->why = PEV_UNWIND_DONE; /* the tables say that it has no caller */
		return false;
	}
}

enum stepped { STEP_ON, STEP_END, STEP_CANNOT };

/*
 * On arm64 a function may sign its return address, in the bits above those of user space. Bit 55
 * is not among them: it says whether the address is the kernel's.
 */
static uint64_t return_address(const struct arch *a, uint64_t v)
{
	return a->elf_machine == EM_AARCH64 && !(v >> 55 & 1) ? v & ((1ULL << 48) - 1) : v;
}

/* Computes the caller's registers from those of a frame. */
static enum stepped apply(struct unwind_walk *w, const struct brief_row *b)
{
	const struct arch *a = w->u->arch;
	uint64_t cfa, old_sp = w->regs[a->sp], old_ip = w->regs[a->ip], new[REGS_MAX];
	uint64_t valid = w->valid;

	w->why = PEV_UNWIND_BROKEN;
	if (!find_cfa(w, b, &cfa))
		return STEP_CANNOT;
	memcpy(new, w->regs, a->nr * sizeof(*new));
	new[a->sp] = cfa;
	valid |= 1ULL << a->sp;
	for (uint32_t i = 0; i < b->n; i++) {
		const struct save *s = &w->u->saves.p[b->first + i];

		w->why = PEV_UNWIND_BROKEN;
		if (saved(w, b, s, cfa, &new[s->reg]))
			valid |= 1ULL << s->reg;
		else if (s->reg == b->ra)
			return STEP_END;
		else
			valid &= ~(1ULL << s->reg);
	}
	/* nothing is mapped at the return address */
	w->why = PEV_UNWIND_BROKEN;
	if (b->ra == a->ip && a->lr == 0xff && new[a->ip] == old_ip && new[a->sp] == old_sp)
		return STEP_END;
	if (!(valid >> b->ra & 1))
		return STEP_END;
	new[a->ip] = return_address(a, new[b->ra]);
	if ((new[a->ip] == old_ip && new[a->sp] == old_sp) ||
	    (new[a->sp] < old_sp && !b->signal))
		return STEP_END;
	memcpy(w->regs, new, a->nr * sizeof(*new));
	w->valid = valid;
	w->exact = b->signal;
	return STEP_ON;
}

/*
 * Without tables, on x86 and arm64, follows a frame pointer that looks like one. On arm64 it points
 * to the low end of a frame, whose size is not known: the caller's stack pointer isn't, either.
 */
static bool by_frame_pointer(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	uint64_t fp = w->regs[a->fp], next, ra;

	/* programs begin with none */
	w->why = fp ? PEV_UNWIND_NO_INFO : PEV_UNWIND_DONE;
	if (!(w->valid >> a->fp & 1) || !fp || fp & 7 || fp < w->regs[a->sp] ||
	    !walk_read(w, fp, &next) || !walk_read(w, fp + 8, &ra))
		return false;
	ra = return_address(a, ra);
	if (!walk_map(w, ra)) {
		w->why = PEV_UNWIND_NO_INFO;
		return false;
	}
	w->regs[a->sp] = fp + 16;
	if (a->lr != 0xff)
		w->valid &= ~(1ULL << a->sp | 1ULL << a->lr);
	w->regs[a->fp] = next;
	w->regs[a->ip] = ra;
	return true;
}

/* Without tables, on PowerPC, follows the back chain: each frame points to its caller's. */
static bool by_back_chain(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	uint64_t sp = w->regs[a->sp], next, ra;

	w->why = PEV_UNWIND_NO_INFO;
	if (sp & 7 || !walk_read(w, sp, &next))
		return false;
	if (!next) {
		w->why = PEV_UNWIND_DONE;
		return false;
	}
	if (next <= sp || !walk_read(w, next + 16, &ra))
		return false;
	if (!walk_map(w, ra)) {
		w->why = PEV_UNWIND_NO_INFO;
		return false;
	}
	w->regs[a->sp] = next;
	w->regs[a->ip] = ra;
	return true;
}

/*
 * On arm64 the vdso has no table for what a signal's handler returns to: unwinders know it by its
 * two instructions, and where in the frame that the kernel made the registers are.
 */
static bool by_signal_frame(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	/* behind struct siginfo, ucontext up to its registers, and the address of a fault */
	uint64_t at = w->regs[a->sp] + 128 + 176 + 8, code, new[REGS_MAX];

	/* mov x8, #__NR_rt_sigreturn; svc #0 */
	if (a->elf_machine != EM_AARCH64 || !(w->valid >> a->sp & 1) ||
	    !walk_read(w, w->regs[a->ip], &code) || code != 0xd4000001d2801168)
		return false;
	for (unsigned int i = 0; i < a->nr; i++)
		if (!walk_read(w, at + 8 * i, &new[i]))
			return false;
	/* nothing interrupts itself */
	if (new[a->ip] == w->regs[a->ip] && new[a->sp] == w->regs[a->sp])
		return false;
	memcpy(w->regs, new, sizeof(*new) * a->nr);
	w->valid = (1ULL << a->nr) - 1;
	return true;
}

/* After a call to an address without code, the return address lies on top. */
static bool by_bad_call(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	uint64_t sp = w->regs[a->sp], ra;

	if (!w->exact || walk_map(w, w->regs[a->ip]))
		return false;
	if (a->lr != 0xff) {
		ra = w->regs[a->lr];
		if (!(w->valid >> a->lr & 1) || !walk_map(w, ra))
			return false;
	} else {
		if (!walk_read(w, sp, &ra) || !walk_map(w, ra))
			return false;
		w->regs[a->sp] = sp + 8;
	}
	w->regs[a->ip] = ra;
	return true;
}

static enum stepped step(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	uint64_t ip = w->regs[a->ip];
	uint32_t row = find_row(w, ip - !w->exact);
	enum stepped s = row == NO_ROW ? STEP_CANNOT : apply(w, &w->u->rows.p[row]);
	bool ok;

	if (s != STEP_CANNOT)
		return s;
	if (row != NO_ROW) {
		/* rules that we do not understand: it may */
		int n = lu_step(w);

		if (n >= 0) {
			w->why = PEV_UNWIND_DONE;
			return n ? STEP_ON : STEP_END;
		}
	}
	if (by_signal_frame(w)) {
		w->exact = true;
		return STEP_ON;
	}
	ok = by_bad_call(w) ||
	     (a->elf_machine == EM_PPC64 ? by_back_chain(w) : by_frame_pointer(w));
	w->exact = false;
	if (!ok && w->why == PEV_UNWIND_NO_INFO && !walk_map(w, ip))
		w->why = PEV_UNWIND_NO_MAP;
	return ok ? STEP_ON : STEP_END;
}

static int own_chain(struct unwind_walk *w, uint64_t *chain, unsigned int room)
{
	unsigned int n = 0;

	for (;;) {
		uint64_t ip = w->regs[w->u->arch->ip];

		if (n && !ip) {
			w->why = PEV_UNWIND_DONE;
			break;
		}
		if (n == room) {
			w->why = PEV_UNWIND_ROOM;
			break;
		}
		chain[n++] = ip;
		/* user space ends there */
		if (ip >> 63) {
			w->why = PEV_UNWIND_BROKEN;
			break;
		}
		if (step(w) != STEP_ON)
			break;
	}
	return (int)n;
}

static bool take_regs(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	unsigned int n = 0;

	for (unsigned int i = 0; i < 64 && w->u->mask >> i; i++) {
		if (!(w->u->mask >> i & 1))
			continue;
		if (n >= w->in->nr_regs)
			return false;
		if (i < a->nr_perf && a->perf[i] >= 0) {
			w->regs[a->perf[i]] = w->in->regs[n];
			w->valid |= 1ULL << a->perf[i];
		}
		n++;
	}
	w->sp0 = w->regs[a->sp];
	return true;
}

PEV_EXPORT int pev_unwind_chain(struct pev_unwind *u, const struct pev_unwind_sample *sample,
				uint64_t *chain, unsigned int room, enum pev_unwind_end *end)
{
	struct unwind_walk w;
	int n;

	if (sample->size < sizeof(*sample))
		return -EINVAL;
	w.u = u;
	w.in = sample;
	w.valid = 0;
	w.map.end = 0;
	w.exact = true;
	w.why = PEV_UNWIND_BROKEN;
	if (!take_regs(&w)) {
		*end = PEV_UNWIND_BROKEN;
		return 0;
	}
	n = u->flags & PEV_UNWIND_LIBUNWIND ? lu_chain(&w, chain, room) :
					      own_chain(&w, chain, room);
	*end = w.why;
	return n;
}
