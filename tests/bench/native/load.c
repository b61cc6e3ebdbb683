// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded: a tree of calls, or page faults, always the same amount. Writes the CPU
 * time that it took itself, in microseconds, so that a recorder's can be told from it.
 *
 * usage: load calls|faults THOUSANDS FILE	("-": no file, until it is killed)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGES	4096

static volatile uint64_t sum;

/* A different way down for each @path, some twenty calls deep */
__attribute__((noinline)) static uint64_t call(unsigned int depth, uint64_t path)
{
	uint64_t own = path;

	for (int i = 0; i < 50; i++)
		own = own * 6364136223846793005ULL + depth;
	if (depth)
		own += path & 1 ? call(depth - 1, path >> 1) : call(depth - 1, own | 1);
	return own;
}

static void make_calls(void)
{
	for (unsigned int i = 0; i < 1000; i++)
		sum += call(20, i);
}

/* Small pages, given back after each round */
static void make_faults(void)
{
	static unsigned int used;
	static char *memory;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!memory) {
		memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || madvise(memory, PAGES * page, MADV_NOHUGEPAGE))
			exit(1);
	}
	for (unsigned int i = 0; i < 1000; i++) {
		if (used == PAGES) {
			madvise(memory, PAGES * page, MADV_DONTNEED);
			used = 0;
		}
		memory[used++ * page] = 1;
	}
}

int main(int argc, char **argv)
{
	void (*work)(void) = argc > 1 && !strcmp(argv[1], "faults") ? make_faults : make_calls;
	long rounds = argc > 2 ? atol(argv[2]) : 0;
	struct rusage u;
	FILE *f;

	if (argc < 4)
		return 2;
	if (!strcmp(argv[3], "-"))
		for (;;)
			work();
	for (long i = 0; i < rounds; i++)
		work();
	f = fopen(argv[3], "w");
	if (!f || getrusage(RUSAGE_SELF, &u))
		return 1;
	fprintf(f, "%lld\n", (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL +
			     u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	return fclose(f) ? 1 : 0;
}
