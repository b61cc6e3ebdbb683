// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters: samples by overflow, task switches, reading one's own. pev
 * and perf have the PMU in turn; samples also by pev with perf's driver. See bench.h.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <pev/pev.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define TRIES		4
#define PERIOD		10000
#define READS		100000
#define CALLS_READ	20000
#define COUNTERS	4

/* ---- samples ------------------------------------------------------------- */

static double idle_spin(void)
{
	double ns = load_spin();

	for (int i = 1; i < TRIES; i++)
		ns = fmin(ns, load_spin());
	return ns;
}

static double pev_samples(double idle, uint64_t sample)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_HARDWARE,
			.config = PEV_HW_INSTRUCTIONS, .period = PERIOD, .sample = sample,
			.flags = PEV_F_EXCLUDE_KERNEL }, channel);
	double ns = load_spin();
	struct pev_value value;

	if (read(fd, &value, sizeof(value)) != sizeof(value) || !value.samples || value.lost)
		die("the counter of pev made no samples, or lost some");
	if (value.time_running != value.time_enabled)
		die("the counter of pev was throttled");
	close(fd);
	close(channel);
	return (ns - idle) / value.samples;
}

static double perf_samples(double idle, bool callchain)
{
	int fd = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1, .period = PERIOD,
			.callchain = callchain, .user = true });
	void *ring = listen_perf_ring(fd);
	double ns = load_spin();
	uint64_t samples = listen_perf_records(ring);

	if (!samples)
		die("the counter of perf made no samples");
	listen_perf_unmap(ring);
	close(fd);
	return (ns - idle) / samples;
}

/* "auto", "own" or "perf": whose driver pev's events count by */
static void choose(const char *driver)
{
	FILE *choice = fopen("/proc/sys/kernel/pev_pmu", "w");

	if (!choice || fputs(driver, choice) < 0 || fclose(choice))
		die("kernel.pev_pmu can't be set");
}

static void measure_samples(void)
{
	uint64_t sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_PERIOD;
	uint64_t stacks = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK;
	double idle = idle_spin();
	struct figure *f;

	f = figure("pmu_sample", 0, "a sample by overflow, interrupt included");
	figure("pmu_sample_callchain", 0, "the same with call chains");
	figure("pmu_sample_lent", 0, "a sample by overflow, by perf's driver");
	choose("own");
	for (int i = 0; i < TRIES; i++) {
		f[0].at[PEV] = fmin(f[0].at[PEV], pev_samples(idle, sample));
		f[1].at[PEV] = fmin(f[1].at[PEV], pev_samples(idle, sample | stacks));
	}
	choose("perf");
	for (int i = 0; i < TRIES; i++)
		f[2].at[PEV] = fmin(f[2].at[PEV], pev_samples(idle, sample));
	choose("own");
	for (int i = 0; i < TRIES; i++) {
		f[0].at[PERF] = fmin(f[0].at[PERF], perf_samples(idle, false));
		f[1].at[PERF] = fmin(f[1].at[PERF], perf_samples(idle, true));
	}
	f[0].goal = 0.5 * f[0].at[PERF];
	f[2].at[PERF] = f[0].at[PERF];
	f[2].goal = f[0].at[PERF];
}

/* ---- task switches ------------------------------------------------------- */

static const struct {
	uint64_t pev, perf;
} counters[COUNTERS] = {
	{ PEV_HW_CYCLES, PERF_COUNT_HW_CPU_CYCLES },
	{ PEV_HW_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS },
	{ PEV_HW_BRANCHES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ PEV_HW_CACHE_REFS, PERF_COUNT_HW_CACHE_REFERENCES },
};

static void pev_open_all(int *fds, uint32_t target)
{
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_HARDWARE,
				.target = target, .config = counters[i].pev }, -1);
}

static void perf_open_all(int *fds, bool inherit)
{
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_HARDWARE,
				.config = counters[i].perf, .cpu = -1, .inherit = inherit });
}

static void pev_other_end(void)
{
	int fds[COUNTERS];

	pev_open_all(fds, PEV_TARGET_TASK);
}

static void perf_other_end(void)
{
	int fds[COUNTERS];

	perf_open_all(fds, false);
}

static double switches(enum peer peer, bool own, bool inherit, void (*other_end)(void))
{
	int fds[COUNTERS];
	double ns;

	if (own && peer == PEV)
		pev_open_all(fds, inherit ? PEV_TARGET_SUBTREE : PEV_TARGET_TASK);
	else if (own)
		perf_open_all(fds, inherit);
	ns = load_pipe_with(other_end);
	for (int i = 0; own && i < COUNTERS; i++)
		close(fds[i]);
	return ns;
}

static void measure_switches(void)
{
	double idle;
	struct figure *f;

	load_pipe();
	idle = fmin(load_pipe(), load_pipe());
	f = figure("pmu_switch_subtree", 0, "switch: 4 counters on both ends as one, more");
	f[0].at[PEV] = switches(PEV, true, true, NULL) - idle;
	figure("pmu_switch_both", 0, "switch: 4 counters on each end, its own, more");
	f[1].at[PEV] = switches(PEV, true, false, pev_other_end) - idle;
	figure("pmu_switch_one_end", 0, "switch: 4 counters on one end, more");
	f[2].at[PEV] = switches(PEV, true, false, NULL) - idle;
	load_settle();
	f[0].at[PERF] = switches(PERF, true, true, NULL) - idle;
	f[1].at[PERF] = switches(PERF, true, false, perf_other_end) - idle;
	f[2].at[PERF] = switches(PERF, true, false, NULL) - idle;
	f[0].goal = 0.6 * f[0].at[PERF];
	f[1].goal = 0.6 * f[1].at[PERF];
}

/* ---- reading one's own counter ------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The loop around them costs both the same. */
static double pev_reads(void)
{
	struct pev_attr attr;
	struct pev_self self;
	uint64_t value = 0;
	double begin;

	pev_attr_event(&attr, PEV_TYPE_HARDWARE, PEV_HW_INSTRUCTIONS, NULL);
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	if (pev_self_open(&attr, &self, NULL) != 1)
		die("pev can't read its own counter here");
	pev_self_read(&self, &value);
	begin = now();
	for (int i = 0; i < READS; i++)
		pev_self_read(&self, &value);
	begin = (now() - begin) / READS;
	pev_self_unmap(&self);
	close(self.fd);
	return begin;
}

static double pev_calls(void)
{
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_HARDWARE,
			.config = PEV_HW_INSTRUCTIONS, .flags = PEV_F_EXCLUDE_KERNEL }, -1);
	struct pev_value value;
	double begin = now();

	for (int i = 0; i < CALLS_READ; i++)
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			die("read: %m");
	begin = (now() - begin) / CALLS_READ;
	close(fd);
	return begin;
}

#ifdef __x86_64__
static inline uint64_t perf_rdpmc(uint32_t nr)
{
	uint64_t low, high;

	__asm__ volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (nr));
	return high << 32 | low;
}

/* What linux/perf_event.h says, for the value alone. */
static inline uint64_t perf_self(const volatile struct perf_event_mmap_page *page)
{
	uint32_t seq, index;
	int64_t count, pmc;

	do {
		seq = page->lock;
		__asm__ volatile("" ::: "memory");
		index = page->index;
		count = page->offset;
		if (!page->cap_user_rdpmc || !index)
			return 0;
		pmc = perf_rdpmc(index - 1);
		pmc <<= 64 - page->pmc_width;
		pmc >>= 64 - page->pmc_width;
		count += pmc;
		__asm__ volatile("" ::: "memory");
	} while (page->lock != seq);
	return count;
}

static double perf_reads(void)
{
	int fd = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1, .user = true });
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	volatile uint64_t value;
	double begin;

	if (page == MAP_FAILED || !perf_self(page))
		die("perf can't read its own counter here");
	begin = now();
	for (int i = 0; i < READS; i++)
		value = perf_self(page);
	(void)value;
	begin = (now() - begin) / READS;
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
	return begin;
}
#endif

static double perf_calls(void)
{
	int fd = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1, .user = true });
	double begin = now();
	uint64_t value;

	for (int i = 0; i < CALLS_READ; i++)
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			die("read: %m");
	begin = (now() - begin) / CALLS_READ;
	close(fd);
	return begin;
}

static void measure_reads(void)
{
	struct figure *f = figure("pmu_self_read", 0, "reading one's own counter, by its page");

	figure("pmu_read", 0, "the same by read()");
	f[0].at[PEV] = pev_reads();
	f[1].at[PEV] = pev_calls();
#ifdef __x86_64__
	f[0].at[PERF] = perf_reads();
#endif
	f[1].at[PERF] = perf_calls();
	f[0].goal = fmin(isnan(f[0].at[PERF]) ? INFINITY : f[0].at[PERF], 0.1 * f[1].at[PEV]);
}

/* ---- marked counting ----------------------------------------------------- */

/* A switch to and from a task that is counted with COUNTERS counters. */
static double counted_switch(uint64_t flags)
{
	int fds[COUNTERS];
	double ns;

	for (int i = 0; i < COUNTERS; i++)
		fds[i] = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_HARDWARE,
				.config = PEV_HW_INSTRUCTIONS,
				.flags = PEV_F_EXCLUDE_KERNEL | flags }, -1);
	ns = load_pipe();
	for (int i = 0; i < COUNTERS; i++)
		close(fds[i]);
	return ns;
}

void measure_marks(void)
{
	struct figure *f;
	double idle;

	load_pipe();
	idle = fmin(load_pipe(), load_pipe());
	f = figure("mark_switch_saving", 0, "switch: 4 counters on one end, saved, more");
	f->at[PEV] = counted_switch(0) - idle;
	f = figure("mark_switch", 0, "switch: the same by mark, more");
	f->at[PEV] = counted_switch(PEV_F_MARKED) - idle;
}

void measure_hardware(void)
{
	measure_samples();
	measure_switches();
	measure_reads();
}
