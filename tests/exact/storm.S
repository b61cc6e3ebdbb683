/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A storm of forks without a C library: 64 children, each with a child of its own, all at
 * once. What they do in user mode is known to the last instruction.
 *
 *   instructions   1 + 64 * 6 to fork, 1 + 64 * 8 to wait, 1 + 3 to exit
 *                  64 * (2 + 3 + WORK + 2 + 6 + 3) of the children
 *                  64 * (1 + WORK + 2 + 3) of theirs
 *   branches       64 * 2 to fork, 64 to wait, 1 to exit
 *                  64 * (1 + 1000 + 1) of the children, 64 * (1000 + 1) of theirs
 *
 * with WORK = 1 + 2 * 1000
 */
	.globl _start
_start:
	mov	$64, %r12d
1:	mov	$57, %eax
	syscall
	test	%eax, %eax
	jz	3f
	dec	%r12d
	jnz	1b
	mov	$64, %r12d
2:	mov	$61, %eax
	mov	$-1, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall
	dec	%r12d
	jnz	2b
	jmp	5f
3:	mov	$57, %eax
	syscall
	mov	%eax, %ebx
	mov	$1000, %ecx
4:	dec	%ecx
	jnz	4b
	test	%ebx, %ebx
	jz	5f
	mov	$61, %eax
	mov	$-1, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall
5:	mov	$60, %eax
	xor	%edi, %edi
	syscall

	.section .note.GNU-stack, "", @progbits
