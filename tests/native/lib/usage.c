// SPDX-License-Identifier: GPL-2.0
/*
 * Touches pages and gives up the processor, and prints what getrusage() says of
 * it: "faults N switches N before N", the last of which are the switches before main().
 * usage: usage PAGES SWITCHES
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 0, switches = argc > 2 ? atol(argv[2]) : 0;
	long size = sysconf(_SC_PAGESIZE);
	struct timespec moment = { .tv_nsec = 100000 };
	struct rusage first, u;
	volatile char *memory;

	getrusage(RUSAGE_SELF, &first);
	/* small pages only, so that each one faults */
	memory = mmap(NULL, (size_t)(pages + 1) * size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	madvise((void *)memory, (size_t)(pages + 1) * size, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		memory[i * size] = 1;
	for (long i = 0; i < switches; i++)
		nanosleep(&moment, NULL);
	getrusage(RUSAGE_SELF, &u);
	printf("faults %ld switches %ld before %ld\n", u.ru_minflt + u.ru_majflt,
	       u.ru_nvcsw + u.ru_nivcsw, first.ru_nvcsw + first.ru_nivcsw);
	return 0;
}
