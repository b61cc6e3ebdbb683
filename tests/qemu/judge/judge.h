/* SPDX-License-Identifier: GPL-2.0 */
/* Code of which each instruction is known, for each architecture. */
#include <asm/perf_regs.h>
#include <stdint.h>

#define noinline	__attribute__((noinline))
#define __maybe_unused	__attribute__((unused))

#ifdef __x86_64__

#define PAGE			4096
#define LOOP_INSNS		10
#define LOOP_REG		PERF_REG_X86_DI	/* counts the turns down */
#define CALLS_INSNS		5
#define TOUCH_INSNS		4
#define SAMPLE_SLACK		1	/* Linux programs no period below 2 */
#define HAS_ALL_EVENTS		1

extern const char loop_start[];

static __maybe_unused noinline void loop(uint64_t n)
{
	asm volatile("mov %0, %%rdi\n"
		     "loop_start:\n"
		     "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
		     "dec %%rdi\n jnz loop_start\n"
		     : : "r"(n) : "rdi", "cc");
}

/* Instructions from the loop's start to this sample, or -1. */
static __maybe_unused int64_t loop_position(uint64_t ip, uint64_t left)
{
	int64_t at = ip - (uint64_t)loop_start;

	/* eight of one byte, dec has three */
	if (at < 0 || at > 11 || at == 9 || at == 10)
		return -1;
	/* at the jump this turn was already taken off */
	return -(int64_t)left * LOOP_INSNS + (at == 11 ? 9 - LOOP_INSNS : at) +
	       (1LL << 40);
}

static __maybe_unused noinline void calls(uint64_t n)
{
	asm volatile("jmp 2f\n"
		     "1: nop\n ret\n"
		     "2: call 1b\n dec %0\n jnz 2b\n"
		     : "+r"(n) : : "cc", "memory");
}

static __maybe_unused noinline void touch(char *p, uint64_t n)
{
	asm volatile("1: movb $1, (%0)\n add $4096, %0\n dec %1\n jnz 1b\n"
		     : "+r"(p), "+r"(n) : : "memory", "cc");
}

static __maybe_unused uint64_t rdpmc(uint32_t i)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(i));
	return low | (uint64_t)high << 32;
}

/* The emulator's own ratio. */
static __maybe_unused int cycles_fit(uint64_t cycles, uint64_t insns, int icount)
{
	(void)icount;
	return cycles == 2 * insns;
}

#else

#define PAGE			65536
#define LOOP_INSNS		10
#define LOOP_REG		PERF_REG_POWERPC_CTR
#define CALLS_INSNS		4
#define TOUCH_INSNS		3
#define SAMPLE_SLACK		10	/* an overflow is seen at a block's end */
#define HAS_ALL_EVENTS		0	/* QEMU has no such event */

extern const char loop_start[];

static __maybe_unused noinline void loop(uint64_t n)
{
	asm volatile("mtctr %0\n"
		     "loop_start:\n"
		     "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
		     "bdnz loop_start\n"
		     : : "r"(n) : "ctr");
}

static __maybe_unused int64_t loop_position(uint64_t ip, uint64_t left)
{
	int64_t at = ip - (uint64_t)loop_start;

	if (at < 0 || at > 36 || at % 4)
		return -1;
	return -(int64_t)left * LOOP_INSNS + at / 4 + (1LL << 40);
}

/* The return is an indirect branch. */
static __maybe_unused noinline void calls(uint64_t n)
{
	asm volatile("mflr 5\n mtctr %0\n b 2f\n"
		     "1: nop\n blr\n"
		     "2: bl 1b\n bdnz 2b\n"
		     "mtlr 5\n"
		     : : "r"(n) : "ctr", "lr", "r5", "memory");
}

static __maybe_unused noinline void touch(char *p, uint64_t n)
{
	asm volatile("mtctr %1\n"
		     "1: stb 5, 0(%0)\n add %0, %0, %2\n bdnz 1b\n"
		     : "+b"(p) : "r"(n), "r"(65536UL) : "ctr", "memory");
}

/* A cycle is a nanosecond: under icount an instruction, else as the host goes. */
static __maybe_unused int cycles_fit(uint64_t cycles, uint64_t insns, int icount)
{
	return icount ? cycles == insns : cycles != 0;
}

#endif
