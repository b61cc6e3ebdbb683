/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/exact/known.S for arm64: what it does in user mode is known to the last instruction. It
 * forks, and then parent and child do the same work.
 *
 *   instructions   7 to fork, twice WORK, 6 to wait, twice 3 to exit
 *
 * with WORK = 3 + 2 * 1000000 + 1 + 4 * 1000 + 1
 */
	.globl _start
_start:
	mov	x0, #17
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220
	svc	#0
	mov	x19, x0
	mov	w1, #16960
	movk	w1, #15, lsl #16
1:	subs	w1, w1, #1
	b.ne	1b
	mov	w20, #1000
2:	mov	x8, #173
	svc	#0
	subs	w20, w20, #1
	b.ne	2b
	cbz	x19, 3f
	mov	x0, x19
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260
	svc	#0
3:	mov	x0, #0
	mov	x8, #93
	svc	#0

	.section .note.GNU-stack, "", @progbits
