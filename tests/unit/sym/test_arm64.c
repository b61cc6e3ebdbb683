// SPDX-License-Identifier: GPL-2.0
/* Call chains of arm64, of objects/arm64.c as it is compiled here, on made-up stacks. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <pev/sym.h>
#include "lookup.h"
#include "tests.h"

#define BASE 0x100000ull
#define SP 0x7fff0000ull
/* What signing puts into an address of user space */
#define SIGNED 0xff2a000000000000ull

enum { FP = 29, LR = 30, SP_REG = 31, PC = 32, NR = 33 };

/**
 * struct function - a function, as its instructions have it
 * @at:    where it is mapped
 * @frame: bytes that "stp x29, x30, [sp, -frame]!" makes
 * @ret:   where its first call returns to
 */
struct function {
	uint64_t at, frame, ret;
};

struct arm64 {
	struct pev_syms *syms;
	struct pev_unwind *unwind;
	int object;
	struct function f2, f3, f4, bare, restorer;
	uint64_t regs[NR], stack[256];
	struct pev_unwind_sample in;
	uint64_t chain[8];
	enum pev_unwind_end end;
};

static int find_map(void *arg, uint64_t addr, struct pev_unwind_map *map)
{
	*map = (struct pev_unwind_map){ BASE, 2 * BASE, 0, *(int *)arg };
	return addr >= map->start && addr < map->end;
}

static bool read_function(struct arm64 *a, const char *name, struct function *f)
{
	uint64_t start = find_function(a->syms, a->object, name);
	FILE *file = fopen(object_path("arm64.so"), "re");
	uint32_t insn;

	*f = (struct function){ .at = BASE + start };
	if (!file || !start) {
		if (file)
			fclose(file);
		return false;
	}
	fseek(file, (long)start, SEEK_SET);
	for (unsigned int i = 0; i < 8 && fread(&insn, 4, 1, file) == 1 && !f->ret; i++) {
		if ((insn & 0xffc07fff) == 0xa9807bfd)
			f->frame = 8 * (128 - (insn >> 15 & 127));
		if (insn >> 26 == 0x25)
			f->ret = f->at + 4 * i + 4;
	}
	fclose(file);
	return true;
}

static bool start(struct arm64 *a)
{
	*a = (struct arm64){ 0 };
	pev_syms_new(0, &a->syms);
	a->object = pev_syms_object(a->syms, object_path("arm64.so"), NULL, 0);
	if (!read_function(a, "f2", &a->f2) || !read_function(a, "f3", &a->f3) ||
	    !read_function(a, "f4", &a->f4) || !read_function(a, "bare", &a->bare) ||
	    !read_function(a, "restorer", &a->restorer) ||
	    pev_unwind_new(a->syms, "aarch64", pev_unwind_regs("aarch64"), 0, &a->unwind)) {
		pev_syms_free(a->syms);
		return false;
	}
	a->in.size = sizeof(a->in);
	a->in.regs = a->regs;
	a->in.nr_regs = NR;
	a->in.stack = a->stack;
	a->in.stack_len = sizeof(a->stack);
	a->in.find = find_map;
	a->in.arg = &a->object;
	a->regs[SP_REG] = SP;
	return true;
}

static void end(struct arm64 *a)
{
	pev_unwind_free(a->unwind);
	pev_syms_free(a->syms);
}

/* The chain has @n addresses, and ends for that reason. */
static void chain_is(struct arm64 *a, const uint64_t *wanted, int n, enum pev_unwind_end why,
		     const char *name)
{
	int got = pev_unwind_chain(a->unwind, &a->in, a->chain, 8, &a->end);
	bool ok = got == n && !memcmp(a->chain, wanted, (size_t)n * 8) && a->end == why;

	OK(ok, "%s", name);
	for (int i = 0; !ok && i < got; i++)
		printf("# %#llx instead of %#llx, end %d\n", (unsigned long long)a->chain[i],
		       (unsigned long long)(i < n ? wanted[i] : 0), a->end);
}

/* The frames of f3() and f2(), from @sp on; f2() was called by nothing. */
static void put_frames(struct arm64 *a, uint64_t sp)
{
	uint64_t *frame = a->stack + (sp - SP) / 8;

	frame[0] = sp + a->f3.frame;
	frame[1] = a->f2.ret | SIGNED;
	frame += a->f3.frame / 8;
	frame[0] = frame[1] = 0;
}

static void by_tables(void)
{
	struct arm64 a;

	if (!start(&a)) {
		OK(true, "a chain of arm64 # SKIP there is no compiler for it");
		return;
	}
	a.regs[PC] = a.f4.at;
	a.regs[LR] = a.f3.ret;
	put_frames(&a, SP);
	chain_is(&a, (uint64_t[]){ a.f4.at, a.f3.ret, a.f2.ret }, 3, PEV_UNWIND_DONE,
		 "f4 f3 f2 of arm64, whose return addresses are signed");
	end(&a);
}

/* What a frame pointer leads to has no stack pointer: its callers are found by theirs. */
static void by_frame_pointers(void)
{
	struct arm64 a;

	if (!start(&a))
		return;
	a.regs[PC] = a.f4.at;
	a.regs[LR] = a.bare.ret;
	a.regs[FP] = SP;
	a.stack[0] = SP + a.bare.frame;
	a.stack[1] = a.f3.ret | SIGNED;
	/* within, what would be taken for f3's frame if bare's had but two words */
	a.stack[2] = a.stack[3] = 0xbad;
	put_frames(&a, SP + a.bare.frame);
	chain_is(&a, (uint64_t[]){ a.f4.at, a.bare.ret, a.f3.ret, a.f2.ret }, 4, PEV_UNWIND_NO_INFO,
		 "through a function without a table");
	end(&a);
}

/* f4() was interrupted by a signal, whose handler is f4(), too. */
static void by_signal(void)
{
	uint64_t sp = SP + 1024, *regs;
	struct arm64 a;

	if (!start(&a))
		return;
	regs = a.stack + (128 + 176 + 8) / 8;
	a.regs[PC] = a.f4.at;
	a.regs[LR] = a.restorer.at;
	regs[LR] = a.f3.ret;
	regs[SP_REG] = sp;
	regs[PC] = a.f4.at + 4;
	put_frames(&a, sp);
	chain_is(&a, (uint64_t[]){ a.f4.at, a.restorer.at, a.f4.at + 4, a.f3.ret, a.f2.ret }, 5,
		 PEV_UNWIND_DONE, "from a handler to what the signal interrupted");
	a.in.stack_len = 512;
	IS_NUM(pev_unwind_chain(a.unwind, &a.in, a.chain, 8, &a.end), 2,
	       "a piece of the stack that ends within a signal's frame");
	end(&a);
}

void test_arm64(void)
{
	by_tables();
	by_frame_pointers();
	by_signal();
}
