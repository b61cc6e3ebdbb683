// SPDX-License-Identifier: GPL-2.0
/* Stands for a kernel: the file "vmlinux", which is never run. */
static inline __attribute__((always_inline)) int inlined(int x)
{
	return x * 3 + 7;
}

__attribute__((section(".text.first"))) void _stext(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) int worker(int x)
{
	__asm__ volatile("" : "+r"(x));
	return inlined(x);
}
