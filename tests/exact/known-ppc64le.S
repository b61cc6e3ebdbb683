/* SPDX-License-Identifier: GPL-2.0 */
/*
 * known.S for ppc64le: what it does in user mode is known to the last instruction. It forks, and
 * then parent and child do the same work.
 *
 *   instructions   2 to fork, twice WORK, 6 to wait, twice 3 to exit
 *
 * with WORK = 4 + 2 * 1000000 + 1 + 4 * 1000 + 2
 */
	.abiversion 2
	.globl _start
_start:
	li	0, 2
	sc
	mr	30, 3
	lis	4, 1000000@h
	ori	4, 4, 1000000@l
	mtctr	4
1:	addi	4, 4, -1
	bdnz	1b
	li	31, 1000
2:	li	0, 64
	sc
	addic.	31, 31, -1
	bne	2b
	cmpwi	30, 0
	beq	3f
	mr	3, 30
	li	4, 0
	li	5, 0
	li	6, 0
	li	0, 114
	sc
3:	li	3, 0
	li	0, 1
	sc

	.section .note.GNU-stack, "", @progbits
