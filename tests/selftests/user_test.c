// SPDX-License-Identifier: GPL-2.0
/*
 * Producers and listeners as the kernel sees them: what is refused, who may listen to whom,
 * how long rings stay. The marks are registered by hand here; user_write_test.c has those of
 * pev/mark.h, user_memory_test.c what forks and limits do to the memory, user_who_test.c who is
 * asked where processes share theirs.
 */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "user_util.h"

TEST(producer_refusals)
{
	struct asked a;

	NEEDS_PEV();
#define REFUSED(error, change)                    \
	do {                                      \
		ask(&a);                          \
		change;                           \
		EXPECT_EQ(-(error), produce(&a)); \
		EXPECT_NE('\0', pev_reason()[0]); \
	} while (0)
	REFUSED(EINVAL, a.producer.size = 8);
	REFUSED(EINVAL, a.producer.size = 1 << 20);
	REFUSED(EINVAL, a.producer.flags = 1);
	REFUSED(EINVAL, a.producer.nr_marks = 0);
	REFUSED(EINVAL, a.producer.nr_marks = PEV_MAX_USER_MARKS + 1);
	REFUSED(EINVAL, a.producer.strings_size = 0);
	REFUSED(EINVAL, a.producer.strings_size = PEV_MAX_USER_STRINGS + 1);
	REFUSED(EINVAL, a.producer.strings_size--);
	REFUSED(EINVAL, a.producer.nr_rings = 0);
	REFUSED(EINVAL, a.producer.nr_rings = PEV_MAX_USER_RINGS + 1);
	REFUSED(EINVAL, a.producer.ring_size = PEV_MIN_USER_RING / 2);
	REFUSED(EINVAL, a.producer.ring_size = PEV_MAX_USER_RING * 2);
	REFUSED(EINVAL, a.producer.ring_size = RING + 8);
	REFUSED(EINVAL, a.marks[0].slot = PEV_USER_SLOTS);
	REFUSED(EINVAL, a.marks[0].name = sizeof(a.strings));
	REFUSED(EINVAL, a.marks[1].format = ~0U);
	REFUSED(EINVAL, a.marks[1].fields = a.producer.strings_size);
	REFUSED(EINVAL, a.strings[4] = '.'); /* no colon */
	REFUSED(EINVAL, a.strings[5] = ':'); /* two */
	REFUSED(EINVAL, a.strings[0] = '\0');
	REFUSED(EINVAL, a.strings[6] = ' ');
	REFUSED(EINVAL, a.strings[15] = '\n');
	REFUSED(EINVAL, a.strings[15] = (char)0xc3);
	REFUSED(EFAULT, a.producer.marks = 1);
	REFUSED(EFAULT, a.producer.strings = 1);
	{
		struct pev_attr attr = {
			.type = PEV_TYPE_PRODUCER, .config = 1, .channel_fd = -1, .group_fd = -1
		};

		EXPECT_EQ(-EFAULT, pev_open(&attr));
		attr.target = PEV_TARGET_PROCESS;
		EXPECT_EQ(-EINVAL, pev_open(&attr));
	}
}

/* What follows what this kernel knows must be zero. */
TEST(producer_grows)
{
	struct {
		struct pev_producer producer;
		uint64_t more;
	} longer = {};
	struct pev_attr attr = { .type = PEV_TYPE_PRODUCER,
				 .config = (uintptr_t)&longer,
				 .channel_fd = -1,
				 .group_fd = -1 };
	struct asked a;
	int fd;

	NEEDS_PEV();
	ask(&a);
	longer.producer = a.producer;
	longer.producer.size = sizeof(longer);
	fd = pev_open(&attr);
	EXPECT_LE(0, fd);
	close(fd);
	longer.more = 1;
	EXPECT_EQ(-E2BIG, pev_open(&attr));
}

TEST(mapping_refusals)
{
	struct asked a;
	void *gate;
	int fd;

	NEEDS_PEV();
	ask(&a);
	fd = produce(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, try_map(fd, PAGE, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, try_map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, try_map(fd, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, 2 * PAGE, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE));
	EXPECT_EQ(-EINVAL, try_map(fd, rings_size(), PROT_READ | PROT_WRITE, MAP_SHARED, 2 * PAGE));
	EXPECT_EQ(-EINVAL, try_map(fd, rings_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, PAGE));
	EXPECT_EQ(0, try_map(fd, rings_size(), PROT_READ | PROT_WRITE, MAP_SHARED, PAGE));

	/* a part can't be unmapped, and the gate not be made writable */
	gate = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, gate);
	EXPECT_EQ(-1, mprotect(gate, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	munmap(gate, PAGE);
	close(fd);
	fd = produce(&a);
	ASSERT_LE(0, fd);
	gate = mmap(NULL, rings_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)PAGE);
	ASSERT_NE(MAP_FAILED, gate);
	EXPECT_EQ(-1, munmap(gate, PAGE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, munmap(gate, rings_size()));
	close(fd);
}

TEST(listener_refusals)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_USER,
		.target = PEV_TARGET_PROCESS,
		.channel_fd = -1,
		.group_fd = -1,
	};
	static const char *const wrong[] = { "", "shop", "s*p:*", "shop:check out", "**", "?:a" };
	uint64_t first = 1;
	int channel;

	NEEDS_PEV();
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		EXPECT_EQ(-EINVAL, user_listen(wrong[i], PEV_TARGET_PROCESS, 0, 0))
		TH_LOG("%s", wrong[i]);
	}
	EXPECT_EQ(-EOPNOTSUPP, user_listen("shop:*", PEV_TARGET_TASK, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, user_listen("shop:*", PEV_TARGET_PROCESS, 0, PEV_F_EXCLUDE_KERNEL));
	channel = pev_open_channel(65536, 0, 0);
	ASSERT_LE(0, channel);
	attr.name = (uintptr_t) "shop:*";
	attr.channel_fd = channel;
	attr.period = 1;
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	close(channel);
	attr.channel_fd = -1;
	attr.period = 0;
	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)&first;
	attr.cpus_size = sizeof(first);
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, cpus_size), pev_why.head.field);
	EXPECT_EQ(-ESRCH, user_listen("shop:*", PEV_TARGET_PROCESS, 4194303, 0));
}

TEST(next_refusals)
{
	struct user_seen seen;
	struct space s;
	int fd, number;
	uint32_t none = 77;

	NEEDS_PEV();
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, user_next(fd, 0, &seen));
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(ENOTTY, errno);
	ASSERT_EQ(0, begin(&s));
	ASSERT_EQ(0, user_next(fd, 0, &seen));
	number = seen.next.number;
	EXPECT_EQ(2, seen.next.nr_marks);
	EXPECT_STREQ("shop:close", seen.strings + seen.marks[1].name);
	EXPECT_EQ(getpid(), seen.next.pid);
	EXPECT_EQ(getpid(), seen.next.inner_pid);
	EXPECT_EQ(-EAGAIN, user_next(fd, number + 1, &seen));

	seen.next = (struct pev_user_next){ .size = sizeof(seen.next) };
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_NEXT, &seen.next));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(2, seen.next.nr_marks);
	EXPECT_LT(0, seen.next.strings_size);
	seen.next.marks = 1;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_NEXT, &seen.next));
	EXPECT_EQ(EFAULT, errno);
	seen.next.size = 8;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_NEXT, &seen.next));
	EXPECT_EQ(EINVAL, errno);
	seen.next.size = 1 << 20;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_NEXT, &seen.next));
	EXPECT_EQ(E2BIG, errno);
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_NEXT, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_USER_DONE, &none));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_USER_DONE, &number));
	EXPECT_EQ(-EAGAIN, user_next(fd, 0, &seen));
	/* who forgets it does not listen to it any more */
	EXPECT_EQ(0, s.gate->on[0]);
	end(&s);
	close(fd);
}

TEST(shown_refusals)
{
	struct user_seen seen;
	struct space s;
	uint64_t at;
	int fd;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, user_next(fd, 0, &seen));
	at = seen.next.mmap_offset;
	EXPECT_EQ(0, try_map(fd, PAGE, PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(-EACCES, try_map(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, at));
	EXPECT_EQ(-EACCES, try_map(fd, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, at));
	/* a ring that was not touched is not there, nor is another producer */
	EXPECT_EQ(-ENXIO, try_map(fd, PAGE, PROT_READ, MAP_SHARED, at + PAGE));
	EXPECT_EQ(-ENXIO, try_map(fd, PAGE, PROT_READ, MAP_SHARED, at + (1ULL << 41)));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ, MAP_SHARED, at + PAGE + rings_size()));
	*(volatile char *)s.rings = 1;
	EXPECT_EQ(1, s.gate->used_rings);
	EXPECT_EQ(0, try_map(fd, PAGE, PROT_READ, MAP_SHARED, at + PAGE));
	EXPECT_EQ(0, try_map(fd, user_stride(&seen), PROT_READ, MAP_SHARED, at + PAGE));
	EXPECT_EQ(-EINVAL, try_map(fd, 2 * PAGE, PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(-EINVAL,
		  try_map(fd, user_stride(&seen) + PAGE, PROT_READ, MAP_SHARED, at + PAGE));
	end(&s);
	close(fd);
}

TEST(on_and_off)
{
	struct space s;
	int all, one, other;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	EXPECT_EQ(PEV_ABI_VERSION, s.gate->version);
	EXPECT_NE(0, s.gate->id);
	EXPECT_EQ(0, s.gate->on[0] | s.gate->slots[5] | s.gate->on[1] | s.gate->slots[7]);
	one = user_listen("shop:checkout", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, one);
	/* an event is on at the latest when its work was done */
	EXPECT_TRUE(becomes(&s.gate->on[0], 1));
	EXPECT_EQ(1, s.gate->slots[5]);
	EXPECT_EQ(0, s.gate->on[1] | s.gate->slots[7]);
	all = user_listen("shop:*", PEV_TARGET_PROCESS, 0, PEV_F_DISABLED);
	ASSERT_LE(0, all);
	EXPECT_EQ(0, s.gate->on[1]);
	ASSERT_EQ(0, pev_on(all));
	EXPECT_TRUE(becomes(&s.gate->on[1], 1));
	close(one);
	EXPECT_EQ(1, s.gate->on[0]);
	ASSERT_EQ(0, pev_off(all));
	EXPECT_TRUE(becomes(&s.gate->on[0], 0));
	EXPECT_TRUE(becomes(&s.gate->slots[7], 0));
	other = user_listen("shopping:*", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, other);
	EXPECT_EQ(0, s.gate->on[0]);
	close(other);
	close(all);
	end(&s);
}

/* A producer that begins while there is a listener is listened to before it goes on. */
TEST(future_producer)
{
	struct space s;
	int fd;

	NEEDS_PEV();
	fd = user_listen("shop:*", PEV_TARGET_SUBTREE, 0, 0);
	ASSERT_LE(0, fd);
	/* it is on once the gate of some producer says so */
	ASSERT_EQ(0, begin(&s));
	EXPECT_EQ(1, s.gate->on[0]);
	EXPECT_EQ(1, s.gate->on[1]);
	end(&s);
	close(fd);
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* ns to map rings of another family: the median of @nr. */
static uint64_t map_families(unsigned int nr)
{
	uint64_t *ns = calloc(nr, sizeof(*ns)), median;
	struct asked a;

	ask(&a);
	for (unsigned int i = 0; i < nr; i++) {
		int fd = produce(&a);
		uint64_t begin = pev_clock_ns(CLOCK_MONOTONIC);
		void *rings = mmap(NULL, rings_size(), PROT_READ, MAP_SHARED, fd, (off_t)PAGE);

		ns[i] = pev_clock_ns(CLOCK_MONOTONIC) - begin;
		if (rings == MAP_FAILED)
			_exit(1);
		close(fd);
	}
	qsort(ns, nr, sizeof(*ns), compare_ns);
	median = ns[nr / 2];
	free(ns);
	return median;
}

/* A process with thousands of families keeps the lock of all no longer than one with a few. */
TEST(thousands_of_families)
{
	unsigned int nr = pev_kernel_is_slow() ? 1000 : 16000;
	pid_t pid;

	NEEDS_PEV();
	pid = fork();
	if (!pid) {
		uint64_t first = map_families(500), last;

		map_families(nr);
		last = map_families(500);
		if (last > 4 * first)
			fprintf(stderr, "# %llu ns, with %u others %llu\n",
				(unsigned long long)first, nr, (unsigned long long)last);
		_exit(last > 4 * first);
	}
	EXPECT_EQ(0, reap(pid));
}

/* Users see what ptrace lets them see. */
TEST(rights)
{
	struct user_seen seen;
	struct space s;
	pid_t pid;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, begin(&s));
	pid = fork();
	if (!pid) {
		if (setgid(54321) || setuid(54321))
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		if (user_listen("shop:*", PEV_TARGET_PROCESS, getppid(), 0) != -EACCES)
			_exit(1);
		if (user_listen("shop:*", PEV_TARGET_CPUS, 0, 0) != -EACCES)
			_exit(2);
		if (user_listen("shop:*", PEV_TARGET_SUBTREE, 0, 0) < 0)
			_exit(3);
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
	/* root listens to all */
	pid = user_listen("shop:*", PEV_TARGET_CPUS, 0, 0);
	ASSERT_LE(0, pid);
	EXPECT_LE(0, user_find(pid, getpid(), &seen));
	close(pid);
	end(&s);
}

/* Nor do they see more of programs that begin when they may watch all CPUs. */
TEST(rights_of_who_watches_cpus)
{
	struct pev_levels before = pev_get_levels();
	int ready[2], go[2];
	struct space s;
	char byte = 0;
	pid_t pid;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pev_set_paranoid(0));
	pid = fork();
	if (!pid) {
		struct user_seen seen;
		struct space own;
		int fd;

		if (setgid(54321) || setuid(54321))
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		fd = user_listen("shop:*", PEV_TARGET_CPUS, 0, 0);
		if (fd < 0 || write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(8);
		if (begin(&own))
			_exit(7);
		if (user_find(fd, getpid(), &seen) < 0)
			_exit(1);
		_exit(user_find(fd, getppid(), &seen) < 0 ? 0 : 2);
	}
	close(ready[1]);
	EXPECT_EQ(1, read(ready[0], &byte, 1));
	EXPECT_EQ(0, begin(&s));
	EXPECT_EQ(1, write(go[1], &byte, 1));
	EXPECT_EQ(0, reap(pid));
	end(&s);
	EXPECT_EQ(0, pev_set_levels(before));
}

/* A process that becomes undumpable can't be looked at any more. */
TEST(rights_that_are_gained)
{
	int to[2], from[2];
	char c = 0;
	pid_t pid;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	if (!pid) {
		struct user_seen seen;
		struct space s;
		pid_t child;
		int fd;

		if (setgid(54321) || setuid(54321))
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		child = fork();
		if (!child) {
			if (begin(&s))
				_exit(1);
			*(volatile char *)s.rings = 1;
			if (write(to[1], "", 1) != 1 || read(from[0], &c, 1) != 1)
				_exit(1);
			prctl(PR_SET_DUMPABLE, 0);
			if (write(to[1], "", 1) != 1)
				_exit(1);
			pause();
		}
		if (read(to[0], &c, 1) != 1)
			_exit(2);
		fd = user_listen("shop:*", PEV_TARGET_PROCESS, child, 0);
		if (fd < 0 || user_next(fd, 0, &seen) || !user_ring(fd, &seen, 0))
			_exit(3);
		if (write(from[1], "", 1) != 1 || read(to[0], &c, 1) != 1)
			_exit(4);
		if (user_next(fd, 0, &seen) != -EACCES)
			_exit(5);
		if (user_ring(fd, &seen, 0) || errno != EACCES)
			_exit(6);
		kill(child, SIGKILL);
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
}

/* One user does not listen with more than so many events. */
TEST(listeners_are_limited)
{
	pid_t pid;

	PEV_NEEDS_ROOT(return );
	pid = fork();
	if (!pid) {
		int nr = 0, fd;

		if (setgid(54322) || setuid(54322))
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		do
			fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
		while (fd >= 0 && ++nr < 1000);
		_exit(fd == -EMFILE && nr == PEV_MAX_USER_LISTENS ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
}

/* Nor do the users that he has in a namespace of his own. */
TEST(listeners_of_owned_users)
{
	char path[64], byte = 0;
	int ready[2], go[2];
	pid_t pid;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		int nr = 0, fd = 0;

		if (setgid(54323) || setuid(54323))
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		if (unshare(CLONE_NEWUSER))
			_exit(10);
		if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(8);
		for (int uid = 0; uid < 2; uid++) {
			if (setresuid(uid, uid, 0))
				_exit(7);
			prctl(PR_SET_DUMPABLE, 1);
			do
				fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
			while (fd >= 0 && ++nr < 1000);
		}
		_exit(fd == -EMFILE && nr == PEV_MAX_USER_LISTENS ? 0 : 1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
		EXPECT_EQ(0, pev_put_text(path, "0 54323 1\n1 100000 1"));
		ASSERT_EQ(1, write(go[1], &byte, 1));
	}
	EXPECT_EQ(0, reap(pid));
}

/* Programs come and go for as long as a listener is there: it has room for those that are there. */
TEST(offsets_are_used_again)
{
	const volatile struct pev_user_gate *gate;
	static struct user_seen first, second;
	uint64_t offset = 0;
	int fd, number = 0;
	struct space s, t;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, user_next(fd, 0, &first));
	for (unsigned int i = 0; i < 3; i++) {
		ASSERT_EQ(0, begin(&t));
		ASSERT_EQ(0, user_next(fd, first.next.number + 1, &second));
		EXPECT_LT(number, (int)second.next.number);
		number = second.next.number;
		EXPECT_NE(first.next.mmap_offset, second.next.mmap_offset);
		if (i)
			EXPECT_EQ(offset, second.next.mmap_offset);
		offset = second.next.mmap_offset;
		gate = user_gate(fd, &second);
		ASSERT_NE(NULL, gate);
		EXPECT_EQ(second.next.id, gate->id);
		end(&t);
		EXPECT_EQ(PEV_USER_ENDED, gate->flags & PEV_USER_ENDED);
		EXPECT_EQ(0, ioctl(fd, PEV_IOC_USER_DONE, &number));
		EXPECT_EQ(NULL, user_gate(fd, &second));
		EXPECT_EQ(ENXIO, errno);
		munmap((void *)gate, PAGE);
	}
	close(fd);
	end(&s);
}

/* What all events have says nothing of producers, however much it says. */
TEST(counts_of_a_listener)
{
	struct {
		struct pev_counts counts;
		uint64_t behind;
	} c = { .counts = { .size = sizeof(c.counts) } };
	struct space s;
	int fd;

	NEEDS_PEV();
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, begin(&s));
	memset(&c.counts.size + 1, 0xff, sizeof(c) - sizeof(c.counts.size));
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_READ_COUNTS, &c.counts));
	EXPECT_EQ(sizeof(c.counts), c.counts.size);
	EXPECT_EQ(0, c.counts.value);
	EXPECT_EQ(0, c.counts.samples);
	EXPECT_EQ(0, c.counts.lost);
	EXPECT_EQ(UINT64_MAX, c.behind);
	end(&s);
	close(fd);
}

/* All of them are found, and their memory is given back. */
TEST(thousand_producers)
{
	unsigned int nr = pev_kernel_is_slow() ? 200 : 1000, found = 0, i;
	struct user_seen seen;
	int fd, ready[2];
	pid_t *pids = calloc(nr, sizeof(*pids));
	struct space s;
	char c;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, begin(&s));
	ASSERT_EQ(0, pipe(ready));
	fd = user_listen("shop:checkout", PEV_TARGET_SUBTREE, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(becomes(&s.gate->on[0], 1));
	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			if (!s.gate->on[0])
				_exit(1);
			*(volatile uint64_t *)s.rings = getpid();
			if (write(ready[1], "", 1) == 1)
				pause();
			_exit(1);
		}
	}
	for (i = 0; i < nr; i++)
		ASSERT_EQ(1, read(ready[0], &c, 1));
	for (uint32_t number = 0; !user_next(fd, number, &seen); number = seen.next.number + 1) {
		const char *ring;

		if ((int)seen.next.pid == getpid())
			continue;
		ring = user_ring(fd, &seen, 0);
		ASSERT_NE(NULL, ring);
		found += *(const uint64_t *)ring == seen.next.pid;
		munmap((void *)ring, user_stride(&seen));
		number = seen.next.number;
		EXPECT_EQ(0, ioctl(fd, PEV_IOC_USER_DONE, &number));
	}
	EXPECT_EQ(nr, found);
	for (i = 0; i < nr; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	free(pids);
	close(fd);
	end(&s);
}

/* The catalog has marks, by ptrace's rule. */
TEST(catalog)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 };
	char text[8192];
	bool found = false;
	struct space s;
	FILE *f;

	NEEDS_PEV();
	ASSERT_EQ(0, begin(&s));
	f = fdopen(pev_open(&attr), "r");
	ASSERT_NE(NULL, f);
	while (fgets(text, sizeof(text), f))
		found |= !strcmp(text, "user user:shop:checkout -\n");
	fclose(f);
	EXPECT_TRUE(found);
	end(&s);
}

TEST_HARNESS_MAIN
