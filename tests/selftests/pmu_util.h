/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of hardware counters share: work of a known number of
 * instructions, opening counters, and what kind of machine this is. On a
 * machine without a PMU the tests skip.
 */
#ifndef PMU_UTIL_H
#define PMU_UTIL_H

#include <sched.h>
#include "pev_child.h"
#include "pev_util.h"

#define USER_ONLY	PEV_F_EXCLUDE_KERNEL

/* One round of pmu_loop() in instructions, one branch among them. */
#if defined(__x86_64__)
#define PMU_ROUND	10

static UNUSED __attribute__((noinline)) void pmu_loop(unsigned long rounds)
{
	asm volatile(".balign 64\n"
		     "1:	add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax\n"
		     "	add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax\n"
		     "	dec %0; jnz 1b\n" : "+r" (rounds) : : "rax", "cc");
}
#elif defined(__powerpc64__)
#define PMU_ROUND	4

static UNUSED __attribute__((noinline)) void pmu_loop(unsigned long rounds)
{
	asm volatile("	mtctr %0\n"
		     "	.balign 64\n"
		     "1:	addi 9, 9, 1; addi 9, 9, 1; addi 9, 9, 1\n"
		     "	bdnz 1b\n" : : "r" (rounds) : "r9", "ctr");
}
#elif defined(__aarch64__)
#define PMU_ROUND	4

static UNUSED __attribute__((noinline)) void pmu_loop(unsigned long rounds)
{
	asm volatile("	.balign 64\n"
		     "1:	add x9, x9, #1; add x9, x9, #1\n"
		     "	subs %0, %0, #1; b.ne 1b\n" : "+r" (rounds) : : "x9", "cc");
}
#endif

static UNUSED struct pev_info pmu_info(void)
{
	struct pev_info info = { };
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .channel_fd = -1, .group_fd = -1,
		.info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	pev_open(&attr);
	return info;
}

/* The machines of tests/qemu count exactly; PEV_PMU names the one in use. */
static UNUSED bool pmu_is_exact(void)
{
	return getenv("PEV_PMU");
}

/* A kernel that looks at its own accesses takes many times the instructions. */
static UNUSED bool pmu_kernel_is_instrumented(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	bool found = false;
	char line[512];

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " kasan_report\n");
	if (symbols)
		fclose(symbols);
	return found;
}

static UNUSED struct pev_attr pmu_attr(uint64_t config, uint64_t flags, int channel,
				       uint64_t period)
{
	return (struct pev_attr) {
		.type = PEV_TYPE_HARDWARE, .target = PEV_TARGET_TASK, .config = config,
		.flags = PEV_F_DISABLED | flags, .channel_fd = channel, .group_fd = -1,
		.period = period, .sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};
}

/* A counter of the caller's thread, off. */
static UNUSED int pmu_open(uint64_t config, uint64_t flags)
{
	struct pev_attr attr = pmu_attr(config, flags, -1, 0);

	return pev_open(&attr);
}

/* What an event counts in @rounds rounds and in switching it on and off. */
static UNUSED uint64_t pmu_count(int fd, unsigned long rounds)
{
	ioctl(fd, PEV_IOC_RESET, 0);
	pev_on(fd);
	pmu_loop(rounds);
	pev_off(fd);
	return pev_read(fd).value;
}

static UNUSED struct pev_multiplexed pmu_multiplexed(int fd)
{
	struct pev_multiplexed m = { .size = sizeof(m) };

	if (ioctl(fd, PEV_IOC_READ_MULTIPLEXED, &m))
		memset(&m, 0xff, sizeof(m));
	return m;
}

#if defined(__x86_64__)
static UNUSED uint64_t pmu_read_counter(uint32_t counter)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return (uint64_t)high << 32 | low;
}
#elif defined(__powerpc64__)
static UNUSED uint64_t pmu_read_counter(uint32_t spr)
{
	uint64_t value = 0;

	switch (spr) {
	case 771: asm volatile("mfspr %0, 771" : "=r" (value)); break;
	case 772: asm volatile("mfspr %0, 772" : "=r" (value)); break;
	case 773: asm volatile("mfspr %0, 773" : "=r" (value)); break;
	case 774: asm volatile("mfspr %0, 774" : "=r" (value)); break;
	case 775: asm volatile("mfspr %0, 775" : "=r" (value)); break;
	case 776: asm volatile("mfspr %0, 776" : "=r" (value)); break;
	}
	return value;
}
#else
/* perf's driver has the counters there, and shows users none. */
static UNUSED uint64_t pmu_read_counter(uint32_t counter)
{
	return 0;
}
#endif

#define PMU_CHOICE "/proc/sys/kernel/pev_pmu"

/* Which driver events count by that are opened from now on: "auto", "own", "perf". */
static UNUSED int pmu_choose(const char *by)
{
	return pev_put_text(PMU_CHOICE, by);
}

/* Would one that is opened now count by perf's driver? */
static UNUSED bool pmu_by_perf(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU };
	int fd = pev_open(&attr);
	char *text = fd < 0 ? NULL : pev_read_text(fd);
	bool yes = text && strstr(text, "\ndriver perf\n");

	free(text);
	close(fd);
	return yes;
}

/* What the leader of a group of hardware events needs here. */
static UNUSED uint64_t pmu_leads(void)
{
	return pmu_by_perf() ? PEV_F_PINNED : 0;
}

#define PMU_NOTHING	(~0ULL)

/* What an event has counted, by its page, or PMU_NOTHING: then read() has to be asked. */
static UNUSED uint64_t pmu_self_read(const volatile struct pev_user_page *page)
{
	uint32_t seq, counter;
	uint64_t value;

	do {
		seq = page->seq;
		asm volatile("" : : : "memory");
		/* once: it may be another at any moment, and then there is none to ask */
		counter = page->counter;
		if (!counter || page->cpu != (uint32_t)sched_getcpu())
			return PMU_NOTHING;
		value = pmu_read_counter(counter - 1) - page->start;
		value = page->base + (value << page->shift >> page->shift);
		asm volatile("" : : : "memory");
	} while (page->seq != seq || seq & 1);
	return value;
}

#define PMU_SKIP_WITHOUT(harness_skip) do {				\
	if (!pmu_info().pmu_counters)					\
		harness_skip(return, "this machine has no PMU");	\
} while (0)

#endif
