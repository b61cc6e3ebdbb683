/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where perf_event_mmap() is redirected to: a function of the module's, called as one of
 * Linux's own, which keeps the caller's r2. r12 is this address, as for any call by pointer.
 */
#include <asm/ppc_asm.h>

/* ELFv2: a frame begins with the back chain, CR, LR and r2, in whose places a callee stores. */
#define FRAME		32
#define LR_SAVE		16
#define R2_SAVE		24

	.text
	.balign	4
	.globl	pev_map_entry
	.type	pev_map_entry, @function
pev_map_entry:
	std	r2, R2_SAVE(r1)
	addis	r2, r12, (.TOC. - pev_map_entry)@ha
	addi	r2, r2, (.TOC. - pev_map_entry)@l
	mflr	r0
	std	r0, LR_SAVE(r1)
	stdu	r1, -FRAME(r1)
	bl	pev_map
	nop
	addi	r1, r1, FRAME
	ld	r0, LR_SAVE(r1)
	mtlr	r0
	ld	r2, R2_SAVE(r1)
	blr
	.size	pev_map_entry, . - pev_map_entry
