// SPDX-License-Identifier: GPL-2.0
/*
 * Waits: what records say of a wait and of who ended it, what is folded, what is shown of
 * strangers, and what is refused.
 */
#include <pthread.h>
#include <sched.h>
#include "wait_util.h"

/* Waits of which a test looks at the records. */
#define ROUNDS 20

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
		pev_yield();
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

/* A stack counts once, also where the walk finds the function in it twice. */
static bool any_is_in(const uint64_t *stack, uint32_t nr, const struct function *function)
{
	for (uint32_t i = 0; i < nr; i++)
		if (is_in(stack[i], function))
			return true;
	return false;
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
	uint32_t frames = w->record.frames;
	struct stacks *s = to;

	if (w->record.state != PEV_WAIT_SLEEPING || !frames)
		return;
	s->looked++;
	s->user += !!w->nr_ustack;
	if (frames > PEV_WAKER_FRAMES)
		frames = PEV_WAKER_FRAMES;
	s->sleeper += any_is_in(w->kstack, w->nr_kstack, &s->functions[0]);
	s->waker += any_is_in((const uint64_t *)w->record.stack, frames, &s->functions[1]);
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

/* ---- two threads on one CPU ---- */

#define PASSES 200

static int pass_fds[2][2];

static void *pass(void *nr)
{
	int me = (intptr_t)nr;
	char byte;

	for (int i = 0; i < PASSES; i++)
		if (read(pass_fds[me][0], &byte, 1) != 1 || write(pass_fds[!me][1], "", 1) != 1)
			_exit(95);
	return NULL;
}

/* They wake each other, and nothing else runs there as a rule. */
static void pass_a_word(struct pev_child *c)
{
	pthread_t thread;

	if (pev_pin(sched_getcpu()) || pipe(pass_fds[0]) || pipe(pass_fds[1]) ||
	    pthread_create(&thread, NULL, pass, (void *)1))
		_exit(94);
	pev_child_say(c, 1);
	pev_child_wait(c);
	if (write(pass_fds[0][1], "", 1) != 1)
		_exit(93);
	pass((void *)0);
	pthread_join(thread, NULL);
	pev_child_say(c, 1);
	pev_child_wait(c);
}

struct passes {
	uint32_t tids[2];
	unsigned int records[2];
	unsigned int of_waker;
	unsigned int strange;
};

static void look_at_pass(const struct wait *w, void *to)
{
	struct passes *p = to;
	int which = w->tid != p->tids[0];

	if (w->record.waker != PEV_WAKER_THREAD)
		return;
	if (!p->tids[1] && which)
		p->tids[1] = w->tid;
	p->strange += w->tid != p->tids[which];
	p->records[which]++;
	p->of_waker += w->tid == w->record.waker_tid;
}

/* Its record is the sleeper's also where the one that leaves the CPU has other events, too. */
TEST_F(wait, belongs_to_the_sleeper)
{
	struct passes p = {};
	struct pev_attr attr;
	int beside;

	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid) {
		pass_a_word(&self->child);
		_exit(0);
	}
	ASSERT_EQ(1, pev_child_hear(&self->child));
	p.tids[0] = self->child.pid;
	attr = pev_attr_software(PEV_SW_CONTEXT_SWITCHES, PEV_TARGET_TASK, self->child.pid);
	beside = pev_open(&attr);
	ASSERT_LE(0, beside) TH_LOG("%s", pev_reason());
	attr = attr_of(PEV_TARGET_PROCESS, self->child.pid, self->channel);
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_USTACK;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	pev_child_go(&self->child);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	ASSERT_LT(0, each_wait(self->channel, &self->map, attr.sample, look_at_pass, &p));
	EXPECT_EQ(0, p.of_waker);
	EXPECT_EQ(0, p.strange);
	/* one that preempts its waker may always find the next word there, and never sleep */
	EXPECT_LT(PASSES / 2, p.records[0] + p.records[1]);
	close(beside);
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
	int cpus[64], nr = pev_cpus(cpus, 64);

	/* not on the first one, which others may take for all */
	ASSERT_EQ(0, pev_pin(cpus[nr - 1]));
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

/* ---- refused when threads are followed already ---- */

static void *yields(void *cpu)
{
	pev_pin(*(int *)cpu);
	for (;;)
		sched_yield();
	return NULL;
}

static void yield_in_threads(struct pev_child *c, int cpu)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, yields, &cpu))
			_exit(1);
	pev_child_say(c, 1);
	for (;;)
		pause();
}

/*
 * The group's leader counts another process, which is known once the event is attached: it goes
 * while another CPU switches between the threads. What that CPU still looks at shows with KASAN.
 */
TEST_F(wait, refused_while_threads_switch)
{
	struct pev_attr leader = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_PROCESS, 0);
	uint64_t end = pev_clock_ns(CLOCK_MONOTONIC) + pev_hunt_ns();
	struct pev_attr attr;
	int cpus[2];

	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pev_pin(cpus[0]));
	self->fd = pev_open(&leader);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid)
		yield_in_threads(&self->child, cpus[1]);
	ASSERT_EQ(1, pev_child_hear(&self->child));
	attr = attr_of(PEV_TARGET_PROCESS, self->child.pid, -1);
	attr.group_fd = self->fd;
	do {
		ASSERT_EQ(-EINVAL, pev_open(&attr));
		ASSERT_EQ(PEV_OFFSET(target_id), pev_why.head.field);
	} while (pev_clock_ns(CLOCK_MONOTONIC) < end);
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
