/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program without a C library: what it does in user mode is known to the last
 * instruction. It forks, and then parent and child do the same work.
 *
 *   instructions   2 to fork, twice WORK, 6 to wait, twice 3 to exit
 *   branches       twice BRANCHES
 *
 * with WORK = 2 + 2 * 1000000 + 1 + 4 * 1000 + 2 and BRANCHES = 1000000 + 1000 + 1
 */
	.globl _start
_start:
	mov	$57, %eax
	syscall
	mov	%eax, %r12d
	mov	$1000000, %ecx
1:	dec	%ecx
	jnz	1b
	mov	$1000, %ebx
2:	mov	$110, %eax
	syscall
	dec	%ebx
	jnz	2b
	test	%r12d, %r12d
	jz	3f
	mov	$61, %eax
	mov	%r12d, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall
3:	mov	$60, %eax
	xor	%edi, %edi
	syscall

	.section .note.GNU-stack, "", @progbits
