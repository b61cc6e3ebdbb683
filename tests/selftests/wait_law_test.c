// SPDX-License-Identifier: GPL-2.0
/*
 * Waits: the law of time, to the nanosecond, over all that a thread may go through, for all
 * threads together and by the records of each.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include "wait_util.h"

/* ---- the law, by the records of each thread ---- */

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
	struct account *of; /* as many as there are threads, however long the machine takes */
	unsigned int nr;
	unsigned int room;
	unsigned int opens;
	struct pev_waits sum;
};

static struct account *account_of(struct accounts *all, const struct wait *w)
{
	unsigned int i = 0;

	while (i < all->nr && all->of[i].tid != w->tid)
		i++;
	if (i < all->nr)
		return &all->of[i];
	if (i == all->room) {
		all->room = 2 * all->room + 64;
		all->of = realloc(all->of, all->room * sizeof(*all->of));
		if (!all->of)
			_exit(KSFT_FAIL);
	}
	all->of[i] = (struct account){ .tid = w->tid, .pid = w->pid };
	all->nr++;
	return &all->of[i];
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

	for (unsigned int i = 0; i <= 2 * all->nr + 16; i++) {
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

static void migrate(void)
{
	for (unsigned int i = 0; i < 20; i++) {
		pev_pin((int)(i % pev_nr_cpus()));
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

/* Shorter waits are folded: on a slow machine most take longer than on others. */
static uint64_t fold_below(void)
{
	return pev_kernel_is_slow() ? 5 * MS : MS / 2;
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
	int cpus[2];

	PEV_NEEDS_ROOT(return );
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	if (pev_set_online(cpus[1], 0) || pev_set_online(cpus[1], 1))
		SKIP(return, "CPUs can't be taken offline here");
	start_acting(_metadata, self, migrate_in_threads);
	follow(_metadata, self, self->child.pid, fold_below());
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	for (int i = 0; i < 4 || (i < 100 && !read_waits(self->fd).waits.folded); i++) {
		EXPECT_EQ(0, pev_set_online(cpus[1], 0));
		EXPECT_EQ(0, off_by(self->fd));
		EXPECT_EQ(0, pev_set_online(cpus[1], 1));
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

TEST_HARNESS_MAIN
