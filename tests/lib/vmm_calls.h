/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest of vmm.h that makes the hypercalls of linux/pev_guest.h: each turn two of them, with a loop
 * of known length in between, and, on x86, a counter read behind that. The host says which before
 * the turn, and finds afterwards what they returned. An NMI (POWER: the performance monitor's
 * interrupt) is answered, counted, and, if the host wants it so, followed by another
 * PEV_GUEST_START. A counter that can't be read is counted.
 */
#ifndef VMM_CALLS_H
#define VMM_CALLS_H

#include <linux/pev_guest.h>
#include <stddef.h>
#include "vmm.h"

#define VMM_MAIL 0x4000 /* struct vmm_mail */
#if defined(__x86_64__)
#define VMM_AREA 0x3000 /* struct pev_guest_area, and nothing else in its page */
#define VMM_AREA_END 0x4000
#else
#define VMM_AREA 0x40000
#define VMM_AREA_END 0x50000
#endif

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
 * @saved:   registers that the handler needs
 * @late:    sum of counter 0's values in the handler: what it counted behind its overflows
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
	uint64_t saved[7];
	uint64_t late;
};

#if defined(__x86_64__)
/* Between the first call's return and the second: what is not the loop, and branches of it */
#define VMM_CALLS_INSNS(rounds) (2 * (uint64_t)(rounds) + 9)
#define VMM_CALLS_BRANCHES(rounds) ((uint64_t)(rounds) + 2)
/* Counters are told so that the guest can read them itself. */
#define VMM_CALLS_READS 1
/* Of an NMI that starts counters again: before the one call, and behind the other */
#define VMM_NMI_INSNS 7
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
    "	mov 0x3010, %eax\n"
    "	add %eax, 0x4080\n"
    "	mov 0x3014, %eax\n"
    "	adc %eax, 0x4084\n"
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
		       offsetof(struct vmm_mail, read) == 0x40 &&
		       offsetof(struct vmm_mail, late) == 0x80 &&
		       offsetof(struct pev_guest_area, value) == 0x10 && VMM_PORT == 0x10 &&
		       VMM_CODE == 0x1000,
	       "the guest's code has other numbers");
#else
/* The same; what an entry counts is the host's kernel */
#define VMM_CALLS_INSNS(rounds) (2 * (uint64_t)(rounds) + 10)
#define VMM_NMI_INSNS 32
#define VMM_CALLS_READS 0

/* clang-format off */
asm(".pushsection .rodata\n"
    ".balign 4\n"
    "vmm_calls_begin:\n"
    /* the decrementer does not interrupt in the turn */
    "	lis 3, 0x7fff\n"
    "	mtdec 3\n"
    "	li 10, 0x4000\n"
    "	lwz 4, 0(10)\n"
    "	lwz 5, 4(10)\n"
    "	lis 3, 0x70\n"
    "	ori 3, 3, 0x6576\n"
    "	sc 1\n"
    "	stw 3, 8(10)\n"
    "	lwz 6, 0xc(10)\n"
    "	mtctr 6\n"
    "	cmpwi 6, 0\n"
    "	beq 2f\n"
    "1:	addi 7, 7, 1\n"
    "	bdnz 1b\n"
    "2:	lwz 4, 0x10(10)\n"
    "	lwz 5, 0x14(10)\n"
    "	lis 3, 0x70\n"
    "	ori 3, 3, 0x6576\n"
    "	sc 1\n"
    "	stw 3, 0x18(10)\n"
    "	lis 9, 0x1000\n"
    "	stw 4, 0(9)\n"
    "	b vmm_calls_begin\n"
    "vmm_calls_decrementer:\n"
    "	mtsprg 0, 3\n"
    "	lis 3, 0x7fff\n"
    "	mtdec 3\n"
    "	mfsprg 3, 0\n"
    "	rfid\n"
    /* a call changes SRR0 and SRR1 */
    "vmm_calls_nmi:\n"
    "	mtsprg 1, 10\n"
    "	li 10, 0x4000\n"
    "	std 3, 0x48(10)\n"
    "	std 4, 0x50(10)\n"
    "	std 5, 0x58(10)\n"
    "	std 9, 0x60(10)\n"
    "	mfspr 3, 26\n"
    "	std 3, 0x68(10)\n"
    "	mfspr 3, 27\n"
    "	std 3, 0x70(10)\n"
    "	mfcr 3\n"
    "	std 3, 0x78(10)\n"
    "	li 4, 4\n"
    "	li 5, 1\n"
    "	lis 3, 0x70\n"
    "	ori 3, 3, 0x6576\n"
    "	sc 1\n"
    "	cmpwi 3, 1\n"
    "	bne 3f\n"
    "	lwz 3, 0x1c(10)\n"
    "	addi 3, 3, 1\n"
    "	stw 3, 0x1c(10)\n"
    "	lis 9, 4\n"
    "	lwz 3, 0(9)\n"
    "	lwz 4, 0x24(10)\n"
    "	or 4, 4, 3\n"
    "	stw 4, 0x24(10)\n"
    "	ld 3, 0x10(9)\n"
    "	ld 4, 0x80(10)\n"
    "	add 4, 4, 3\n"
    "	std 4, 0x80(10)\n"
    "	lwz 5, 0x28(10)\n"
    "	cmpwi 5, 0\n"
    "	beq 4f\n"
    "	std 5, 0x50(9)\n"
    "	li 4, 5\n"
    "	lis 3, 0x70\n"
    "	ori 3, 3, 0x6576\n"
    "	sc 1\n"
    "	stw 3, 0x2c(10)\n"
    "	b 4f\n"
    "3:	lwz 3, 0x20(10)\n"
    "	addi 3, 3, 1\n"
    "	stw 3, 0x20(10)\n"
    "4:	ld 3, 0x78(10)\n"
    "	mtcr 3\n"
    "	ld 3, 0x68(10)\n"
    "	mtspr 26, 3\n"
    "	ld 3, 0x70(10)\n"
    "	mtspr 27, 3\n"
    "	ld 9, 0x60(10)\n"
    "	ld 5, 0x58(10)\n"
    "	ld 4, 0x50(10)\n"
    "	ld 3, 0x48(10)\n"
    "	mfsprg 10, 1\n"
    "	rfid\n"
    "vmm_calls_end:\n"
    ".popsection\n");
/* clang-format on */

extern const uint8_t vmm_calls_begin[], vmm_calls_decrementer[], vmm_calls_nmi[], vmm_calls_end[];

_Static_assert(PEV_GUEST_CALL == 0x706576 && PEV_GUEST_STOP == 4 && PEV_GUEST_START == 5 &&
		       offsetof(struct pev_guest_area, set) == 0x50 &&
		       offsetof(struct vmm_mail, again_result) == 0x2c &&
		       offsetof(struct vmm_mail, saved) == 0x48 &&
		       offsetof(struct vmm_mail, late) == 0x80 &&
		       offsetof(struct pev_guest_area, value) == 0x10 && VMM_PORT == 0x10000000,
	       "the guest's code has other numbers");
#endif

static inline struct vmm_mail *vmm_mail(const struct vmm *m)
{
	return (struct vmm_mail *)(m->memory + VMM_MAIL);
}

static inline struct pev_guest_area *vmm_area(const struct vmm *m)
{
	return (struct pev_guest_area *)(m->memory + VMM_AREA);
}

#if defined(__x86_64__)
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

#else
/* A machine whose guest makes calls. Returns 0, or -1. */
static inline int vmm_open_calls(struct vmm *m)
{
	struct kvm_regs regs;

	if (vmm_open(m, false))
		return -1;
	vmm_load(m, vmm_calls_begin, vmm_calls_end - vmm_calls_begin);
	vmm_give_vector(m, 0x900, VMM_CODE + (vmm_calls_decrementer - vmm_calls_begin));
	vmm_give_vector(m, 0xf00, VMM_CODE + (vmm_calls_nmi - vmm_calls_begin));
	if (vmm_little_endian(m) || ioctl(m->vcpu, KVM_GET_REGS, &regs))
		return -1;
	/* interrupts are let in */
	regs.msr |= 1 << 15;
	return ioctl(m->vcpu, KVM_SET_REGS, &regs);
}
#endif

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
