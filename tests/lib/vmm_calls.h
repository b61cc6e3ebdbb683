/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest of vmm.h that makes the hypercalls of linux/pev_guest.h: each turn two of them, with a loop
 * of known length in between, and a counter read behind that. The host says which before the turn,
 * and finds afterwards what they returned. An NMI is answered, counted, and, if the host wants it so,
 * followed by another PEV_GUEST_START. A counter that can't be read is counted.
 */
#ifndef VMM_CALLS_H
#define VMM_CALLS_H

#include <linux/pev_guest.h>
#include <stddef.h>
#include "vmm.h"

#define VMM_AREA 0x3000 /* struct pev_guest_area */
#define VMM_MAIL 0x4000 /* struct vmm_mail */

/**
 * struct vmm_mail - between the host and the guest's code
 * @op:      the first call, and what it returned
 * @rounds:  of the loop behind it
 * @last_op: the second call
 * @nmis:    that PEV_GUEST_STOP said was one of pev's
 * @other_nmis: for which it returned something else
 * @again:   the mask of the PEV_GUEST_START in the handler, and of the counters that are set there;
 *           0: there is none
 * @reg:     where the number of the counter to read is, plus 1, which 0 stands for none, too
 * @reads:   so many were read
 * @faults:  so many could not be
 * @read:    the last
 */
struct vmm_mail {
	uint32_t op;
	uint32_t arg;
	int32_t result;
	uint32_t rounds;
	uint32_t last_op;
	uint32_t last_arg;
	int32_t last_result;
	uint32_t nmis;
	uint32_t other_nmis;
	uint32_t over;
	uint32_t again;
	int32_t again_result;
	uint32_t reg;
	uint32_t reads;
	uint32_t faults;
	uint32_t pad;
	uint64_t read;
};

/* Between the first call's return and the second: what is not the loop, and branches of it */
#define VMM_CALLS_INSNS(rounds) (2 * (uint64_t)(rounds) + 9)
#define VMM_CALLS_BRANCHES(rounds) ((uint64_t)(rounds) + 2)
/* What a counter that is read adds to that, and what follows it: rdpmc itself only after an exit */
#define VMM_READ_INSNS 5
#define VMM_READ_AS_OF(exits) (6 + (exits))

/* clang-format off */
asm(".pushsection .rodata\n"
    ".code32\n"
    "vmm_calls_begin:\n"
    "	mov 0x4000, %ebx\n"
    "	mov 0x4004, %ecx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	mov %eax, 0x4008\n"
    "	mov 0x400c, %ecx\n"
    "	jecxz 2f\n"
    "1:	dec %ecx\n"
    "	jnz 1b\n"
    "2:	mov 0x4030, %ebx\n"
    "	mov (%ebx), %ecx\n"
    "	jecxz 5f\n"
    "	dec %ecx\n"
    "	rdpmc\n"
    "	mov %eax, 0x4040\n"
    "	mov %edx, 0x4044\n"
    "	incl 0x4034\n"
    "vmm_calls_not_read:\n"
    "5:	mov 0x4010, %ebx\n"
    "	mov 0x4014, %ecx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	mov %eax, 0x4018\n"
    "	out %al, $0x10\n"
    "	jmp vmm_calls_begin\n"
    "vmm_calls_nmi:\n"
    "	pusha\n"
    "	mov $4, %ebx\n"
    "	mov $1, %ecx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	cmp $1, %eax\n"
    "	jne 3f\n"
    "	incl 0x401c\n"
    "	mov 0x3000, %eax\n"
    "	or %eax, 0x4024\n"
    "	mov 0x4028, %ecx\n"
    "	jecxz 4f\n"
    "	mov %ecx, 0x3050\n"
    "	mov $5, %ebx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	mov %eax, 0x402c\n"
    "	popa\n"
    "	iret\n"
    "3:	incl 0x4020\n"
    "4:	popa\n"
    "	iret\n"
    /* of rdpmc alone */
    "vmm_calls_gp:\n"
    "	incl 0x4038\n"
    "	movl $0x1000 + vmm_calls_not_read - vmm_calls_begin, 4(%esp)\n"
    "	add $4, %esp\n"
    "	iret\n"
    "vmm_calls_end:\n"
    ".code64\n"
    ".popsection\n");
/* clang-format on */

extern const uint8_t vmm_calls_begin[], vmm_calls_nmi[], vmm_calls_gp[], vmm_calls_end[];

_Static_assert(PEV_GUEST_CALL == 0x706576 && PEV_GUEST_STOP == 4 && PEV_GUEST_START == 5 &&
		       offsetof(struct pev_guest_area, set) == 0x50 &&
		       offsetof(struct vmm_mail, again_result) == 0x2c &&
		       offsetof(struct vmm_mail, read) == 0x40 && VMM_PORT == 0x10 &&
		       VMM_CODE == 0x1000,
	       "the guest's code has other numbers");

static inline struct vmm_mail *vmm_mail(const struct vmm *m)
{
	return (struct vmm_mail *)(m->memory + VMM_MAIL);
}

static inline struct pev_guest_area *vmm_area(const struct vmm *m)
{
	return (struct pev_guest_area *)(m->memory + VMM_AREA);
}

/* A machine with memory, or with counters of KVM's, too, whose guest makes calls. Returns 0, or -1. */
static inline int vmm_open_calls_with(struct vmm *m, bool counters)
{
	if (vmm_open_machine(m) || (!counters && vmm_hide_counters(m)) ||
	    vmm_open_vcpu(m, 0, false))
		return -1;
	vmm_load(m, vmm_calls_begin, vmm_calls_end - vmm_calls_begin);
	/* a word that is 0 */
	vmm_mail(m)->reg = VMM_MAIL + offsetof(struct vmm_mail, pad);
	if (vmm_give_gate(m, 13, VMM_CODE + (vmm_calls_gp - vmm_calls_begin)))
		return -1;
	return vmm_give_gate(m, 2, VMM_CODE + (vmm_calls_nmi - vmm_calls_begin));
}

/* One without counters, to which some may be lent. */
static inline int vmm_open_calls(struct vmm *m)
{
	return vmm_open_calls_with(m, false);
}

/* One turn: a call, @rounds of the loop, another call. Returns 0, or -1: the guest fell over. */
static inline int vmm_calls(struct vmm *m, uint32_t op, uint32_t arg, uint32_t rounds,
			    uint32_t last_op, uint32_t last_arg)
{
	struct vmm_mail *mail = vmm_mail(m);

	mail->op = op;
	mail->arg = arg;
	mail->rounds = rounds;
	mail->last_op = last_op;
	mail->last_arg = last_arg;
	return vmm_round(m);
}

/* One call of the guest's, and another one that asks for nothing. */
static inline int32_t vmm_call(struct vmm *m, uint32_t op, uint32_t arg)
{
	if (vmm_calls(m, op, arg, 0, PEV_GUEST_HELLO, PEV_GUEST_VERSION))
		return INT32_MIN;
	return vmm_mail(m)->result;
}

#endif
