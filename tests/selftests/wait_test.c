// SPDX-License-Identifier: GPL-2.0
/*
 * Waits: the law of time, to the nanosecond, over all that a thread may go through, for all
 * threads together and by the records of each; what records say of a wait and of who ended it;
 * and what is shown of strangers.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define MS 1000000ULL
#define HOUR (3600 * 1000 * MS)
/* Waits of which a test looks at the records. */
#define ROUNDS 20

struct readings {
	struct pev_value value;
	struct pev_waits waits;
};

static struct readings read_waits(int fd)
{
	struct readings r;

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		memset(&r, 0xff, sizeof(r));
	return r;
}

static uint64_t sum_of(const struct pev_waits *w)
{
	return w->run + w->blocked + w->runnable + w->folded;
}

/* Return: by how much the law is broken. */
static int64_t off_by(int fd)
{
	struct readings r = read_waits(fd);

	return r.waits.enabled - sum_of(&r.waits);
}

static struct pev_attr attr_of(uint32_t target, int id, int channel)
{
	return (struct pev_attr){
		.type = PEV_TYPE_WAIT,
		.target = target,
		.target_id = id,
		.channel_fd = channel,
		.group_fd = -1,
	};
}

FIXTURE(wait)
{
	int channel;
	int fd;
	struct pev_map map;
	struct pev_child child;
};

FIXTURE_SETUP(wait)
{
	self->fd = -1;
	self->channel = -1;
	self->child.pid = 0;
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 22, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(wait)
{
	if (self->child.pid > 0) {
		kill(self->child.pid, SIGKILL);
		pev_child_end(&self->child);
	}
	if (self->fd >= 0)
		close(self->fd);
	if (self->channel >= 0) {
		pev_unmap_channel(&self->map);
		close(self->channel);
	}
}

/* ---- records ---- */

struct wait {
	uint32_t tid;
	uint32_t pid;
	struct pev_wait_record record;
	const uint64_t *kstack;
	uint32_t nr_kstack;
	uint32_t nr_ustack;
};

/* As pev_walk_next(), of the only event of a channel. */
static int next_wait(struct pev_walk *walk, uint64_t sample, struct wait *w)
{
	static const int sizes[] = { 0 };
	struct pev_record record;
	size_t size, chain = 0;
	uint64_t pid;
	int ret;

	walk->sizes = sizes;
	walk->nr_sizes = 1;
	ret = pev_walk_next(walk, &record);
	if (ret <= 0)
		return ret;
	memset(w, 0, sizeof(*w));
	w->tid = record.tid;
	if (sample & PEV_SAMPLE_PID) {
		memcpy(&pid, record.payload, sizeof(pid));
		w->pid = pid;
		chain = sizeof(pid);
	}
	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK)) {
		uint32_t nr[2];

		memcpy(nr, record.payload + chain, sizeof(nr));
		w->nr_kstack = nr[0];
		w->nr_ustack = nr[1];
		w->kstack = (const void *)(record.payload + chain + sizeof(nr));
		chain += sizeof(nr) + 8 * ((size_t)nr[0] + nr[1]);
	}
	size = sample & PEV_SAMPLE_KSTACK ? sizeof(w->record) :
					    offsetof(struct pev_wait_record, stack);
	memcpy(&w->record, record.payload + chain, size);
	walk->pos += chain + size;
	return 1;
}

/* Call @see for each record there is. Return: how many, or -1. */
static int64_t each_wait(int channel, struct pev_map *map, uint64_t sample,
			 void (*see)(const struct wait *w, void *to), void *to)
{
	int64_t nr = 0;

	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < map->info.nr_rings; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, NULL, 0);
		struct wait w;
		int ret;

		while ((ret = next_wait(&walk, sample, &w)) > 0) {
			see(&w, to);
			nr++;
		}
		if (ret < 0)
			return -1;
		pev_walk_release(&walk);
	}
	return nr;
}

/* ---- the law, by the records of each thread ---- */

#define ACCOUNTS 128

/* What the records of a thread say; @last is the newest, whatever ring it was in. */
struct account {
	uint32_t tid;
	uint32_t pid;
	uint64_t blocked;
	uint64_t runnable;
	unsigned int ends;
	struct pev_wait_record last;
};

struct accounts {
	struct account of[ACCOUNTS];
	unsigned int nr;
	unsigned int full;
	unsigned int opens;
	struct pev_waits sum;
};

static struct account *account_of(struct accounts *all, const struct wait *w)
{
	struct account *a = all->of;

	while (a < &all->of[all->nr] && a->tid != w->tid)
		a++;
	if (a == &all->of[all->nr]) {
		if (all->nr == ACCOUNTS) {
			all->full++;
			return NULL;
		}
		all->nr++;
		a->tid = w->tid;
		a->pid = w->pid;
	}
	return a;
}

/* Of an open wait, only the newest record counts. */
static void add_open(struct pev_waits *sum, const struct account *a)
{
	sum->enabled += a->last.enabled;
	sum->run += a->last.run;
	sum->folded += a->last.folded;
	if (!(a->last.flags & PEV_WAIT_OPEN))
		return;
	sum->blocked += a->last.blocked;
	sum->runnable += a->last.runnable;
}

/*
 * A wait may end while the event is off, in which no time passes: it was open before, and if
 * it was summed up afterwards, that says nothing else.
 */
static bool is_newer(const struct pev_wait_record *r, const struct pev_wait_record *last)
{
	return r->enabled > last->enabled ||
	       (r->enabled == last->enabled && !(r->flags & PEV_WAIT_OPEN));
}

static void book(const struct wait *w, void *to)
{
	struct accounts *all = to;
	struct account *a = account_of(all, w);

	if (!a)
		return;
	if (w->record.flags & PEV_WAIT_OPEN) {
		all->opens++;
	} else {
		a->blocked += w->record.blocked;
		a->runnable += w->record.runnable;
	}
	if (w->record.flags & PEV_WAIT_ENDED && ++a->ends > 1) {
		/* another thread has taken this one's place by an exec, with its number */
		add_open(&all->sum, a);
		memset(&a->last, 0, sizeof(a->last));
	}
	if (w->record.flags & PEV_WAIT_ENDED || (!a->ends && is_newer(&w->record, &a->last)))
		a->last = w->record;
}

/* Return: by how much the records of @a break the law. */
static int64_t account_off_by(const struct account *a)
{
	struct pev_waits sum = { .blocked = a->blocked, .runnable = a->runnable };

	add_open(&sum, a);
	return sum.enabled - sum_of(&sum);
}

/*
 * The law holds for each thread. Where one has taken another's number, it holds for their
 * process, as the records of two have one number.
 */
static void balance(struct __test_metadata *_metadata, struct accounts *all)
{
	EXPECT_EQ(0, all->full);
	for (unsigned int i = 0; i < all->nr; i++) {
		const struct account *a = &all->of[i];
		int64_t off = 0;
		bool taken = false;

		for (unsigned int k = 0; k < all->nr; k++)
			taken |= all->of[k].pid == a->pid && all->of[k].ends > 1;
		all->sum.blocked += a->blocked;
		all->sum.runnable += a->runnable;
		/* the one that took a number ended with it, and no thread ended with its first one */
		if (!taken || a->ends)
			add_open(&all->sum, a);
		off = taken ? 0 : account_off_by(a);
		EXPECT_EQ(0, off) TH_LOG("thread %u", a->tid);
	}
	EXPECT_EQ(all->sum.enabled, sum_of(&all->sum));
}

/*
 * All that there is, by the records and as the kernel counted it: the same to the ns. Threads
 * may end meanwhile, or waits that began while the event was on: no more than there are.
 */
static void agree(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self,
		   struct accounts *all)
{
	uint64_t sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID;
	struct readings r;
	int64_t nr = 0;

	for (unsigned int i = 0; i <= 2 * ACCOUNTS; i++) {
		int64_t more = each_wait(self->channel, &self->map, sample, book, all);

		ASSERT_LE(0, more);
		nr += more;
		r = read_waits(self->fd);
		if (nr == (int64_t)r.value.samples &&
		    r.waits.waits + all->opens == r.value.value)
			break;
	}

	EXPECT_EQ(nr, (int64_t)r.value.samples);
	EXPECT_EQ(0, r.value.lost);
	EXPECT_EQ(r.waits.waits + all->opens, r.value.value);
	balance(_metadata, all);
	EXPECT_EQ(r.waits.enabled, all->sum.enabled);
	EXPECT_EQ(r.waits.run, all->sum.run);
	EXPECT_EQ(r.waits.folded, all->sum.folded);
	EXPECT_EQ(r.waits.blocked, all->sum.blocked);
	EXPECT_EQ(r.waits.runnable, all->sum.runnable);
}

/* ---- the law ---- */

static void *nap(void *unused)
{
	struct timespec ts = { .tv_nsec = 100000 };

	for (int i = 0; i < 10; i++) {
		nanosleep(&ts, NULL);
		sched_yield();
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, nap, NULL))
			_exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void migrate(void)
{
	cpu_set_t set;

	for (unsigned int i = 0; i < 20; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % pev_nr_cpus(), &set);
		sched_setaffinity(0, sizeof(set), &set);
		sched_yield();
	}
}

/* Children that end asleep, stopped, by an exec of another thread, and just so. */
static void in_children(void)
{
	pid_t pid = fork();

	if (!pid) {
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	waitpid(pid, NULL, WUNTRACED);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, WCONTINUED);
	pev_settled(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(1);
	}
	waitpid(pid, NULL, WUNTRACED);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void *exec_true(void *unused)
{
	execl("/bin/true", "true", NULL);
	_exit(127);
}

static int exec_child(void)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	if (!pid) {
		/* the other thread takes the place of this one, which is blocked */
		pthread_create(&thread, NULL, exec_true, NULL);
		for (;;)
			pause();
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void live(void)
{
	migrate();
	in_threads();
	in_children();
	if (exec_child())
		_exit(2);
}

/* All that a process may go through, read by its parent all the time. */
static void lives_lawfully(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self,
			   uint64_t period)
{
	struct accounts all = {};
	struct pev_attr attr;
	struct readings r;

	pev_child_start(&self->child);
	if (!self->child.pid) {
		pev_child_wait(&self->child);
		live();
		pev_child_say(&self->child, 1);
		pev_child_wait(&self->child);
		_exit(0);
	}
	attr = attr_of(PEV_TARGET_SUBTREE, self->child.pid, self->channel);
	attr.period = period;
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, off_by(self->fd));
	pev_child_go(&self->child);
	fcntl(self->child.said[0], F_SETFL, O_NONBLOCK);
	do {
		for (int i = 0; i < 100; i++)
			ASSERT_EQ(0, off_by(self->fd));
	} while (pev_child_hear(&self->child) != 1);
	/* it waits: that is recorded as far as it came, and once more when it is over */
	EXPECT_EQ(0, ioctl(self->fd, PEV_IOC_FLUSH, 0));
	pev_child_go(&self->child);
	ASSERT_EQ(0, pev_child_end(&self->child));
	self->child.pid = 0;
	r = read_waits(self->fd);
	EXPECT_EQ(r.waits.enabled, sum_of(&r.waits));
	EXPECT_EQ(0, r.waits.threads);
	EXPECT_EQ(0, r.waits.unfollowed);
	EXPECT_LT(0, r.waits.run);
	agree(_metadata, self, &all);
	if (period) {
		EXPECT_LT(0, r.waits.folded);
		EXPECT_LT(0, r.waits.folded_waits);
	} else {
		EXPECT_EQ(0, r.waits.folded);
		EXPECT_EQ(0, r.waits.folded_waits);
		EXPECT_LT(0, r.waits.blocked);
	}
}

TEST_F(wait, law_of_all_waits)
{
	lives_lawfully(_metadata, self, 0);
}

TEST_F(wait, law_with_a_threshold)
{
	lives_lawfully(_metadata, self, MS / 2);
}

/* Follows @pid and what it begins, with records of waits from @period on. */
static void follow(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self, pid_t pid,
		   uint64_t period)
{
	struct pev_attr attr = attr_of(PEV_TARGET_SUBTREE, pid, self->channel);

	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID;
	attr.period = period;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

/* What is followed has its records now, and changes no more. */
static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self)
{
	ASSERT_EQ(0, pev_off(self->fd));
	while (ioctl(self->fd, PEV_IOC_FLUSH, 0) == 1)
		;
}

/* A child does @act until it is told to end. */
static void start_acting(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self,
			 void (*act)(void))
{
	struct pollfd told;

	ASSERT_LE(0, pev_child_start(&self->child));
	if (self->child.pid)
		return;
	told = (struct pollfd){ .fd = self->child.go[0], .events = POLLIN };
	pev_child_wait(&self->child);
	pev_child_say(&self->child, 1);
	while (!poll(&told, 1, 0))
		act();
	_exit(0);
}

static void migrate_in_threads(void)
{
	migrate();
	in_threads();
}

TEST_F(wait, law_over_hotplug)
{
	struct accounts all = {};
	char path[80];
	int cpus[2];

	PEV_NEEDS_ROOT(return );
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpus[1]);
	if (pev_put_number(path, 0) || pev_put_number(path, 1))
		SKIP(return, "CPUs can't be taken offline here");
	start_acting(_metadata, self, migrate_in_threads);
	follow(_metadata, self, self->child.pid, MS / 2);
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, pev_put_number(path, 0));
		EXPECT_EQ(0, off_by(self->fd));
		EXPECT_EQ(0, pev_put_number(path, 1));
		EXPECT_EQ(0, off_by(self->fd));
	}
	/* in the middle of what it does, with threads that wait and run */
	stop(_metadata, self);
	agree(_metadata, self, &all);
	EXPECT_LT(0, all.sum.folded);
	pev_child_go(&self->child);
	EXPECT_EQ(0, pev_child_end(&self->child));
	self->child.pid = 0;
}

#define CGROUPS "/sys/fs/cgroup"

/* Return: us for which the processes of a cgroup were kept from their CPUs. */
static unsigned long long throttled_us(const char *path)
{
	unsigned long long us = 0;
	char stat[128], line[80];
	FILE *f;

	snprintf(stat, sizeof(stat), "%s/cpu.stat", path);
	f = fopen(stat, "r");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "throttled_usec %llu", &us) != 1)
		;
	if (f)
		fclose(f);
	return us;
}

static void spin(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static int put_in(const char *cgroup, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", cgroup, file);
	return pev_put_text(path, text);
}

/* Out of its share of time, a thread could run, and is given no CPU. */
TEST_F(wait, law_when_throttled)
{
	struct accounts all = {};
	struct readings r;
	char path[64], pid[16];
	uint64_t us = 0;

	PEV_NEEDS_ROOT(return );
	snprintf(path, sizeof(path), CGROUPS "/pev-wait.%d", getpid());
	put_in(CGROUPS, "cgroup.subtree_control", "+cpu");
	ASSERT_EQ(0, mkdir(path, 0755));
	if (put_in(path, "cpu.max", "2000 20000")) {
		rmdir(path);
		SKIP(return, "no cgroup has a limit of CPU time here");
	}
	start_acting(_metadata, self, spin);
	snprintf(pid, sizeof(pid), "%d", self->child.pid);
	EXPECT_EQ(0, put_in(path, "cgroup.procs", pid));
	follow(_metadata, self, self->child.pid, MS / 2);
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	while (us < 100000) {
		EXPECT_EQ(0, off_by(self->fd));
		us = throttled_us(path);
	}
	stop(_metadata, self);
	r = read_waits(self->fd);
	/* it has one thread */
	EXPECT_LE(us * 1000 / 2, r.waits.runnable);
	agree(_metadata, self, &all);
	pev_child_go(&self->child);
	EXPECT_EQ(0, pev_child_end(&self->child));
	self->child.pid = 0;
	EXPECT_EQ(0, rmdir(path));
}

/* More threads than one flush tells of. */
#define MANY 100

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

TEST_F(wait, flush_tells_of_each_thread)
{
	struct accounts all = {};
	pthread_t thread;
	unsigned int calls = 1;

	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		pev_child_wait(&self->child);
		for (int i = 0; i < MANY; i++)
			if (pthread_create(&thread, NULL, sleep_on, NULL))
				_exit(1);
		pev_child_say(&self->child, 1);
		pev_child_wait(&self->child);
		_exit(0);
	}
	follow(_metadata, self, self->child.pid, HOUR);
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	EXPECT_EQ(-1, ioctl(self->fd, PEV_IOC_FLUSH, 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, pev_off(self->fd));
	while (ioctl(self->fd, PEV_IOC_FLUSH, 0) == 1)
		calls++;
	EXPECT_LT(1, calls);
	agree(_metadata, self, &all);
	EXPECT_EQ(MANY + 1, all.nr);
	EXPECT_EQ(MANY + 1, all.opens);
	/* all of it is told once more at the next flush, and at each thread's end */
	stop(_metadata, self);
	pev_child_go(&self->child);
	EXPECT_EQ(0, pev_child_end(&self->child));
	self->child.pid = 0;
	memset(&all, 0, sizeof(all));
	EXPECT_EQ(2 * (MANY + 1), each_wait(self->channel, &self->map,
					    PEV_SAMPLE_TID | PEV_SAMPLE_PID, book, &all));
	balance(_metadata, &all);
	for (unsigned int i = 0; i < all.nr; i++)
		EXPECT_EQ(1, all.of[i].ends);
}

/* Without a channel there are no records. */
TEST_F(wait, flush_of_what_only_counts)
{
	struct pev_attr attr = attr_of(PEV_TARGET_PROCESS, 0, -1);
	struct readings r;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(0, ioctl(self->fd, PEV_IOC_FLUSH, 0));
	/* two numbers, between which another may have its turn */
	ASSERT_EQ(0, pev_off(self->fd));
	r = read_waits(self->fd);
	EXPECT_EQ(r.waits.waits, r.value.value);
	EXPECT_EQ(0, r.value.samples);
}

/* A child that answers each word of its parent with one. */
static void echo(struct pev_child *c)
{
	for (;;) {
		pev_child_wait(c);
		pev_child_say(c, 1);
	}
}

static void start_echo(struct __test_metadata *_metadata, FIXTURE_DATA(wait) * self,
		       uint64_t sample, uint64_t period)
{
	struct pev_attr attr;

	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid)
		echo(&self->child);
	pev_settled(self->child.pid);
	attr = attr_of(PEV_TARGET_TASK, self->child.pid, self->channel);
	attr.sample = sample;
	attr.period = period;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

/* The child sleeps in its pipe whenever it is written to. */
static void play(struct pev_child *c, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pev_settled(c->pid);
		pev_child_go(c);
		pev_child_hear(c);
	}
	pev_settled(c->pid);
}

TEST_F(wait, folds_what_is_short)
{
	struct readings r;

	start_echo(_metadata, self, 0, HOUR);
	/* some are over before the child has left its CPU */
	play(&self->child, 1000);
	r = read_waits(self->fd);
	EXPECT_EQ(r.waits.enabled, sum_of(&r.waits));
	EXPECT_EQ(0, r.waits.blocked);
	EXPECT_EQ(0, r.waits.runnable);
	EXPECT_LT(0, r.waits.folded);
	EXPECT_LT(0, r.waits.folded_waits);
	EXPECT_EQ(0, r.waits.waits);
	EXPECT_EQ(0, r.value.value);
	EXPECT_EQ(0, r.value.samples);
	EXPECT_EQ(1, r.waits.threads);
}

/* ---- what is known of a wait ---- */

struct seen {
	uint32_t tid;
	pid_t waker;
	char comm[16];
	unsigned int sleeps;
	unsigned int as_due;
	unsigned int wrong;
	unsigned int kinds[PEV_WAKER_MAX];
};

static void look(const struct wait *w, void *to)
{
	const struct pev_wait_record *r = &w->record;
	struct seen *seen = to;
	bool wanted = r->state == PEV_WAIT_PREEMPTED || r->state == PEV_WAIT_NEW;

	/* one that was woken before it had left its CPU was blocked for 0 ns */
	seen->wrong += w->tid != seen->tid || r->state >= PEV_WAIT_STATE_MAX ||
		       r->waker >= PEV_WAKER_MAX || !r->waker != wanted ||
		       (r->blocked && !r->waker);
	if (r->waker < PEV_WAKER_MAX)
		seen->kinds[r->waker]++;
	if (r->state != PEV_WAIT_SLEEPING)
		return;
	seen->sleeps++;
	if (seen->waker && (pid_t)r->waker_tid == seen->waker && (pid_t)r->waker_pid == getpid() &&
	    !memcmp(r->waker_comm, seen->comm, 16))
		seen->as_due++;
	if (!seen->waker && !r->waker_tid && !r->waker_pid && !r->waker_comm[0])
		seen->as_due++;
}

TEST_F(wait, names_the_waker)
{
	struct seen seen = { .waker = gettid() };

	start_echo(_metadata, self, PEV_SAMPLE_TID, 0);
	prctl(PR_GET_NAME, seen.comm);
	seen.tid = self->child.pid;
	play(&self->child, ROUNDS);
	ASSERT_LT(0, each_wait(self->channel, &self->map, 0, look, &seen));
	EXPECT_EQ(0, seen.wrong);
	EXPECT_LT(0, seen.sleeps);
	EXPECT_EQ(seen.sleeps, seen.as_due);
	EXPECT_EQ(0, seen.kinds[PEV_WAKER_UNSEEN]);
}

static void sleep_20_ms(void)
{
	struct timespec ts = { .tv_nsec = 20 * MS };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* The event's clock is the one by which a thread sleeps. */
TEST_F(wait, knows_how_long_it_slept)
{
	struct pev_attr attr = attr_of(PEV_TARGET_TASK, 0, -1);
	struct readings before, after;
	uint64_t begin, end;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	begin = pev_clock_ns(CLOCK_MONOTONIC);
	before = read_waits(self->fd);
	sleep_20_ms();
	after = read_waits(self->fd);
	end = pev_clock_ns(CLOCK_MONOTONIC);
	EXPECT_LE(20 * MS, after.waits.enabled - before.waits.enabled);
	EXPECT_GE(end - begin, after.waits.enabled - before.waits.enabled);
	EXPECT_EQ(after.waits.enabled, sum_of(&after.waits));
}

TEST_F(wait, names_timers)
{
	struct seen seen = {};
	struct pev_attr attr;
	struct readings r;

	ASSERT_LE(0, pev_child_start(&self->child));
	while (!self->child.pid)
		sleep_20_ms();
	attr = attr_of(PEV_TARGET_PROCESS, self->child.pid, self->channel);
	attr.sample = PEV_SAMPLE_TID;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	seen.tid = self->child.pid;
	/* a timer may expire before the thread has left its CPU, but not for ever */
	do {
		sched_yield();
		r = read_waits(self->fd);
	} while (r.waits.blocked < 100 * MS || !r.waits.waits);
	ASSERT_LT(0, each_wait(self->channel, &self->map, 0, look, &seen));
	EXPECT_EQ(0, seen.wrong);
	/* the timer's interrupt, wherever this kernel lets it run */
	EXPECT_LT(0, seen.kinds[PEV_WAKER_INTERRUPT] + seen.kinds[PEV_WAKER_SOFTIRQ] +
			     seen.kinds[PEV_WAKER_KTHREAD]);
}

/* ---- stacks ---- */

/* A function of the kernel: where it is. */
struct function {
	const char *name;
	unsigned long long begin;
	unsigned long long end;
};

/* The table is sorted, but for modules at its end. */
static void find_functions(struct function *functions, unsigned int nr)
{
	unsigned long long at;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f) && !strchr(line, '[')) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		for (unsigned int i = 0; i < nr; i++) {
			if (functions[i].begin && !functions[i].end && at > functions[i].begin)
				functions[i].end = at;
			if (!functions[i].begin && !strcmp(name, functions[i].name))
				functions[i].begin = at;
		}
	}
	if (f)
		fclose(f);
}

static bool is_in(uint64_t address, const struct function *function)
{
	return address >= function->begin && address < function->end;
}

struct stacks {
	struct function functions[2];
	unsigned int user;
	unsigned int sleeper;
	unsigned int waker;
	unsigned int looked;
};

static void look_at_stacks(const struct wait *w, void *to)
{
	struct stacks *s = to;

	if (w->record.state != PEV_WAIT_SLEEPING || !w->record.frames)
		return;
	s->looked++;
	s->user += !!w->nr_ustack;
	for (uint32_t i = 0; i < w->nr_kstack; i++)
		s->sleeper += is_in(w->kstack[i], &s->functions[0]);
	for (uint32_t i = 0; i < w->record.frames && i < PEV_WAKER_FRAMES; i++)
		s->waker += is_in(w->record.stack[i], &s->functions[1]);
}

TEST_F(wait, has_stacks_of_both)
{
	uint64_t sample = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK;
	struct stacks s = { .functions = { { .name = "pipe_read" }, { .name = "pipe_write" } } };

	find_functions(s.functions, 2);
	ASSERT_LT(s.functions[0].begin, s.functions[0].end);
	ASSERT_LT(s.functions[1].begin, s.functions[1].end);
	start_echo(_metadata, self, sample, 0);
	play(&self->child, ROUNDS);
	ASSERT_LT(0, each_wait(self->channel, &self->map, sample, look_at_stacks, &s));
	ASSERT_LT(0, s.looked);
	EXPECT_EQ(s.looked, s.user);
	/* it is walked before the thread goes on, however late the program's stack is */
	EXPECT_EQ(s.looked, s.sleeper);
	EXPECT_EQ(s.looked, s.waker);
}

/* ---- rights ---- */

TEST_F(wait, hides_strangers)
{
	struct pev_attr attr = attr_of(PEV_TARGET_PROCESS, 0, -1);
	struct seen seen = {};
	int status;

	if (getuid())
		SKIP(return, "not root");
	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		int channel, fd;
		struct pev_map map;

		if (pev_become(PEV_NOBODY, -1))
			_exit(1);
		channel = pev_open_channel(1 << 20, 1 << 14, 0);
		if (channel < 0 || pev_map_channel(channel, &map))
			_exit(2);
		attr.channel_fd = channel;
		attr.sample = PEV_SAMPLE_TID;
		fd = pev_open(&attr);
		if (fd < 0)
			_exit(3);
		seen.tid = getpid();
		for (int i = 0; i < ROUNDS; i++) {
			pev_child_say(&self->child, 1);
			pev_child_wait(&self->child);
		}
		pev_off(fd);
		if (off_by(fd))
			_exit(4);
		if (each_wait(channel, &map, 0, look, &seen) < 0 || seen.wrong)
			_exit(5);
		/* of the waker, who is root, is told what it is, and no more */
		_exit(seen.sleeps && seen.as_due == seen.sleeps && seen.kinds[PEV_WAKER_THREAD] ?
			      0 :
			      6);
	}
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(1, pev_child_hear(&self->child));
		pev_settled(self->child.pid);
		pev_child_go(&self->child);
	}
	status = pev_child_end(&self->child);
	self->child.pid = 0;
	EXPECT_EQ(0, status);
}

/* ---- on, off, back to zero ---- */

TEST_F(wait, follows_switches_of_sleepers)
{
	struct readings a, b;
	uint64_t begin, end;

	start_echo(_metadata, self, 0, 0);
	begin = pev_clock_ns(CLOCK_MONOTONIC);
	a = read_waits(self->fd);
	/* it does nothing but sleep, and time goes on */
	do {
		b = read_waits(self->fd);
	} while (b.waits.blocked - a.waits.blocked < 2 * MS);
	EXPECT_EQ(b.waits.enabled, b.waits.blocked);
	EXPECT_EQ(0, b.waits.run);
	EXPECT_EQ(0, b.waits.waits);
	ASSERT_EQ(0, pev_off(self->fd));
	a = read_waits(self->fd);
	EXPECT_LE(b.waits.enabled, a.waits.enabled);
	play(&self->child, 3);
	b = read_waits(self->fd);
	/* off: nothing of that was counted; the wait that was under way then has ended, as long as it was */
	EXPECT_EQ(a.waits.enabled, b.waits.enabled);
	EXPECT_EQ(b.waits.enabled, sum_of(&b.waits));
	EXPECT_EQ(a.waits.blocked + a.waits.runnable, b.waits.blocked + b.waits.runnable);
	EXPECT_EQ(1, b.value.samples);
	EXPECT_EQ(1, b.waits.waits);
	ASSERT_EQ(0, ioctl(self->fd, PEV_IOC_RESET, 0));
	b = read_waits(self->fd);
	EXPECT_EQ(0, b.waits.enabled);
	EXPECT_EQ(0, sum_of(&b.waits));
	ASSERT_EQ(0, pev_on(self->fd));
	play(&self->child, 3);
	a = read_waits(self->fd);
	end = pev_clock_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(a.waits.enabled, sum_of(&a.waits));
	EXPECT_LT(0, a.waits.run);
	EXPECT_GT(end - begin, a.waits.enabled);
}

TEST_F(wait, waits_for_an_exec)
{
	struct pev_attr attr;
	struct readings r;

	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		pev_child_wait(&self->child);
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	pev_settled(self->child.pid);
	attr = attr_of(PEV_TARGET_SUBTREE, self->child.pid, -1);
	attr.flags = PEV_F_ENABLE_ON_EXEC;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	r = read_waits(self->fd);
	EXPECT_EQ(0, r.waits.enabled);
	EXPECT_EQ(1, r.waits.threads);
	pev_child_go(&self->child);
	EXPECT_EQ(0, pev_child_end(&self->child));
	self->child.pid = 0;
	r = read_waits(self->fd);
	EXPECT_LT(0, r.waits.run);
	EXPECT_EQ(r.waits.enabled, sum_of(&r.waits));
	EXPECT_EQ(0, r.waits.threads);
}

/* ---- what is refused ---- */

struct mistake {
	struct pev_attr attr;
	int error;
	size_t field;
};

TEST_F(wait, refuses)
{
#define WAIT .type = PEV_TYPE_WAIT, .target = PEV_TARGET_TASK, .channel_fd = -1, .group_fd = -1
	static const struct mistake mistakes[] = {
		{ { WAIT, .config = 1 }, EINVAL, PEV_OFFSET(config) },
		{ { WAIT, .filter = 1 }, EINVAL, PEV_OFFSET(filter) },
		{ { WAIT, .name = 1 }, EINVAL, PEV_OFFSET(name) },
		{ { WAIT, .period = 1ULL << 63 }, EINVAL, PEV_OFFSET(period) },
		{ { WAIT, .flags = PEV_F_FREQ, .period = 1 }, EOPNOTSUPP, PEV_OFFSET(flags) },
		{ { WAIT, .flags = PEV_F_MARKED }, EOPNOTSUPP, PEV_OFFSET(flags) },
		{ { WAIT, .flags = PEV_F_EXCLUDE_USER }, EOPNOTSUPP, PEV_OFFSET(flags) },
		{ { WAIT, .sample = PEV_SAMPLE_TID }, EINVAL, PEV_OFFSET(sample) },
		{ { WAIT, .target_id = -5 }, EINVAL, PEV_OFFSET(target_id) },
		{ { .type = PEV_TYPE_WAIT,
		    .target = PEV_TARGET_CPUS,
		    .channel_fd = -1,
		    .group_fd = -1 },
		  EOPNOTSUPP,
		  PEV_OFFSET(target) },
		{ { .type = PEV_TYPE_WAIT,
		    .target = PEV_TARGET_NONE,
		    .channel_fd = -1,
		    .group_fd = -1 },
		  EINVAL,
		  PEV_OFFSET(target) },
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct pev_attr attr = mistakes[i].attr;

		EXPECT_EQ(-mistakes[i].error, pev_open(&attr)) TH_LOG("mistake %zu", i);
		EXPECT_EQ(mistakes[i].field, pev_why.head.field) TH_LOG("mistake %zu", i);
		EXPECT_NE('\0', pev_reason()[0]);
	}
}

TEST_F(wait, reads_what_there_is_room_for)
{
	struct pev_attr attr = attr_of(PEV_TARGET_TASK, 0, -1);
	struct readings r;
	uint64_t period = 5;

	attr.period = MS;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(sizeof(r), read(self->fd, &r, sizeof(r)));
	EXPECT_EQ(sizeof(r.value), read(self->fd, &r, sizeof(r) - 1));
	EXPECT_EQ(-1, read(self->fd, &r, sizeof(r.value) - 1));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(-1, syscall(SYS_read, self->fd, NULL, sizeof(r)));
	EXPECT_EQ(EFAULT, errno);
	/* a wait under way would change what it was */
	EXPECT_EQ(-1, ioctl(self->fd, PEV_IOC_PERIOD, &period));
	EXPECT_EQ(EINVAL, errno);
}

/* Other threads of the process are followed, too, and each has its own law. */
TEST_F(wait, counts_each_thread_of_a_process)
{
	struct pev_attr attr = attr_of(PEV_TARGET_PROCESS, 0, -1);
	struct readings r;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	in_threads();
	r = read_waits(self->fd);
	EXPECT_EQ(r.waits.enabled, sum_of(&r.waits));
	EXPECT_LE(40 * 100000ULL, r.waits.blocked);
	EXPECT_EQ(0, r.waits.folded);
	/* the law holds with open waits of this process's own harness, too */
	EXPECT_LE(1, r.waits.threads);
}

TEST_HARNESS_MAIN
