// SPDX-License-Identifier: GPL-2.0
/* Filters of tracepoints: what passes, what is counted, what is refused. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "kselftest_harness.h"
#include "pev_util.h"

#define TP	PEV_TYPE_TRACEPOINT
#define ENTER	"raw_syscalls:sys_enter"
#define CLOSE	"syscalls:sys_enter_close"

/* -1 and -2: the arguments of system calls are unsigned words */
#define F1	"0xffffffffffffffff"
#define F2	"0xfffffffffffffffe"

FIXTURE(filter) {
	int		channel;
	struct pev_map	map;
};

FIXTURE_SETUP(filter)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(filter)
{
	pev_unmap_channel(&self->map);
	close(self->channel);
}

static void close_some(int nr)
{
	for (int i = 0; i < nr; i++)
		syscall(__NR_close, -1L - i);
}

/* Records with @size bytes of payload, all of which @word is in. */
static int count_records(const struct pev_map *map, int size, size_t offset, const void *word,
			 size_t len)
{
	struct pev_record record;
	int nr = 0, more;

	for (unsigned int cpu = 0; cpu < map->nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, &size, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			if (memcmp(record.payload + offset, word, len))
				return -1;
			nr++;
		}
		if (more < 0)
			return -1;
	}
	return nr;
}

TEST_F(filter, by_number)
{
	long wanted = __NR_close;
	struct pev_value value;
	char expr[64];
	int fd;

	snprintf(expr, sizeof(expr), "id == %ld", wanted);
	fd = pev_open_event(TP, ENTER, expr, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 100; i++) {
		syscall(__NR_close, -1L);
		syscall(__NR_getppid);
		syscall(__NR_getppid);
	}
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(100, value.value);
	EXPECT_EQ(100, value.samples);
	EXPECT_LE(200, value.filtered);
	EXPECT_GE(210, value.filtered);
	EXPECT_EQ(100, count_records(&self->map, 56, 0, &wanted, sizeof(wanted)));
	close(fd);
}

/* What 50 calls of close() were to an event that @expr filters. */
static struct pev_value count_closes(struct __test_metadata *_metadata, const char *expr,
				     int channel)
{
	int fd = pev_open_event(TP, CLOSE, expr, channel);
	struct pev_value value = {};

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	close_some(50);
	pev_off(fd);
	value = pev_read(fd);
	close(fd);
	return value;
}

TEST_F(filter, by_argument_of_a_system_call)
{
	struct pev_value value = count_closes(_metadata, "fd >= 0xfffffffffffffffb", self->channel);

	EXPECT_EQ(50, value.value + value.filtered);
}

TEST_F(filter, by_common_fields_and_cpu)
{
	struct pev_value value;
	char expr[64];

	snprintf(expr, sizeof(expr), "common_pid == %d && CPU >= 0", gettid());
	value = count_closes(_metadata, expr, self->channel);
	EXPECT_EQ(50, value.value);
	EXPECT_EQ(0, value.filtered);
	value = count_closes(_metadata, "common_pid == 1", self->channel);
	EXPECT_EQ(0, value.value);
	EXPECT_EQ(50, value.filtered);
}

TEST_F(filter, by_string)
{
	int fd = pev_open_event(TP, "task:task_rename", "newcomm ~ \"*ell*\"", self->channel);
	struct pev_value value;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	prctl(PR_SET_NAME, "hello");
	prctl(PR_SET_NAME, "other");
	prctl(PR_SET_NAME, "cello");
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(2, value.value);
	EXPECT_EQ(1, value.filtered);
	close(fd);
}

/* What is known of any event needs no fields. */
TEST_F(filter, by_process_and_cgroup)
{
	static const struct {
		const char	*expr;
		int		passed;
	} exprs[] = {
		{ "common_tgid == %d",				50 },
		{ "common_tgid != %d",				0 },
		{ "COMM == \"filter_test\" && common_tgid == %d",	50 },
		{ "COMM ~ \"*_test\" && common_tgid == %d",	50 },
		{ "COMM ~ \"!f*\" && common_tgid == %d",	0 },
		{ "common_cgroup > 0 && common_tgid == %d",	50 },
		{ "CPU & CPUS{0-63} && common_tgid == %d",	50 },
		{ "common_ip != 0 && common_tgid == %d && fd == " F1, 1 },
	};
	struct pev_value value;
	char expr[100];
	int fd;

	prctl(PR_SET_NAME, "filter_test");
	for (unsigned int i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		/* on a machine with less CPUs the set is refused */
		if (strstr(exprs[i].expr, "CPUS") && sysconf(_SC_NPROCESSORS_CONF) < 64)
			snprintf(expr, sizeof(expr), "CPU & CPUS{0-%ld} && common_tgid == %d",
				 sysconf(_SC_NPROCESSORS_CONF) - 1, getpid());
		else
			snprintf(expr, sizeof(expr), exprs[i].expr, getpid());
		fd = pev_open_event(TP, CLOSE, expr, self->channel);
		ASSERT_LE(0, fd) TH_LOG("%s: %s", expr, pev_reason());
		pev_on(fd);
		close_some(50);
		pev_off(fd);
		value = pev_read(fd);
		EXPECT_EQ(exprs[i].passed, value.value) TH_LOG("%s", expr);
		EXPECT_EQ(50 - exprs[i].passed, value.filtered) TH_LOG("%s", expr);
		EXPECT_EQ(value.value, value.samples + value.lost) TH_LOG("%s", expr);
		close(fd);
	}
}

TEST_F(filter, without_a_channel)
{
	int fd = pev_open_event(TP, CLOSE, "fd == " F2, -1);
	struct pev_value value;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	close_some(50);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(1, value.value);
	EXPECT_EQ(49, value.filtered);
	EXPECT_EQ(0, value.samples + value.lost);
	close(fd);
}

static int set_filters(int fd, const char *expr, uint32_t flags)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)expr, .refusal = (uintptr_t)&pev_why,
		.refusal_size = sizeof(pev_why), .flags = flags,
	};

	memset(&pev_why, 0, sizeof(pev_why));
	return ioctl(fd, PEV_IOC_FILTER, &arg) ? -errno : 0;
}

static int set_filter(int fd, const char *expr)
{
	return set_filters(fd, expr, 0);
}

/* Returns how many of 50 calls pass the filter of @fd. */
static uint64_t passed(int fd)
{
	uint64_t before = pev_read(fd).value;

	pev_on(fd);
	close_some(50);
	pev_off(fd);
	return pev_read(fd).value - before;
}

TEST_F(filter, of_many)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
	};
	int one = pev_open_event(TP, CLOSE, NULL, self->channel);
	int other = pev_open_event(TP, CLOSE, NULL, self->channel);
	int faults;

	ASSERT_LE(0, one) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, other) TH_LOG("%s", pev_reason());
	/* it has no fields: passed over */
	attr.channel_fd = self->channel;
	attr.group_fd = one;
	attr.period = 1;
	faults = pev_open(&attr);
	ASSERT_LE(0, faults) TH_LOG("%s", pev_reason());

	EXPECT_EQ(50, passed(one));
	EXPECT_EQ(0, set_filter(self->channel, "fd == " F1));
	EXPECT_EQ(1, passed(one));
	EXPECT_EQ(1, passed(other));
	EXPECT_EQ(-EINVAL, set_filter(self->channel, "nothing == 1"));
	EXPECT_NE(0, pev_reason()[0]);
	EXPECT_EQ(1, passed(one));
	EXPECT_EQ(0, set_filters(faults, NULL, PEV_IOF_GROUP));
	EXPECT_EQ(50, passed(one));
	EXPECT_EQ(1, passed(other));
	EXPECT_EQ(0, set_filter(self->channel, NULL));
	EXPECT_EQ(50, passed(other));
	EXPECT_EQ(-EINVAL, set_filter(faults, "fd == 1"));
	EXPECT_NE(NULL, strstr(pev_reason(), "Field not found")) TH_LOG("%s", pev_reason());
	close(faults);
	close(other);
	close(one);
}

TEST_F(filter, replaced)
{
	int fd = pev_open_event(TP, CLOSE, "fd == " F1, self->channel);
	struct pev_value value;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	close_some(10);
	EXPECT_EQ(1, pev_read(fd).value);
	ASSERT_EQ(0, set_filter(fd, "fd != " F1));
	close_some(10);
	EXPECT_EQ(10, pev_read(fd).value);
	EXPECT_EQ(-EINVAL, set_filter(fd, "fd !="));
	close_some(10);
	EXPECT_EQ(19, pev_read(fd).value);
	ASSERT_EQ(0, set_filter(fd, NULL));
	close_some(10);
	value = pev_read(fd);
	EXPECT_EQ(29, value.value);
	EXPECT_EQ(11, value.filtered);
	EXPECT_EQ(29, value.samples);
	close(fd);
}

static volatile bool stop;
static volatile int changed;

static void *changes(void *fd)
{
	for (int i = 0; !stop; changed = ++i)
		set_filter(*(int *)fd, i % 3 ? "fd == " F1 " || fd == " F2 : NULL);
	return NULL;
}

TEST_F(filter, replaced_while_it_fires)
{
	struct pev_value value;
	uint64_t nr = 0;
	pthread_t thread;
	int fd;

	fd = pev_open_event(TP, CLOSE, "fd == " F1, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	stop = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, changes, &fd));
	for (; changed < 30 || !pev_read(fd).filtered; nr++)
		syscall(__NR_close, -1L - (long)(nr & 7));
	stop = true;
	pthread_join(thread, NULL);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(nr, value.value + value.filtered);
	EXPECT_EQ(value.value, value.samples + value.lost);
	EXPECT_LT(0, value.filtered);
	close(fd);
}

TEST_F(filter, refusals)
{
	static const struct {
		const char	*expr;
		const char	*word;
	} bad[] = {
		{ "nofield == 1",		"near character 0: Field not found" },
		{ "fd == 1 && nofield == 1",	"near character 11: Field not found" },
		{ "fd = 1",			"Invalid operator" },
		{ "fd == \"text\"",		"Expecting numeric field" },
		{ "(fd == 1",			"Too many '('" },
		{ "fd == 1)",			"Too few '('" },
		{ "fd == 1 fd == 2",		"near character 8: && or || is missing" },
		{ "fd ==",			"is missing" },
		{ "&& fd == 1",			"name of a field is missing" },
		{ "fd == 0x10000000000000000",	"no number of up to 64 bits" },
		{ "fd == -1",			"fd has no sign" },
		{ "common_flags & 1",		"only tracefs has common_flags" },
		{ "",				"empty" },
		{ "  ",				"empty" },
	};
	char *longest;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EINVAL, pev_open_event(TP, CLOSE, bad[i].expr, self->channel)) {
			TH_LOG("%s", bad[i].expr);
		}
		EXPECT_NE(NULL, strstr(pev_reason(), bad[i].word)) {
			TH_LOG("%s: %s", bad[i].expr, pev_reason());
		}
		EXPECT_NE('\0', *pev_reason());
		EXPECT_EQ(offsetof(struct pev_attr, filter), pev_why.head.field);
	}
	longest = malloc(PEV_MAX_FILTER + 10);
	memset(longest, ' ', PEV_MAX_FILTER + 9);
	longest[PEV_MAX_FILTER + 9] = '\0';
	EXPECT_EQ(-EINVAL, pev_open_event(TP, CLOSE, longest, self->channel));
	EXPECT_EQ(-EFAULT, pev_open_event(TP, CLOSE, (void *)8, self->channel));
	free(longest);
}

static struct pev_attr faults_attr(const char *expr)
{
	return (struct pev_attr){
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK, .channel_fd = -1, .group_fd = -1,
		.filter = (uintptr_t)expr,
	};
}

TEST_F(filter, of_what_cannot_have_one)
{
	struct pev_attr attr = faults_attr(NULL);
	int fd;

	attr.config = PEV_SW_TASK_CLOCK;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-EOPNOTSUPP, set_filter(fd, "CPU >= 0"));
	EXPECT_NE(NULL, strstr(pev_reason(), "counts time"));
	close(fd);
	attr.filter = (uintptr_t)"CPU >= 0";
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));

	attr = (struct pev_attr){
		.type = PEV_TYPE_SIDEBAND, .config = PEV_SB_COMM, .target = PEV_TARGET_TASK,
		.channel_fd = self->channel, .group_fd = -1,
	};
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-EOPNOTSUPP, set_filter(fd, "CPU >= 0"));
	close(fd);
}

/* Page faults of this thread, at least @nr. */
static void fault(int nr)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		return;
	madvise(p, nr * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < nr; i++)
		*(volatile char *)(p + i * page) = 1;
	munmap(p, nr * page);
}

/* What has no fields can be filtered by who, and where. */
TEST_F(filter, of_a_counter)
{
	struct pev_value value, last;
	char expr[100];
	struct pev_attr attr;
	int fd;

	snprintf(expr, sizeof(expr), "common_tgid == %d && common_pid == %d && CPU >= 0",
		 getpid(), gettid());
	attr = faults_attr(expr);
	attr.channel_fd = self->channel;
	attr.period = 1;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	fault(20);
	value = pev_read(fd);
	EXPECT_LE(20, value.value);
	EXPECT_EQ(0, value.filtered);
	EXPECT_EQ(value.value, value.samples + value.lost);

	ASSERT_EQ(0, set_filter(fd, "COMM == \"nothing is called so\""));
	value = pev_read(fd);
	fault(20);
	last = pev_read(fd);
	EXPECT_EQ(value.value, last.value);
	EXPECT_EQ(value.samples, last.samples);
	EXPECT_LE(value.filtered + 20, last.filtered);
	ASSERT_EQ(0, set_filter(self->channel, NULL));
	fault(20);
	pev_off(fd);
	EXPECT_LE(value.value + 20, pev_read(fd).value);
	close(fd);
}

/* Stay in user mode for a while. */
static void spin(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

/* Samples of a timer; where they are may be asked if the kernel is left out. */
TEST_F(filter, of_a_timer)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER, .config = PEV_TIMER_CPU_CLOCK, .target = PEV_TARGET_TASK,
		.channel_fd = self->channel, .group_fd = -1, .period = 1000000,
		.sample = PEV_SAMPLE_TID, .flags = PEV_F_EXCLUDE_KERNEL,
		.filter = (uintptr_t)"common_ip < 4096 || CPU < 0",
	};
	int fd = pev_open(&attr);
	struct pev_value value;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	while (pev_read(fd).filtered < 3)
		spin();
	EXPECT_EQ(0, pev_read(fd).value);
	ASSERT_EQ(0, set_filter(fd, "common_ip >= 4096 && CPU >= 0"));
	while (pev_read(fd).value < 3)
		spin();
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(value.value, value.samples + value.lost);
	close(fd);
}

TEST_HARNESS_MAIN
