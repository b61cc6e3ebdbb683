// SPDX-License-Identifier: GPL-2.0
/*
 * Judges an emulated PMU by its registers, which Linux's perf leaves alone
 * while it has no event: what freezes when, and what stays in the registers.
 * x86_64 has them in /dev/cpu/0/msr, ppc64le in sysfs. Run it last: perf has
 * lost its interrupt after that.
 *
 * usage: raw MODEL     prints TAP
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "judge.h"
#include "result.h"

static void die(const char *what)
{
	printf("not ok %d - %s: %s\n", ++tests, what, strerror(errno));
	exit(1);
}

#ifdef __x86_64__

static int msr_fd;

struct regs {
	uint32_t select0, select1, counter0, counter1;
	uint32_t control, status, clear;
	uint64_t reserved;
};

static const struct regs intel = { 0x186, 0x187, 0xc1, 0xc2, 0x38f, 0x38e, 0x390, 1ULL << 50 };
static const struct regs amd = { 0xc0010200, 0xc0010202, 0xc0010201, 0xc0010203,
				 0xc0000301, 0xc0000300, 0xc0000302, 1ULL << 50 };

#define DEBUGCTL	0x1d9
#define FREEZE		(1ULL << 12)
#define FROZEN		(1ULL << 59)
#define INSTRUCTIONS	0x4300c0ULL	/* user and kernel, enabled */
#define INTERRUPT	(1ULL << 20)

static uint64_t get(uint32_t msr)
{
	uint64_t v;

	if (pread(msr_fd, &v, sizeof(v), msr) != sizeof(v))
		die("read an MSR");
	return v;
}

static int try_set(uint32_t msr, uint64_t v)
{
	return pwrite(msr_fd, &v, sizeof(v), msr) == sizeof(v);
}

static void set(uint32_t msr, uint64_t v)
{
	if (!try_set(msr, v))
		die("write an MSR");
}

/*
 * Both counters count the same; the first overflows after the period. Frozen
 * at that instruction, the first is 0 and the second the period.
 */
static void overflow(const struct regs *r, uint64_t period, uint64_t debugctl)
{
	set(r->control, 0);
	set(r->clear, get(r->status));
	set(r->select0, INSTRUCTIONS | INTERRUPT);
	set(r->select1, INSTRUCTIONS);
	/* 32 bits are enough: they are sign-extended; AMD's have 48. */
	set(r->counter0, -period & (r == &amd ? (1ULL << 48) - 1 : 0xffffffffULL));
	set(r->counter1, 0);
	set(DEBUGCTL, debugctl);
	set(r->control, 3);
	loop(100000);
}

static void judge_freeze(const struct regs *r, int by_status)
{
	uint64_t c0, c1, status, control;

	overflow(r, 5000, FREEZE);
	status = get(r->status);
	control = get(r->control);
	c0 = get(r->counter0);
	c1 = get(r->counter1);
	result(c0 == 0 && c1 == 5000, "frozen at the overflow",
	       "%llu past it, %llu of a period of 5000",
	       (unsigned long long)c0, (unsigned long long)c1);
	result(by_status ? status == (1 | FROZEN) && control == 3 :
			   status == 1 && control == 0,
	       "how it is frozen", "status %#llx, control %#llx",
	       (unsigned long long)status, (unsigned long long)control);
	set(r->clear, status);
	result(get(r->status) == 0, "status cleared", "%#llx",
	       (unsigned long long)get(r->status));
}

static void judge_no_freeze(const struct regs *r)
{
	uint64_t c0, c1, status;

	overflow(r, 5000, 0);
	set(r->control, 0);
	status = get(r->status);
	c0 = get(r->counter0);
	c1 = get(r->counter1);
	result(c1 > 100000 && c0 == c1 - 5000 && status == 1, "not frozen",
	       "%llu and %llu, status %#llx", (unsigned long long)c0,
	       (unsigned long long)c1, (unsigned long long)status);
	set(r->clear, status);
}

static void judge_raw(const char *model)
{
	const struct regs *r = strstr(model, "amd") ? &amd : &intel;

	msr_fd = open("/dev/cpu/0/msr", O_RDWR);
	if (msr_fd < 0)
		die("open /dev/cpu/0/msr");
	if (!strcmp(model, "intel-v1") || !strcmp(model, "amd")) {
		printf("1..0 # SKIP this model has no global registers\n");
		exit(0);
	}
	judge_no_freeze(r);
	judge_freeze(r, strcmp(model, "intel-v2"));
	result(!try_set(r->control, r->reserved), "reserved bit refused",
	       "control %#llx", (unsigned long long)get(r->control));
	result(!try_set(r->status, 1), "status is read-only", "%#llx",
	       (unsigned long long)get(r->status));
	set(r->select0, 0);
	set(r->select1, 0);
	set(DEBUGCTL, 0);
}

#else

#define FC	0x80000000ULL
#define FCS	0x40000000ULL
#define FCP	0x20000000ULL
#define FCM1	0x10000000ULL
#define FCM0	0x08000000ULL
#define FCECE	0x02000000ULL
#define PMC1CE	0x8000ULL
#define PMCJCE	0x4000ULL
#define FC14	0x20ULL
#define FC56	0x10ULL

#define INSTRUCTIONS	0x02020202ULL	/* MMCR1: on each of PMC1-4 */

static uint64_t spr(const char *name, const uint64_t *set)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/%s", name);
	fd = open(path, set ? O_WRONLY : O_RDONLY);
	if (fd < 0)
		die(path);
	if (set)
		snprintf(text, sizeof(text), "%llx", (unsigned long long)*set);
	if (set ? write(fd, text, strlen(text)) < 0 : read(fd, text, sizeof(text) - 1) < 0)
		die(path);
	close(fd);
	return strtoull(text, NULL, 16);
}

static uint64_t get(const char *name)
{
	return spr(name, NULL);
}

static void set(const char *name, uint64_t v)
{
	spr(name, &v);
}

/* What PMC1 and PMC5 count of n turns, while MMCR0 has these bits. */
static void run(uint64_t mmcr0, uint64_t n, uint64_t *pmc1, uint64_t *pmc5)
{
	set("mmcr0", FC);
	set("mmcr1", INSTRUCTIONS);
	set("pmc1", 0);
	set("pmc5", 0);
	set("mmcr0", mmcr0);
	loop(n);
	set("mmcr0", FC);
	*pmc1 = get("pmc1");
	*pmc5 = get("pmc5");
}

enum { NONE, USER, KERNEL, ALL };

static int fits(int what, uint64_t got)
{
	const uint64_t user = 1000000 * LOOP_INSNS;

	switch (what) {
	case NONE:
		return got == 0;
	case USER:	/* and some before and after the loop */
		return got > user && got < user + 5000;
	case KERNEL:
		return got > 100 && got < user / 10;
	default:
		return got > user + 5000;
	}
}

static void judge_bits(const char *name, uint64_t mmcr0, int pmc1, int pmc5)
{
	uint64_t got1, got5;

	run(mmcr0, 1000000, &got1, &got5);
	result(fits(pmc1, got1) && fits(pmc5, got5), name, "PMC1 %llu, PMC5 %llu",
	       (unsigned long long)got1, (unsigned long long)got5);
}

static void judge_exact(void)
{
	uint64_t few, many, unused;

	run(FCS, 1, &unused, &few);
	run(FCS, 1, &unused, &few);
	run(FCS, 100001, &unused, &many);
	result(many - few == 100000 * LOOP_INSNS, "FCS: exact", "%llu, want %d",
	       (unsigned long long)(many - few), 100000 * LOOP_INSNS);
}

static void judge_overflow(void)
{
	const uint64_t start = 0x80000000ULL - 50000;
	uint64_t mmcr0, pmc5;

	set("mmcr0", FC);
	set("mmcr1", 0);
	set("pmc1", 0);
	set("pmc5", start);
	set("mmcr0", FCS | FCECE | PMC1CE | PMCJCE);
	loop(100000);
	mmcr0 = get("mmcr0");
	pmc5 = get("pmc5");
	result(pmc5 >= 0x80000000ULL && pmc5 < 0x80000000ULL + LOOP_INSNS,
	       "FCECE: frozen at the overflow", "PMC5 %#llx", (unsigned long long)pmc5);
	result((mmcr0 & (FC | FCECE)) == (FC | FCECE), "FC set, FCECE kept",
	       "MMCR0 %#llx", (unsigned long long)mmcr0);
	set("mmcr0", FC);
}

/*
 * MMCR2 freezes, too, and is not in sysfs. perf leaves in it what its last event
 * on this CPU needed: let that be one that counts at each level.
 */
static void thaw_mmcr2(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, 0, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	close(fd);
}

static void judge_raw(const char *model)
{
	(void)model;
	thaw_mmcr2();
	judge_bits("nothing frozen", 0, ALL, ALL);
	judge_bits("FC", FC, NONE, NONE);
	judge_bits("FCS", FCS, USER, USER);
	judge_bits("FCP", FCP, KERNEL, KERNEL);
	judge_bits("FCS and FCP", FCS | FCP, NONE, NONE);
	judge_bits("FCM0, PMM is 0", FCM0, NONE, NONE);
	judge_bits("FCM1, PMM is 0", FCM1, ALL, ALL);
	judge_bits("FC1-4", FC14, NONE, ALL);
	judge_bits("FC5-6", FC56, ALL, NONE);
	judge_exact();
	judge_overflow();
}

#endif

/* These counters know no task: let no other one run between two reads. */
static void have_first_cpu(void)
{
	struct sched_param last = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		die("stay on the first CPU");
	if (sched_setscheduler(0, SCHED_FIFO, &last))
		die("go before other tasks");
}

int main(int argc, char **argv)
{
	have_first_cpu();
	printf("TAP version 13\n");
	judge_raw(argc > 1 ? argv[1] : "");
	printf("1..%d\n", tests);
	return 0;
}
