// SPDX-License-Identifier: GPL-2.0
/*
 * Records that cause what they record while they are made: a page fault while
 * the stack of a page fault is copied, an interrupt that wakes the reader of
 * records of that interrupt. They end, and what they leave out is counted.
 */
#include <poll.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#if defined(__x86_64__)

#define FAULTS	50

static int open_traced(const char *name, pid_t pid, int channel, uint64_t sample)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)name,
		.target = PEV_TARGET_TASK, .target_id = pid, .channel_fd = channel,
		.group_fd = -1, .period = 1, .sample = sample, .flags = PEV_F_DISABLED,
	};

	if (sample & PEV_SAMPLE_USTACK_DUMP)
		attr.stack_user = PEV_MAX_STACK_DUMP;
	return pev_open(&attr);
}

FIXTURE(recursion) {
	int channel;
};

FIXTURE_SETUP(recursion)
{
	PEV_NEEDS_ROOT(return );
	self->channel = -1;
}

FIXTURE_TEARDOWN(recursion)
{
	close(self->channel);
}

/* The kernel writes to @nr pages that are not there yet, and so does this. */
static void fault(unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY);
	char *p = mmap(NULL, 2 * nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	for (unsigned int i = 0; i < nr; i++) {
		if (read(zero, p + 2 * i * page, 1) != 1)
			perror("read");
		p[(2 * i + 1) * page] = 1;
	}
	munmap(p, 2 * nr * page);
	close(zero);
}

/*
 * A dump reads up to 32 KiB from the stack pointer on: this thread's stack ends
 * before, and what is behind it is a fault of the kernel.
 */
TEST_F(recursion, of_faults)
{
	static const char * const names[] = {
		"exceptions:page_fault_kernel", "exceptions:page_fault_user",
	};
	struct pev_value v;
	int fds[2];

	/* more room than a kernel stack has */
	self->channel = pev_open_channel(16 << 20, 1 << 20, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 2; i++) {
		fds[i] = open_traced(names[i], 0, self->channel,
				     PEV_SAMPLE_TID | PEV_SAMPLE_USTACK | PEV_SAMPLE_USTACK_DUMP);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	ASSERT_EQ(0, pev_on(self->channel));
	fault(FAULTS);
	ASSERT_EQ(0, pev_off(self->channel));
	for (unsigned int i = 0; i < 2; i++) {
		v = pev_read(fds[i]);
		EXPECT_LE(FAULTS, v.value) TH_LOG("%s", names[i]);
		EXPECT_EQ(v.value, v.samples + v.lost) TH_LOG("%s", names[i]);
		EXPECT_LT(0, v.samples) TH_LOG("%s", names[i]);
		close(fds[i]);
	}
}

/* The request of a thread is looked for in a page that is not there. */
TEST_F(recursion, of_contexts)
{
	struct pev_attr attr = { .type = PEV_TYPE_CONTEXT, .channel_fd = -1, .group_fd = -1 };
	size_t page = sysconf(_SC_PAGESIZE);
	struct pev_value v;
	void *at;
	int fd;

	self->channel = pev_open_channel(16 << 20, 1 << 20, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	fd = open_traced("exceptions:page_fault_kernel", 0, self->channel,
			 PEV_SAMPLE_TID | PEV_SAMPLE_CONTEXT);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, at);
	attr.config = (uintptr_t)at;
	ASSERT_EQ(0, pev_open(&attr)) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->channel));
	fault(FAULTS);
	ASSERT_EQ(0, pev_off(self->channel));
	attr.config = 0;
	EXPECT_EQ(0, pev_open(&attr));
	munmap(at, page);
	v = pev_read(fd);
	/* each that the program causes causes one */
	EXPECT_LE(2 * FAULTS, v.value);
	EXPECT_EQ(v.value, v.samples + v.lost);
	EXPECT_EQ(0, v.lost);
	close(fd);
}

/* "IWI: ...": of all CPUs. */
static long irq_works(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[4096];
	long sum = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *p = strstr(line, "IWI:"), *end;
		long n;

		if (!p)
			continue;
		for (p += 4; n = strtol(p, &end, 10), end != p; p = end)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

/*
 * The reader is woken by an irq_work as soon as there is a byte for it. Nobody
 * reads: the interrupt of one wake-up must not bring the next one on.
 */
TEST_F(recursion, of_wake_ups)
{
	static const char * const names[] = {
		PEV_CALL_EVENT, "irq_vectors:irq_work_entry", "irq_vectors:irq_work_exit",
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .channel_fd = -1, .group_fd = -1,
		.ring_size = 1 << 16, .packet_size = 4096, .watermark = 1,
	};
	struct pollfd answer;
	struct pev_child c;
	struct pev_value v;
	int fds[3];
	long before;

	self->channel = pev_open(&attr);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		pev_call(10);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		_exit(0);
	}
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = open_traced(names[i], c.pid, self->channel, PEV_SAMPLE_TID);
		/* it may be refused to record them */
		if (i && fds[i] < 0) {
			EXPECT_LT(10, strlen(pev_reason()));
			continue;
		}
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	before = irq_works();
	ASSERT_EQ(0, pev_on(self->channel));
	pev_child_go(&c);
	answer = (struct pollfd) { .fd = c.said[0], .events = POLLIN };
	EXPECT_EQ(1, poll(&answer, 1, 5000)) TH_LOG("the child does not come to its calls");
	ASSERT_EQ(0, pev_off(self->channel));
	EXPECT_GT(1000, irq_works() - before);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	for (unsigned int i = 0; i < 3; i++) {
		if (fds[i] < 0)
			continue;
		v = pev_read(fds[i]);
		EXPECT_EQ(v.value, v.samples + v.lost) TH_LOG("%s", names[i]);
		EXPECT_GT(1000, v.value) TH_LOG("%s", names[i]);
		close(fds[i]);
	}
}

#else

TEST(recursion)
{
	SKIP(return, "these events are those of x86");
}

#endif

TEST_HARNESS_MAIN
