/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86's hostile guest: 32 bits without pages. It reads counters by any number that the processor may
 * know, and knows on its own which values can't be its own.
 */
#ifndef GUEST_X86_H
#define GUEST_X86_H

#include "guest.h"

#define LEAK 0x401c /* the last value that was one */

#define GUEST_PAGE 4096
#define GUEST_READ_ONLY 0x20000
#define GUEST_HOLE 0x30000
#define GUEST_TABLES VMM_GDT /* what it can't do without */
#define GUEST_READ_ONLY_FLAGS KVM_MEM_READONLY
#define GUEST_READ_ONLY_PROT (PROT_READ | PROT_WRITE)

/* clang-format off */
asm(".pushsection .rodata\n"
    ".code32\n"
    "hostile_begin:\n"
    /* a whole area that makes sense, or a word of one that makes none */
    "1:	call hostile_random\n"
    "	test $0x3000, %eax\n"
    "	jz 2f\n"
    "	mov $0x4400, %esi\n"
    "	mov $0x3000, %edi\n"
    "	mov $102, %ecx\n"
    "	rep movsl\n"
    "	jmp 7f\n"
    "2:	mov %eax, %edx\n"
    "	shr $5, %edx\n"
    "	and $63, %edx\n"
    "	call hostile_word\n"
    "	mov %eax, 0x3000(,%edx,4)\n"
    /* a call that makes sense, or one that makes none */
    "7:	call hostile_random\n"
    "	mov %eax, %edx\n"
    "	shr $5, %eax\n"
    "	test $0xe0000, %edx\n"
    "	jz 8f\n"
    "	and $31, %eax\n"
    "	mov 0x4600(,%eax,8), %ebx\n"
    "	mov 0x4604(,%eax,8), %ecx\n"
    "	jmp 9f\n"
    "8:	and $15, %eax\n"
    "	mov 0x4100(,%eax,4), %ebx\n"
    "	call hostile_word\n"
    "	mov %eax, %ecx\n"
    "9:	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "	test %eax, %eax\n"
    "	jns 3f\n"
    "	incl 0x4008\n"
    /* one of 32 registers, or any */
    "3:	call hostile_random\n"
    "	mov %eax, %ecx\n"
    "	test $0x3800, %eax\n"
    "	jz 10f\n"
    "	and $31, %ecx\n"
    "	test $0xc000, %eax\n"
    "	jz 10f\n"
    "	and $7, %ecx\n"
    "10:	xor %eax, %eax\n"
    "	xor %edx, %edx\n"
    "	rdpmc\n"
    "	mov %eax, %ebx\n"
    "	or %edx, %ebx\n"
    "	jz 11f\n"
    "	incl 0x4010\n"
    /* the host's counters begin at 2^45, the guest's at 2^47 or more, or have overflowed */
    "	cmp $0x2000, %edx\n"
    "	jb 11f\n"
    "	cmp $0x8000, %edx\n"
    "	jae 11f\n"
    "	incl 0x4018\n"
    "	mov %edx, 0x401c\n"
    "11:	call hostile_random\n"
    "	and $1023, %eax\n"
    "4:	dec %eax\n"
    "	jns 4b\n"
    "	mov 0x4004, %eax\n"
    "	test $255, %eax\n"
    "	jnz 1b\n"
    "	out %al, $0x10\n"
    "	jmp 1b\n"
    /* a word of the host's choice, or any */
    "hostile_word:\n"
    "	call hostile_random\n"
    "	test $0xe000, %eax\n"
    "	jz hostile_random\n"
    "	shr $3, %eax\n"
    "	and $63, %eax\n"
    "	mov 0x4200(,%eax,4), %eax\n"
    "	ret\n"
    /* xorshift; an NMI in the middle makes it no less random */
    "hostile_random:\n"
    "	mov 0x4000, %eax\n"
    "	mov %eax, %ecx\n"
    "	shl $13, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, %ecx\n"
    "	shr $17, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, %ecx\n"
    "	shl $5, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, 0x4000\n"
    "	ret\n"
    /* answers some NMIs, and starts again or not */
    "hostile_nmi:\n"
    "	pusha\n"
    "	incl 0x400c\n"
    "	call hostile_random\n"
    "	test $0x300, %eax\n"
    "	jz 5f\n"
    "	mov $4, %ebx\n"
    "	mov $1, %ecx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "5:	call hostile_random\n"
    "	test $0x300, %eax\n"
    "	jnz 6f\n"
    "	call hostile_word\n"
    "	mov %eax, %ecx\n"
    "	mov $5, %ebx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "6:	popa\n"
    "	iret\n"
    /* goes on behind an rdpmc; anything else is its ruin */
    "hostile_gp:\n"
    "	push %eax\n"
    "	mov 8(%esp), %eax\n"
    "	cmpw $0x330f, (%eax)\n"
    "	jne 12f\n"
    "	incl 0x4014\n"
    "	addl $2, 8(%esp)\n"
    "	pop %eax\n"
    "	add $4, %esp\n"
    "	iret\n"
    "12:	ud2\n"
    "hostile_end:\n"
    ".code64\n"
    ".popsection\n");
/* clang-format on */

extern const uint8_t hostile_begin[], hostile_nmi[], hostile_gp[], hostile_end[];

_Static_assert(sizeof(struct pev_guest_area) == 102 * 4 && BATCH == 256,
	       "the guest's code has other numbers");

static int guest_open(struct vmm *m)
{
	return vmm_open_machine(m) || vmm_hide_counters(m) || vmm_open_vcpu(m, 0, false);
}

/* Its memory is new. */
static int guest_set_up(struct vmm *m)
{
	/* none is masked any more */
	struct kvm_vcpu_events none = {};

	vmm_load(m, hostile_begin, hostile_end - hostile_begin);
	return ioctl(m->vcpu, KVM_SET_VCPU_EVENTS, &none) || vmm_set_registers(m, false) ||
	       vmm_give_gate(m, 13, VMM_CODE + (hostile_gp - hostile_begin)) ||
	       vmm_give_gate(m, 2, VMM_CODE + (hostile_nmi - hostile_begin));
}

/* It has no words but those of all. */
static void guest_fill(struct vmm *m)
{
	(void)m;
}

static void guest_judge(struct vmm *m)
{
	if (*(uint32_t *)(m->memory + LEAKS))
		printf("# a guest read %#x and 32 bits\n", *(uint32_t *)(m->memory + LEAK));
}

#endif
