// SPDX-License-Identifier: GPL-2.0
/*
 * Every errno that sys_pev_open documents, with the member it blames, the
 * range it offers and a text; and that a refused call leaves nothing behind.
 */
#include <dirent.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"

FIXTURE(refusal) {
	int channel;
	int leader;
	int member;
	int catalog;
	struct pev_info info;
};

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

FIXTURE_SETUP(refusal)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&self->info,
		.info_size = sizeof(self->info),
	};

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ASSERT_EQ(0, pev_open(&attr));
	self->channel = pev_open_channel(16384, 4096, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	self->leader = pev_open(&attr);
	ASSERT_LE(0, self->leader) TH_LOG("%s", pev_reason());
	attr.group_fd = self->leader;
	self->member = pev_open(&attr);
	ASSERT_LE(0, self->member) TH_LOG("%s", pev_reason());
	attr = (struct pev_attr) { .type = PEV_TYPE_CATALOG };
	self->catalog = pev_open(&attr);
	ASSERT_LE(0, self->catalog);
}

FIXTURE_TEARDOWN(refusal)
{
	close(self->member);
	close(self->leader);
	close(self->channel);
	close(self->catalog);
}

/* A refused call leaves nothing behind. */
static void refused(struct __test_metadata *_metadata, int line, struct pev_attr attr,
		    int error, unsigned int field, uint64_t min, uint64_t max)
{
	int fds = count_fds();

	pev_refused_range(_metadata, line, attr, error, field, "", min, max);
	EXPECT_EQ(fds, count_fds()) TH_LOG("line %d", line);
}

#define REFUSED(attr, error, member, ...) \
	refused(_metadata, __LINE__, attr, error, PEV_OFFSET(member), __VA_ARGS__)

/* ---- fds ---- */

TEST_F(refusal, channel_fd)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	int fds[3];

	attr.period = 1;
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	ASSERT_EQ(0, pipe(fds));
	fds[2] = open("/dev/null", O_RDWR);
	for (unsigned int i = 0; i < 3; i++) {
		attr.channel_fd = fds[i];
		REFUSED(attr, EINVAL, channel_fd, NO_RANGE);
	}
	attr.channel_fd = self->leader;
	REFUSED(attr, EINVAL, channel_fd, NO_RANGE);
	attr.channel_fd = self->catalog;
	REFUSED(attr, EINVAL, channel_fd, NO_RANGE);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	attr.channel_fd = fds[0];
	REFUSED(attr, EBADF, channel_fd, NO_RANGE);
	attr.channel_fd = 1 << 20;
	REFUSED(attr, EBADF, channel_fd, NO_RANGE);
	attr.channel_fd = -2;
	REFUSED(attr, EBADF, channel_fd, NO_RANGE);
	attr.channel_fd = INT32_MIN;
	REFUSED(attr, EBADF, channel_fd, NO_RANGE);
}

TEST_F(refusal, group_fd)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	int fds[2], other;

	ASSERT_EQ(0, pipe(fds));
	attr.group_fd = fds[0];
	REFUSED(attr, EINVAL, group_fd, NO_RANGE);
	close(fds[0]);
	close(fds[1]);
	REFUSED(attr, EBADF, group_fd, NO_RANGE);
	attr.group_fd = -2;
	REFUSED(attr, EBADF, group_fd, NO_RANGE);
	attr.group_fd = self->channel;
	REFUSED(attr, EINVAL, group_fd, NO_RANGE);
	attr.group_fd = self->catalog;
	REFUSED(attr, EINVAL, group_fd, NO_RANGE);
	attr.group_fd = self->member;
	REFUSED(attr, EINVAL, group_fd, NO_RANGE);
	/* a leader on another kind of target, one that records elsewhere */
	attr.group_fd = self->leader;
	attr.target = PEV_TARGET_PROCESS;
	REFUSED(attr, EINVAL, target, NO_RANGE);
	other = pev_open_channel(16384, 4096, 0);
	ASSERT_LE(0, other);
	attr.target = PEV_TARGET_TASK;
	attr.channel_fd = other;
	attr.period = 1;
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	REFUSED(attr, EINVAL, channel_fd, NO_RANGE);
	close(other);
}

/* ---- events ---- */

TEST_F(refusal, period)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	attr.period = 1;
	REFUSED(attr, EINVAL, period, NO_RANGE);
	attr.channel_fd = self->channel;
	attr.period = 0;
	REFUSED(attr, EINVAL, period, 1, INT64_MAX);
	attr.period = 1ULL << 63;
	REFUSED(attr, EINVAL, period, 1, INT64_MAX);
	attr.period = ~0ULL;
	REFUSED(attr, EINVAL, period, 1, INT64_MAX);

	attr.type = PEV_TYPE_TIMER;
	attr.config = PEV_TIMER_TASK_CLOCK;
	for (unsigned int i = 0; i < 2; i++) {
		attr.flags = 0;
		attr.period = 0;
		REFUSED(attr, EINVAL, period, 1, INT64_MAX);
		attr.period = PEV_MIN_TIMER_NS - 1;
		REFUSED(attr, EINVAL, period, PEV_MIN_TIMER_NS, INT64_MAX);
		attr.flags = PEV_F_FREQ;
		attr.period = 0;
		REFUSED(attr, EINVAL, period, 1, INT64_MAX);
		attr.period = 1000000000 / PEV_MIN_TIMER_NS + 20;
		REFUSED(attr, EINVAL, period, 1, 1000000000 / PEV_MIN_TIMER_NS);
		attr.period = INT64_MAX;
		REFUSED(attr, EINVAL, period, 1, 1000000000 / PEV_MIN_TIMER_NS);
		attr.channel_fd = -1;
	}

	attr = (struct pev_attr) { .type = PEV_TYPE_SIDEBAND, .target = PEV_TARGET_TASK,
				   .channel_fd = self->channel, .group_fd = -1, .period = 2 };
	REFUSED(attr, EINVAL, period, 0, 1);
}

TEST_F(refusal, flags)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	uint64_t cpus = 1;

	attr.flags = PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL;
	REFUSED(attr, EINVAL, flags, NO_RANGE);
	attr.flags = PEV_F_FREQ;
	REFUSED(attr, EOPNOTSUPP, flags, NO_RANGE);
	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	attr.flags = PEV_F_FREQ;
	REFUSED(attr, EOPNOTSUPP, flags, NO_RANGE);
	attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_CPUS, 0);
	attr.flags = PEV_F_ENABLE_ON_EXEC;
	REFUSED(attr, EINVAL, flags, NO_RANGE);
	attr.cpus = (uintptr_t)&cpus;
	attr.cpus_size = 8;
	REFUSED(attr, EINVAL, flags, NO_RANGE);
}

TEST_F(refusal, sample)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	attr.sample = PEV_SAMPLE_TID;
	REFUSED(attr, EINVAL, sample, NO_RANGE);
	attr.sample = 0;
	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.regs_user = 1;
	REFUSED(attr, EINVAL, regs_user, NO_RANGE);
	attr.regs_user = 0;
	attr.stack_user = 8;
	REFUSED(attr, EINVAL, stack_user, NO_RANGE);
	attr.stack_user = 0;
	attr.max_stack = 8;
	REFUSED(attr, EINVAL, max_stack, NO_RANGE);
	attr.sample = PEV_SAMPLE_TID;
	REFUSED(attr, EINVAL, max_stack, NO_RANGE);
	attr.sample = PEV_SAMPLE_USTACK;
	attr.max_stack = PEV_MAX_STACK + 1;
	REFUSED(attr, EINVAL, max_stack, 0, PEV_MAX_STACK);
	attr.max_stack = ~0U;
	REFUSED(attr, EINVAL, max_stack, 0, PEV_MAX_STACK);
	attr.max_stack = 0;
	attr.sample = PEV_SAMPLE_USTACK_DUMP;
	REFUSED(attr, EINVAL, stack_user, 8, PEV_MAX_STACK_DUMP);
	for (unsigned int bytes = 1; bytes < 16; bytes += bytes == 7 ? 2 : 1) {
		attr.stack_user = bytes;
		REFUSED(attr, EINVAL, stack_user, 8, PEV_MAX_STACK_DUMP);
	}
	attr.stack_user = PEV_MAX_STACK_DUMP + 8;
	REFUSED(attr, EINVAL, stack_user, 8, PEV_MAX_STACK_DUMP);
	attr.stack_user = 0;
	attr.sample = PEV_SAMPLE_UREGS;
	REFUSED(attr, EINVAL, regs_user, NO_RANGE);
	for (unsigned int i = 0; i < 64; i++) {
		attr.regs_user = 1ULL << i;
		if (!(self->info.regs_user & attr.regs_user))
			REFUSED(attr, EINVAL, regs_user, NO_RANGE);
	}
	/* a clock can only be counted, sideband only be recorded */
	attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_TASK, 0);
	attr.channel_fd = self->channel;
	attr.period = 1;
	REFUSED(attr, EOPNOTSUPP, type, NO_RANGE);
	attr = (struct pev_attr) { .type = PEV_TYPE_SIDEBAND, .target = PEV_TARGET_TASK,
				   .channel_fd = -1, .group_fd = -1 };
	REFUSED(attr, EINVAL, channel_fd, NO_RANGE);
}

TEST_F(refusal, names)
{
	static const char *const bad[] = {
		"", ":", "sched", "sched:", ":sched_switch",
	};
	static const char *const unknown[] = {
		"sched:none", "none:sched_switch", "sched:sched_switch2", "sche:sched_switch",
		"schedd:sched_switch", "sched:sched_switch:sched_switch",
	};
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	char *name = malloc(5000), *filter = malloc(5000);

	attr.name = 0;
	REFUSED(attr, EINVAL, name, NO_RANGE);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		attr.name = (uintptr_t)bad[i];
		REFUSED(attr, EINVAL, name, NO_RANGE);
	}
	for (unsigned int i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		attr.name = (uintptr_t)unknown[i];
		REFUSED(attr, ENOENT, name, NO_RANGE);
	}
	attr.type = PEV_TYPE_MARKER;
	REFUSED(attr, ENOENT, name, NO_RANGE);
	attr.type = PEV_TYPE_TRACEPOINT;
	memset(name, 'x', 5000);
	name[1] = ':';
	name[PEV_MAX_NAME - 1] = 0;
	attr.name = (uintptr_t)name;
	REFUSED(attr, ENOENT, name, NO_RANGE);
	name[PEV_MAX_NAME - 1] = 'x';
	name[PEV_MAX_NAME] = 0;
	REFUSED(attr, EINVAL, name, 1, PEV_MAX_NAME);
	name[PEV_MAX_NAME] = 'x';
	name[4999] = 0;
	REFUSED(attr, EINVAL, name, 1, PEV_MAX_NAME);
	attr.name = (uintptr_t)PEV_CALL_EVENT;
	memset(filter, '1', 5000);
	filter[PEV_MAX_FILTER] = 0;
	attr.filter = (uintptr_t)filter;
	REFUSED(attr, EINVAL, filter, NO_RANGE);
	free(filter);
	free(name);
}

/* ---- targets ---- */

TEST_F(refusal, target_id)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, -1);
	int max = pev_get_number("/proc/sys/kernel/pid_max", 4194304);
	struct pev_child c;
	siginfo_t info;

	for (unsigned int target = PEV_TARGET_TASK; target <= PEV_TARGET_SUBTREE; target++) {
		attr.target = target;
		attr.target_id = -1;
		REFUSED(attr, EINVAL, target_id, 0, INT32_MAX);
		attr.target_id = INT32_MIN;
		REFUSED(attr, EINVAL, target_id, 0, INT32_MAX);
		attr.target_id = max;
		REFUSED(attr, ESRCH, target_id, NO_RANGE);
		attr.target_id = INT32_MAX;
		REFUSED(attr, ESRCH, target_id, NO_RANGE);
	}
	attr.target = PEV_TARGET_CPUS;
	attr.target_id = 1;
	REFUSED(attr, EINVAL, target_id, NO_RANGE);
	attr.target_id = -2;
	REFUSED(attr, EINVAL, target_id, NO_RANGE);

	/* a zombie, and then nothing */
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, c.pid, &info, WEXITED | WNOWAIT));
	attr.target_id = c.pid;
	for (unsigned int target = PEV_TARGET_TASK; target <= PEV_TARGET_SUBTREE; target++) {
		attr.target = target;
		REFUSED(attr, ESRCH, target_id, NO_RANGE);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	for (unsigned int target = PEV_TARGET_TASK; target <= PEV_TARGET_SUBTREE; target++) {
		attr.target = target;
		REFUSED(attr, ESRCH, target_id, NO_RANGE);
	}
}

TEST_F(refusal, cgroup_fd)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_CGROUP, -1);

	if (!(self->info.targets & 1U << PEV_TARGET_CGROUP))
		SKIP(return, "no cgroups in this kernel");
	/* what an open() that failed gives */
	REFUSED(attr, EBADF, target_id, NO_RANGE);
	attr.target_id = INT32_MIN;
	REFUSED(attr, EBADF, target_id, NO_RANGE);
	attr.target_id = 1 << 20;
	REFUSED(attr, EBADF, target_id, NO_RANGE);
	attr.target_id = self->channel;
	REFUSED(attr, EBADF, target_id, NO_RANGE);
	attr.target_id = open("/", O_RDONLY | O_DIRECTORY);
	REFUSED(attr, EBADF, target_id, NO_RANGE);
	close(attr.target_id);
}

TEST_F(refusal, cpu_mask)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_CPUS, 0);
	unsigned int nr_cpus = pev_nr_cpus();
	uint64_t cpus[sizeof(cpu_set_t) / 8] = { 0 };
	static const unsigned int bad[] = { 1, 2, 3, 4, 5, 6, 7, sizeof(cpus) - 1, ~0U, ~7U };
	int fd;

	ASSERT_LT(0, nr_cpus);
	attr.cpus = (uintptr_t)cpus;
	REFUSED(attr, EINVAL, cpus, NO_RANGE);
	/* not whole words, or more than anybody has CPUs */
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		attr.cpus_size = bad[i];
		EXPECT_EQ(-EINVAL, pev_open(&attr)) TH_LOG("%u bytes", bad[i]);
		EXPECT_EQ(PEV_OFFSET(cpus_size), pev_why.head.field);
		EXPECT_EQ(0, pev_why.head.min);
		EXPECT_LE(sizeof(cpus), pev_why.head.max) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, pev_why.head.max % 8);
	}
	for (attr.cpus_size = 8; attr.cpus_size <= sizeof(cpus); attr.cpus_size += 8) {
		memset(cpus, 0, sizeof(cpus));
		REFUSED(attr, EINVAL, cpus, NO_RANGE);
		/* the last word that the kernel is told of */
		for (unsigned int bit = 0; bit < 64; bit += 9) {
			if (attr.cpus_size * 8 - 64 + bit < nr_cpus)
				continue;
			cpus[0] = 0;
			cpus[attr.cpus_size / 8 - 1] = 1ULL << bit;
			REFUSED(attr, ENODEV, cpus, NO_RANGE);
			cpus[0] |= 1;
			REFUSED(attr, ENODEV, cpus, NO_RANGE);
		}
	}
	memset(cpus, 0, sizeof(cpus));
	if (!geteuid()) {
		/* as for sched_setaffinity() */
		CPU_SET(0, (cpu_set_t *)cpus);
		attr.cpus_size = sizeof(cpu_set_t);
		fd = pev_open(&attr);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
	}
	attr.cpus_size = 8;
	for (unsigned int target = PEV_TARGET_TASK; target <= PEV_TARGET_SUBTREE; target++) {
		attr.target = target;
		REFUSED(attr, EINVAL, cpus_size, NO_RANGE);
	}
}

/* ---- channels ---- */

TEST_F(refusal, ring_sizes)
{
	static const uint64_t rings[] = {
		0, 1, 4096, 8191, 8193, 12288, 3ULL << 20, (1ULL << 32) + 1, 1ULL << 33, ~0ULL,
		1ULL << 63,
	};
	static const uint32_t packets[] = { 1, 2048, 4097, 12288, 1U << 21, ~0U, 1U << 31 };
	struct pev_attr attr = { .type = PEV_TYPE_CHANNEL };

	for (unsigned int i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
		attr.ring_size = rings[i];
		REFUSED(attr, EINVAL, ring_size, PEV_MIN_PACKET * PEV_MIN_PACKETS, PEV_MAX_RING);
	}
	attr.ring_size = 16384;
	for (unsigned int i = 0; i < sizeof(packets) / sizeof(*packets); i++) {
		attr.packet_size = packets[i];
		REFUSED(attr, EINVAL, packet_size, PEV_MIN_PACKET, 8192);
	}
	attr.packet_size = 16384;
	REFUSED(attr, EINVAL, packet_size, PEV_MIN_PACKET, 8192);
	attr.packet_size = 4096;
	attr.watermark = 12289;
	REFUSED(attr, EINVAL, watermark, 0, 12288);
	attr.watermark = ~0U;
	REFUSED(attr, EINVAL, watermark, 0, 12288);
}

TEST_F(refusal, memory)
{
	struct pev_attr attr = { .type = PEV_TYPE_CHANNEL, .ring_size = PEV_MAX_RING };
	long pages = sysconf(_SC_PHYS_PAGES);

	if (geteuid())
		SKIP(return, "needs root, whose memory is not limited");
	if (pages >= (long)(PEV_MAX_RING / sysconf(_SC_PAGESIZE)))
		SKIP(return, "this machine has that much memory");
	REFUSED(attr, ENOMEM, ring_size, NO_RANGE);
}

TEST_F(refusal, locked_memory)
{
	struct pev_child c;

	if (geteuid())
		SKIP(return, "needs root to become another user");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = { .type = PEV_TYPE_CHANNEL, .ring_size = 1 << 20 };
		int page = sysconf(_SC_PAGESIZE), cpus = sysconf(_SC_NPROCESSORS_ONLN);
		struct rlimit limit;
		int first, second;

		/* room for one channel of 64 KiB rings */
		limit.rlim_cur = cpus * (65536 + 2 * page);
		limit.rlim_max = limit.rlim_cur;
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || pev_become(4711, -1))
			_exit(1);
		if (pev_open(&attr) != -EPERM || pev_why.head.error != EPERM ||
		    pev_why.head.field != PEV_OFFSET(ring_size) ||
		    !strstr(pev_reason(), "RLIMIT_MEMLOCK"))
			_exit(2);
		attr.ring_size = 65536;
		first = pev_open(&attr);
		if (first < 0)
			_exit(3);
		if (pev_open(&attr) != -EPERM)
			_exit(4);
		/* an event keeps the rings of its channel */
		attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
		attr.flags = PEV_F_EXCLUDE_KERNEL;
		attr.channel_fd = first;
		attr.period = 1;
		second = pev_open(&attr);
		if (second < 0)
			_exit(5);
		close(first);
		attr = (struct pev_attr) { .type = PEV_TYPE_CHANNEL, .ring_size = 65536 };
		if (pev_open(&attr) != -EPERM)
			_exit(6);
		close(second);
		/* what was closed counts no more, at once */
		for (unsigned int i = 0; i < 20; i++) {
			first = pev_open(&attr);
			if (first < 0)
				_exit(7);
			close(first);
		}
		_exit(0);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* A record that no packet can hold is lost, and counted. */
TEST_F(refusal, packet_too_small_for_a_record)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_CONTEXT_SWITCHES, PEV_TARGET_TASK, 0);
	struct pev_map map;
	struct pev_value v;
	uint64_t lost = 0;
	int fd;

	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.sample = PEV_SAMPLE_USTACK_DUMP;
	attr.stack_user = PEV_MAX_STACK_DUMP;
	attr.flags = PEV_F_DISABLED;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* a stack that deep, before the first switch */
	memset(alloca(PEV_MAX_STACK_DUMP), 1, PEV_MAX_STACK_DUMP);
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < 20; i++)
		usleep(1);
	ASSERT_EQ(0, pev_off(fd));
	v = pev_read(fd);
	EXPECT_LT(0, v.value);
	EXPECT_EQ(v.value, v.lost);
	EXPECT_EQ(0, v.samples);
	ASSERT_EQ(0, pev_map_channel(self->channel, &map));
	for (unsigned int cpu = 0; cpu < map.nr; cpu++)
		if (map.rings[cpu].kernel)
			lost += map.rings[cpu].kernel->lost;
	EXPECT_EQ(v.lost, lost);
	pev_unmap_channel(&map);
	close(fd);
}

/*
 * 65536 ids, and not one more, however many events are open. The emulator of another machine takes
 * more than 100 seconds for so many rounds when the host is busy.
 */
TEST_F_TIMEOUT(refusal, event_ids, 200)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_CPUS, 0);
	struct pev_id id = { .size = sizeof(id) };
	int fd;

	if (geteuid())
		SKIP(return, "needs root");
	if (pev_kernel_is_slow())
		SKIP(return, "65536 events take too long on a debugging kernel");
	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.flags = PEV_F_DISABLED;
	for (unsigned int n = 2; ; n++) {
		fd = pev_open(&attr);
		if (fd < 0)
			break;
		ASSERT_EQ(0, ioctl(fd, PEV_IOC_ID, &id));
		ASSERT_EQ(n < PEV_ID_EXTENDED ? n : n + 1, id.id);
		close(fd);
	}
	EXPECT_EQ(PEV_MAX_CHANNEL_EVENTS - 1, id.id);
	REFUSED(attr, ENOSPC, channel_fd, NO_RANGE);
}

TEST_HARNESS_MAIN
