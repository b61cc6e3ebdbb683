// SPDX-License-Identifier: GPL-2.0
/*
 * Makes so many page faults as each line of the standard input says, on the CPU that it names, and
 * answers with their number; as many functions deep as it is told, for records that are so much
 * larger with their call chains. Linked statically: what it is not asked for are some tens.
 *
 * usage: faults [DEPTH]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 256

static void fault(char *area, size_t page, long n)
{
	for (long i = 0; i < n; i++) {
		if (!(i % PAGES))
			madvise(area, PAGES * page, MADV_DONTNEED);
		*(volatile char *)(area + i % PAGES * page) = 1;
	}
}

static __attribute__((noinline)) void fault_below(int depth, char *area, size_t page, long n)
{
	if (depth > 0)
		fault_below(depth - 1, area, page, n);
	else
		fault(area, page, n);
	/* a frame that is still there below */
	__asm__ volatile("" ::: "memory");
}

static int nth_cpu(const cpu_set_t *allowed, unsigned int nr)
{
	nr %= (unsigned int)CPU_COUNT(allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed) && !nr--)
			return cpu;
	return 0;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *area = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	cpu_set_t allowed, one;
	unsigned int cpu;
	char line[64];
	long n;

	if (area == MAP_FAILED || madvise(area, PAGES * page, MADV_NOHUGEPAGE) ||
	    sched_getaffinity(0, sizeof(allowed), &allowed))
		return 1;
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%ld %u", &n, &cpu) == 2) {
		CPU_ZERO(&one);
		CPU_SET(nth_cpu(&allowed, cpu), &one);
		sched_setaffinity(0, sizeof(one), &one);
		fault_below(depth, area, page, n);
		printf("%ld\n", n);
		fflush(stdout);
	}
	return 0;
}
