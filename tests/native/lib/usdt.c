// SPDX-License-Identifier: GPL-2.0
/*
 * Reaches probes as sys/sdt.h places them, with notes of its own:
 *
 *	app:work	at two places, whose arguments are in other places
 *	app:guarded	if its semaphore says that a probe is there
 *	app:moved	as if the program had been moved since the note was written
 *
 * usdt N calls each N times, and prints how often a probe was there.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef __powerpc64__
#define ARG(n) "%I" #n "%" #n
#else
#define ARG(n) "%" #n
#endif

#define BASE                                                                               \
	".ifndef _.stapsdt.base\n"                                                         \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"            \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"         \
	".size _.stapsdt.base, 1\n.popsection\n.endif\n"

/* @moved: by how much the note is wrong, as the text of a number */
#define NOTE(name, semaphore, moved, args)                                                 \
	"990: nop\n"                                                                       \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"                            \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"        \
	"993: .8byte 990b+" moved "\n.8byte _.stapsdt.base+" moved "\n"                    \
	".8byte " semaphore "\n.asciz \"app\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n" \
	"994: .balign 4\n.popsection\n" BASE

unsigned short guarded_semaphore __attribute__((section(".probes"), used));
unsigned short moved_semaphore __attribute__((section(".probes"), used));
unsigned long counter;
static unsigned int listened;

static __attribute__((noinline)) void work(int x, const char *text)
{
	__asm__ volatile(NOTE("work", "0", "0", "-4@" ARG(0) " 8@" ARG(1) " 8@" ARG(2) " 8@" ARG(3))
			 : : "r"(x), "m"(counter), "r"(text), "i"(5));
}

static __attribute__((noinline)) void work_elsewhere(int x, const char *text)
{
	volatile int stored = -x;

	__asm__ volatile(NOTE("work", "0", "0", "-4@" ARG(0) " 8@" ARG(1) " 8@" ARG(2) " 8@" ARG(3))
			 : : "m"(stored), "r"(counter), "r"(text), "i"(5));
}

static __attribute__((noinline)) void guarded(unsigned char x)
{
	if (!*(volatile unsigned short *)&guarded_semaphore)
		return;
	listened++;
	__asm__ volatile(NOTE("guarded", "guarded_semaphore", "0", "1@" ARG(0) " 8f@0") : : "r"(x));
}

static __attribute__((noinline)) void moved(void)
{
	if (*(volatile unsigned short *)&moved_semaphore)
		listened++;
	__asm__ volatile(NOTE("moved", "moved_semaphore+0x1000", "0x1000", ""));
}

static inline __attribute__((always_inline)) int limited(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n > 1000000 ? 1000000 : n;
}

int main(int argc, char **argv)
{
	/* on the stack, so that they are in memory when a probe reads them */
	char here[] = "here", there[] = "there";
	int n = limited(argc > 1 ? atoi(argv[1]) : 1);

	for (int i = 0; i < n; i++) {
		counter = 1000 + (unsigned long)i;
		work(i, here);
		work_elsewhere(i, there);
		guarded((unsigned char)i);
		moved();
	}
	printf("%u listened\n", listened);
	return 0;
}
