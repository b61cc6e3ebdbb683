// SPDX-License-Identifier: GPL-2.0
/*
 * How many events a task and a group may have, whose they may be, and who pays
 * for the memory. What goes through them does so with interrupts off.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "stall_util.h"

#define ANYBODY		1000
#define OWNER 54324

#define CGROUPS		"/sys/fs/cgroup"

static int open_counter(uint32_t target, int id, int group)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, target, id);

	attr.group_fd = group;
	attr.flags = PEV_F_DISABLED;
	return pev_open(&attr);
}

/* ---- numbers ---- */

FIXTURE(limit) {
	struct pev_levels before;
	unsigned int max;
	int *fds;
};

FIXTURE_VARIANT(limit) {
	int uid;
};

FIXTURE_VARIANT_ADD(limit, root) {
	.uid = 0,
};

FIXTURE_VARIANT_ADD(limit, anybody) {
	.uid = ANYBODY,
};

FIXTURE_SETUP(limit)
{
	/* who may watch everybody may have more */
	unsigned int max = PEV_MAX_TASK_EVENTS * (variant->uid ? 1 : 2);
	struct rlimit limit = { max + 100, max + 100 };

	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	self->max = max;
	self->fds = calloc(max + 1, sizeof(int));
	ASSERT_NE(NULL, self->fds);
}

FIXTURE_TEARDOWN(limit)
{
	pev_set_levels(self->before);
}

/* The last may be one of any target; other tasks are not concerned. */
TEST_F(limit, events_of_a_task)
{
	struct pev_child c, other;
	int fd;

	if (pev_kernel_is_slow())
		SKIP(return, "so many take minutes in this kernel");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (variant->uid)
			EXPECT_EQ(0, pev_become(variant->uid, -1));
		for (unsigned int i = 0; i < self->max; i++) {
			self->fds[i] = open_counter(PEV_TARGET_TASK + i % 2, 0, -1);
			if (self->fds[i] < 0)
				break;
		}
		EXPECT_LE(0, self->fds[self->max - 1]) TH_LOG("%s", pev_reason());
		for (unsigned int t = PEV_TARGET_TASK; t <= PEV_TARGET_SUBTREE; t++) {
			fd = open_counter(t, 0, -1);
			EXPECT_EQ(-ENOSPC, fd) TH_LOG("target %u", t);
			EXPECT_LT(10, strlen(pev_reason()));
			if (fd >= 0)
				close(fd);
		}
		EXPECT_LE(0, pev_child_start(&other));
		if (!other.pid)
			_exit(open_counter(PEV_TARGET_PROCESS, 0, -1) < 0);
		EXPECT_EQ(0, pev_child_end(&other));
		/* as many again as were closed */
		close(self->fds[0]);
		close(self->fds[1]);
		EXPECT_LE(0, open_counter(PEV_TARGET_PROCESS, 0, -1)) TH_LOG("%s", pev_reason());
		EXPECT_LE(0, open_counter(PEV_TARGET_TASK, 0, -1)) TH_LOG("%s", pev_reason());
		EXPECT_EQ(-ENOSPC, open_counter(PEV_TARGET_TASK, 0, -1));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* A filter of long patterns. */
static void make_long_filter(char *expr, size_t size)
{
	char part[101] = "";
	size_t len = 0;

	memset(part, 'l', sizeof(part) - 1);
	while (len + sizeof(part) + 20 < size)
		len += snprintf(expr + len, size - len, "%scomm ~ '*%s*x'", len ? " || " : "",
				part);
}

static int set_filter(int fd, const char *expr)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)expr };

	return ioctl(fd, PEV_IOC_FILTER, &arg) ? -errno : 0;
}

/* They are asked in the scheduler: a few that take long count for as many events as there may be. */
TEST_F(limit, filters_of_a_task)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = pev_attr_software(PEV_SW_CONTEXT_SWITCHES, PEV_TARGET_TASK,
							 0);
		char expr[PEV_MAX_FILTER];
		int nr = 0, ret = 0, last = -1, plain;

		if (variant->uid)
			EXPECT_EQ(0, pev_become(variant->uid, -1));
		make_long_filter(expr, sizeof(expr));
		plain = pev_open(&attr);
		EXPECT_LE(0, plain) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, set_filter(plain, "comm == \"limit\" || common_pid == 1"));
		EXPECT_EQ(variant->uid ? -EINVAL : 0, set_filter(plain, expr));
		attr.filter = (uintptr_t)expr;
		if (variant->uid) {
			EXPECT_EQ(-ENOSPC, pev_open(&attr));
			/* one of these patterns */
			make_long_filter(expr, 130);
		}
		for (; nr < 20 && (ret = pev_open(&attr)) >= 0; nr++)
			last = ret;
		if (variant->uid) {
			EXPECT_LE(1, nr);
			EXPECT_GE(8, nr);
			EXPECT_EQ(-ENOSPC, ret);
		} else {
			EXPECT_EQ(20, nr) TH_LOG("%s", pev_reason());
		}
		/* the same filter again is what was counted */
		EXPECT_EQ(0, set_filter(last, expr));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_F(limit, members_of_a_group)
{
	static struct pev_value values[PEV_MAX_GROUP + 10];
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
		int leader, nr = 0, ret;

		if (variant->uid)
			EXPECT_EQ(0, pev_become(variant->uid, -1));
		attr.flags = PEV_F_READ_GROUP;
		leader = pev_open(&attr);
		EXPECT_LE(0, leader);
		while (nr < PEV_MAX_GROUP + 5) {
			ret = open_counter(PEV_TARGET_TASK, 0, leader);
			if (ret < 0)
				break;
			self->fds[nr++] = ret;
		}
		/* @ret of the first that was too many */
		EXPECT_EQ(PEV_MAX_GROUP - 1, nr);
		EXPECT_EQ(-E2BIG, ret);
		EXPECT_LT(10, strlen(pev_reason()));
		EXPECT_EQ((nr + 1) * sizeof(*values), read(leader, values, sizeof(values)));
		EXPECT_EQ(0, ioctl(leader, PEV_IOC_ENABLE, PEV_IOF_GROUP));
		close(self->fds[0]);
		EXPECT_LE(0, open_counter(PEV_TARGET_TASK, 0, leader));
		EXPECT_EQ(-E2BIG, open_counter(PEV_TARGET_TASK, 0, leader));
		/* it may have a group of its own */
		EXPECT_LE(0, open_counter(PEV_TARGET_TASK, 0, -1));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ---- groups are of one target ---- */

FIXTURE(group) {
	char	paths[2][64];
	int	cgroups[2];
};

FIXTURE_SETUP(group)
{
	PEV_NEEDS_ROOT(return );
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(self->paths[i], sizeof(self->paths[i]), CGROUPS "/pev-limit-%u.%d", i,
			 getpid());
		mkdir(self->paths[i], 0755);
		self->cgroups[i] = open(self->paths[i], O_RDONLY | O_DIRECTORY);
	}
}

FIXTURE_TEARDOWN(group)
{
	for (unsigned int i = 0; i < 2; i++) {
		close(self->cgroups[i]);
		rmdir(self->paths[i]);
	}
}

/* @fd is to be refused for @member. */
#define OTHER_TARGET(fd, member) do { \
	int _fd = (fd); \
	EXPECT_EQ(-EINVAL, _fd); \
	EXPECT_EQ(PEV_OFFSET(member), pev_why.head.field); \
	EXPECT_LT(10, strlen(pev_reason())); \
	if (_fd >= 0) \
		close(_fd); \
} while (0)

TEST_F(group, of_one_task)
{
	struct pev_child c;
	int leader, fd;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_wait(&c);
		_exit(0);
	}
	for (unsigned int t = PEV_TARGET_TASK; t <= PEV_TARGET_SUBTREE; t++) {
		leader = open_counter(t, 0, -1);
		ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
		OTHER_TARGET(open_counter(t, c.pid, leader), target_id);
		/* the same by its number */
		fd = open_counter(t, getpid(), leader);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
		close(leader);

		leader = open_counter(t, c.pid, -1);
		ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
		OTHER_TARGET(open_counter(t, 0, leader), target_id);
		fd = open_counter(t, c.pid, leader);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
		close(leader);
	}
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

static void *end_of_thread(void *arg)
{
	int *pipes = arg;
	int64_t tid = gettid();
	char byte;

	if (write(pipes[3], &tid, sizeof(tid)) != sizeof(tid) || read(pipes[0], &byte, 1) != 1)
		return arg;
	return NULL;
}

/* Two threads of a process are two tasks, and one process. */
TEST_F(group, of_one_thread)
{
	int pipes[4], leader, fd;
	pthread_t thread;
	void *failed;
	int64_t tid;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, pipe(pipes + 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_of_thread, pipes));
	ASSERT_EQ(sizeof(tid), read(pipes[2], &tid, sizeof(tid)));
	leader = open_counter(PEV_TARGET_TASK, tid, -1);
	ASSERT_LE(0, leader);
	OTHER_TARGET(open_counter(PEV_TARGET_TASK, 0, leader), target_id);
	fd = open_counter(PEV_TARGET_TASK, tid, leader);
	EXPECT_LE(0, fd);
	close(fd);
	close(leader);
	leader = open_counter(PEV_TARGET_PROCESS, tid, -1);
	ASSERT_LE(0, leader);
	fd = open_counter(PEV_TARGET_PROCESS, 0, leader);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	close(leader);
	ASSERT_EQ(1, write(pipes[1], "", 1));
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
}

static int open_masked(uint32_t target, int id, const uint64_t *mask, int group)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, target, id);

	attr.group_fd = group;
	attr.cpus = (uintptr_t)mask;
	attr.cpus_size = mask ? sizeof(*mask) : 0;
	return pev_open(&attr);
}

TEST_F(group, of_one_mask)
{
	uint64_t first, both, second;
	int cpus[2], leader, fd;

	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	first = 1ULL << cpus[0];
	second = 1ULL << cpus[1];
	both = first | second;
	for (unsigned int t = PEV_TARGET_CPUS; t <= PEV_TARGET_CGROUP; t++) {
		int id = t == PEV_TARGET_CGROUP ? self->cgroups[0] : 0;

		if (id < 0)
			SKIP(return, "needs cgroup v2 at " CGROUPS);
		leader = open_masked(t, id, &first, -1);
		ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
		OTHER_TARGET(open_masked(t, id, &second, leader), cpus);
		OTHER_TARGET(open_masked(t, id, &both, leader), cpus);
		OTHER_TARGET(open_masked(t, id, NULL, leader), cpus);
		fd = open_masked(t, id, &first, leader);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
		close(leader);

		leader = open_masked(t, id, NULL, -1);
		ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
		OTHER_TARGET(open_masked(t, id, &first, leader), cpus);
		fd = open_masked(t, id, NULL, leader);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
		close(leader);
	}
}

TEST_F(group, of_one_cgroup)
{
	int leader, fd;

	if (self->cgroups[1] < 0)
		SKIP(return, "needs cgroup v2 at " CGROUPS);
	leader = open_counter(PEV_TARGET_CGROUP, self->cgroups[0], -1);
	ASSERT_LE(0, leader) TH_LOG("%s", pev_reason());
	OTHER_TARGET(open_counter(PEV_TARGET_CGROUP, self->cgroups[1], leader), target_id);
	fd = dup(self->cgroups[0]);
	ASSERT_LE(0, fd);
	fd = open_counter(PEV_TARGET_CGROUP, fd, leader);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	close(leader);
}

/* ---- memory ---- */

#define THREADS		400
#define EVENTS 1500 /* that each thread shares with the others */
#define MIB		(1 << 20)
/* Caches keep pages. The sets take 9 MiB, and five times that where pages are large. */
#define SLACK		((sysconf(_SC_PAGESIZE) > 4096 ? 16 : 4) * MIB)

FIXTURE(memory) {
	char path[64];
};

FIXTURE_SETUP(memory)
{
	struct rlimit limit = { EVENTS + THREADS + 100, EVENTS + THREADS + 100 };
	char path[96];

	PEV_NEEDS_ROOT(return );
	if (pev_put_text(CGROUPS "/cgroup.subtree_control", "+memory"))
		SKIP(return, "needs cgroup v2 with memory at " CGROUPS);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	snprintf(self->path, sizeof(self->path), CGROUPS "/pev-memory.%d", getpid());
	ASSERT_EQ(0, mkdir(self->path, 0755));
	snprintf(path, sizeof(path), "%s/cgroup.procs", self->path);
	ASSERT_EQ(0, pev_put_text(path, "0"));
}

FIXTURE_TEARDOWN(memory)
{
	pev_put_text(CGROUPS "/cgroup.procs", "0");
	rmdir(self->path);
}

static long charged(const char *cgroup)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/memory.current", cgroup);
	return pev_get_number(path, 0);
}

static int gate[2];
static pid_t tids[THREADS];

static void *idler(void *tid)
{
	char byte;

	__atomic_store_n((pid_t *)tid, gettid(), __ATOMIC_RELEASE);
	if (read(gate[0], &byte, 1) < 0)
		perror("read");
	return NULL;
}

static int64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/**
 * struct usage - bytes since the start
 * @slab:    of the machine
 * @charged: to this test
 */
struct usage {
	long	slab;
	long	charged;
};

static struct usage usage_since(const struct usage *start, const char *cgroup)
{
	return (struct usage){ pev_slab_kib() * 1024 - start->slab,
			       charged(cgroup) - start->charged };
}

/* RCU frees what it has 5 s later, if there is no hurry: waits so long for what is over. */
static struct usage settled(const struct usage *start, const char *cgroup,
			    long (*excess)(const struct usage *now))
{
	int64_t end = seconds() + 8;
	struct usage now;

	do {
		now = usage_since(start, cgroup);
	} while (excess(&now) > SLACK && seconds() < end && !usleep(100000));
	return now;
}

static long not_charged(const struct usage *now)
{
	return now->slab - now->charged;
}

static long in_use(const struct usage *now)
{
	return now->slab;
}

/*
 * Each thread that has an event of its own has a set of its own, of all events
 * that count it. Who makes them pays, and they go with the events.
 */
TEST_F(memory, of_sets)
{
	const struct usage zero = { };
	static pthread_t threads[THREADS];
	static int fds[EVENTS], own[THREADS];
	struct usage start, now;
	pthread_attr_t small;

	if (pev_kernel_is_slow())
		SKIP(return, "so many take minutes in this kernel");
	ASSERT_EQ(0, pipe(gate));
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (unsigned int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], &small, idler, &tids[i]));
	for (unsigned int i = 0; i < THREADS; i++)
		while (!__atomic_load_n(&tids[i], __ATOMIC_ACQUIRE))
			pev_yield();
	start = usage_since(&zero, self->path);
	for (unsigned int i = 0; i < EVENTS; i++) {
		fds[i] = open_counter(PEV_TARGET_PROCESS, 0, -1);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		own[i] = open_counter(PEV_TARGET_TASK, tids[i], -1);
		ASSERT_LE(0, own[i]) TH_LOG("%s", pev_reason());
	}
	now = settled(&start, self->path, not_charged);
	EXPECT_GE(SLACK, not_charged(&now))
		TH_LOG("%ld KiB more, %ld KiB charged", now.slab / 1024, now.charged / 1024);

	for (unsigned int i = 0; i < THREADS; i++)
		close(own[i]);
	for (unsigned int i = 0; i < EVENTS; i++)
		close(fds[i]);
	now = settled(&start, self->path, in_use);
	EXPECT_GE(SLACK, in_use(&now)) TH_LOG("%ld KiB are left", now.slab / 1024);

	close(gate[1]);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Returns a word of a file in /proc that has one for each page. */
static uint64_t word_at(const char *path, uint64_t nr)
{
	uint64_t word = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || pread(fd, &word, sizeof(word), nr * sizeof(word)) != sizeof(word))
		word = 0;
	close(fd);
	return word;
}

/* The page that user mode reads of a counter is paid for, too. */
TEST_F(memory, of_pages)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_HARDWARE,
		.config = PEV_HW_INSTRUCTIONS,
		.target = PEV_TARGET_TASK,
		.channel_fd = -1,
		.group_fd = -1,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL | PEV_F_USER_PAGE,
	};
	const struct pev_user_page *page;
	long size = sysconf(_SC_PAGESIZE);
	int fd = pev_open(&attr);
	struct stat cgroup;
	uint64_t frame;

	if (fd < 0)
		SKIP(return, "no counter that user mode can read");
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(PEV_ABI_VERSION, *(volatile uint32_t *)&page->version);
	frame = word_at("/proc/self/pagemap", (uintptr_t)page / size) & ((1ULL << 55) - 1);
	ASSERT_NE(0, frame);
	ASSERT_EQ(0, stat(self->path, &cgroup));
	EXPECT_EQ(cgroup.st_ino, word_at("/proc/kpagecgroup", frame));
	close(fd);
}

/* Ids that a user has in a namespace of his own lock no more than he may. */
static int fill_as(uid_t uid)
{
	int fd, nr = 0;

	if (setresuid(uid, uid, 0))
		return -1;
	do
		fd = pev_open_channel(8192, 4096, 0);
	while (fd >= 0 && ++nr < 1000);
	return fd == -EPERM ? nr : -1;
}

TEST(memory_of_owned_users)
{
	rlim_t pages = 64 * getpagesize();
	struct rlimit limit = { pages, pages };
	struct pev_child c;
	char path[64];

	PEV_NEEDS_ROOT(return );
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || pev_become(OWNER, -1))
			_exit(2);
		if (unshare(CLONE_NEWUSER))
			_exit(KSFT_SKIP);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		EXPECT_LT(0, fill_as(0));
		EXPECT_EQ(0, fill_as(1));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	if (pev_child_hear(&c)) {
		ASSERT_EQ(KSFT_SKIP, pev_child_end(&c));
		SKIP(return, "no user namespaces");
	}
	snprintf(path, sizeof(path), "/proc/%d/uid_map", c.pid);
	EXPECT_EQ(0, pev_put_text(path, "0 54324 1\n1 100001 1"));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
}

/* Channels that take all that the caller may lock, each with an event. Returns descriptors. */
static int fill_with_events(int *fds, int nr)
{
	int n;

	for (n = 0; n + 2 <= nr; n += 2) {
		struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

		fds[n] = pev_open_channel(8192, 4096, 0);
		if (fds[n] < 0)
			break;
		attr.channel_fd = fds[n];
		attr.period = 1;
		fds[n + 1] = pev_open(&attr);
		if (fds[n + 1] < 0)
			_exit(2);
	}
	return n;
}

/* They hand it back later, which a mapping can't wait for: who asks for a producer does. */
TEST(memory_of_closed_events)
{
	rlim_t pages = 64 * getpagesize();
	struct rlimit limit = { pages, pages };
	struct pev_child c;
	int fds[256], nr;

	PEV_NEEDS_ROOT(return );
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &limit) || pev_become(OWNER, -1))
			_exit(2);
		for (unsigned int i = 0; i < 10; i++) {
			const struct pev_user_gate *gate;

			nr = fill_with_events(fds, 256);
			EXPECT_LT(0, nr);
			/* what is left, in gates that stay */
			while (become_producer(1, 13))
				;
			while (nr)
				close(fds[--nr]);
			gate = become_producer(1, 13);
			EXPECT_NE(NULL, gate);
			EXPECT_EQ(0, munmap((void *)gate, getpagesize()));
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_HARNESS_MAIN
