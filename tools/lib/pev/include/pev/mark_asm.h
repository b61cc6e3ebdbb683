/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What marks (pev/mark.h, which includes this) need of a processor and its ABI: the thread's
 * struct rseq, a write that an interruption undoes, the clock, and the place of a mark. A port to
 * another architecture adds to this file only.
 */
#ifndef _PEV_MARK_ASM_H
#define _PEV_MARK_ASM_H

#ifndef _PEV_MARK_H
#error "include pev/mark.h"
#endif

/* glibc says where the thread's struct rseq is; elsewhere there is none. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* As Linux 6.3 and later fill it in; <linux/rseq.h> may be older. */
struct pev_mark_rseq {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
	uint32_t flags;
	uint32_t node_id;
	uint32_t mm_cid;
};

/*
 * Each architecture has
 *
 *	PEV_MARK_PAGE		bytes of the largest page that the kernel may have
 *	PEV_MARK_ENTRY(...)	point to the entry of a mark, which is found by its place, so that
 *				it may be in inlined functions and templates
 *	PEV_MARK_OFF(slot, on)	go to @on unless the mark is off, which is two instructions: no
 *				compiler makes them of a load in C that it must repeat
 *	pev_mark_thread()	what glibc counts __rseq_offset from
 *	pev_mark_cycles()	the clock of PEV_CLOCK_CYCLES
 *	pev_mark_commit()	copy @n words from @from to @to and then set *@head from @old to
 *				@next, on the CPU and by the thread that have the number @cid, or do
 *				nothing that matters. What was copied counts only once the head says
 *				so. Return: 0, or -1: try again
 */

/* clang-format off */

#if defined(__x86_64__)
#define PEV_MARK_PAGE	4096

#define PEV_MARK_ENTRY(entry, name, format, fields)		\
	__asm__ volatile("leaq 771f(%%rip), %0\n\t"		\
			 ".pushsection pev_marks, \"aw\"\n\t"	\
			 ".balign 8\n"				\
			 "771:\t.quad %c1, %c2, %c3, 0\n\t"	\
			 ".popsection\n\t"			\
			 : "=r"(entry) : "i"(name), "i"(format), "i"(fields))
#define PEV_MARK_OFF(slot, on)					\
	__asm__ goto("cmpb $0, %0\n\t"				\
		     "jne %l[" #on "]\n\t" : : "m"(slot) : "cc" : on)

static inline char *pev_mark_thread(void)
{
	char *thread;

	__asm__("movq %%fs:0, %0" : "=r"(thread));
	return thread;
}

static inline uint64_t pev_mark_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

static inline int pev_mark_commit(struct pev_mark_rseq *rseq, uint32_t cid, uint64_t *head,
				  uint64_t old, uint64_t next, void *to, const void *from,
				  uint64_t n)
{
	__asm__ goto(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"3:\t.long 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		"leaq 3b(%%rip), %%rax\n\t"
		"movq %%rax, %[cs]\n"
		"1:\tcmpl %[cid], %[mm_cid]\n\t"
		"jnz 5f\n\t"
		"cmpq %[old], %[head]\n\t"
		"jnz 5f\n\t"
		"movq %[n], %%rcx\n"
		"6:\tmovq -8(%[from], %%rcx, 8), %%rax\n\t"
		"movq %%rax, -8(%[to], %%rcx, 8)\n\t"
		"decq %%rcx\n\t"
		"jnz 6b\n\t"
		"movq %[next], %[head]\n"	/* U: stores are seen in order */
		"2:\tmovq $0, %[cs]\n\t"
		".pushsection __rseq_failure, \"ax\"\n\t"
		".byte 0x0f, 0xb9, 0x3d\n\t"	/* ud1, with the signature as its operand */
		".long 0x53053053\n"
		"4:\tnop\n"
		"5:\tmovq $0, %[cs]\n\t"
		"jmp %l[again]\n\t"
		".popsection\n\t"
		:
		: [cs] "m"(rseq->rseq_cs), [mm_cid] "m"(rseq->mm_cid), [head] "m"(*head),
		  [cid] "r"(cid), [old] "r"(old), [next] "r"(next), [to] "r"(to),
		  [from] "r"(from), [n] "r"(n)
		: "rax", "rcx", "cc", "memory"
		: again);
	return 0;
again:
	return -1;
}

#elif defined(__aarch64__)
#define PEV_MARK_PAGE	65536

#define PEV_MARK_ENTRY(entry, name, format, fields)		\
	__asm__ volatile("adrp %0, 771f\n\t"			\
			 "add %0, %0, :lo12:771f\n\t"		\
			 ".pushsection pev_marks, \"aw\"\n\t"	\
			 ".balign 8\n"				\
			 "771:\t.quad %c1, %c2, %c3, 0\n\t"	\
			 ".popsection\n\t"			\
			 : "=r"(entry) : "S"(name), "S"(format), "S"(fields))
#define PEV_MARK_OFF(slot, on)							\
	do {									\
		if (__builtin_expect(*(const volatile uint8_t *)&(slot), 0))	\
			goto on;						\
	} while (0)

static inline char *pev_mark_thread(void)
{
	char *thread;

	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
	return thread;
}

static inline uint64_t pev_mark_cycles(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline int pev_mark_commit(struct pev_mark_rseq *rseq, uint32_t cid, uint64_t *head,
				  uint64_t old, uint64_t next, void *to, const void *from,
				  uint64_t n)
{
	__asm__ goto(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"3:\t.long 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		"adrp x10, 3b\n\t"
		"add x10, x10, :lo12:3b\n\t"
		"str x10, [%[rseq], 8]\n"
		"1:\tldr w10, [%[rseq], 24]\n\t"
		"cmp w10, %w[cid]\n\t"
		"b.ne 5f\n\t"
		"ldr x10, [%[head]]\n\t"
		"cmp x10, %[old]\n\t"
		"b.ne 5f\n\t"
		"mov x9, %[n]\n"
		"6:\tsub x9, x9, 1\n\t"
		"ldr x10, [%[from], x9, lsl 3]\n\t"
		"str x10, [%[to], x9, lsl 3]\n\t"
		"cbnz x9, 6b\n\t"
		"stlr %[next], [%[head]]\n"	/* U: before the head, the record */
		"2:\tstr xzr, [%[rseq], 8]\n\t"
		"b 7f\n\t"
		".inst 0xd428bc00\n"
		"4:\tnop\n"
		"5:\tstr xzr, [%[rseq], 8]\n\t"
		"b %l[again]\n"
		"7:\n\t"
		:
		: [rseq] "r"(rseq), [head] "r"(head), [cid] "r"(cid), [old] "r"(old),
		  [next] "r"(next), [to] "r"(to), [from] "r"(from), [n] "r"(n)
		: "x9", "x10", "cc", "memory"
		: again);
	return 0;
again:
	return -1;
}

#elif defined(__powerpc64__)
#define PEV_MARK_PAGE	65536

#define PEV_MARK_ENTRY(entry, name, format, fields)		\
	__asm__ volatile("addis %0, 2, 771f@toc@ha\n\t"	\
			 "addi %0, %0, 771f@toc@l\n\t"		\
			 ".pushsection pev_marks, \"aw\"\n\t"	\
			 ".balign 8\n"				\
			 "771:\t.quad %c1, %c2, %c3, 0\n\t"	\
			 ".popsection\n\t"			\
			 : "=b"(entry) : "i"(name), "i"(format), "i"(fields))
#define PEV_MARK_OFF(slot, on)							\
	do {									\
		if (__builtin_expect(*(const volatile uint8_t *)&(slot), 0))	\
			goto on;						\
	} while (0)

static inline char *pev_mark_thread(void)
{
	char *thread;

	__asm__("mr %0, 13" : "=r"(thread));
	return thread;
}

static inline uint64_t pev_mark_cycles(void)
{
	return __builtin_ppc_get_timebase();
}

static inline int pev_mark_commit(struct pev_mark_rseq *rseq, uint32_t cid, uint64_t *head,
				  uint64_t old, uint64_t next, void *to, const void *from,
				  uint64_t n)
{
	__asm__ goto(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"3:\t.long 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		"addis 10, 2, 3b@toc@ha\n\t"
		"addi 10, 10, 3b@toc@l\n\t"
		"std 10, 8(%[rseq])\n"
		"1:\tlwz 10, 24(%[rseq])\n\t"
		"cmplw 10, %[cid]\n\t"
		"bne 5f\n\t"
		"ld 10, 0(%[head])\n\t"
		"cmpld 10, %[old]\n\t"
		"bne 5f\n\t"
		"mtctr %[n]\n\t"
		"li 9, 0\n"
		"6:\tldx 10, %[from], 9\n\t"
		"stdx 10, %[to], 9\n\t"
		"addi 9, 9, 8\n\t"
		"bdnz 6b\n\t"
		"lwsync\n\t"			/* U: before the head, the record */
		"std %[next], 0(%[head])\n"
		"2:\tli 10, 0\n\t"
		"std 10, 8(%[rseq])\n\t"
		"b 7f\n\t"
		".long 0x0fe5000b\n"
		"4:\tnop\n"
		"5:\tli 10, 0\n\t"
		"std 10, 8(%[rseq])\n\t"
		"b %l[again]\n"
		"7:\n\t"
		:
		: [rseq] "b"(rseq), [head] "b"(head), [cid] "r"(cid), [old] "r"(old),
		  [next] "r"(next), [to] "b"(to), [from] "b"(from), [n] "r"(n)
		: "r9", "r10", "ctr", "cr0", "memory"
		: again);
	return 0;
again:
	return -1;
}

#else
#error "pev/mark.h is for x86_64, ppc64le and arm64"
#endif

/* clang-format on */

static inline struct pev_mark_rseq *pev_mark_rseq(void)
{
	return (struct pev_mark_rseq *)(pev_mark_thread() + __rseq_offset);
}

#endif /* _PEV_MARK_ASM_H */
