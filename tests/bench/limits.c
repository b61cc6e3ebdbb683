// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without rights can take from others: how long his calls keep
 * interrupts off, what attaching to a great many processes costs, what others'
 * context switches, CPUs and calls feel of it. See bench.h.
 *
 * The instrument for stretches with interrupts off is a timer of perf, of 20 us
 * on the CPU, not one of pev, which may be throttled: a sample that comes late by
 * n ns was held up by n instructions. The finest it sees is one period.
 */
#include "bench.h"

#include <linux/perf_event.h>
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

#define USER		1000
#define CLOSE		"syscalls:sys_enter_close"

/* ---- time ---------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ---- interrupts off ------------------------------------------------------ */

#define PROBE_NS	20000

static char *probe;
static int probe_fd;

static void probe_begin(void)
{
	/* it must not be throttled */
	pev_put_number("/proc/sys/kernel/perf_cpu_time_max_percent", 0);
	probe_fd = listen_perf(&(struct perf_listen){
			.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
			.pid = -1, .period = PROBE_NS });
	probe = listen_perf_ring(probe_fd);
}

static void probe_end(void)
{
	listen_perf_unmap(probe);
	close(probe_fd);
}

/**
 * struct probe_sample - as listen_perf() asks for it
 * @ip:   where interrupts came on again, if it is late
 * @time: ns
 */
struct probe_sample {
	struct perf_event_header	head;
	uint64_t			ip;
	uint32_t			pid, tid;
	uint64_t			time;
	uint64_t			period;
};

/* The longest that a sample came late since the last call. */
static double probe_longest(uint64_t *ip)
{
	struct perf_event_mmap_page *page = (void *)probe;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = page->data_tail, size = page->data_size;
	uint64_t last = 0, longest = 0;

	while (pos < head) {
		struct probe_sample s;

		for (size_t i = 0; i < sizeof(s); i += 8)
			memcpy((char *)&s + i, probe + page->data_offset + (pos + i) % size,
			       8);
		if (s.head.type == PERF_RECORD_LOST)
			die("the probe lost samples");
		pos += s.head.size;
		if (s.head.type != PERF_RECORD_SAMPLE)
			continue;
		if (last && s.time - last > longest) {
			longest = s.time - last;
			*ip = s.ip;
		}
		last = s.time;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return longest > PROBE_NS ? longest - PROBE_NS : 0;
}

/* "function+0x12", where @ip lies in the kernel. */
static const char *symbol(uint64_t ip)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	static char text[160];
	char name[128];
	uint64_t at, best = 0;

	while (f && fscanf(f, "%lx %*c %127s%*[^\n]", &at, name) == 2)
		if (at <= ip && at > best) {
			best = at;
			snprintf(text, sizeof(text), "%s+0x%lx", name, ip - at);
		}
	if (f)
		fclose(f);
	return best ? text : "?";
}

/* What came late since the last call is @f's; beyond its goal, who held it up is said. */
static void probe_into(struct figure *f)
{
	uint64_t ip = 0;

	f->at[PEV] = probe_longest(&ip);
	if (f->goal && f->at[PEV] > f->goal)
		printf("%s: interrupts come on again at %s\n", f->name, symbol(ip));
}

/* What came late until now is nobody's. */
static void probe_restart(void)
{
	uint64_t ip;

	probe_longest(&ip);
}

/* ---- a user with a great many descriptors -------------------------------- */

#define THREADS 64
#define EACH 1000 /* on each thread, unless PEV_BENCH_EACH is another number */
#define FILTERED	100
#define MEMBERS		200
#define TIMERS		300

static struct {
	int		channel;	/* of all that are on the threads */
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

/* As light as there are: they count as one each. */
static int open_call_event(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.name = (uintptr_t)CLOSE,
		.target = PEV_TARGET_TASK,
		.channel_fd = -1,
		.group_fd = -1,
	};

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

static int open_timer(int channel)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER, .target = PEV_TARGET_TASK, .channel_fd = channel,
		.group_fd = -1, .period = PEV_MIN_TIMER_NS, .sample = PEV_SAMPLE_TID,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
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
	for (i = 0; i < THREADS * each; i++, user.nr++)
		if (open_on(user.tids[i / each], PEV_TARGET_TASK, user.channel, -1, 0) < 0)
			die("event %u: %s", i, pev_reason());
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
	for (i = 0; i < TIMERS && open_timer(user.timers) >= 0; i++)
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

static void call_reset(void)
{
	ioctl(user.channel, PEV_IOC_RESET, 0);
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
	{ "irqs_off_reset", "... it is reset", call_reset },
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

/* As many events as a task may have. */
static void fill_task(int (*open_one)(void))
{
	int fd;

	do
		fd = open_one();
	while (fd >= 0);
	if (fd != -ENOSPC)
		die("an event on a task: %s", pev_reason());
}

static int open_waiting(void)
{
	return open_on(0, PEV_TARGET_TASK, -1, -1, PEV_F_ENABLE_ON_EXEC);
}

/* They wait for what it executes. */
static void execute(struct pev_child *c)
{
	if (pev_become(USER, -1))
		die("another user: %m");
	fill_task(open_waiting);
	pev_child_say(c, 0);
	pev_child_wait(c);
	execl(own_path(), "bench", "calls", "1", NULL);
	die("%s: %m", own_path());
}

static void measure_exec(void)
{
	struct figure *f = figure("irqs_off_exec", 100000,
				  "interrupts off, longest: a task's most events begin at an exec");
	struct pev_child c;

	if (pev_child_start(&c) < 0)
		die("fork: %m");
	if (!c.pid)
		execute(&c);
	if (pev_child_hear(&c))
		die("who is to execute is gone");
	probe_begin();
	probe_restart();
	pev_child_go(&c);
	if (pev_child_end(&c))
		die("what was executed failed");
	probe_into(f);
	probe_end();
}

/* Two tasks that have these wake each other. */
static void change_tasks(struct pev_child *c)
{
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	if (pev_become(USER, -1) || pipe(there) || pipe(back))
		die("two tasks of another user: %m");
	pid = fork();
	fill_task(open_call_event);
	if (!pid) {
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	/* the first time is when the other has its events */
	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
		die("the other task: %m");
	pev_child_say(c, 0);
	pev_child_wait(c);
	for (int i = 0; i < 10; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("the other task: %m");
	pev_child_say(c, 0);
	kill(pid, SIGKILL);
	_exit(0);
}

static void measure_change(void)
{
	struct figure *f = figure(
		"irqs_off_change", 100000,
		"interrupts off, longest: a switch between tasks with the most events");
	struct pev_child c;

	if (pev_child_start(&c) < 0)
		die("fork: %m");
	if (!c.pid)
		change_tasks(&c);
	if (pev_child_hear(&c))
		die("the two tasks are gone");
	probe_begin();
	probe_restart();
	pev_child_go(&c);
	if (pev_child_hear(&c))
		die("the two tasks are gone");
	probe_into(f);
	probe_end();
	pev_child_end(&c);
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
	measure_exec();
	measure_change();
	measure_irqs_off();
	measure_attach(MAX_SUBTREE, false);
}
