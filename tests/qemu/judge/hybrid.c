// SPDX-License-Identifier: GPL-2.0
/*
 * Judges the emulated machine with two kinds of cores by Linux's own perf: it must find both, give
 * each CPU to the right one, and count what is known of the code that runs there. Nothing of pev is
 * used here.
 *
 * usage: hybrid MODEL     prints TAP
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "counter.h"
#include "judge.h"
#include "result.h"

#define DEVICES		"/sys/bus/event_source/devices/"
#define MOST_GROUP	12
/* Alder Lake's branches retired, which no fixed counter counts */
#define BRANCHES	0xc4
#define ROUNDS		10
#define TURNS		100000
/* so far apart that perf throttles none */
#define PERIOD		999983

/**
 * struct kind - a kind of core, as sysfs and the emulator have it
 * @name:     of its PMU
 * @cpi:      cycles that an instruction takes
 * @counters: that count any event
 * @type:     number of the PMU
 * @cpu:      the first CPU of this kind
 */
static struct kind {
	const char *name;
	unsigned int cpi;
	int counters;
	uint32_t type;
	int cpu;
} kinds[] = {
	{ .name = "cpu_core", .cpi = 2, .counters = 8 },
	{ .name = "cpu_atom", .cpi = 4, .counters = 6 },
};

static int number(const char *pmu, const char *file)
{
	char path[100], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		strcpy(text, "-1");
	close(fd);
	return atoi(text);
}

static int go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static struct perf_event_attr attr_of(const struct kind *k, uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config | (uint64_t)k->type << 32,
		.disabled = 1,
		.exclude_kernel = 1,
	};
}

static void judge_names(void)
{
	int two = 1;

	for (int i = 0; i < 2; i++) {
		kinds[i].type = number(kinds[i].name, "type");
		kinds[i].cpu = number(kinds[i].name, "cpus");
		two &= (int)kinds[i].type >= 0 && kinds[i].cpu >= 0;
	}
	result(two && kinds[0].cpu != kinds[1].cpu, "Linux finds two kinds of cores",
	       "%s is PMU %d of CPU %d, %s PMU %d of CPU %d", kinds[0].name,
	       (int)kinds[0].type, kinds[0].cpu, kinds[1].name, (int)kinds[1].type, kinds[1].cpu);
}

/* On CPUs of kind @on: what the event of @k counts in a million turns */
static void judge_counts(const struct kind *k, const struct kind *on)
{
	struct perf_event_attr attr = attr_of(k, PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t want = k == on ? 1000000 * LOOP_INSNS : 0, insns, cycles;
	char name[80];
	int fd, cfd;

	go_to(on->cpu);
	fd = event_open(&attr, -1);
	attr = attr_of(k, PERF_COUNT_HW_CPU_CYCLES);
	attr.disabled = 0;
	cfd = event_open(&attr, fd);
	count(fd, loop, 1);
	insns = count(fd, loop, 1000001);
	cycles = value(cfd);
	insns -= count(fd, loop, 1);
	cycles -= value(cfd);
	snprintf(name, sizeof(name), "%s's events on %s", k->name, on->name);
	result(fd >= 0 && cfd >= 0 && insns == want && cycles == want * k->cpi, name,
	       "%llu instructions, %llu cycles, want %llu and %llu",
	       (unsigned long long)insns, (unsigned long long)cycles, (unsigned long long)want,
	       (unsigned long long)want * k->cpi);
	close(cfd);
	close(fd);
}

/* How many events of which one needs a counter of any go into a group? */
static void judge_counters(const struct kind *k)
{
	struct perf_event_attr attr = attr_of(k, 0);
	int fds[MOST_GROUP], n = 0, right = 0;
	char name[80];

	go_to(k->cpu);
	attr.type = k->type;
	attr.config = BRANCHES;
	for (; n < MOST_GROUP; n++) {
		attr.disabled = !n;
		fds[n] = event_open(&attr, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	if (n)
		count(fds[0], loop, 1001);
	for (int i = 0; i < n; i++)
		right += value(fds[i]) >= 1001;
	snprintf(name, sizeof(name), "counters of %s", k->name);
	result(n == k->counters && right == n, name, "%d, of which %d counted; want %d", n, right,
	       k->counters);
	while (n--)
		close(fds[n]);
}

static uint64_t samples_in(const struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + page->data_offset;
	uint64_t n = 0;

	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *h = (const void *)(data + at);

		n += h->type == PERF_RECORD_SAMPLE;
		at += h->size;
	}
	return n;
}

static void judge_overflows(const struct kind *k)
{
	struct perf_event_attr attr = attr_of(k, PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	uint64_t insns, samples;
	char name[80];
	int fd;

	go_to(k->cpu);
	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = event_open(&attr, -1);
	page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	snprintf(name, sizeof(name), "samples of %s", k->name);
	if (page == MAP_FAILED) {
		result(0, name, "%s", strerror(errno));
		return;
	}
	insns = count(fd, loop, 40 * TURNS);
	samples = samples_in(page);
	result(insns >= 40ULL * TURNS * LOOP_INSNS && samples == insns / PERIOD, name,
	       "%llu in %llu instructions, one for %d", (unsigned long long)samples,
	       (unsigned long long)insns, PERIOD);
	munmap(page, 3 * PAGE);
	close(fd);
}

static uint64_t wander(const int *fds, uint64_t turns)
{
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++)
		start(fds[i]);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		go_to(kinds[i & 1].cpu);
		loop(turns);
	}
	for (int i = 0; i < 2; i++)
		stop(fds[i]);
	for (int i = 0; i < 2; i++) {
		printf("# %s: %llu\n", kinds[i].name, (unsigned long long)value(fds[i]));
		sum += value(fds[i]);
	}
	return sum;
}

static void judge_migration(void)
{
	uint64_t few, many, want = 2ULL * ROUNDS * TURNS * LOOP_INSNS;
	int fds[2];

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = attr_of(&kinds[i], PERF_COUNT_HW_INSTRUCTIONS);

		fds[i] = event_open(&attr, -1);
	}
	wander(fds, 1);
	few = wander(fds, 1);
	many = wander(fds, TURNS + 1);
	result(many - few == want, "a task that migrates", "%llu on both, want %llu",
	       (unsigned long long)(many - few), (unsigned long long)want);
	close(fds[1]);
	close(fds[0]);
}

int main(int argc, char **argv)
{
	printf("TAP version 13\n# %s\n", argc > 1 ? argv[1] : "machine");
	judge_names();
	for (int i = 0; i < 2; i++) {
		judge_counts(&kinds[i], &kinds[i]);
		judge_counts(&kinds[i], &kinds[!i]);
		judge_counters(&kinds[i]);
		judge_overflows(&kinds[i]);
	}
	judge_migration();
	printf("1..%d\n", tests);
	return 0;
}
