// SPDX-License-Identifier: GPL-2.0
/*
 * Which code of kernel/pev was reached, by KCOV: each thread that plays has its own
 * buffer. Points are where a basic block begins; pairs of points that follow each other
 * tell a program that found a new way. How many programs reached a point tells which are
 * rare: programs that reach these are tried more often, see program_next().
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

/**
 * struct point - where a basic block begins
 * @pc: its address, 0: the place is free
 * @programs: that reached it, of all workers; some are missed when two come at once
 * @since: operations of the campaign when it was reached first
 */
struct point {
	uint64_t pc;
	uint32_t programs;
	uint64_t since;
};

static struct cover {
	uint32_t	nr_points;
	uint32_t	nr_pairs;
	uint64_t before; /* operations of earlier runs */
	uint64_t newest; /* when the last point was found */
	struct point points[POINTS];
	uint8_t		pairs[PAIRS];
} *cover;

static __thread unsigned long *trace;
static __thread int trace_fd = -1;
/* the program of this thread that reached a point last: each counts once */
static __thread uint32_t *last;
static __thread uint32_t turn;
/* of this program by now, and how many programs reached its rarest point */
static __thread struct found found = { .rarest = POINTS };
static __thread uint32_t fewest, steps;

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
		last = calloc(POINTS, sizeof(*last));
		trace = mmap(NULL, WORDS * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED,
			     trace_fd, 0);
		if (!last || trace == MAP_FAILED || ioctl(trace_fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
			trace = NULL;
			return;
		}
	}
	turn++;
	found = (struct found){ .rarest = POINTS };
	fewest = UINT32_MAX;
	steps = 0;
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

/* Returns the index of @pc, which becomes known @since then if it was not; POINTS: no place is left. */
static uint32_t point_of(uint64_t pc, uint64_t since, bool *new)
{
	uint64_t at = pc * 0x9e3779b97f4a7c15ULL >> 49;

	for (unsigned int i = 0; i < POINTS; i++) {
		struct point *p = &cover->points[(at + i) % POINTS];
		uint64_t have = __atomic_load_n(&p->pc, __ATOMIC_RELAXED);

		if (!have && __atomic_compare_exchange_n(&p->pc, &have, pc, false, __ATOMIC_RELAXED,
							 __ATOMIC_RELAXED)) {
			p->since = since;
			if (since > cover->newest)
				cover->newest = since;
			__atomic_fetch_add(&cover->nr_points, 1, __ATOMIC_RELAXED);
			*new = true;
			have = pc;
		}
		if (have == pc)
			return p - cover->points;
	}
	return POINTS;
}

static bool is_new_pair(uint64_t before, uint64_t pc)
{
	uint8_t *pair = &cover->pairs[(pc ^ before * 0x9e3779b97f4a7c15ULL >> 20) % PAIRS];

	if (*pair)
		return false;
	*pair = 1;
	__atomic_fetch_add(&cover->nr_pairs, 1, __ATOMIC_RELAXED);
	return true;
}

uint64_t cover_operations(void)
{
	return cover->before + __atomic_load_n(&all->ops, __ATOMIC_RELAXED);
}

/* What was traced since the last step becomes known, and there is room for more. */
void cover_step(void)
{
	uint64_t before = 0, since = cover_operations();
	unsigned long n;

	if (!trace)
		return;
	steps++;
	n = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	if (n > WORDS - 1)
		n = WORDS - 1;
	for (unsigned long i = 1; i <= n; i++) {
		uint64_t pc = trace[i];
		bool point = false, way = is_new_pair(before, pc);
		uint32_t at = point_of(pc, since, &point), *programs;

		found.point |= point;
		found.way |= way;
		if (point || way)
			found.ops = steps;
		before = pc;
		if (at == POINTS || last[at] == turn)
			continue;
		last[at] = turn;
		programs = &cover->points[at].programs;
		__atomic_store_n(programs, __atomic_load_n(programs, __ATOMIC_RELAXED) + 1,
				 __ATOMIC_RELAXED);
		if (*programs < fewest) {
			fewest = *programs;
			found.rarest = at;
		}
	}
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

struct found cover_end(void)
{
	cover_step();
	return found;
}

void cover_join(const struct found *other)
{
	uint32_t programs = cover_programs(other->rarest);

	found.point |= other->point;
	found.way |= other->way;
	if (other->point || other->way)
		found.ops = steps + 1;
	if (programs < fewest) {
		fewest = programs;
		found.rarest = other->rarest;
	}
}

uint32_t cover_programs(uint32_t point)
{
	return point < POINTS ? __atomic_load_n(&cover->points[point].programs, __ATOMIC_RELAXED) :
				UINT32_MAX;
}

unsigned int cover_points(void)
{
	return cover->nr_points;
}

unsigned int cover_pairs(void)
{
	return cover->nr_pairs;
}

uint64_t cover_newest(void)
{
	return cover->newest;
}

void cover_load(const char *dir)
{
	char path[4096], line[128];
	llu pc, since, programs;
	bool new;
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/points", dir);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		uint32_t at = POINTS;

		if (sscanf(line, "# %llu operations", &since) == 1)
			cover->before = since;
		else if (sscanf(line, "%llx %llu %llu", &pc, &programs, &since) == 3)
			at = point_of(pc, since, &new);
		if (at < POINTS)
			cover->points[at].programs = programs;
	}
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
	fprintf(f, "# %llu operations\n", (llu)cover_operations());
	for (const struct point *p = cover->points; p < cover->points + POINTS; p++)
		if (p->pc)
			fprintf(f, "%llx %u %llu\n", (llu)p->pc, p->programs, (llu)p->since);
	fclose(f);
}
