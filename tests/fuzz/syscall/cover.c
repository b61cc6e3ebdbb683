// SPDX-License-Identifier: GPL-2.0
/*
 * Which code of kernel/pev was reached, by KCOV: each thread that plays has its own
 * buffer. Points are where a basic block begins; pairs of points that follow each other
 * tell a program that found a new way.
 *
 * KCOV sees what happens in a task by its own calls, probes included, and nothing of
 * interrupts.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0
#define WORDS		(1 << 16)
#define POINTS		(1 << 15)
#define PAIRS		(1 << 20)

static struct cover {
	uint32_t	nr_points;
	uint32_t	nr_pairs;
	uint64_t	points[POINTS];
	uint8_t		pairs[PAIRS];
} *cover;

static __thread unsigned long *trace;
static __thread int trace_fd = -1;

void cover_init(void)
{
	cover = mmap(NULL, sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (cover == MAP_FAILED)
		abort();
}

/* While one still has the right to; a child has none of its parent's. */
bool cover_open(void)
{
	trace = NULL;
	trace_fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	return trace_fd >= 0;
}

void cover_start(void)
{
	if (trace_fd < 0 || !cover)
		return;
	if (!trace) {
		if (ioctl(trace_fd, KCOV_INIT_TRACE, WORDS))
			return;
		trace = mmap(NULL, WORDS * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED,
			     trace_fd, 0);
		if (trace == MAP_FAILED || ioctl(trace_fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
			trace = NULL;
			return;
		}
	}
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

static void add_point(uint64_t pc)
{
	uint64_t at = pc * 0x9e3779b97f4a7c15ULL >> 49;

	for (unsigned int i = 0; i < POINTS; i++) {
		uint64_t *p = &cover->points[(at + i) % POINTS];
		uint64_t have = __atomic_load_n(p, __ATOMIC_RELAXED);

		if (have == pc)
			return;
		if (!have && __atomic_compare_exchange_n(p, &have, pc, false, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&cover->nr_points, 1, __ATOMIC_RELAXED);
			return;
		}
		if (have == pc)
			return;
	}
}

bool cover_end(void)
{
	unsigned long n;
	uint64_t before = 0;
	bool found = false;

	if (!trace)
		return false;
	n = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	if (n > WORDS - 1)
		n = WORDS - 1;
	for (unsigned long i = 1; i <= n; i++) {
		uint64_t pc = trace[i];
		uint8_t *pair = &cover->pairs[(pc ^ before * 0x9e3779b97f4a7c15ULL >> 20) %
					      PAIRS];

		before = pc;
		if (*pair)
			continue;
		*pair = 1;
		__atomic_fetch_add(&cover->nr_pairs, 1, __ATOMIC_RELAXED);
		add_point(pc);
		found = true;
	}
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
	return found;
}

unsigned int cover_points(void)
{
	return cover->nr_points;
}

unsigned int cover_pairs(void)
{
	return cover->nr_pairs;
}

void cover_load(const char *dir)
{
	char path[4096];
	llu pc;
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/points", dir);
	f = fopen(path, "r");
	while (f && fscanf(f, "%llx", &pc) == 1)
		add_point(pc);
	if (f)
		fclose(f);
}

void cover_store(const char *dir)
{
	char path[4096];
	FILE *f;

	if (!dir || !cover->nr_points)
		return;
	mkdir(dir, 0755);
	snprintf(path, sizeof(path), "%s/points", dir);
	f = fopen(path, "w");
	if (!f)
		return;
	for (unsigned int i = 0; i < POINTS; i++)
		if (cover->points[i])
			fprintf(f, "%llx\n", (llu)cover->points[i]);
	fclose(f);
}
