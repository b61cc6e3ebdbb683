/* SPDX-License-Identifier: GPL-2.0 */
/* What both programs consist of */
	.text
	.globl	f3
	.type	f3, @function
f3:
	nop
	nop
	ret
f3_end:
	.size	f3, .-f3
