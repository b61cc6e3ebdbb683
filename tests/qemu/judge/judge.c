// SPDX-License-Identifier: GPL-2.0
/*
 * Judges an emulated machine by Linux's own perf: what its PMU counts, and
 * where it interrupts, must be what is known of the code that runs. Nothing of
 * pev is used here; pev is compared with perf elsewhere.
 *
 * usage: judge MODEL     prints TAP
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "counter.h"
#include "judge.h"
#include "result.h"
#include "throttle.h"

static const char *model;
static void skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tests, name, why);
}

enum { U = 1, K = 2, H = 4 };	/* levels that count */

static struct perf_event_attr attr_of(uint64_t config, int levels)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
		.exclude_user = !(levels & U),
		.exclude_kernel = !(levels & K),
		.exclude_hv = !(levels & H),
	};
}

/* work(n) less work(1): what n - 1 turns of its loop cost, and only them. */
static void judge_count(const char *name, uint64_t config, work_fn *work,
			uint64_t n, uint64_t want)
{
	struct perf_event_attr attr = attr_of(config, U);
	int fd = event_open(&attr, -1);
	uint64_t got;

	if (fd < 0) {
		skip(name, "no such event here");
		return;
	}
	count(fd, work, 1);	/* its pages are there from now on */
	got = count(fd, work, n) - count(fd, work, 1);
	result(got == want, name, "%llu, want %llu", (unsigned long long)got,
	       (unsigned long long)want);
	close(fd);
}

/* A fraction of an event: known up to one. */
static void judge_fraction(const char *name, uint64_t config, uint64_t events,
			   uint64_t part)
{
	struct perf_event_attr attr = attr_of(config, U);
	int fd = event_open(&attr, -1);
	int64_t got, want = events / part;

	if (fd < 0) {
		skip(name, "no such event here");
		return;
	}
	got = count(fd, loop, 1000001) - count(fd, loop, 1);
	result(got >= want - 1 && got <= want + 1, name, "%lld, want %lld",
	       (long long)got, (long long)want);
	close(fd);
}

static void system_calls(uint64_t n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void judge_levels(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U | K | H);
	uint64_t all, user, kernel;
	int fd, ufd, kfd, slack;

	/* Without a global switch counters start one after the other. */
	slack = !strcmp(model, "intel-v1") || !strcmp(model, "amd") ? 200 : 0;

	fd = event_open(&attr, -1);
	attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U);
	attr.disabled = 0;
	ufd = event_open(&attr, fd);
	attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, K | H);
	attr.disabled = 0;
	kfd = event_open(&attr, fd);
	if (fd < 0 || ufd < 0 || kfd < 0) {
		result(0, "user and kernel add up", "%s", strerror(errno));
		return;
	}
	start(fd);
	system_calls(2000);
	loop(100000);
	stop(fd);
	all = value(fd);
	user = value(ufd);
	kernel = value(kfd);
	result(llabs((int64_t)(all - user - kernel)) <= slack &&
	       user > 100000 * LOOP_INSNS && kernel > 100000,
	       "user and kernel add up", "%llu + %llu = %llu, within %d",
	       (unsigned long long)user, (unsigned long long)kernel,
	       (unsigned long long)all, slack);
	close(kfd);
	close(ufd);
	close(fd);
}

/* A guest is never in hypervisor state. */
static void judge_hypervisor(void)
{
#ifdef __powerpc64__
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, H);
	int fd = event_open(&attr, -1);
	uint64_t got = count(fd, loop, 100000);

	result(fd >= 0 && got == 0, "hypervisor only", "%llu, want 0",
	       (unsigned long long)got);
	close(fd);
#endif
}

static char *area;

static void map_area(void)
{
	area = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(area, 256 * PAGE, MADV_NOHUGEPAGE);
}

static void touch_pages(uint64_t n)
{
	touch(area, n);
}

/* An instruction that faults has not completed, and counts when it does. */
static void judge_faults(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U);
	int fd = event_open(&attr, -1);
	uint64_t few, many;

	map_area();
	touch_pages(1);
	munmap(area, 256 * PAGE);
	map_area();
	few = count(fd, touch_pages, 1);
	munmap(area, 256 * PAGE);
	map_area();
	many = count(fd, touch_pages, 256);
	munmap(area, 256 * PAGE);
	result(many - few == 255 * TOUCH_INSNS, "255 page faults",
	       "%llu instructions, want %d", (unsigned long long)(many - few),
	       255 * TOUCH_INSNS);
	close(fd);
}

#define RING_PAGES	64

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size, tail;
};

static int ring_open(struct ring *r, int fd)
{
	long page = sysconf(_SC_PAGESIZE);

	r->size = RING_PAGES * page;
	r->page = mmap(NULL, r->size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->page == MAP_FAILED)
		return -1;
	r->data = (char *)r->page + page;
	r->tail = 0;
	return 0;
}

static void ring_close(struct ring *r)
{
	munmap(r->page, r->size + sysconf(_SC_PAGESIZE));
}

struct sampled {
	uint64_t all, far, elsewhere, other, throttled;
};

/*
 * Each sample says where in the loop it was and, by the loop's own counter,
 * in which turn: so how many instructions lie between two is known.
 */
static struct sampled read_samples(struct ring *r, uint64_t period, uint64_t slack)
{
	struct { uint64_t ip, abi, reg; } s;
	struct sampled n = { 0 };
	uint64_t head = r->page->data_head;
	int64_t at, last = -1;

	for (; r->tail < head; ) {
		struct perf_event_header h;

		memcpy(&h, r->data + r->tail % r->size, sizeof(h));
		if (h.type == PERF_RECORD_SAMPLE) {
			memcpy(&s, r->data + r->tail % r->size + sizeof(h), sizeof(s));
			at = loop_position(s.ip, s.reg);
			n.all++;
			if (at < 0)
				n.elsewhere++;
			else if (last >= 0 && llabs(at - last - (int64_t)period) > (int64_t)slack)
				n.far++;
			last = at;
		} else if (h.type == PERF_RECORD_THROTTLE) {
			n.throttled++;
		} else {
			n.other++;
		}
		r->tail += h.size;
	}
	return n;
}

#define PERIOD	9999
#define TURNS	400000

static void judge_samples(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U);
	uint64_t counted, want;
	struct sampled n;
	struct ring r;
	int fd;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = 1ULL << LOOP_REG;
	fd = event_open(&attr, -1);
	if (fd < 0 || ring_open(&r, fd)) {
		result(0, "samples", "%s", strerror(errno));
		return;
	}
	counted = count(fd, loop, TURNS);
	want = counted / PERIOD;
	n = read_samples(&r, PERIOD, SAMPLE_SLACK);
	result(n.all == want && !n.other && !n.throttled, "samples for each period",
	       "%llu, want %llu; %llu lost or odd, %llu throttled",
	       (unsigned long long)n.all, (unsigned long long)want,
	       (unsigned long long)n.other, (unsigned long long)n.throttled);
	result(!n.far && n.elsewhere <= 1 && n.all > 100, "distance of samples",
	       "%llu of %llu more than %d off a period of %d, %llu not in the loop",
	       (unsigned long long)n.far, (unsigned long long)n.all, SAMPLE_SLACK,
	       PERIOD, (unsigned long long)n.elsewhere);
	ring_close(&r);
	close(fd);
}

/* Samples of user code say so: SIER on POWER, the CS selector on x86. */
static void judge_sample_level(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U | K);
	uint64_t user = 0, kernel = 0, mixed = 0;
	struct ring r;
	int fd;

	attr.sample_period = 5003;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = event_open(&attr, -1);
	if (fd < 0 || ring_open(&r, fd)) {
		result(0, "level of samples", "%s", strerror(errno));
		return;
	}
	start(fd);
	loop(20000);
	system_calls(1000);
	stop(fd);
	while (r.tail < r.page->data_head) {
		struct perf_event_header h;
		uint64_t ip;
		int mode;

		memcpy(&h, r.data + r.tail % r.size, sizeof(h));
		memcpy(&ip, r.data + r.tail % r.size + sizeof(h), sizeof(ip));
		r.tail += h.size;
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		mode = h.misc & PERF_RECORD_MISC_CPUMODE_MASK;
		user += mode == PERF_RECORD_MISC_USER;
		kernel += mode == PERF_RECORD_MISC_KERNEL;
		mixed += (mode == PERF_RECORD_MISC_KERNEL) != (ip >> 63);
	}
	result(user >= 20 && kernel >= 20 && !mixed, "level of samples",
	       "%llu user, %llu kernel, %llu at an address of the other",
	       (unsigned long long)user, (unsigned long long)kernel,
	       (unsigned long long)mixed);
	ring_close(&r);
	close(fd);
}

static void judge_user_read(void)
{
#ifdef __x86_64__
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U);
	struct perf_event_mmap_page *page;
	uint64_t few, many, before;
	int fd;

	attr.disabled = 0;
	fd = event_open(&attr, -1);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || !page->cap_user_rdpmc || !page->index) {
		result(0, "rdpmc", "perf offers none");
		return;
	}
	before = rdpmc(page->index - 1);
	loop(1);
	few = rdpmc(page->index - 1) - before;
	before = rdpmc(page->index - 1);
	loop(1000001);
	many = rdpmc(page->index - 1) - before;
	result(many - few == 1000000 * LOOP_INSNS, "rdpmc", "%llu, want %d",
	       (unsigned long long)(many - few), 1000000 * LOOP_INSNS);
	close(fd);
#endif
}

static void judge_cycles(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, U);
	const char *icount = getenv("PEV_ICOUNT");
	uint64_t cycles, insns;
	int fd = event_open(&attr, -1), cfd;

	attr = attr_of(PERF_COUNT_HW_CPU_CYCLES, U);
	attr.disabled = 0;
	cfd = event_open(&attr, fd);
	if (fd < 0 || cfd < 0) {
		result(0, "cycles", "%s", strerror(errno));
		return;
	}
	insns = count(fd, loop, 1000000);
	cycles = value(cfd);
	result(cycles_fit(cycles, insns, !icount || atoi(icount)), "cycles",
	       "%llu for %llu instructions", (unsigned long long)cycles,
	       (unsigned long long)insns);
	close(cfd);
	close(fd);
}

int main(int argc, char **argv)
{
	model = argc > 1 ? argv[1] : "machine";
	never_throttle();
	printf("TAP version 13\n");
	judge_count("instructions", PERF_COUNT_HW_INSTRUCTIONS, loop, 1000001,
		    1000000 * LOOP_INSNS);
	judge_count("instructions of calls", PERF_COUNT_HW_INSTRUCTIONS, calls,
		    100001, 100000 * CALLS_INSNS);
	if (HAS_ALL_EVENTS)
		judge_count("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, loop,
			    1000001, 1000000);
	judge_cycles();
	if (HAS_ALL_EVENTS) {
		judge_fraction("branch misses", PERF_COUNT_HW_BRANCH_MISSES,
			       1000000, 8);
		judge_fraction("cache references", PERF_COUNT_HW_CACHE_REFERENCES,
			       1000000 * LOOP_INSNS, 16);
		judge_fraction("cache misses", PERF_COUNT_HW_CACHE_MISSES,
			       1000000 * LOOP_INSNS, 64);
	}
	judge_faults();
	judge_levels();
	judge_hypervisor();
	judge_samples();
	judge_sample_level();
	judge_user_read();
	printf("1..%d\n", tests);
	return 0;
}
