// SPDX-License-Identifier: GPL-2.0
/* Functions of arm64 that sign their return addresses, and some that no table describes. */
#define NOINLINE __attribute__((noinline, noclone, visibility("hidden")))

NOINLINE int f4(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

NOINLINE int f3(int x)
{
	return f4(x) + 1;
}

int f2(int x)
{
	return f3(x) + 1;
}

/* bare: keeps a frame pointer; restorer: what the vdso has for handlers of signals to return to */
__asm__(".text\n"
	".globl bare, restorer\n"
	".type bare, %function\n"
	"bare:\tstp x29, x30, [sp, -48]!\n\t"
	"mov x29, sp\n\t"
	"bl f4\n\t"
	"ldp x29, x30, [sp], 48\n\t"
	"ret\n"
	".size bare, . - bare\n\t"
	"nop\n"
	".type restorer, %function\n"
	"restorer:\tmov x8, 139\n\t"
	"svc 0\n"
	".size restorer, . - restorer\n");
