// SPDX-License-Identifier: GPL-2.0
/*
 * read(), ioctl() and mmap() on events and channels: what they refuse, and that one
 * call acts on a group or a channel. value_test.c tests what is counted.
 */
#include <linux/pev_user.h>
#include <termios.h>
#include "kselftest_harness.h"
#include "pev_child.h"

static int control(int fd, unsigned long cmd, unsigned long arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

FIXTURE(control) {
	int channel;
	int counter;		/* page faults of the thread, off */
	int recorder;		/* the same into the channel */
	void *unmapped;
};

FIXTURE_SETUP(control)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	attr.flags = PEV_F_DISABLED;
	self->counter = pev_open(&attr);
	ASSERT_LE(0, self->counter) TH_LOG("%s", pev_reason());
	attr.channel_fd = self->channel;
	attr.period = 1;
	self->recorder = pev_open(&attr);
	ASSERT_LE(0, self->recorder) TH_LOG("%s", pev_reason());
	self->unmapped = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_TEARDOWN(control)
{
	close(self->counter);
	close(self->recorder);
	close(self->channel);
	munmap(self->unmapped, 65536);
}

/* ---- what is refused ---- */

TEST_F(control, commands_of_the_other_kind)
{
	unsigned long bad = (unsigned long)self->unmapped;

	EXPECT_EQ(-ENOTTY, control(self->counter, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(-ENOTTY, control(self->counter, PEV_IOC_SNAPSHOT, bad));
	EXPECT_EQ(-ENOTTY, control(self->counter, PEV_IOC_CHANNEL_INFO, bad));
	EXPECT_EQ(-ENOTTY, control(self->channel, PEV_IOC_ID, bad));
	EXPECT_EQ(-ENOTTY, control(self->channel, PEV_IOC_READ_CPUS, bad));
	EXPECT_EQ(-ENOTTY, control(self->counter, PEV_IOC_USER_NEXT, bad));
	EXPECT_EQ(-ENOTTY, control(self->counter, PEV_IOC_USER_DONE, bad));
	for (unsigned int nr = 11; nr < 256; nr += 7) {
		EXPECT_EQ(-ENOTTY, control(self->counter, _IO(PEV_IOC_MAGIC, nr), 0));
		EXPECT_EQ(-ENOTTY, control(self->channel, _IO(PEV_IOC_MAGIC, nr), 0));
	}
	/* the right number with the wrong size or direction */
	EXPECT_EQ(-ENOTTY, control(self->counter, _IOW(PEV_IOC_MAGIC, 0, int), 0));
	EXPECT_EQ(-ENOTTY, control(self->counter, _IOW(PEV_IOC_MAGIC, 3, uint32_t), bad));
	EXPECT_EQ(-ENOTTY, control(self->channel, TCGETS, bad));
}

TEST_F(control, switching)
{
	static const unsigned long cmds[] = { PEV_IOC_ENABLE, PEV_IOC_DISABLE, PEV_IOC_RESET };
	int fds[] = { self->counter, self->channel };

	for (unsigned int c = 0; c < 3; c++) {
		for (unsigned int f = 0; f < 2; f++) {
			EXPECT_EQ(0, control(fds[f], cmds[c], 0));
			EXPECT_EQ(0, control(fds[f], cmds[c], PEV_IOF_GROUP));
			EXPECT_EQ(-EINVAL, control(fds[f], cmds[c], 2));
			EXPECT_EQ(-EINVAL, control(fds[f], cmds[c], 3));
			EXPECT_EQ(-EINVAL, control(fds[f], cmds[c], 1UL << 32));
			EXPECT_EQ(-EINVAL, control(fds[f], cmds[c], ~0UL));
		}
	}
	EXPECT_EQ(0, control(self->channel, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_FLUSH, 1));
	EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_FLUSH, 1UL << 63));
}

static int set_period(int fd, uint64_t period)
{
	return control(fd, PEV_IOC_PERIOD, (unsigned long)&period);
}

TEST_F(control, period)
{
	struct pev_attr attr = pev_attr_software(0, PEV_TARGET_TASK, 0);
	int fd;

	EXPECT_EQ(-EFAULT, control(self->recorder, PEV_IOC_PERIOD, 0));
	EXPECT_EQ(-EFAULT, control(self->recorder, PEV_IOC_PERIOD,
				   (unsigned long)self->unmapped));
	EXPECT_EQ(0, set_period(self->recorder, 1));
	EXPECT_EQ(0, set_period(self->recorder, INT64_MAX));
	EXPECT_EQ(-ERANGE, set_period(self->recorder, 0));
	EXPECT_EQ(-ERANGE, set_period(self->recorder, 1ULL << 63));
	EXPECT_EQ(-ERANGE, set_period(self->recorder, ~0ULL));
	EXPECT_EQ(-EINVAL, set_period(self->counter, 1));

	attr.channel_fd = self->channel;
	attr.type = PEV_TYPE_SIDEBAND;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_period(fd, 1));
	close(fd);
	/* nothing has one, for there is nothing */
	fd = pev_open_channel(8192, 4096, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_period(fd, 1));
	EXPECT_EQ(-ERANGE, set_period(fd, 0));
	close(fd);

	attr.type = PEV_TYPE_TIMER;
	attr.period = 1000000;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ERANGE, set_period(fd, 0));
	EXPECT_EQ(-ERANGE, set_period(fd, PEV_MIN_TIMER_NS - 1));
	EXPECT_EQ(0, set_period(fd, PEV_MIN_TIMER_NS));
	close(fd);
	attr.flags = PEV_F_FREQ;
	attr.period = 100;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ERANGE, set_period(fd, 0));
	EXPECT_EQ(0, set_period(fd, 1000000000 / PEV_MIN_TIMER_NS));
	EXPECT_EQ(-ERANGE, set_period(fd, 1000000000 / PEV_MIN_TIMER_NS + 20));
	EXPECT_EQ(-ERANGE, set_period(fd, INT64_MAX));
	close(fd);
}

TEST_F(control, filter)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)"pid == 1",
		.refusal = (uintptr_t)&pev_why, .refusal_size = sizeof(pev_why),
	};
	int fd;

	EXPECT_EQ(-EFAULT, control(self->counter, PEV_IOC_FILTER, 0));
	/* it has no field of that name */
	memset(&pev_why, 0, sizeof(pev_why));
	EXPECT_EQ(-EINVAL, control(self->counter, PEV_IOC_FILTER, (unsigned long)&arg));
	EXPECT_EQ(EINVAL, pev_why.head.error);
	EXPECT_EQ(offsetof(struct pev_filter_arg, filter), pev_why.head.field);
	EXPECT_NE(0, pev_reason()[0]);
	arg.refusal = 8;
	EXPECT_EQ(-EFAULT, control(self->counter, PEV_IOC_FILTER, (unsigned long)&arg));
	arg.refusal = 0;
	EXPECT_EQ(-EINVAL, control(self->counter, PEV_IOC_FILTER, (unsigned long)&arg));
	arg.flags = PEV_IOF_GROUP << 1;
	EXPECT_EQ(-EINVAL, control(self->counter, PEV_IOC_FILTER, (unsigned long)&arg));
	EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_FILTER, (unsigned long)&arg));
	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_FILTER,
				   (unsigned long)self->unmapped));
	/* nothing in the channel has fields */
	arg.flags = 0;
	EXPECT_EQ(-EOPNOTSUPP, control(self->channel, PEV_IOC_FILTER, (unsigned long)&arg));
	/* nor is there anything in this one */
	fd = pev_open_channel(8192, 4096, 0);
	ASSERT_LE(0, fd);
	arg.refusal = (uintptr_t)&pev_why;
	memset(&pev_why, 0, sizeof(pev_why));
	EXPECT_EQ(-EOPNOTSUPP, control(fd, PEV_IOC_FILTER, (unsigned long)&arg));
	EXPECT_LT(10, strlen(pev_reason()));
	arg.filter = 0;
	EXPECT_EQ(-EOPNOTSUPP, control(fd, PEV_IOC_FILTER, (unsigned long)&arg));
	close(fd);
}

/* Faults on @pages pages while both are switched on: records of @fd. */
static uint64_t records_of(int fd, size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *p;
	uint64_t before = pev_read(fd).samples;

	p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	pev_on(fd);
	for (size_t i = 0; i < pages; i++)
		p[i * page] = 1;
	pev_off(fd);
	munmap((void *)p, pages * page);
	return pev_read(fd).samples - before;
}

TEST_F(control, period_of_many)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS_MIN, PEV_TARGET_TASK, 0);
	uint64_t period = 10;
	int member;

	/* each CPU is in a period of its own */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	attr.flags = PEV_F_DISABLED;
	attr.channel_fd = self->channel;
	attr.group_fd = self->recorder;
	attr.period = 1;
	member = pev_open(&attr);
	ASSERT_LE(0, member) TH_LOG("%s", pev_reason());

	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_PERIOD,
				   (unsigned long)self->unmapped));
	EXPECT_EQ(-ERANGE, set_period(self->channel, 0));
	EXPECT_EQ(0, set_period(self->channel, 10));
	EXPECT_EQ(10, records_of(self->recorder, 100));
	EXPECT_EQ(10, records_of(member, 100));
	/* by a member or the leader */
	period = 25;
	EXPECT_EQ(0, control(member, PEV_IOC_GROUP_PERIOD, (unsigned long)&period));
	EXPECT_EQ(4, records_of(self->recorder, 100));
	EXPECT_EQ(4, records_of(member, 100));
	period = 50;
	EXPECT_EQ(0, control(self->recorder, PEV_IOC_GROUP_PERIOD, (unsigned long)&period));
	EXPECT_EQ(2, records_of(self->recorder, 100));
	EXPECT_EQ(2, records_of(member, 100));
	/* of one alone */
	EXPECT_EQ(0, set_period(member, 20));
	EXPECT_EQ(2, records_of(self->recorder, 100));
	EXPECT_EQ(5, records_of(member, 100));
	close(member);
}

TEST_F(control, id)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	struct pev_id id = { .size = sizeof(id) };

	EXPECT_EQ(-EFAULT, control(self->recorder, PEV_IOC_ID, 0));
	EXPECT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)&info));
	EXPECT_EQ(0, control(self->recorder, PEV_IOC_ID, (unsigned long)&id));
	EXPECT_EQ(0, id.id);
	EXPECT_EQ(info.id, id.channel);
	EXPECT_NE(0, id.channel);
	EXPECT_EQ(0, control(self->counter, PEV_IOC_ID, (unsigned long)&id));
	EXPECT_EQ(0, id.channel);
}

TEST_F(control, read_cpus)
{
	unsigned int nr_cpus = pev_nr_cpus();
	struct pev_value *values;
	struct pev_cpu_values arg = { };
	struct pev_value sum = { }, v;

	ASSERT_LT(0, nr_cpus);
	EXPECT_EQ(-EFAULT, control(self->counter, PEV_IOC_READ_CPUS, 0));
	for (unsigned int nr = 0; nr < nr_cpus; nr++) {
		arg.nr = nr;
		EXPECT_EQ(-ENOSPC, control(self->counter, PEV_IOC_READ_CPUS,
					   (unsigned long)&arg));
		EXPECT_EQ(nr_cpus, arg.nr);
	}
	EXPECT_EQ(-EFAULT, control(self->counter, PEV_IOC_READ_CPUS, (unsigned long)&arg));
	arg.values = (uintptr_t)self->unmapped;
	EXPECT_EQ(-EFAULT, control(self->counter, PEV_IOC_READ_CPUS, (unsigned long)&arg));
	values = calloc(nr_cpus + 1, sizeof(*values));
	memset(&values[nr_cpus], 0x55, sizeof(*values));
	arg.values = (uintptr_t)values;
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, control(self->counter, PEV_IOC_READ_CPUS, (unsigned long)&arg));
	arg.reserved = 0;
	arg.nr = nr_cpus + 1;
	ASSERT_EQ(0, pev_on(self->counter));
	pev_spin(1000000);
	ASSERT_EQ(0, pev_off(self->counter));
	v = pev_read(self->counter);
	ASSERT_EQ(0, control(self->counter, PEV_IOC_READ_CPUS, (unsigned long)&arg));
	EXPECT_EQ(nr_cpus, arg.nr);
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		sum.value += values[cpu].value;
		sum.time_enabled += values[cpu].time_enabled;
		sum.time_running += values[cpu].time_running;
	}
	EXPECT_EQ(0x5555555555555555, values[nr_cpus].value);
	EXPECT_EQ(v.value, sum.value);
	EXPECT_EQ(v.time_enabled, sum.time_enabled);
	EXPECT_EQ(v.time_running, sum.time_running);
	/* a host that stands still within a switch is in the thread's time, not in the event's */
	EXPECT_LE(500000, v.time_running);
	free(values);
}

TEST_F(control, snapshot)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	struct pev_snapshot_arg arg = { };
	struct pev_span *spans;

	ASSERT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)&info));
	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_SNAPSHOT, 0));
	for (unsigned int nr = 0; nr < info.nr_rings; nr++) {
		arg.nr = nr;
		EXPECT_EQ(-ENOSPC, control(self->channel, PEV_IOC_SNAPSHOT, (unsigned long)&arg));
		EXPECT_EQ(info.nr_rings, arg.nr);
	}
	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_SNAPSHOT, (unsigned long)&arg));
	arg.reserved = 1;
	EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_SNAPSHOT, (unsigned long)&arg));
	arg.reserved = 0;
	spans = calloc(info.nr_rings, sizeof(*spans));
	arg.spans = (uintptr_t)spans;
	ASSERT_EQ(0, control(self->channel, PEV_IOC_SNAPSHOT, (unsigned long)&arg));
	for (unsigned int nr = 0; nr < info.nr_rings; nr++)
		EXPECT_EQ(0, spans[nr].end);
	free(spans);
}

TEST_F(control, channel_info)
{
	struct pev_channel_info info = { .size = sizeof(info) }, *part;
	uint8_t buf[2 * sizeof(info)];

	EXPECT_EQ(-EFAULT, control(self->channel, PEV_IOC_CHANNEL_INFO, 0));
	ASSERT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)&info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(1 << 16, info.ring_size);
	EXPECT_EQ(4096, info.packet_size);
	EXPECT_EQ(4096, info.watermark);
	EXPECT_NE(PEV_CLOCK_DEFAULT, info.clock);
	EXPECT_LT(0, info.metadata_size);
	part = (void *)buf;
	for (unsigned int size = 0; size <= sizeof(buf); size++) {
		memset(buf, 'X', sizeof(buf));
		part->size = size;
		if (size < 4) {
			EXPECT_EQ(-EINVAL, control(self->channel, PEV_IOC_CHANNEL_INFO,
						   (unsigned long)buf));
			continue;
		}
		ASSERT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)buf));
		EXPECT_EQ(0, memcmp(buf, &info, size < sizeof(info) ? size : sizeof(info)));
		for (unsigned int i = sizeof(info); i < size; i++)
			EXPECT_EQ(0, buf[i]);
		if (size < sizeof(buf))
			EXPECT_EQ('X', buf[size]);
	}
}

/* A page is more than the structure will ever have. */
TEST_F(control, channel_info_of_the_future)
{
	static const unsigned int more[] = { 1, 8, 65536, -1 };
	unsigned int page = sysconf(_SC_PAGESIZE);
	struct pev_channel_info *info;
	uint8_t *p;

	p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	memset(p, 'X', 3 * page);
	info = (void *)p;
	info->size = page;
	EXPECT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)info));
	EXPECT_EQ(sizeof(*info), info->size);
	EXPECT_EQ(0, p[page - 1]);
	EXPECT_EQ('X', p[page]);
	for (unsigned int i = 0; i < sizeof(more) / sizeof(*more); i++) {
		info->size = more[i] == -1U ? -1U : page + more[i];
		EXPECT_EQ(-E2BIG, control(self->channel, PEV_IOC_CHANNEL_INFO,
					  (unsigned long)info));
	}
	EXPECT_EQ('X', p[page]);
	munmap(p, 3 * page);
}

TEST_F(control, files)
{
	char buf[64];

	for (size_t size = 0; size < sizeof(struct pev_value); size++) {
		EXPECT_EQ(-1, read(self->counter, buf, size));
		EXPECT_EQ(ENOSPC, errno);
	}
	EXPECT_EQ(48, read(self->counter, buf, sizeof(buf)));
	EXPECT_EQ(-1, read(self->counter, self->unmapped, 48));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->channel, self->unmapped, 48));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, write(self->counter, buf, 48));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->channel, buf, 48));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->counter, 0));
	EXPECT_EQ(ENODEV, errno);
}

static int try_map(int fd, size_t size, int prot, int flags, off_t at)
{
	void *p = mmap(NULL, size, prot, flags, fd, at);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

TEST_F(control, mapping)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	long page = sysconf(_SC_PAGESIZE);
	int rw = PROT_READ | PROT_WRITE, fd = self->channel;
	uint8_t *p;

	ASSERT_EQ(0, control(fd, PEV_IOC_CHANNEL_INFO, (unsigned long)&info));
	EXPECT_EQ(0, try_map(fd, info.mmap_stride, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, try_map(fd, page, rw, MAP_SHARED, info.mmap_user));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_SHARED, info.mmap_data));
	EXPECT_EQ(-EACCES, try_map(fd, 2 * page, rw, MAP_SHARED, info.mmap_user));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_PRIVATE, info.mmap_user));
	EXPECT_EQ(-EACCES, try_map(fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, info.mmap_stride + page, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, info.ring_size + page, PROT_READ, MAP_SHARED,
				   info.mmap_data));
	EXPECT_EQ(-EINVAL, try_map(fd, page, PROT_READ, MAP_SHARED,
				   info.nr_rings * info.mmap_stride));
	EXPECT_EQ(-EINVAL, try_map(fd, page, PROT_READ, MAP_SHARED, 1ULL << 62));
	/* rights do not grow afterwards */
	p = mmap(NULL, info.mmap_stride, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, page, rw));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(p + info.mmap_data, page, rw));
	EXPECT_EQ(-1, mprotect(p, page, PROT_READ | PROT_EXEC));
	munmap(p, info.mmap_stride);
}

/* As if its pages had been dropped: a mapping can be read again, and shows the same. */
TEST_F(control, mapping_after_madvise)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	struct pev_child c;
	int fd;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pev_pin(0));
	attr.channel_fd = self->channel;
	attr.period = 1;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_call(3);
	ASSERT_EQ(0, pev_off(fd));
	ASSERT_EQ(0, control(self->channel, PEV_IOC_CHANNEL_INFO, (unsigned long)&info));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		long page = sysconf(_SC_PAGESIZE);
		const struct pev_ring_kernel *kernel;
		const struct pev_packet *packet;
		uint64_t head;

		kernel = mmap(NULL, info.mmap_stride, PROT_READ, MAP_SHARED, self->channel, 0);
		packet = (void *)kernel + info.mmap_data;
		head = kernel->head;
		if (packet->magic != PEV_PACKET_MAGIC || head < sizeof(*packet))
			_exit(1);
		/* it may be refused */
		madvise((void *)kernel, info.mmap_stride, MADV_DONTNEED);
		madvise((void *)kernel, page, MADV_PAGEOUT);
		_exit(packet->magic != PEV_PACKET_MAGIC || kernel->head != head ? 2 : 0);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
}

/* ---- groups and channels in one call ---- */

#define MEMBERS	4

FIXTURE(group) {
	int channel;
	int fds[MEMBERS];
};

FIXTURE_VARIANT(group) {
	bool channel;		/* control all by the channel's fd */
	int by;			/* or by this member's */
};

FIXTURE_VARIANT_ADD(group, leader) {
	.by = 0,
};

FIXTURE_VARIANT_ADD(group, member) {
	.by = 2,
};

FIXTURE_VARIANT_ADD(group, channel) {
	.channel = true,
};

FIXTURE_SETUP(group)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);

	PEV_NEEDS_ROOT(return );
	self->channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	attr.flags = PEV_F_DISABLED | PEV_F_READ_GROUP;
	attr.channel_fd = self->channel;
	attr.period = 1;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		attr.group_fd = i ? self->fds[0] : -1;
		self->fds[i] = pev_open(&attr);
		ASSERT_LE(0, self->fds[i]) TH_LOG("%s", pev_reason());
	}
}

FIXTURE_TEARDOWN(group)
{
	for (unsigned int i = 0; i < MEMBERS; i++)
		close(self->fds[i]);
	close(self->channel);
}

TEST_F(group, one_call_for_all)
{
	int fd = variant->channel ? self->channel : self->fds[variant->by];
	int arg = variant->channel ? 0 : PEV_IOF_GROUP;
	struct pev_value v[MEMBERS + 1];

	pev_call(3);
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_ENABLE, arg));
	pev_call(10);
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_DISABLE, arg));
	pev_call(5);
	ASSERT_EQ(sizeof(*v) * MEMBERS, read(self->fds[0], v, sizeof(v)));
	for (unsigned int i = 0; i < MEMBERS; i++) {
		EXPECT_EQ(10, v[i].value);
		EXPECT_EQ(10, v[i].samples);
		EXPECT_EQ(0, v[i].lost);
		EXPECT_LT(0, v[i].time_running);
		EXPECT_EQ(v[i].time_enabled, v[i].time_running);
	}
	/* one member alone */
	ASSERT_EQ(0, pev_on(self->fds[1]));
	pev_call(1);
	ASSERT_EQ(0, pev_off(self->fds[1]));
	EXPECT_EQ(10, pev_read(self->fds[2]).value);
	EXPECT_EQ(11, pev_read(self->fds[1]).value);
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_RESET, arg));
	ASSERT_EQ(sizeof(*v) * MEMBERS, read(self->fds[0], v, sizeof(v)));
	for (unsigned int i = 0; i < MEMBERS; i++) {
		EXPECT_EQ(0, v[i].value);
		EXPECT_EQ(0, v[i].samples);
		EXPECT_EQ(0, v[i].time_running);
	}
}

TEST_F(group, read)
{
	struct pev_value v[MEMBERS];

	for (unsigned int i = 0; i < MEMBERS; i++) {
		ASSERT_EQ(0, pev_on(self->fds[i]));
		pev_call(1);
	}
	ASSERT_EQ(0, ioctl(self->fds[0], PEV_IOC_DISABLE, PEV_IOF_GROUP));
	for (size_t size = 0; size < sizeof(v); size += 8) {
		EXPECT_EQ(-1, read(self->fds[0], v, size));
		EXPECT_EQ(ENOSPC, errno);
	}
	ASSERT_EQ(sizeof(v), read(self->fds[0], v, sizeof(v)));
	for (unsigned int i = 0; i < MEMBERS; i++)
		EXPECT_EQ(MEMBERS - i, v[i].value);
	/* the flag means nothing on a member */
	EXPECT_EQ(sizeof(*v), read(self->fds[1], v, sizeof(v)));
	/* the group goes on without one, and without its leader */
	close(self->fds[1]);
	ASSERT_EQ(sizeof(*v) * (MEMBERS - 1), read(self->fds[0], v, sizeof(v)));
	EXPECT_EQ(MEMBERS - 2, v[1].value);
	close(self->fds[0]);
	EXPECT_EQ(0, ioctl(self->fds[2], PEV_IOC_ENABLE, PEV_IOF_GROUP));
	pev_call(1);
	EXPECT_EQ(MEMBERS - 2 + 1, pev_read(self->fds[2]).value);
	EXPECT_EQ(MEMBERS - 3, pev_read(self->fds[3]).value);
	self->fds[0] = -1;
	self->fds[1] = -1;
}

TEST_HARNESS_MAIN
