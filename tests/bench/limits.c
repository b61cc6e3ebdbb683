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

#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
	int mine; /* in a channel with as many on the threads, and runs */
	int resets;
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

/* ---- what a task's events do at a switch, a fork, a flush ----------------- */

static int switch_event(const char *filter, uint64_t sample, int group)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_CONTEXT_SWITCHES, PEV_TARGET_TASK, 0);
	static int channel = -1;

	if (sample && channel < 0)
		channel = pev_open_channel(1 << 18, 1 << 16, PEV_CHF_OVERWRITE);
	attr.filter = (uintptr_t)filter;
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	attr.group_fd = group;
	attr.sample = sample;
	attr.channel_fd = sample ? channel : -1;
	attr.period = !!sample;
	return pev_open(&attr);
}

/* @test @nr times, "||" between */
static const char *repeat(const char *test, unsigned int nr)
{
	static char text[PEV_MAX_FILTER];
	char *at = text;

	while (nr-- && at + strlen(test) + 3 < text + sizeof(text))
		at += sprintf(at, "%s%s", at == text ? "" : "||", test);
	return text;
}

/* As many tests as are free. */
static int open_filtered_switch(void)
{
	return switch_event(repeat("common_pid<0", 24), 0, -1);
}

/* As many as there is room for: what is left is for one with fewer. */
static int open_long_filter(void)
{
	static unsigned int tests = 300;
	int fd;

	do
		fd = switch_event(repeat("common_pid<0", tests), 0, -1);
	while (fd == -ENOSPC && (tests -= tests > 24 ? 4 : tests));
	return tests ? fd : -ENOSPC;
}

/* Each character of a name is compared with a class of as many as there is room for. */
static int open_class_filter(void)
{
	static unsigned int len = 240, tests = 16;
	char class[300];
	int fd;

	do {
		sprintf(class, "comm ~ \"*[%0*d]z?\"", len, 0);
		fd = switch_event(repeat(class, tests), 0, -1);
	} while ((fd == -ENOSPC || fd == -E2BIG) && (--tests || ((tests = 1), len /= 2)));
	return len ? fd : -ENOSPC;
}

static int open_stacks(void)
{
	return switch_event(NULL, PEV_SAMPLE_USTACK | PEV_SAMPLE_TID, -1);
}

/* Clocks, and what writes down the values of all of them. */
static int open_values(void)
{
	struct pev_attr clock = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_TASK, 0);
	static int leader = -1, nr, readers;
	int fd = -ENOSPC;

	clock.group_fd = leader;
	if (readers < 3 && (leader < 0 || nr >= 3)) {
		fd = switch_event(NULL, PEV_SAMPLE_READ, leader);
		readers += fd >= 0;
	} else if (nr < PEV_MAX_GROUP - 3) {
		fd = pev_open(&clock);
	}
	nr++;
	leader = leader < 0 ? fd : leader;
	return fd;
}

static int open_sideband(uint64_t config, uint64_t sample)
{
	static int channel = -1;
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND,
		.config = config,
		.target = PEV_TARGET_SUBTREE,
		.sample = PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_CPU | sample,
		.group_fd = -1,
		.flags = PEV_F_EXCLUDE_KERNEL,
	};

	if (sample & PEV_SAMPLE_UREGS) {
		attr.regs_user = 0xff;
		attr.max_stack = 3;
		attr.stack_user = 248;
	}

	if (channel < 0)
		channel = pev_open_channel(1 << 18, 1 << 16, PEV_CHF_OVERWRITE);
	attr.channel_fd = channel;
	return pev_open(&attr);
}

static int open_fork(void)
{
	return open_sideband(PEV_SB_FORK, 0);
}

/* With a little of each that is not of a fixed size. */
static int open_fork_parts(void)
{
	return open_sideband(PEV_SB_FORK, PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK |
						  PEV_SAMPLE_USTACK_DUMP | PEV_SAMPLE_CONTEXT);
}

static int open_exit(void)
{
	return open_sideband(PEV_SB_EXIT, 0);
}

static int open_exec(void)
{
	return open_sideband(PEV_SB_EXEC, 0);
}

/* All threads of a process are followed, and what a flush writes of each has values of a group. */
static int open_waits(void)
{
	struct pev_attr clock = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_PROCESS, 0);
	struct pev_attr wait = {
		.type = PEV_TYPE_WAIT,
		.target = PEV_TARGET_PROCESS,
		.group_fd = -1,
		.sample = PEV_SAMPLE_TID | PEV_SAMPLE_READ,
		.flags = PEV_F_EXCLUDE_KERNEL,
	};
	static int nr;

	if (!nr) {
		user_threads();
		wait.channel_fd = pev_open_channel(1 << 18, 1 << 16, PEV_CHF_OVERWRITE);
		user.leader = pev_open(&wait);
	}
	clock.group_fd = user.leader;
	if (!nr++)
		return user.leader;
	return nr > PEV_MAX_GROUP ? -ENOSPC : pev_open(&clock);
}

static void flush_waits(void)
{
	int more;

	do
		more = ioctl(user.leader, PEV_IOC_FLUSH, 0);
	while (more > 0);
	if (more < 0)
		die("a flush: %m");
}

static int there[2], back[2];

static void swap(void)
{
	char byte = 0;

	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
		die("the other task: %m");
}

static void swap_often(void)
{
	for (int i = 0; i < 10; i++)
		swap();
}

/* The same as deep as a call chain is long. */
static void __attribute__((noinline, optimize("no-omit-frame-pointer")))
swap_deep(unsigned int depth)
{
	if (depth)
		swap_deep(depth - 1);
	else
		swap_often();
	__asm__ volatile("" : : : "memory");
}

static void swap_below(void)
{
	swap_deep(PEV_MAX_STACK + 10);
}

static void fork_often(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			die("a fork: %m");
	}
}

/* By a path that is as long as one can be. */
static void execute_often(void)
{
	static char path[PATH_MAX];
	size_t room = sizeof(path) - strlen(own_path()) - 1;

	for (size_t at = 0; at + 2 <= room; at += 2)
		memcpy(path + at, "/.", 2);
	strcat(path, own_path());
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			execl(path, "bench", "calls", "1", NULL);
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			die("what was executed failed");
	}
}

/**
 * struct doing - what a user does who has as many events as a task may have
 * @name: of the figure
 * @text: of the figure
 * @open: one of his events
 * @act:  what is measured; without switches, his other task has no events
 */
struct doing {
	const char *name;
	const char *text;
	int (*open)(void);
	void (*act)(void);
};

static const struct doing doings[] = {
	{ "irqs_off_change", "interrupts off, longest: a switch between tasks with the most events",
	  open_call_event, swap_often },
	{ "irqs_off_tests", "... with filters, of as many tests as are free", open_filtered_switch,
	  swap_often },
	{ "irqs_off_long", "... of as many tests as there may be", open_long_filter, swap_often },
	{ "irqs_off_class", "... with patterns", open_class_filter, swap_often },
	{ "irqs_off_stacks", "... with call chains", open_stacks, swap_below },
	{ "irqs_off_values", "... with the values of a group", open_values, swap_often },
	{ "irqs_off_fork", "interrupts off, longest: a fork that as many record", open_fork,
	  fork_often },
	{ "irqs_off_fork_parts", "... with registers and pieces of the stack", open_fork_parts,
	  fork_often },
	{ "irqs_off_exit", "... an exit", open_exit, fork_often },
	{ "irqs_off_path", "... an exec, of a long path", open_exec, execute_often },
	{ "irqs_off_waits", "... a flush of waits with the values of a group", open_waits,
	  flush_waits },
};

/* Two tasks that have these wake each other. */
static void do_it(const struct doing *d, struct pev_child *c)
{
	char byte = 0;
	pid_t pid;

	if (pev_become(USER, -1) || pipe(there) || pipe(back))
		die("two tasks of another user: %m");
	/* as long as a name can be, for patterns */
	prctl(PR_SET_NAME, "abcdefghijklmno");
	pid = fork();
	if (pid || d->act == swap_often || d->act == swap_below)
		fill_task(d->open);
	if (!pid) {
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	/* the first time is when the other has its events */
	swap();
	pev_child_say(c, 0);
	pev_child_wait(c);
	d->act();
	pev_child_say(c, 0);
	/* that many threads end is Linux's own stretch */
	pev_child_wait(c);
	kill(pid, SIGKILL);
	_exit(0);
}

static void measure_doing(const struct doing *d)
{
	struct figure *f = figure(d->name, 100000, d->text);
	struct pev_child c;

	if (pev_child_start(&c) < 0)
		die("fork: %m");
	if (!c.pid)
		do_it(d, &c);
	if (pev_child_hear(&c))
		die("the two tasks are gone");
	probe_begin();
	probe_restart();
	pev_child_go(&c);
	if (pev_child_hear(&c))
		die("the two tasks are gone");
	probe_into(f);
	probe_end();
	pev_child_go(&c);
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
	for (unsigned int i = 0; i < sizeof(doings) / sizeof(*doings); i++)
		measure_doing(&doings[i]);
	measure_irqs_off();
	measure_attach(MAX_SUBTREE, false);
}
