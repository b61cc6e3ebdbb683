// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks that come later: each cookie that a record has gets one stack, or one counted loss,
 * whatever becomes of the thread, the program and the event; and the stack is the right one.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include "ustack_util.h"
#include "pev_refused.h"
#include "withheld.h"

/* Bytes that a pipe does not take at once: who writes them sleeps many times in one call. */
#define MUCH (1 << 20)
#define ROOM (1 << 16)
#define ROUNDS 20
#define STORM (pev_kernel_is_slow() ? 30 : 100)
#define EXECS (pev_kernel_is_slow() ? 8 : ROUNDS)

/* ---- what children do ---- */

/* A call that stays in the kernel, and does nothing else: some milliseconds. */
static void long_call(void)
{
	static char bytes[1 << 22];

	syscall(SYS_getrandom, bytes, sizeof(bytes), 0);
}

static void start(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self,
		  void (*run)(struct pev_child *c))
{
	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		pev_child_wait(&self->child);
		run(&self->child);
		_exit(0);
	}
	pev_settled(self->child.pid);
}

/* Opens a stack event and @kind on the child. */
static void follow(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self, enum kind kind,
		   uint32_t target)
{
	ASSERT_LE(0, add(self, KIND_USTACK, target, self->child.pid)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, add(self, kind, target, self->child.pid)) TH_LOG("%s", pev_reason());
}

static void finish(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self, int status)
{
	EXPECT_EQ(status, pev_child_end(&self->child));
	self->child.pid = 0;
}

/* The law, of all that was recorded: every event is off from here on. */
static struct sums law(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self)
{
	struct sums s = {};

	EXPECT_EQ(0, all_off(self));
	EXPECT_EQ(0, take_all(self));
	s = add_up(self);
	EXPECT_LAW(self, &s);
	TH_LOG("%llu records owe %llu stacks: %llu came, %llu are missing, %llu lost; %llu at once, %llu without",
	       (long long)s.owing, (long long)s.cookies, (long long)s.stacks, (long long)s.missing,
	       (long long)s.lost, (long long)s.at_once, (long long)s.bare);
	return s;
}

/* ---- the stack ---- */

static void sleep_and_work(struct pev_child *c)
{
	struct timespec ts = { .tv_nsec = 100000 };

	for (int i = 0; i < ROUNDS; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
		pev_child_say(c, 1);
		pev_child_wait(c);
	}
}

static int by_event(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static const struct entry *stack_of(const FIXTURE_DATA(ustack) * self, uint64_t cookie)
{
	for (size_t i = 0; i < self->nr_entries; i++)
		if (self->entries[i].kind == KIND_USTACK && self->entries[i].cookie == cookie)
			return &self->entries[i];
	return NULL;
}

/* Two events have the same waits: the second one takes the stack at once. */
TEST_F(ustack, is_what_would_have_been_taken)
{
	const struct entry *puts_off, *takes;
	struct pev_attr attr;
	unsigned int compared = 0, others = 0;
	size_t nr = 0, first = 0;

	start(_metadata, self, sleep_and_work);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_TASK);
	attr = attr_of(self, KIND_WAIT, PEV_TARGET_TASK, self->child.pid);
	attr.sample &= ~PEV_SAMPLE_COOKIE;
	ASSERT_LE(0, add_attr(self, KIND_WAIT, &attr)) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(1, pev_child_hear(&self->child));
		pev_settled(self->child.pid);
		pev_child_go(&self->child);
	}
	finish(_metadata, self, 0);
	EXPECT_LE(ROUNDS, law(_metadata, self).stacks);
	qsort(self->entries, self->nr_entries, sizeof(*self->entries), by_event);
	while (first < self->nr_entries && self->entries[first].event < 1)
		first++;
	while (first + nr < self->nr_entries && self->entries[first + nr].event == 1)
		nr++;
	/* the wait that was under way when each was opened is the same */
	ASSERT_EQ(self->nr_entries, first + 2 * nr);
	for (size_t i = first; i < first + nr; i++) {
		puts_off = &self->entries[i];
		takes = &self->entries[i + nr];
		if (!puts_off->cookie || !takes->nr_user)
			continue;
		puts_off = stack_of(self, puts_off->cookie);
		ASSERT_NE(NULL, puts_off);
		compared++;
		others += takes->nr_user != puts_off->nr_user ||
			  memcmp(takes->user, puts_off->user, sizeof(takes->user));
	}
	EXPECT_LE(ROUNDS, compared);
	/*
	 * On POWER the interrupt that takes a stack at once may come when the thread has gone on, see
	 * pev.rst: how often is a matter of the machine's load.
	 */
#ifdef __x86_64__
	EXPECT_EQ(0, others);
#endif
	TH_LOG("%u of %u stacks are another one", others, compared);
}

/* Until the parent has seen enough. */
static void stay_in_kernel(struct pev_child *c)
{
	char byte;

	if (fcntl(c->go[0], F_SETFL, O_NONBLOCK))
		_exit(9);
	while (read(c->go[0], &byte, 1) != 1)
		long_call();
}

/* A walk for each call, however many samples hit it. */
TEST_F(ustack, long_calls_take_one_walk)
{
	uint64_t enough = pev_kernel_is_slow() ? 2000 : 20000;
	/* a machine that is held up has fewer, and says how many */
	uint64_t end = pev_clock_ns(CLOCK_MONOTONIC) + 40000000000ULL;
	struct pev_attr attr;
	struct pev_value v;
	struct sums s;

	start(_metadata, self, stay_in_kernel);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_TASK);
	attr = attr_of(self, KIND_TIMER, PEV_TARGET_TASK, self->child.pid);
	attr.period = PEV_MIN_TIMER_NS;
	ASSERT_LE(0, add_attr(self, KIND_TIMER, &attr)) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	do {
		usleep(10000);
		ASSERT_EQ(0, take_all(self));
		v = pev_read(self->fds[2]);
	} while (v.samples < enough && pev_clock_ns(CLOCK_MONOTONIC) < end);
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_LE(1000, v.samples);
	EXPECT_EQ(0, v.lost);
	EXPECT_EQ(0, s.lost);
	/* the calls are nearly all that it does */
	EXPECT_LT(v.samples / 2, s.owing);
	EXPECT_GT(s.owing, 2 * s.stacks);
	EXPECT_LT(0, s.stacks);
}

/* ---- what is not put off ---- */

static void call_and_spin(struct pev_child *c)
{
	uint64_t end;

	pev_call(ROUNDS);
	/* a clock that is read without a call */
	end = pev_clock_ns(CLOCK_MONOTONIC) + 100000000;
	while (pev_clock_ns(CLOCK_MONOTONIC) < end)
		pev_relax();
}

/* The thread itself comes to a tracepoint; and user mode has its stack at hand. */
TEST_F(ustack, takes_at_once_what_is_there)
{
	unsigned int calls = 0, spins = 0;

	start(_metadata, self, call_and_spin);
	follow(_metadata, self, KIND_CALL, PEV_TARGET_TASK);
	ASSERT_LE(0, add(self, KIND_TIMER, PEV_TARGET_TASK, self->child.pid));
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	law(_metadata, self);
	for (size_t i = 0; i < self->nr_entries; i++) {
		const struct entry *e = &self->entries[i];

		if (e->kind == KIND_CALL) {
			EXPECT_EQ(0, e->cookie);
			EXPECT_LT(0, e->nr_user);
			calls++;
		}
		spins += e->kind == KIND_TIMER && !e->cookie && e->nr_user;
	}
	EXPECT_EQ(ROUNDS, calls);
	EXPECT_LT(0, spins);
}

static void call_long(struct pev_child *c)
{
	long_call();
}

/* Behind the record of a trigger that closes the channel there is none, and so no stack. */
static void close_channel(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self,
			  enum kind kind, uint64_t flag)
{
	struct pev_attr attr;
	struct sums s;

	start(_metadata, self, call_long);
	ASSERT_LE(0, add(self, KIND_USTACK, PEV_TARGET_TASK, self->child.pid))
	TH_LOG("%s", pev_reason());
	attr = attr_of(self, kind, PEV_TARGET_TASK, self->child.pid);
	attr.flags |= flag;
	ASSERT_LE(0, add_attr(self, kind, &attr)) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_EQ(1, s.at_once);
	EXPECT_EQ(0, s.owing);
}

TEST_F(ustack, takes_at_once_what_stops_the_channel)
{
	close_channel(_metadata, self, KIND_TIMER, PEV_F_STOP);
}

TEST_F(ustack, takes_at_once_what_freezes_the_channel)
{
	close_channel(_metadata, self, KIND_TIMER, PEV_F_FREEZE);
}

TEST_F(ustack, takes_at_once_a_wait_that_stops_the_channel)
{
	close_channel(_metadata, self, KIND_WAIT, PEV_F_STOP);
}

/* Without an event that tells stacks here, or with one that is off, in another channel. */
TEST_F(ustack, takes_at_once_what_nobody_tells)
{
	int channel = pev_open_channel(1 << 20, 1 << 16, 0), elsewhere;
	struct pev_attr attr;
	struct sums s;

	ASSERT_LE(0, channel);
	start(_metadata, self, sleep_and_work);
	attr = attr_of(self, KIND_USTACK, PEV_TARGET_TASK, self->child.pid);
	attr.channel_fd = channel;
	elsewhere = pev_open(&attr);
	ASSERT_LE(0, elsewhere) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(elsewhere));
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_TASK);
	ASSERT_EQ(0, pev_off(self->fds[0]));
	pev_child_go(&self->child);
	for (int i = 0; i < ROUNDS; i++) {
		pev_child_hear(&self->child);
		pev_child_go(&self->child);
	}
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_EQ(0, s.cookies);
	EXPECT_LT(0, s.at_once);
	EXPECT_EQ(0, pev_read(elsewhere).value);
	close(elsewhere);
	close(channel);
}

/* Threads of the kernel have no user mode to return to. */
TEST_F(ustack, asks_nothing_of_kernel_threads)
{
	unsigned int kernel = 0;
	struct sums s;

	PEV_NEEDS_ROOT(return );
	start(_metadata, self, stay_in_kernel);
	ASSERT_LE(0, add(self, KIND_USTACK, PEV_TARGET_CPUS, -1)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, add(self, KIND_CALL, PEV_TARGET_CPUS, -1)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, add(self, KIND_TIMER, PEV_TARGET_CPUS, -1)) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	/* writing to a file makes the kernel work for it */
	for (int i = 0; i < 20; i++) {
		usleep(10000);
		ASSERT_EQ(0, take_all(self));
	}
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_LT(0, s.stacks);
	for (size_t i = 0; i < self->nr_entries; i++) {
		char path[64], text[16];
		ssize_t len;
		int fd;

		if (self->entries[i].kind != KIND_USTACK || self->entries[i].missing)
			continue;
		/* those have no program */
		snprintf(path, sizeof(path), "/proc/%u/exe", self->entries[i].tid);
		len = readlink(path, text, sizeof(text));
		fd = len < 0 ? access(path, F_OK) : 0;
		kernel += len < 0 && errno == ENOENT && !fd;
	}
	EXPECT_EQ(0, kernel);
}

/* ---- debts that are open ---- */

static void fill_pipe(struct pev_child *c)
{
	static char bytes[MUCH];
	ssize_t n = 0;

	/* with large pages it would have room for all of them */
	if (fcntl(c->said[1], F_SETPIPE_SZ, ROOM) != ROOM)
		_exit(8);
	while (n < MUCH) {
		ssize_t put = write(c->said[1], bytes + n, MUCH - n);

		if (put <= 0)
			_exit(9);
		n += put;
	}
	pev_child_wait(c);
}

static void drain(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self, size_t bytes)
{
	static char buf[1 << 16];

	while (bytes) {
		ssize_t got = read(self->child.said[0], buf,
				   bytes < sizeof(buf) ? bytes : sizeof(buf));

		ASSERT_LT(0, got);
		bytes -= got;
	}
}

/* The child has slept and been woken in one call, and sleeps again. Return: bytes of that call. */
static size_t owe_and_sleep(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self)
{
	size_t drained = 0;

	start(_metadata, self, fill_pipe);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_PROCESS);
	pev_child_go(&self->child);
	do {
		pev_settled(self->child.pid);
		drain(_metadata, self, ROOM);
		drained += ROOM;
		pev_settled(self->child.pid);
	} while (pev_read(self->fds[1]).samples < 3);
	return drained;
}

TEST_F(ustack, one_call_is_one_debt)
{
	size_t drained = owe_and_sleep(_metadata, self);
	struct sums s;

	drain(_metadata, self, MUCH - drained);
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	/* the call alone has slept more often than anything else of the child */
	EXPECT_LE(2 * s.stacks, s.owing);
	EXPECT_EQ(0, s.lost);
}

/* A flush ends the debt of who sleeps; what comes later in the same call is taken at once. */
TEST_F(ustack, flush_counts_what_may_never_come)
{
	struct pev_value before, after;
	struct sums s;

	owe_and_sleep(_metadata, self);
	before = stacks_value(self);
	ASSERT_EQ(0, ioctl(self->fds[0], PEV_IOC_FLUSH, 0));
	after = stacks_value(self);
	EXPECT_EQ(before.value + 1, after.value);
	EXPECT_EQ(before.lost + 1, after.lost);
	EXPECT_EQ(-1, ioctl(self->fds[0], PEV_IOC_FLUSH, 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, ioctl(self->fds[0], PEV_IOC_FLUSH, 0));
	EXPECT_EQ(after.value, stacks_value(self).value);
	drain(_metadata, self, 1 << 17);
	pev_settled(self->child.pid);
	kill(self->child.pid, SIGKILL);
	pev_child_end(&self->child);
	self->child.pid = 0;
	s = law(_metadata, self);
	EXPECT_EQ(after.lost, s.lost);
	EXPECT_LT(0, s.at_once);
}

/* Nobody waits for who sleeps: the event and its channel go, and the child finds nothing. */
TEST_F(ustack, close_leaves_sleepers_alone)
{
	owe_and_sleep(_metadata, self);
	for (unsigned int i = 0; i < self->nr; i++)
		close(self->fds[i]);
	self->nr = 0;
	pev_unmap_channel(&self->map);
	close(self->channel);
	/* the next one waits until what was closed is freed, if the memory is short, or not */
	self->channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	for (int i = 0; i < 20; i++) {
		drain(_metadata, self, 1 << 12);
		usleep(10000);
	}
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_PROCESS);
	drain(_metadata, self, 1 << 17);
	pev_settled(self->child.pid);
	kill(self->child.pid, SIGKILL);
	pev_child_end(&self->child);
	self->child.pid = 0;
	EXPECT_LT(0, law(_metadata, self).owing);
}

/* In place of so many pages that the timer ticks while they go. */
static void *map_file(void *file)
{
	size_t size = 1 << 25;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return p;
	/* huge ones would be too few; not every kernel has them */
	madvise(p, size, MADV_NOHUGEPAGE);
	memset(p, 1, size);
	return mmap(p, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, *(int *)file, 0);
}

/* Is pev.ko held by so many, or about to be? */
static bool comes_to(int users)
{
	for (int i = 0; i < 10000; i++) {
		if (pev_module_users() == users)
			return true;
		usleep(1000);
	}
	return false;
}

/*
 * What a thread does before it goes on to user mode waits for a file whose server does not answer,
 * and what it owes comes behind that: pev.ko is used until then, and its exit waits for nobody.
 */
TEST_F(ustack, close_while_the_thread_is_held_up)
{
	struct pev_attr mapping = {
		.type = PEV_TYPE_SIDEBAND,
		.config = PEV_SB_MMAP,
		.target = PEV_TARGET_PROCESS,
		.channel_fd = self->channel,
		.group_fd = -1,
	};
	int fd, users = pev_module_users();
	struct withheld w = { 0 };
	pthread_t thread;
	void *p;

	if (withheld_fuse.missing())
		SKIP(return, "%s", withheld_fuse.missing());
	ASSERT_EQ(0, withheld_fuse.keep_out(&w));
	ASSERT_LE(0, add(self, KIND_USTACK, PEV_TARGET_PROCESS, 0)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, add(self, KIND_TIMER, PEV_TARGET_PROCESS, 0)) TH_LOG("%s", pev_reason());
	fd = pev_open(&mapping);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_file, &w.file.file));
	ASSERT_TRUE(withheld_fuse.faults(&w));
	close(fd);
	for (unsigned int i = 0; i < self->nr; i++)
		close(self->fds[i]);
	self->nr = 0;
	/* for the file's build id, and for the debt */
	EXPECT_TRUE(users < 0 || comes_to(users + 2))
	TH_LOG("%d, %d before", pev_module_users(), users);
	withheld_fuse.let_in(&w);
	ASSERT_EQ(0, pthread_join(thread, &p));
	EXPECT_NE(MAP_FAILED, p);
	EXPECT_TRUE(users < 0 || comes_to(users))
	TH_LOG("%d, %d before", pev_module_users(), users);
}

/* Close, while children are about to tell: for a sanitizer to look at. */
TEST_F(ustack, close_at_any_time)
{
	start(_metadata, self, stay_in_kernel);
	pev_child_go(&self->child);
	for (int i = 0; i < ROUNDS; i++) {
		struct pev_attr attr;
		int stack, timer;

		attr = attr_of(self, KIND_USTACK, PEV_TARGET_PROCESS, self->child.pid);
		attr.flags = 0;
		stack = pev_open(&attr);
		ASSERT_LE(0, stack) TH_LOG("%s", pev_reason());
		attr = attr_of(self, KIND_TIMER, PEV_TARGET_PROCESS, self->child.pid);
		attr.flags = 0;
		timer = pev_open(&attr);
		ASSERT_LE(0, timer) TH_LOG("%s", pev_reason());
		while (!pev_read(timer).samples)
			pev_yield();
		close(i % 2 ? stack : timer);
		close(i % 2 ? timer : stack);
	}
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
}

/* ---- programs that go ---- */

/* Waits and samples of all that @fn begins, until it ends */
static struct sums of_all(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self,
			  void (*fn)(struct pev_child *c))
{
	struct pev_attr attr;

	start(_metadata, self, fn);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_SUBTREE);
	attr = attr_of(self, KIND_TIMER, PEV_TARGET_SUBTREE, self->child.pid);
	attr.period = PEV_MIN_TIMER_NS;
	EXPECT_LE(0, add_attr(self, KIND_TIMER, &attr)) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	return law(_metadata, self);
}

static void exec_often(struct pev_child *c)
{
	for (int i = 0; i < EXECS; i++) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(8);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Another program's stack never comes: what is owed is told before, or is missing. */
TEST_F_TIMEOUT(ustack, exec, 300)
{
	struct sums s = of_all(_metadata, self, exec_often);

	EXPECT_LE(EXECS, s.stacks);
	EXPECT_EQ(0, s.lost);
}

static void *calls(void *unused)
{
	for (int i = 0; i < 4; i++)
		long_call();
	return NULL;
}

static void be_killed(struct pev_child *c)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, calls, NULL);
	for (;;)
		long_call();
}

TEST_F(ustack, killed_in_the_kernel)
{
	uint64_t cookies = 0;
	struct sums s;

	for (int i = 0; i < 10; i++) {
		start(_metadata, self, be_killed);
		follow(_metadata, self, KIND_TIMER, PEV_TARGET_PROCESS);
		pev_child_go(&self->child);
		while (!pev_read(self->fds[1]).samples)
			pev_yield();
		kill(self->child.pid, SIGKILL);
		finish(_metadata, self, 1000 + SIGKILL);
		s = law(_metadata, self);
		EXPECT_EQ(0, s.lost);
		cookies += s.cookies;
		while (self->nr)
			close(self->fds[--self->nr]);
		self->nr_entries = 0;
	}
	/* of one, the only sample may be of its own code, whose stack comes at once */
	EXPECT_LT(0, cookies);
}

static void storm(struct pev_child *c)
{
	for (int i = 0; i < STORM; i++) {
		pid_t pid = fork();

		if (!pid) {
			pev_call(1);
			_exit(0);
		}
		if (pid > 0 && i % 4 == 3)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
}

TEST_F(ustack, fork_storm)
{
	struct sums s = of_all(_metadata, self, storm);

	EXPECT_LE(STORM, s.cookies);
	EXPECT_EQ(0, s.lost);
}

static void move_about(struct pev_child *c)
{
	int cpus[8], nr = pev_cpus(cpus, 8);

	for (int i = 0; i < STORM; i++)
		pev_pin(cpus[i % nr]);
}

/* sched_setaffinity() itself moves the caller: the debt is made on one CPU, and told on another. */
TEST_F(ustack, migration)
{
	struct sums s;

	start(_metadata, self, move_about);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_TASK);
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_LT(0, s.stacks);
	EXPECT_EQ(0, s.lost);
}

/* ---- signals ---- */

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
	handled = 1;
}

static void sleep_for_signals(struct pev_child *c)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	pev_child_say(c, 1);
	for (int i = 0; i < ROUNDS; i++) {
		pause();
		if (!handled)
			_exit(7);
		handled = 0;
	}
}

/*
 * The stack is that of the call, not of the handler: it has the same depth each time. Where pages
 * come from a disk or the network, the child has other waits as well.
 */
TEST_F(ustack, signals)
{
	uint32_t depth = 0;
	unsigned int stacks = 0, others = 0;

	start(_metadata, self, sleep_for_signals);
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	pev_settled(self->child.pid);
	follow(_metadata, self, KIND_WAIT, PEV_TARGET_TASK);
	for (int i = 0; i < ROUNDS; i++) {
		pev_settled(self->child.pid);
		kill(self->child.pid, SIGUSR1);
	}
	pev_child_end(&self->child);
	self->child.pid = 0;
	law(_metadata, self);
	for (size_t i = 0; i < self->nr_entries; i++) {
		const struct entry *e = &self->entries[i];

		if (e->kind != KIND_USTACK)
			continue;
		depth = depth ? depth : e->nr_user;
		EXPECT_EQ(0, e->missing);
		others += e->nr_user != depth;
		stacks++;
	}
	EXPECT_LE(ROUNDS / 2, stacks);
	EXPECT_GE(stacks > ROUNDS ? stacks - ROUNDS : 0, others);
}

/* ---- no room, no rights ---- */

/* Nobody reads: records find no room, and what they would have owed is not announced. */
TEST_F(ustack, full_channel)
{
	struct sums s;

	pev_unmap_channel(&self->map);
	close(self->channel);
	self->channel = pev_open_channel(1 << 14, 1 << 12, 0);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	start(_metadata, self, stay_in_kernel);
	follow(_metadata, self, KIND_TIMER, PEV_TARGET_TASK);
	ASSERT_LE(0, add(self, KIND_WAIT, PEV_TARGET_TASK, self->child.pid));
	pev_child_go(&self->child);
	while (pev_read(self->fds[1]).lost < 100)
		pev_yield();
	pev_child_go(&self->child);
	finish(_metadata, self, 0);
	s = law(_metadata, self);
	EXPECT_LT(0, s.cookies);
}

TEST_F(ustack, takes_no_rights)
{
	PEV_NEEDS_ROOT(return );
	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		struct pev_attr attr;
		struct sums s;

		if (pev_become(PEV_NOBODY, -1))
			_exit(1);
		if (add(self, KIND_USTACK, PEV_TARGET_PROCESS, 0) < 0)
			_exit(2);
		attr = attr_of(self, KIND_WAIT, PEV_TARGET_PROCESS, 0);
		if (add_attr(self, KIND_WAIT, &attr) < 0)
			_exit(3);
		for (int i = 0; i < ROUNDS; i++) {
			pev_child_say(&self->child, 1);
			pev_child_wait(&self->child);
		}
		if (all_off(self) || take_all(self))
			_exit(4);
		s = add_up(self);
		_exit(!s.stacks || s.wrong || stacks_value(self).value != s.cookies ? 5 : 0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(1, pev_child_hear(&self->child));
		pev_settled(self->child.pid);
		pev_child_go(&self->child);
	}
	finish(_metadata, self, 0);
}

/* ---- what cookies show ---- */

#define SLEEPERS 32

struct sleepers {
	pthread_t threads[SLEEPERS];
	volatile bool end;
};

static void *sleeper(void *arg)
{
	const struct sleepers *s = arg;
	struct timespec ts = { .tv_nsec = 1000000 };

	while (!s->end)
		nanosleep(&ts, NULL);
	return NULL;
}

/* Where a thread's debts lie: of what a cookie has of its place, what all debts of it share. */
static uint64_t place_of(const struct entry *e)
{
	return e->cookie & 0xfff8;
}

static const struct entry *debt_of(const struct entry *entries, size_t nr, uint32_t tid)
{
	for (size_t i = 0; i < nr; i++)
		if (entries[i].kind == KIND_WAIT && entries[i].cookie && entries[i].tid == tid)
			return &entries[i];
	return NULL;
}

/* Debts of all threads to an event, which is closed then. They are left in @self. */
static void owe_for_a_while(struct __test_metadata *_metadata, FIXTURE_DATA(ustack) * self)
{
	self->nr = 0;
	ASSERT_LE(0, add(self, KIND_USTACK, PEV_TARGET_PROCESS, 0)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, add(self, KIND_WAIT, PEV_TARGET_PROCESS, 0)) TH_LOG("%s", pev_reason());
	while (pev_read(self->fds[1]).samples < 10 * SLEEPERS)
		usleep(1000);
	/* what is only off tells of waits that are under way */
	for (unsigned int i = 0; i < self->nr; i++) {
		close(self->fds[i]);
		self->fds[i] = -1;
	}
	ASSERT_EQ(0, take_all(self));
}

/*
 * The place follows from the thread's address in the kernel, which is nobody's to know. What is
 * the same for two events would tell of it.
 */
TEST_F(ustack, cookies_tell_no_addresses)
{
	struct sleepers s = { .end = false };
	unsigned int both = 0, same = 0;
	size_t first;

	for (int i = 0; i < SLEEPERS; i++)
		ASSERT_EQ(0, pthread_create(&s.threads[i], NULL, sleeper, &s));
	owe_for_a_while(_metadata, self);
	first = self->nr_entries;
	owe_for_a_while(_metadata, self);
	s.end = true;
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(s.threads[i], NULL);
	for (size_t i = 0; i < first; i++) {
		const struct entry *e = &self->entries[i], *other;

		if (debt_of(self->entries, first, e->tid) != e)
			continue;
		other = debt_of(self->entries + first, self->nr_entries - first, e->tid);
		both += !!other;
		same += other && place_of(other) == place_of(e);
	}
	TH_LOG("%u threads of %u have the same place in both", same, both);
	EXPECT_LE(SLEEPERS / 2, both);
	/* one of 128 by chance */
	EXPECT_GE(both / 4, same);
}

/* ---- what is refused ---- */

TEST_F(ustack, refuses)
{
	struct pev_attr good = attr_of(self, KIND_USTACK, PEV_TARGET_TASK, 0), attr;
	int fd = pev_open(&good);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_PERIOD, &(uint64_t){ 2 }));
	close(fd);
	attr = good;
	attr.channel_fd = -1;
	attr.sample = 0;
	PEV_REFUSED(attr, EINVAL, channel_fd, "");
	attr = good;
	attr.sample = PEV_SAMPLE_TID;
	PEV_REFUSED(attr, EINVAL, sample, "");
	attr = good;
	attr.sample |= PEV_SAMPLE_COOKIE;
	PEV_REFUSED(attr, EINVAL, sample, "");
	attr = good;
	attr.flags |= PEV_F_EXCLUDE_USER;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "");
	attr = good;
	attr.flags |= PEV_F_FREEZE;
	PEV_REFUSED(attr, EOPNOTSUPP, flags, "");
	attr = good;
	attr.period = 2;
	PEV_REFUSED(attr, EINVAL, period, "");
	attr = good;
	attr.config = 1;
	PEV_REFUSED(attr, EINVAL, config, "");
	/* what has no stack has none to put off */
	attr = attr_of(self, KIND_TIMER, PEV_TARGET_TASK, 0);
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_COOKIE | PEV_SAMPLE_KSTACK;
	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	PEV_REFUSED(attr, EINVAL, sample, "");
}

TEST_HARNESS_MAIN
