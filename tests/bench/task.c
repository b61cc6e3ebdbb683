// SPDX-License-Identifier: GPL-2.0
/*
 * How long a user without rights keeps interrupts off by what he does with as many events on his
 * task as it may have: a switch, a fork, an exec, a flush. See limits.c.
 */
#include "bench.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../selftests/pev_child.h"

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
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	attr.flags = PEV_F_DISABLED | PEV_F_ENABLE_ON_EXEC;
	return pev_open(&attr);
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

/* ---- events that take long ----------------------------------------------- */

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

static int leader;

static void *idle(void *arg)
{
	pause();
	return arg;
}

static void add_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 100; i++)
		if (pthread_create(&thread, NULL, idle, NULL))
			die("a thread");
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
		add_threads();
		wait.channel_fd = pev_open_channel(1 << 18, 1 << 16, PEV_CHF_OVERWRITE);
		leader = pev_open(&wait);
	}
	clock.group_fd = leader;
	if (!nr++)
		return leader;
	return nr > PEV_MAX_GROUP ? -ENOSPC : pev_open(&clock);
}

static void flush_waits(void)
{
	int more;

	do
		more = ioctl(leader, PEV_IOC_FLUSH, 0);
	while (more > 0);
	if (more < 0)
		die("a flush: %m");
}

/* ---- what a task does ---------------------------------------------------- */

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
static void __attribute__((noinline)) swap_deep(unsigned int depth)
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

void measure_task(void)
{
	measure_exec();
	for (unsigned int i = 0; i < sizeof(doings) / sizeof(*doings); i++)
		measure_doing(&doings[i]);
}
