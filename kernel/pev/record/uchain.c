// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the walk along the frame pointers of a program. Must not know who asks for chains.
 *
 * It goes from frame to frame as perf's walker does, but knows the end of most chains from the
 * frame pointer: a program's outermost frames are of code without frame pointers, which leaves
 * there what it had in the register, mostly a small number. Reading from there would end the
 * chain, too, by a page fault that costs more than all the frames.
 */
#include <linux/sched.h>
#include <asm/ptrace.h>
#include "glue/linux.h"
#include "glue/user.h"
#include "uchain.h"

#ifdef CONFIG_X86_64

#include <asm/segment.h>

/* Slots that are no frames end the walk, too, if there are so many. */
#define SPARE		2

/**
 * struct uframe - what a function of the program has on the stack
 * @next: the caller's frame
 * @ip:   where it returns to
 */
struct uframe {
	u64	next;
	u64	ip;
};

/* Other ABIs, a probe at a function's first instruction, and a guest that runs are perf's. */
static bool is_known(const struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	if (current->utask)
		return false;
#endif
	/* an interrupt may hit the thread as it changes other flags */
	return regs->cs == __USER_CS && !(data_race(current->flags) & PF_VCPU);
}

/* Nothing of a program's lies in the first page, nor across two words. */
static __always_inline bool may_be_frame(u64 at)
{
	return at >= PAGE_SIZE && !(at % sizeof(at)) &&
	       at <= TASK_SIZE_MAX - sizeof(struct uframe);
}

/* Return: @nr and how many more frames are in @to. Page faults are disabled. */
static u32 walk(u64 at, u64 *to, u32 nr, u32 max)
{
	const struct uframe __user *frame;
	u64 next, ip;

	if (!may_be_frame(at) || !pev_user_begin((void __user *)at, sizeof(*frame)))
		return nr;
	for (u32 turn = 0; nr < max && turn < max + SPARE && may_be_frame(at); turn++) {
		frame = pev_user_address((void __user *)at, sizeof(*frame));
		unsafe_get_user(next, &frame->next, out);
		unsafe_get_user(ip, &frame->ip, out);
		if (pev_uchain_is_frame(ip, 1))
			to[nr++] = ip;
		at = next;
	}
out:
	pev_user_end();
	return nr;
}

int pev_uchain_walk(struct pt_regs *regs, u64 *to, u32 max)
{
	u32 nr = 0;

	if (!is_known(regs))
		return -1;
	if (pev_uchain_is_frame(regs->ip, 0))
		to[nr++] = regs->ip;
	if (!pev_user_memory_is(current->mm))
		return nr;
	pev_user_faults_off();
	nr = walk(regs->bp, to, nr, max);
	pev_user_faults_on();
	return nr;
}

#else

int pev_uchain_walk(struct pt_regs *regs, u64 *to, u32 max)
{
	return -1;
}

#endif
