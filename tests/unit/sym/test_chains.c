// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains beside the truth: samples that a program took of itself at the end
 * of a known call path, built in many ways.
 */
#include "lookup.h"
#include "sample.h"
#include "tests.h"
#include "dwarf/cfi_row.h"
#include "unwind/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *file;	/* sample and program */
	const char *path;	/* functions in it, from the innermost one */
} known[] = {
	{ "plain", "leaf f4 f3 f2 f1 main" },
	{ "alloca", "leaf f4 f3 f2 f1 main" },
	{ "signal", "leaf on_signal f4 f3 f2 f1 main" },
	{ "nohdr", "leaf f4 f3 f2 f1 main" },
	{ "debugframe", "leaf f4 f3 f2 f1 main" },
	{ "zdebugframe", "leaf f4 f3 f2 f1 main" },
	{ "sepdebug", "leaf f4 f3 f2 f1 main" },
	{ "dwarf5", "leaf f4 f3 f2 f1 main" },
	{ "static", "leaf f4 f3 f2 f1 main" },
	{ "clang", "leaf f4 f3 f2 f1 main" },
	{ "framepointer", "leaf f4 f3 f2 f1 main" },
	{ "noinfo", "leaf" },
};

/* Names of the chain's functions in the program itself, in one line. */
static void names(struct sample *s, const uint64_t *chain, int n, char *text, size_t size)
{
	text[0] = 0;
	for (int i = 0; i < n; i++) {
		struct pev_unwind_map map;
		struct pev_sym sym;
		const char *name;

		if (!sample_find(s, chain[i], &map) || map.object != s->program ||
		    pev_sym_find(s->syms, map.object, chain[i] - !!i - map.start + map.offset,
				 &sym) != 1)
			continue;
		name = pev_sym_name(s->syms, map.object, sym.index);
		/* static programs have libc's, too */
		if (strcmp(name, "leaf") && strcmp(name, "main") && strcmp(name, "on_signal") &&
		    (name[0] != 'f' || name[2]))
			continue;
		snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? " " : "", name);
	}
}

static void one(const char *file, const char *path, unsigned int flags)
{
	uint64_t chain[64];
	char text[1024], what[200];
	enum pev_unwind_end end;
	struct sample s;
	int n;

	snprintf(what, sizeof(what), "%s: %s%s", file, path,
		 flags ? ", by libunwind" : "");
	if (!sample_read(&s, file, flags)) {
		OK(true, "%s # SKIP could not be built here", what);
		return;
	}
	n = pev_unwind_chain(s.unwind, &s.in, chain, 64, &end);
	names(&s, chain, n, text, sizeof(text));
	IS_STR(text, path, what);
	if (strcmp(path, "leaf"))
		IS_NUM(end, PEV_UNWIND_DONE, "... up to where the program begins");
	else
		IS_NUM(end, PEV_UNWIND_NO_INFO, "... and why no further");
	sample_free(&s);
}

static void agree(const char *file)
{
	uint64_t a[64], b[64];
	enum pev_unwind_end ea, eb;
	struct sample own, other;
	int na, nb;

	if (!sample_read(&own, file, 0))
		return;
	if (!sample_read(&other, file, PEV_UNWIND_LIBUNWIND)) {
		OK(true, "%s: as libunwind # SKIP built without", file);
		sample_free(&own);
		return;
	}
	na = pev_unwind_chain(own.unwind, &own.in, a, 64, &ea);
	nb = pev_unwind_chain(other.unwind, &other.in, b, 64, &eb);
	OK(na == nb && !memcmp(a, b, (size_t)na * sizeof(*a)), "%s: the same %d addresses as "
	   "libunwind", file, na);
	sample_free(&own);
	sample_free(&other);
}

/* Rules that are too strange: an expression without operations leaves no result. */
static void spoil_rows(struct pev_unwind *u)
{
	for (size_t i = 0; i < u->rows.n; i++) {
		u->rows.p[i].cfa_kind = RULE_IS_EXPR;
		u->rows.p[i].cfa_len = 0;
	}
}

/* When libunwind is asked, by the frames that it has found */
static void who_unwinds(const char *file)
{
	uint64_t own[64], other[64];
	enum pev_unwind_end end;
	struct sample s;
	int n, m;

	if (!sample_read(&s, file, PEV_UNWIND_LIBUNWIND)) {
		OK(true, "%s: when libunwind is used # SKIP built without", file);
		return;
	}
	n = pev_unwind_chain(s.unwind, &s.in, own, 64, &end);
	OK(n > 1 && s.unwind->lu_steps == (uint64_t)n - 1,
	   "%s: libunwind has made %d steps where it is told to", file, n - 1);
	sample_free(&s);
	if (!sample_read(&s, file, 0))
		return;
	n = pev_unwind_chain(s.unwind, &s.in, own, 64, &end);
	OK(n > 1 && !s.unwind->lu_steps, "... none where our rows are understood");
	spoil_rows(s.unwind);
	m = pev_unwind_chain(s.unwind, &s.in, other, 64, &end);
	OK(n == m && !memcmp(own, other, (size_t)n * sizeof(*own)),
	   "... and the same chain where no row can be computed");
	IS_NUM(s.unwind->lu_steps, n - 1, "... which it has made then");
	sample_free(&s);
}

/* 2000 frames do not fit into 16 KiB. */
static void cut(void)
{
	static uint64_t chain[4096];
	enum pev_unwind_end end;
	struct sample s;
	int n;

	if (!OK(sample_read(&s, "deep", 0), "a sample of a deep recursion"))
		return;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 4096, &end);
	OK(n > 300 && n < 2000, "as many frames as there was stack for (%d)", n);
	IS_NUM(end, PEV_UNWIND_SHORT, "... and the end is said to be for want of stack");
	n = pev_unwind_chain(s.unwind, &s.in, chain, 10, &end);
	OK(n == 10 && end == PEV_UNWIND_ROOM, "... or of room");
	s.in.stack_len = 0;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 10, &end);
	OK(n == 1 && end == PEV_UNWIND_SHORT, "no stack: one frame");
	s.in.nr_regs = 0;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 10, &end);
	IS_NUM(n, 0, "no registers: no chain");
	sample_free(&s);
}

/* As if leaf() had called the vdso: its address, and leaf()'s on the stack. */
static void vdso(void)
{
	static uint64_t stack[4096];
	uint64_t chain[64];
	enum pev_unwind_end end;
	char text[1024] = "";
	struct sample s;
	uint64_t entry;
	int n;

	if (!OK(sample_read(&s, "vdso", 0) && s.vdso >= 0, "a sample with a vdso"))
		return;
	entry = find_function(s.syms, s.vdso, "__vdso_clock_gettime");
	OK(entry != 0, "the vdso has functions");
	stack[0] = s.regs[3];
	memcpy(&stack[1], s.in.stack, sizeof(stack) - 8);
	s.regs[2] -= 8;
	s.regs[3] = s.vdso_start + entry;
	s.in.stack = stack;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 64, &end);
	if (n)
		names(&s, chain, n, text, sizeof(text));
	IS_STR(text, "leaf f4 f3 f2 f1 main", "from the vdso to its callers");
	/* a call through a bad pointer */
	s.regs[3] = 0x10;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 64, &end);
	names(&s, chain, n, text, sizeof(text));
	IS_STR(text, "leaf f4 f3 f2 f1 main", "from where no code is to the callers");
	sample_free(&s);
}

/**
 * struct ppc - a function of a ppc64le file, as its instructions have it
 * @frame: bytes that "stdu r1,-frame(r1)" makes
 * @ret:   offset behind its first call, where it is returned to
 */
struct ppc {
	uint64_t start, frame, ret;
};

static bool ppc_function(struct pev_syms *s, int object, const char *name, struct ppc *f)
{
	FILE *file = fopen(object_path("ppc64le.so"), "re");
	uint32_t insn;

	*f = (struct ppc){ .start = find_function(s, object, name) };
	if (!file || !f->start)
		return false;
	fseek(file, (long)f->start, SEEK_SET);
	for (int i = 0; i < 40 && fread(&insn, 4, 1, file) == 1 && !f->ret; i++) {
		if (insn >> 16 == 0xf821 && (insn & 3) == 1)
			f->frame = 65536 - (insn & 0xfffc);
		if (insn >> 26 == 18 && insn & 1 && f->frame)
			f->ret = f->start + 4 * (uint64_t)i + 4;
	}
	fclose(file);
	return f->ret;
}

static int find_anywhere(void *arg, uint64_t addr, struct pev_unwind_map *map)
{
	*map = (struct pev_unwind_map){ 0x100000, 0x200000, 0, *(int *)arg };
	return addr >= map->start && addr < map->end;
}

/* At the first instruction of f4(), called by f3(), called by f2(). */
static void other_machine(void)
{
	uint64_t regs[34] = { 0 }, stack[64] = { 0 }, chain[8], sp = 0x7fff0000, at;
	struct pev_unwind_sample in = { .size = sizeof(in), .regs = regs, .nr_regs = 34, .stack = stack,
					.stack_len = sizeof(stack), .find = find_anywhere };
	struct pev_unwind *u = NULL;
	enum pev_unwind_end end;
	struct pev_syms *s;
	struct ppc f2, f3;
	int n, object;

	pev_syms_new(0, &s);
	object = pev_syms_object(s, object_path("ppc64le.so"), NULL, 0);
	if (!ppc_function(s, object, "f2", &f2) || !ppc_function(s, object, "f3", &f3)) {
		OK(true, "a chain of ppc64le # SKIP there is no compiler for it");
		pev_syms_free(s);
		return;
	}
	in.arg = &object;
	/* registers: r0-r31, nip, link */
	IS_NUM(pev_unwind_new(s, "ppc64le", pev_unwind_regs("ppc64le"), 0, &u), 0,
	       "an unwinder for ppc64le");
	regs[1] = sp;
	regs[32] = 0x100000 + find_function(s, object, "f4");
	regs[33] = 0x100000 + f3.ret;
	at = f3.frame / 8;
	stack[0] = sp + f3.frame;
	stack[at] = sp + f3.frame + f2.frame;
	stack[at + 2] = 0x100000 + f2.ret;
	n = pev_unwind_chain(u, &in, chain, 8, &end);
	OK(n == 3 && chain[0] == regs[32] && chain[1] == regs[33] &&
	   chain[2] == 0x100000 + f2.ret, "f4 f3 f2 of ppc64le, unwound here");
	IS_NUM(end, PEV_UNWIND_DONE, "... up to where the program begins");
	pev_unwind_free(u);
	pev_syms_free(s);
}

static void spaces(void)
{
	uint64_t a[64], b[64];
	enum pev_unwind_end end;
	struct sample s;
	int na, nb;

	if (!sample_read(&s, "plain", 0))
		return;
	na = pev_unwind_chain(s.unwind, &s.in, a, 64, &end);
	nb = pev_unwind_chain(s.unwind, &s.in, b, 64, &end);
	OK(na == nb && !memcmp(a, b, (size_t)na * 8), "a second time from memory");
	s.in.space = 8;
	s.n_maps = 0;
	nb = pev_unwind_chain(s.unwind, &s.in, b, 64, &end);
	OK(nb == 1 && end != PEV_UNWIND_DONE, "what is remembered of one address space is not "
	   "of another");
	sample_free(&s);
}

void test_chains(void)
{
	struct pev_unwind *u;
	struct pev_syms *s;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		one(known[i].file, known[i].path, 0);
	one("plain", "leaf f4 f3 f2 f1 main", PEV_UNWIND_LIBUNWIND);
	agree("plain");
	agree("alloca");
	agree("signal");
	agree("dwarf5");
	who_unwinds("plain");
	who_unwinds("signal");
	cut();
	vdso();
	spaces();
	other_machine();
	pev_syms_new(0, &s);
	IS_NUM(pev_unwind_new(s, "vax", ~0ull, 0, &u), -95, "a machine that is not known");
	IS_NUM(pev_unwind_new(s, "x86_64", 1, 0, &u), -22, "registers that are not enough");
	IS_NUM(pev_unwind_new(s, "ppc64le", pev_unwind_regs("ppc64le"), PEV_UNWIND_LIBUNWIND, &u),
	       sizeof(void *) == 8 && PEV_HOST_PPC ? 0 : -95,
	       "libunwind is for the machine it was built for");
	pev_unwind_free(NULL);
	pev_syms_free(s);
}
