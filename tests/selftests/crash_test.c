// SPDX-License-Identifier: GPL-2.0
/*
 * Channels that outlive a crash, and what is left of them: who may ask for them, and what is
 * said on a machine that has set no memory aside. tests/crash is about one that has.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include "kselftest_harness.h"
#include "trigger_util.h"

#define ANYBODY 65533

FIXTURE(crash) {
	struct pev_attr channel;
	struct pev_attr read;
	struct pev_attr drop;
};

FIXTURE_SETUP(crash)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = (struct pev_attr) {
		.type = PEV_TYPE_CHANNEL, .flags = PEV_CHF_OVERWRITE | PEV_CHF_PERSIST,
		.channel_fd = -1, .group_fd = -1,
	};
	self->read = (struct pev_attr) {
		.type = PEV_TYPE_CRASH, .config = PEV_CRASH_READ,
		.channel_fd = -1, .group_fd = -1,
	};
	self->drop = self->read;
	self->drop.config = PEV_CRASH_DROP;
}

FIXTURE_TEARDOWN(crash)
{
}

static int refused(struct pev_attr *attr, int error, unsigned int field, const char *says)
{
	int ret = pev_open(attr);

	if (ret >= 0)
		close(ret);
	return ret != -error || pev_why.head.field != field || !strstr(pev_reason(), says);
}

static void expect_refused(struct __test_metadata *_metadata, struct pev_attr *attr, int error,
			   unsigned int field, const char *says)
{
	EXPECT_EQ(0, refused(attr, error, field, says)) TH_LOG("%s: %s", says, pev_reason());
}

TEST_F(crash, no_memory)
{
	if (pev_open(&self->drop) != -EOPNOTSUPP)
		SKIP(return, "this machine has set memory aside");
	expect_refused(_metadata, &self->channel, EOPNOTSUPP, PEV_OFFSET(flags), "reserve_mem=");
	expect_refused(_metadata, &self->read, EOPNOTSUPP, PEV_OFFSET(flags), "reserve_mem=");
	expect_refused(_metadata, &self->drop, EOPNOTSUPP, PEV_OFFSET(flags), "reserve_mem=");
	self->channel.ring_size = 1 << 16;
	expect_refused(_metadata, &self->channel, EOPNOTSUPP, PEV_OFFSET(flags), "reserve_mem=");
}

TEST_F(crash, nonsense)
{
	self->channel.flags = PEV_CHF_PERSIST;
	self->channel.ring_size = 1 << 16;
	expect_refused(_metadata, &self->channel, EINVAL, PEV_OFFSET(flags), "set PEV_CHF_OVERWRITE, too");
	self->channel.flags |= PEV_CHF_OVERWRITE;
	self->channel.ring_size = 12345;
	expect_refused(_metadata, &self->channel, EINVAL, PEV_OFFSET(ring_size), "not a power of two");
	/* without the flag it is no size */
	self->channel.flags = PEV_CHF_OVERWRITE;
	self->channel.ring_size = 0;
	expect_refused(_metadata, &self->channel, EINVAL, PEV_OFFSET(ring_size), "not a power of two");
	self->read.config = PEV_CRASH_MAX;
	expect_refused(_metadata, &self->read, EINVAL, PEV_OFFSET(config), "nothing that can be done");
	self->read.config = UINT64_MAX;
	expect_refused(_metadata, &self->read, EINVAL, PEV_OFFSET(config), "nothing that can be done");
	self->drop.flags = PEV_CHF_PERSIST;
	expect_refused(_metadata, &self->drop, EINVAL, PEV_OFFSET(flags), "no meaning for type");
	self->drop.flags = 0;
	self->drop.ring_size = 4096;
	expect_refused(_metadata, &self->drop, EINVAL, PEV_OFFSET(ring_size), "no meaning for type");
}

/* Whose last records a panic prints: so many, and one more when one of them goes. */
TEST_F(crash, panic)
{
	int fds[PEV_MAX_PANIC];
	unsigned int i;

	self->channel.flags = PEV_CHF_PANIC;
	self->channel.ring_size = 1 << 14;
	self->channel.packet_size = 4096;
	expect_refused(_metadata, &self->channel, EINVAL, PEV_OFFSET(flags),
		       "PEV_CHF_PANIC keeps the newest records: set PEV_CHF_OVERWRITE, too");
	self->channel.flags |= PEV_CHF_OVERWRITE;
	for (i = 0; i < PEV_MAX_PANIC; i++) {
		fds[i] = pev_open(&self->channel);
		ASSERT_LE(0, fds[i]) TH_LOG("%u: %s", i, pev_reason());
	}
	expect_refused(_metadata, &self->channel, EBUSY, PEV_OFFSET(flags),
		       "a panic prints records of 8 channels already");
	close(fds[3]);
	fds[3] = pev_open(&self->channel);
	EXPECT_LE(0, fds[3]) TH_LOG("%s", pev_reason());
	/* others have nothing to do with them */
	self->channel.flags = PEV_CHF_OVERWRITE;
	i = pev_open(&self->channel);
	EXPECT_LE(0, (int)i) TH_LOG("%s", pev_reason());
	close(i);
	for (i = 0; i < PEV_MAX_PANIC; i++)
		close(fds[i]);
}

/* At every level, as it is of all users; with CAP_PERFMON, only the memory is missing. */
TEST_F(crash, rights)
{
	bool memory = pev_open(&self->drop) != -EOPNOTSUPP;

	for (int cap = -1; cap <= PEV_CAP_PERFMON; cap += PEV_CAP_PERFMON + 1) {
		int error = cap < 0 ? EACCES : EOPNOTSUPP;
		unsigned int field = cap < 0 ? UINT32_MAX : PEV_OFFSET(flags);
		const char *says = cap < 0 ? "CAP_PERFMON is needed" : "reserve_mem=";
		struct pev_attr panic = self->channel;
		struct pev_child c;

		if (cap >= 0 && memory)
			continue;
		if (pev_child_start(&c) == 0) {
			int bad = pev_become(ANYBODY, cap);

			panic.flags = PEV_CHF_OVERWRITE | PEV_CHF_PANIC;
			panic.ring_size = 1 << 14;
			bad += cap < 0 && refused(&panic, error, field, says);
			bad += refused(&self->channel, error, field, says);
			bad += refused(&self->read, error, field, says);
			bad += refused(&self->drop, error, field, says);
			_exit(bad);
		}
		EXPECT_EQ(0, pev_child_end(&c)) TH_LOG("capability %d", cap);
	}
}

/* Return: how many bytes of a mapping the pipe got without a copy, or the error. */
static int held(int pipe, void *from)
{
	struct iovec iov = { .iov_base = from, .iov_len = 8 };
	ssize_t n = vmsplice(pipe, &iov, 1, 0);

	return n < 0 ? -errno : n;
}

/* The next channel has the same pages: they are read, and copied, but not held. */
TEST_F(crash, pages_are_not_held)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	const long page = sysconf(_SC_PAGESIZE);
	int channel, p[2];
	char *ring;

	self->channel.ring_size = 4 * page;
	self->channel.packet_size = page;
	channel = pev_open(&self->channel);
	if (channel == -EOPNOTSUPP)
		SKIP(return, "this machine has set no memory aside");
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(channel, PEV_IOC_CHANNEL_INFO, &info));
	ASSERT_EQ(0, pipe(p));
	for (int flags = MAP_SHARED; flags <= MAP_PRIVATE; flags++) {
		ring = mmap(NULL, info.mmap_stride, PROT_READ, flags, channel, 0);
		ASSERT_NE(MAP_FAILED, ring);
		for (unsigned long at = 0; at < info.mmap_stride; at += page) {
			EXPECT_EQ(-EFAULT, held(p[1], ring + at)) TH_LOG("at %lu", at);
			EXPECT_EQ(8, write(p[1], ring + at, 8));
		}
		EXPECT_EQ(-1, madvise(ring, info.mmap_stride, MADV_DONTNEED));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(PEV_ABI_VERSION, ((struct pev_ring_kernel *)ring)->version);
		ASSERT_EQ(0, munmap(ring, info.mmap_stride));
	}
	/* of other channels they are */
	close(channel);
	self->channel.flags = PEV_CHF_OVERWRITE;
	channel = pev_open(&self->channel);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ring = mmap(NULL, info.mmap_stride, PROT_READ, MAP_SHARED, channel, 0);
	ASSERT_NE(MAP_FAILED, ring);
	EXPECT_EQ(8, held(p[1], ring));
}

static int open_on(int channel, uint32_t type, uint64_t config, uint64_t period)
{
	struct pev_attr attr = {
		.type = type,
		.config = config,
		.target = PEV_TARGET_TASK,
		.name = type == PEV_TYPE_TRACEPOINT ? (uintptr_t)PEV_CALL_EVENT : 0,
		.channel_fd = channel,
		.group_fd = -1,
		.period = period,
	};

	return pev_open(&attr);
}

/* A CPU that comes online when all the memory is taken has no ring. */
static int cpu_without_ring(struct __test_metadata *_metadata, struct pev_attr *attr, int cpu)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	int channel;

	EXPECT_EQ(0, pev_set_online(cpu, 0));
	channel = pev_open(attr);
	EXPECT_EQ(0, pev_set_online(cpu, 1));
	if (channel < 0)
		return channel;
	EXPECT_EQ(0, ioctl(channel, PEV_IOC_CHANNEL_INFO, &info));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, info.mmap_stride, PROT_READ, MAP_SHARED, channel,
				   cpu * info.mmap_stride));
	EXPECT_EQ(ENXIO, errno);
	return channel;
}

/* What happens there is lost, and counted; triggers act. */
TEST_F(crash, cpu_without_ring)
{
	int cpus[2], channel, calls, tenth, clock, waits, stop;
	struct pev_counts counts;

	PEV_NEEDS_ROOT(return );
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	if (pev_set_online(cpus[1], 0) || pev_set_online(cpus[1], 1))
		SKIP(return, "CPUs can't be taken offline here");
	channel = cpu_without_ring(_metadata, &self->channel, cpus[1]);
	if (channel == -EOPNOTSUPP)
		SKIP(return, "this machine has set no memory aside");
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_pin(cpus[1]));
	calls = open_on(channel, PEV_TYPE_TRACEPOINT, 0, 1);
	tenth = open_on(channel, PEV_TYPE_TRACEPOINT, 0, 10);
	clock = open_on(channel, PEV_TYPE_TIMER, PEV_TIMER_TASK_CLOCK, 1000000);
	waits = open_on(channel, PEV_TYPE_WAIT, 0, 0);
	stop = open_trigger(channel, PEV_F_STOP, 7);
	ASSERT_LE(0, calls);
	ASSERT_LE(0, tenth);
	ASSERT_LE(0, clock) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, waits) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, stop) TH_LOG("%s", pev_reason());
	pev_call(100);
	usleep(1000);
	counts = counts_of(calls);
	EXPECT_EQ(100, counts.value);
	EXPECT_EQ(100, counts.lost);
	counts = counts_of(tenth);
	EXPECT_EQ(100, counts.value);
	EXPECT_EQ(10, counts.lost);
	counts = counts_of(waits);
	EXPECT_LT(0, counts.value);
	EXPECT_EQ(counts.value, counts.lost);
	do {
		pev_spin(1000000);
		counts = counts_of(clock);
	} while (!counts.value);
	EXPECT_EQ(counts.value, counts.lost + counts.unarmed);
	EXPECT_EQ(0, counts.samples);

	fire(7);
	counts = counts_of(stop);
	EXPECT_EQ(1, counts.fired);
	EXPECT_EQ(1, counts.acted);
	EXPECT_EQ(1, counts.lost);
	EXPECT_EQ(PEV_STATE_STOPPED, state_of(channel).state);
	pev_call(100);
	counts = counts_of(calls);
	EXPECT_EQ(200, counts.value);
	EXPECT_EQ(100, counts.lost);
	EXPECT_EQ(100, counts.unarmed);
	EXPECT_EQ(0, counts.samples);
}

TEST_HARNESS_MAIN
