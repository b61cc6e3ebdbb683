// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without rights can take from others: how long his calls keep
 * interrupts off, what attaching to a great many processes costs, what others'
 * context switches, CPUs and calls feel of it. See bench.h.
 */
#include "bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/pev_child.h"

/* ---- time ---------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ---- a user with a great many descriptors -------------------------------- */

#define THREADS 128
#define FULL 86 /* of these, with events */
#define EACH 750 /* on each, unless PEV_BENCH_EACH is another number */
#define FILTERED	100
#define MEMBERS		200
#define TIMERS		300
#define RESETS 1000
#define RESETS_EACH 24 /* on a thread without others */

static struct {
	int		channel;	/* of all that are on the threads */
	int mine; /* runs, in a channel of timers that don't */
	int resets; /* that channel */
	int		one;
	int		filtered;	/* a channel of its own */
	int		leader;
	int		timers;
	unsigned int	nr;
	int		gate[2];
	pid_t		tids[THREADS];
} user;

static void *idler(void *tid)
{
	char byte;

	__atomic_store_n((pid_t *)tid, gettid(), __ATOMIC_RELEASE);
	if (read(user.gate[0], &byte, 1) < 0)
		die("an idle thread: %m");
	return NULL;
}

static int open_on(pid_t tid, uint32_t target, int channel, int group, uint64_t flags)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, target, tid);

	attr.channel_fd = channel;
	attr.group_fd = group;
	attr.flags = PEV_F_DISABLED | flags;
	attr.period = channel >= 0;
	attr.sample = channel >= 0 ? PEV_SAMPLE_TID : 0;
	return pev_open(&attr);
}

static int open_filtered(int channel)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CLOSE, .target = PEV_TARGET_TASK,
		.channel_fd = channel, .group_fd = -1, .period = 1, .sample = PEV_SAMPLE_TID,
		.flags = PEV_F_DISABLED,
	};

	return pev_open(&attr);
}

static int open_timer(int channel, pid_t tid)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_TASK,
		.channel_fd = channel,
		.group_fd = -1,
		.period = PEV_MIN_TIMER_NS,
		.sample = PEV_SAMPLE_TID,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.target_id = tid,
	};

	return pev_open(&attr);
}

static void user_threads(void)
{
	pthread_t thread;

	if (pipe(user.gate))
		die("pipe: %m");
	for (unsigned int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, idler, &user.tids[i]))
			die("a thread");
		while (!__atomic_load_n(&user.tids[i], __ATOMIC_ACQUIRE))
			sched_yield();
	}
}

static void user_setup(void)
{
	const char *other = getenv("PEV_BENCH_EACH");
	unsigned int each = other ? atoi(other) : EACH;
	unsigned int i;

	user_threads();
	user.channel = pev_open_channel(8192, 4096, 0);
	user.filtered = pev_open_channel(8192, 4096, 0);
	user.timers = pev_open_channel(8192, 4096, 0);
	user.resets = pev_open_channel(8192, 4096, 0);
	for (i = 0; i < FULL * each; i++, user.nr++)
		if (open_on(user.tids[i / each], PEV_TARGET_TASK, user.channel, -1, 0) < 0)
			die("event %u: %s", i, pev_reason());
	user.mine = open_on(0, PEV_TARGET_TASK, user.resets, -1, 0);
	for (i = 0; user.mine >= 0 && i < RESETS; i++)
		if (open_timer(user.resets, user.tids[FULL + i / RESETS_EACH]) < 0)
			die("a timer: %s", pev_reason());
	for (i = 0; i < FILTERED; i++)
		if (open_filtered(user.filtered) < 0)
			die("a filtered event: %s", pev_reason());
	user.leader = open_on(0, PEV_TARGET_TASK, -1, -1, PEV_F_READ_GROUP);
	for (i = 0; i < MEMBERS; i++)
		if (open_on(0, PEV_TARGET_TASK, -1, user.leader, 0) < 0)
			die("a member: %s", pev_reason());
	user.one = open_on(0, PEV_TARGET_TASK, -1, -1, 0);
	if (user.one < 0)
		die("one more event: %s", pev_reason());
	/* as many as one may have */
	for (i = 0; i < TIMERS && open_timer(user.timers, 0) >= 0; i++)
		;
}

static void call_nothing(void)
{
	usleep(1000);
}

static void call_switch(void)
{
	pev_on(user.channel);
	pev_off(user.channel);
}

/* One of them runs here: so all are looked at here. */
static void call_reset(void)
{
	pev_on(user.mine);
	ioctl(user.resets, PEV_IOC_RESET, 0);
	pev_off(user.mine);
}

static void call_period(void)
{
	uint64_t period = 3;

	ioctl(user.channel, PEV_IOC_PERIOD, &period);
}

static void call_filter(void)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)"fd == 1 || fd == 2" };

	ioctl(user.filtered, PEV_IOC_FILTER, &arg);
}

static void call_read_group(void)
{
	static struct pev_value values[MEMBERS + 1];

	if (read(user.leader, values, sizeof(values)) != sizeof(values))
		die("reading a group: %m");
}

static void call_open(void)
{
	close(open_on(user.tids[0], PEV_TARGET_PROCESS, -1, -1, 0));
}

static void call_flush(void)
{
	ioctl(user.channel, PEV_IOC_FLUSH, 0);
}

static void call_one(void)
{
	pev_on(user.one);
	pev_off(user.one);
}

static void call_timers(void)
{
	struct timespec t;

	pev_on(user.timers);
	/* computing: a timer ticks while its task runs */
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_nsec % 10000000 < 9000000);
	pev_off(user.timers);
}

static const struct {
	const char	*name;
	const char	*text;
	void		(*fn)(void);
} user_calls[] = {
	{ "irqs_off_quiet", "interrupts off, longest: nothing is done", call_nothing },
	{ "irqs_off_switch", "... his channel of all these on and off", call_switch },
	{ "irqs_off_reset", "... a channel of 1,000 timers is reset", call_reset },
	{ "irqs_off_period", "... its period is changed", call_period },
	{ "irqs_off_flush", "... it is flushed", call_flush },
	{ "irqs_off_one", "... one event beside it on and off", call_one },
	{ "irqs_off_open", "... one opened and closed", call_open },
	{ "irqs_off_filter", "... the filters of a channel of 100", call_filter },
	{ "irqs_off_group", "... a group of 201 is read", call_read_group },
	{ "irqs_off_timers", "... up to 300 timers of 10 us tick", call_timers },
};

#define USER_CALLS	(sizeof(user_calls) / sizeof(*user_calls))

static void be_user(struct pev_child *c)
{
	if (pev_become(USER, -1))
		die("another user: %m");
	user_setup();
	pev_child_say(c, user.nr);
	for (unsigned int i = 0; i < USER_CALLS; i++) {
		pev_child_wait(c);
		user_calls[i].fn();
		pev_child_say(c, 0);
	}
	/* closing all would be no news, and takes long */
	pause();
}

static void raise_limits(void)
{
	struct rlimit files = { 1 << 17, 1 << 17 };

	pev_put_number("/proc/sys/fs/nr_open", 1 << 20);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("a limit of 131072 descriptors: %m");
}

static void measure_irqs_off(void)
{
	struct pev_child c;
	int64_t nr;

	if (pev_child_start(&c) < 0)
		die("fork: %m");
	if (!c.pid)
		be_user(&c);
	nr = pev_child_hear(&c);
	if (nr < 0)
		die("the user of many descriptors is gone");
	figure("user_events", 0, "events that one user has open")->at[PEV] = nr;
	probe_begin();
	for (unsigned int i = 0; i < USER_CALLS; i++) {
		struct figure *f;

		f = figure(user_calls[i].name, i ? 100000 : 0, user_calls[i].text);
		probe_restart();
		pev_child_go(&c);
		if (pev_child_hear(&c))
			die("%s: the user is gone", user_calls[i].name);
		probe_into(f);
		fflush(stdout);
	}
	probe_end();
	/* left to the end of the machine */
	kill(c.pid, SIGSTOP);
}

/* ---- a great many processes ---------------------------------------------- */

#define MAX_SUBTREE	40000

/*
 * A child that sleeps for ever. It shares the memory of the caller, its stack
 * too, and touches none of it: it costs the kernel some 25 KiB.
 */
static long make_sleeper(void)
{
#ifdef __x86_64__
	long ret, flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;

	__asm__ volatile("syscall\n"
			 "test %%rax, %%rax\n"
			 "jnz 2f\n"
			 "1: mov %[pause], %%eax\n"
			 "syscall\n"
			 "jmp 1b\n"
			 "2:\n"
			 : "=a" (ret)
			 : "a" ((long)SYS_clone), "D" (flags), "S" (0L), "d" (0L), "r" (r10),
			   "r" (r8), [pause] "i" (SYS_pause)
			 : "rcx", "r11", "memory", "cc");
	return ret;
#else
	pid_t pid = fork();

	while (!pid)
		pause();
	return pid;
#endif
}

/* Says how many processes there are in the end, itself among them. */
static void crowd(struct pev_child *c, unsigned int nr, bool chain)
{
	unsigned int made;

	setpgid(0, 0);
	for (made = 1; made < nr; made++) {
		pid_t pid = chain ? fork() : make_sleeper();

		if (pid < 0)
			break;
		if (chain && pid) {
			pause();
			_exit(0);
		}
	}
	pev_child_say(c, made);
	pause();
	_exit(0);
}

/**
 * struct waker - a task that goes before all others, and is woken all the time
 * @late: ns that it came late at most: for so long no other task could have had the CPU
 * @stop: it is to end
 */
struct waker {
	long	late;
	int	stop;
};

static void wake_up_often(struct waker *w)
{
	struct sched_param first = { .sched_priority = 1 };
	double next = now() + PROBE_NS;

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("SCHED_FIFO: %m");
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		struct timespec t = { (time_t)(next / 1e9), (long)fmod(next, 1e9) };
		double late;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		late = now() - next;
		if (late > w->late)
			__atomic_store_n(&w->late, (long)late, __ATOMIC_RELAXED);
		next = now() + PROBE_NS;
	}
	_exit(0);
}

/*
 * The kernel of this machine is not preempted, it gives way: what holds a
 * spinning lock does not. So no lock was held for longer than this came late.
 */
static double longest_stretch(pid_t top)
{
	struct waker *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	pid_t pid = fork();
	int fd;

	if (!pid)
		wake_up_often(w);
	usleep(10000);
	__atomic_store_n(&w->late, 0, __ATOMIC_RELAXED);
	fd = open_on(top, PEV_TARGET_SUBTREE, -1, -1, 0);
	if (fd < 0)
		die("a subtree: %s", pev_reason());
	usleep(1000);
	__atomic_store_n(&w->stop, 1, __ATOMIC_RELAXED);
	waitpid(pid, NULL, 0);
	close(fd);
	return w->late;
}

/*
 * Instructions that it takes to attach to a subtree of @nr processes, for each.
 * @stretch: NULL, or receives those for which no other task could have run
 */
static double attach(unsigned int *nr, bool chain, double *stretch)
{
	double ns = INFINITY;
	struct pev_child c;

	if (pev_child_start(&c) < 0)
		die("fork: %m");
	if (!c.pid)
		crowd(&c, *nr, chain);
	*nr = pev_child_hear(&c);
	for (unsigned int i = 0; i < 3; i++) {
		double begin = now();
		int fd = open_on(c.pid, PEV_TARGET_SUBTREE, -1, -1, 0);

		if (fd < 0)
			die("a subtree: %s", pev_reason());
		ns = fmin(ns, now() - begin);
		close(fd);
	}
	if (stretch)
		*stretch = longest_stretch(c.pid);
	/* the most are left to the end of the machine: to bury them takes minutes */
	if (*nr < MAX_SUBTREE / 2) {
		kill(-c.pid, SIGKILL);
		pev_child_end(&c);
	}
	return ns / *nr;
}

static void measure_attach(unsigned int nr, bool chain)
{
	bool most = nr == MAX_SUBTREE;
	double stretch, each = attach(&nr, chain, most ? &stretch : NULL);
	char *name, *text;

	if (asprintf(&name, "attach_%s_%u", chain ? "chain" : "flat", nr) < 0 ||
	    asprintf(&text, "attach to %u processes%s, for each", nr,
		     chain ? " in a chain" : "") < 0)
		die("no memory");
	figure(name, 400, text)->at[PEV] = each;
	if (most)
		figure("attach_stretch", 50000,
		       "... without giving way, and so with a lock, longest")->at[PEV] = stretch;
}

/* ---- cgroups ------------------------------------------------------------- */

#define CGROUP_EVENTS	500

static void measure_cgroups(void)
{
	static const char path[] = "/sys/fs/cgroup/pev-bench";
	int fds[CGROUP_EVENTS], cgroup;
	struct figure *f;
	pid_t pid = load_sleeper();
	double idle;

	mkdir(path, 0755);
	cgroup = open(path, O_RDONLY | O_DIRECTORY);
	if (cgroup < 0)
		die("%s: %m", path);
	/* the hooks are in place */
	listen_pev(&(struct pev_listen){ .type = PEV_TYPE_SOFTWARE, .pid = pid,
					 .config = PEV_SW_PAGE_FAULTS }, -1);
	load_pipe();
	idle = load_pipe();
	f = figure("switch_cgroup_events", 20, "500 events of another cgroup: a switch, more");
	for (int i = 0; i < CGROUP_EVENTS; i++)
		fds[i] = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_SOFTWARE,
				.target = PEV_TARGET_CGROUP, .pid = cgroup,
				.config = PEV_SW_PAGE_FAULTS }, -1);
	f->at[PEV] = load_pipe() - idle;
	for (int i = 0; i < CGROUP_EVENTS; i++)
		close(fds[i]);
	close(cgroup);
	rmdir(path);
	load_end(pid);
}

void measure_limits(void)
{
	raise_limits();
	/*
	 * Of long lists of free pages Linux hands back 2,000 at once with interrupts off, whatever
	 * was freed: 400,000 instructions, which would hide what pev itself takes.
	 */
	pev_put_number("/proc/sys/vm/percpu_pagelist_high_fraction", 10000);
	pev_put_number("/proc/sys/kernel/pid_max", 1 << 20);
	pev_put_number("/proc/sys/kernel/threads-max", 1 << 17);
	measure_cgroups();
	measure_attach(250, true);
	measure_attach(1000, true);
	measure_attach(2500, false);
	measure_attach(10000, false);
	measure_task();
	measure_irqs_off();
	measure_attach(MAX_SUBTREE, false);
}
