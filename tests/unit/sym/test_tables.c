// SPDX-License-Identifier: GPL-2.0
/* Tables of functions, of rules, of numbers. */
#include "dwarf/expr.h"
#include "names/symtab.h"
#include "util/cursor.h"
#include "util/vec.h"
#include "object/elf.h"
#include "syms/syms.h"
#include "tests.h"

#include <pev/sym.h>

#include <dlfcn.h>
#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>

static const char *at(struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYM_NONE ? "-" : symtab_name(t, i);
}

static void add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint8_t rank)
{
	symtab_add(t, start, end, name, strlen(name), rank, 0, false);
}

#define SHARERS 4

struct sharer {
	struct pev_syms *syms;
	const struct cfi *cfi;
	pthread_t thread;
};

static void *share(void *arg)
{
	struct sharer *s = arg;
	Dl_info libc;

	if (!pev_syms_new(0, &s->syms) && dladdr((void *)(uintptr_t)qsort, &libc))
		s->cfi = elf_cfi(syms_loaded(s->syms, pev_syms_object(s->syms, libc.dli_fname,
								     NULL, 0)), 0);
	return NULL;
}

static void shared(void)
{
	struct sharer s[SHARERS] = { 0 };
	const struct cfi *cfi;
	bool same = true;
	size_t n;

	for (unsigned int i = 0; i < SHARERS; i++)
		pthread_create(&s[i].thread, NULL, share, &s[i]);
	for (unsigned int i = 0; i < SHARERS; i++) {
		pthread_join(s[i].thread, NULL);
		same &= s[i].cfi && s[i].cfi == s[0].cfi;
	}
	if (!OK(same, "unwind tables are made once, not once a thread"))
		return;
	cfi = s[0].cfi;
	n = cfi->fdes.n;
	for (unsigned int i = 0; i < SHARERS - 1; i++)
		pev_syms_free(s[i].syms);
	OK(n && cfi->fdes.n == n && cfi_find(cfi, cfi->fdes.p[n / 2].start) &&
	   cfi->sec.data[cfi->fdes.p[n / 2].insns] < 0x100, "they stay for the last user");
	pev_syms_free(s[SHARERS - 1].syms);
	share(&s[0]);
	OK(s[0].cfi && s[0].cfi->fdes.n == n, "and are made again after that");
	pev_syms_free(s[0].syms);
}

static void functions(void)
{
	struct symtab t = { 0 };

	add(&t, 0x300, 0x310, "third", 0);
	add(&t, 0x100, 0, "open", 0);
	add(&t, 0x200, 0x220, "weak", 1);
	add(&t, 0x200, 0x220, "strong", 2);
	add(&t, 0x400, 0x500, "outer", 0);
	add(&t, 0x440, 0x450, "inner", 0);
	add(&t, 0x600, 0, "_ZN3foo3barEiPKc", 0);
	symtab_finish(&t);
	IS_STR(at(&t, 0x0ff), "-", "before the first function");
	IS_STR(at(&t, 0x1ff), "open", "one without a size reaches to the next");
	IS_STR(at(&t, 0x200), "strong", "the stronger of two stays");
	IS_STR(at(&t, 0x21f), "strong", "the last byte");
	IS_STR(at(&t, 0x220), "-", "one past the last byte");
	IS_STR(at(&t, 0x440), "inner", "a function within another");
	IS_STR(at(&t, 0x600), "foo::bar(int, char const*)", "C++ is demangled");
	IS_STR(at(&t, UINT64_MAX), "-", "the last address of all");
	symtab_free(&t);
	add(&t, 0x100, 0, "first", 0);
	add(&t, 0x200, 0, "low", 0);
	add(&t, 0x200, 0, "high", 3);
	add(&t, 0x300, 0, "last", 0);
	symtab_finish(&t);
	OK(t.s.n == 3 && !strcmp(at(&t, 0x2ff), "high") && !strcmp(at(&t, 0x300), "last"),
	   "what comes sorted still has one function at each address");
	symtab_free(&t);
	symtab_finish(&t);
	IS_NUM(symtab_find(&t, 5), SYM_NONE, "an empty table");
}

static void maps(void)
{
	struct hmap h = { 0 };
	bool all = true;

	IS_NUM(hmap_get(&h, 1), UINT32_MAX, "nothing is in an empty map");
	for (uint32_t i = 0; i < 5000; i++)
		all &= hmap_add(&h, (uint64_t)i * 4096, i);
	for (uint32_t i = 0; i < 5000; i++)
		all &= hmap_get(&h, (uint64_t)i * 4096) == i;
	OK(all, "5000 numbers are found by their keys");
	IS_NUM(hmap_get(&h, 1), UINT32_MAX, "and no other one");
	hmap_free(&h);
}

static bool read_nothing(void *arg, uint64_t addr, uint64_t *v)
{
	(void)arg;
	*v = addr * 2;
	return addr != 13;
}

static uint64_t eval(const uint8_t *e, size_t len)
{
	uint64_t regs[REGS_MAX] = { [7] = 1000 }, v = 0;
	struct expr_env env = { .arch = arch_find("x86_64"), .regs = regs, .valid = 1 << 7,
				.read = read_nothing, .cfa = 77 };

	return expr_eval(&env, e, len, true, &v) ? v : 0xdead;
}

#define EVAL(...) eval((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void expressions(void)
{
	IS_NUM(EVAL(DW_OP_nop), 77, "an expression starts with the CFA");
	IS_NUM(EVAL(DW_OP_breg7, 8), 1008, "a register and an offset");
	/* as linkers write it for the PLT: sp + 8 + ((ip & 15) >= 11) * 8 */
	IS_NUM(EVAL(DW_OP_breg7, 8, DW_OP_lit11, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge,
		    DW_OP_lit3, DW_OP_shl, DW_OP_plus), 1016, "the PLT's rule");
	IS_NUM(EVAL(DW_OP_breg7, 0, DW_OP_deref), 2000, "memory");
	IS_NUM(EVAL(DW_OP_lit13, DW_OP_deref), 0xdead, "... that is not there");
	IS_NUM(EVAL(DW_OP_breg3, 0), 0xdead, "a register that was not recorded");
	IS_NUM(EVAL(DW_OP_skip, 0xfd, 0xff), 0xdead, "an endless loop ends");
	IS_NUM(EVAL(DW_OP_lit1, DW_OP_bra, 100, 0), 0xdead, "a jump to nowhere");
	IS_NUM(EVAL(DW_OP_lit0, DW_OP_lit0, DW_OP_div), 0xdead, "a division by zero");
	IS_NUM(EVAL(DW_OP_drop, DW_OP_drop), 0xdead, "an empty stack");
	IS_NUM(EVAL(DW_OP_const1s, 0xff, DW_OP_lit2, DW_OP_shra), -1, "an arithmetic shift");
	IS_NUM(EVAL(DW_OP_const4u, 1, 0), 0xdead, "a number that was cut");
	IS_NUM(EVAL(0xff), 0xdead, "an operation that there is not");
}

static void numbers(void)
{
	const uint8_t bytes[] = { 0xe5, 0x8e, 0x26, 0x9b, 0xf1, 0x59, 0xff, 0xff };
	struct cursor c = { .p = bytes, .end = bytes + sizeof(bytes) };

	IS_NUM((long long)get_uleb(&c), 624485, "an unsigned LEB128");
	IS_NUM(get_sleb(&c), -624485, "a signed one");
	OK(get_uleb(&c) && c.bad, "one that does not end");
	IS_NUM(get_u8(&c), 0, "behind the end all is 0");
}

static void machines(void)
{
	OK(pev_unwind_regs("x86_64") == 0xff01ff, "the registers to record on x86_64");
	OK(pev_unwind_regs("ppc64le") == 0x11ffffffffULL, "... and on ppc64le");
	OK(pev_unwind_regs("aarch64") == 0x1ffffffffULL, "... on arm64");
	IS_NUM((long long)pev_unwind_regs("vax"), 0, "... and elsewhere");
	IS_NUM(arch_reg(arch_find("ppc64le"), 65), 32, "the link register by DWARF's number");
	IS_NUM(arch_reg(arch_find("x86_64"), 17), -1, "no vector registers");
}

void test_tables(void)
{
	shared();
	functions();
	maps();
	expressions();
	numbers();
	machines();
}
