// SPDX-License-Identifier: GPL-2.0
/*
 * What is written where nothing may wait, in the scheduler for instance, is bounded for each task:
 * events with long records count for several, and so do those that are written by others.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ANYBODY 1000
#define DEPTH (2 * PEV_MAX_STACK_DUMP)
#define ROUNDS 16
#define CALLS "raw_syscalls:sys_enter"
#define NUMBERS 256
/* ns that an occurrence may take, whatever is opened; in an emulator. */
#define BOUND 10000000

static bool can_move(void)
{
	int cpus[2];

	return pev_cpus(cpus, 2) == 2;
}

static int channel = -1, table = -1, counted = -1, requests = -1;
/* What @channel_fd of a kind is; 0: the channel. */
enum { STACKS = 1, COUNTED, REQUESTS };
static char filter[PEV_MAX_FILTER] = "id == -2";
static const char one_name[] = "comm == 'sh'", one_number[] = "common_pid == 1",
		  pattern[] = "comm ~ '*elevenchars*'", execve_call[] = "syscalls:sys_enter_execve";

static int open_one(const struct pev_attr *kind, int group)
{
	struct pev_attr attr = *kind;

	attr.type = kind->type ? kind->type : PEV_TYPE_SOFTWARE;
	attr.target = kind->target ? kind->target : PEV_TARGET_PROCESS;
	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	attr.channel_fd = kind->channel_fd == STACKS   ? table :
			  kind->channel_fd == COUNTED  ? counted :
			  kind->channel_fd == REQUESTS ? requests :
							 channel;
	attr.group_fd = group;
	attr.period = kind->channel_fd != COUNTED;
	return pev_open(&attr);
}

/* As many as there may be, in groups of @group. */
static unsigned int open_all(const struct pev_attr *kind, unsigned int group)
{
	int leader = -1, fd;

	for (unsigned int nr = 0;; nr++) {
		fd = open_one(kind, nr % group ? leader : -1);
		if (fd < 0)
			return fd == -ENOSPC ? nr : 0;
		if (!(nr % group))
			leader = fd;
	}
}

static int begin(void)
{
	struct rlimit many = { PEV_MAX_TASK_EVENTS + 100, PEV_MAX_TASK_EVENTS + 100 };
	struct pev_attr attr = { .type = PEV_TYPE_TABLE, .channel_fd = -1, .group_fd = -1 };
	struct pev_table stacks = {
		.size = sizeof(stacks),
		.rows = 16,
		.nr_keys = 1,
		.frames = PEV_MIN_TABLE_FRAMES,
		.keys = { { .from = PEV_TABLE_USTACK } },
	};
	struct pev_table counts = {
		.size = sizeof(counts),
		.rows = 16,
		.nr_keys = 1,
		.value = PEV_TABLE_COUNTED,
		.keys = { { .from = PEV_TABLE_TID } },
	};
	struct pev_table asked = {
		.size = sizeof(asked),
		.rows = 16,
		.nr_keys = 1,
		.keys = { { .from = PEV_TABLE_REQUEST } },
	};

	for (unsigned int nr = 1; nr < NUMBERS; nr++)
		strcat(filter, " || id > 0");
	attr.config = (uintptr_t)&stacks;
	if (setrlimit(RLIMIT_NOFILE, &many) || pev_become(ANYBODY, -1))
		return -1;
	channel = pev_open_channel(1 << 18, 1 << 16, PEV_CHF_OVERWRITE);
	table = pev_open(&attr);
	attr.config = (uintptr_t)&counts;
	counted = pev_open(&attr);
	attr.config = (uintptr_t)&asked;
	requests = pev_open(&attr);
	return channel < 0 || table < 0 || counted < 0 || requests < 0 ? -1 : 0;
}

FIXTURE(weight)
{
	struct pev_levels before;
};

FIXTURE_SETUP(weight)
{
	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
}

FIXTURE_TEARDOWN(weight)
{
	pev_set_levels(self->before);
}

/* ---- numbers ---- */

static const struct {
	const char *what;
	struct pev_attr attr;
	unsigned int weight;
} kinds[] = {
	{ "a stack of 32 KiB",
	  { .config = PEV_SW_CONTEXT_SWITCHES,
	    .sample = PEV_SAMPLE_USTACK_DUMP,
	    .stack_user = PEV_MAX_STACK_DUMP },
	  16 + PEV_MAX_STACK_DUMP / 256 },
	{ "call chains",
	  { .config = PEV_SW_CONTEXT_SWITCHES, .sample = PEV_SAMPLE_USTACK },
	  16 + PEV_MAX_STACK / 3 },
	{ "short call chains",
	  { .config = PEV_SW_PAGE_FAULTS, .sample = PEV_SAMPLE_USTACK, .max_stack = 64 },
	  1 + 64 / 3 },
	{ "call chains in a table",
	  { .config = PEV_SW_CONTEXT_SWITCHES, .channel_fd = STACKS },
	  16 + PEV_MAX_STACK / 3 },
	{ "values of a group",
	  { .config = PEV_SW_CONTEXT_SWITCHES, .sample = PEV_SAMPLE_READ },
	  16 + PEV_MAX_GROUP / 2 },
	{ "stacks that come later",
	  { .config = PEV_SW_CONTEXT_SWITCHES,
	    .sample = PEV_SAMPLE_USTACK | PEV_SAMPLE_COOKIE,
	    .max_stack = 8 },
	  16 + 8 + 32 },
	/* a quarter: interrupts come, and no lock is held */
	{ "a stack of 32 KiB at each call",
	  { .type = PEV_TYPE_TRACEPOINT,
	    .name = (uintptr_t)CALLS,
	    .sample = PEV_SAMPLE_USTACK_DUMP,
	    .stack_user = PEV_MAX_STACK_DUMP },
	  1 + PEV_MAX_STACK_DUMP / 256 / 4 },
	{ "values of a group at each call",
	  { .type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CALLS, .sample = PEV_SAMPLE_READ },
	  1 + PEV_MAX_GROUP / 2 / 4 },
	{ "requests in a table", { .config = PEV_SW_PAGE_FAULTS, .channel_fd = REQUESTS }, 1 + 6 },
	{ "requests in a table, of each call",
	  { .type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CALLS, .channel_fd = REQUESTS },
	  1 },
	{ "a request at each call",
	  { .type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CALLS, .sample = PEV_SAMPLE_CONTEXT },
	  1 },
	{ "a filter of 256 numbers at each call",
	  { .type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CALLS, .filter = (uintptr_t)filter },
	  1 + NUMBERS / 32 / 4 },
	{ "switches", { .config = PEV_SW_CONTEXT_SWITCHES }, 16 },
	{ "switches with a short filter",
	  { .config = PEV_SW_CONTEXT_SWITCHES, .filter = (uintptr_t)one_name },
	  16 },
	/* each of 12 characters at each of 16 places, and 14 for the rest; 24 are free */
	{ "switches with a pattern",
	  { .config = PEV_SW_CONTEXT_SWITCHES, .filter = (uintptr_t)pattern },
	  16 + (16 * 12 + 14 - 24 + 5) / 6 },
	{ "clocks in a table", { .config = PEV_SW_TASK_CLOCK, .channel_fd = COUNTED }, 1 + 16 },
	{ "what may fault",
	  { .config = PEV_SW_PAGE_FAULTS,
	    .sample = PEV_SAMPLE_CONTEXT | PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK |
		      PEV_SAMPLE_USTACK_DUMP,
	    .regs_user = 1,
	    .max_stack = 3,
	    .stack_user = 8 },
	  1 + 6 + 3 + 8 + 6 },
	{ "lists of strings",
	  { .type = PEV_TYPE_TRACEPOINT,
	    .name = (uintptr_t)execve_call,
	    .flags = PEV_F_TEXT,
	    .sample = PEV_SAMPLE_TID },
	  1 + 8 },
	{ "a name and a list of strings of all calls",
	  { .type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)CALLS, .flags = PEV_F_TEXT },
	  1 + 8 },
	{ "moves to other CPUs", { .config = PEV_SW_CPU_MIGRATIONS }, 128 },
	{ "moves with a filter",
	  { .config = PEV_SW_CPU_MIGRATIONS, .filter = (uintptr_t)one_number },
	  128 + (10 * 4 + 5) / 6 },
	{ "moves with the values of a group",
	  { .config = PEV_SW_CPU_MIGRATIONS, .sample = PEV_SAMPLE_READ },
	  128 + 4 * PEV_MAX_GROUP / 2 },
	{ "waits", { .type = PEV_TYPE_WAIT }, 16 },
	{ "names of mapped files", { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_MMAP }, 16 },
	{ "names of programs", { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_EXEC }, 16 },
	{ "forks", { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_FORK }, 5 },
	{ "exits", { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_EXIT }, 5 },
	{ "names of tasks", { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_COMM }, 8 },
};

TEST_F(weight, of_records)
{
	struct pev_child c;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		/* of light ones there are a thousand */
		if (pev_kernel_is_slow() && kinds[i].weight < 8)
			continue;
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			if (begin())
				_exit(1);
			EXPECT_EQ(PEV_MAX_TASK_EVENTS / kinds[i].weight,
				  open_all(&kinds[i].attr, 1))
			TH_LOG("events with %s", kinds[i].what);
			_exit(_metadata->exit_code != KSFT_PASS);
		}
		EXPECT_EQ(0, pev_child_end(&c));
	}
}

/* ---- time ---- */

static int there[2], back[2];

static void *answers(void *UNUSED arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return NULL;
}

/* To another thread on this CPU, and back. */
static void do_switch(void)
{
	char byte = 0;

	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
		exit(1);
}

static void do_call(void)
{
	syscall(SYS_getppid);
}

static void do_fork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		exit(1);
}

static void do_move(void)
{
	static int cpus[2], at;

	if (!cpus[1])
		pev_cpus(cpus, 2);
	pev_pin(cpus[++at % 2]);
}

/* ns that @what takes with a deep stack, the least of some: a busy host only adds to them. */
static int64_t cost(void (*what)(void))
{
	int64_t ns, least = INT64_MAX;
	char stack[DEPTH];

	memset(stack, 1, sizeof(stack));
	__asm__ volatile("" : : "r"(stack) : "memory");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		int64_t begin = pev_clock_ns(CLOCK_MONOTONIC);

		what();
		ns = pev_clock_ns(CLOCK_MONOTONIC) - begin;
		least = ns < least ? ns : least;
	}
	return least;
}

static int64_t cost_of(const struct pev_attr *kind, unsigned int group, void (*what)(void))
{
	pthread_t thread;

	if (begin())
		return -1;
	if (what == do_switch && (pipe(there) || pipe(back) || pev_pin(0) ||
				  pthread_create(&thread, NULL, answers, NULL)))
		return -2;
	if (!open_all(kind, group))
		return -3;
	return cost(what);
}

static void check(struct __test_metadata *_metadata, const struct pev_attr *kind,
		  unsigned int group, void (*what)(void), const char *name)
{
	struct pev_child c;
	int64_t ns;

	if (pev_kernel_is_slow())
		SKIP(return, "all takes long in this kernel");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_say(&c, cost_of(kind, group, what));
		_exit(0);
	}
	ns = pev_child_hear(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_LT(0, ns);
	EXPECT_GT(BOUND, ns);
	printf("# %s takes %lld us\n", name, (long long)ns / 1000);
}

TEST_F(weight, of_a_switch)
{
	check(_metadata, &kinds[0].attr, 1, do_switch, "a switch to a thread and back");
}

/* With preemption off. */
TEST_F(weight, of_a_call)
{
	const struct pev_attr call = {
		.type = PEV_TYPE_TRACEPOINT,
		.name = (uintptr_t)CALLS,
		.sample = PEV_SAMPLE_USTACK_DUMP,
		.stack_user = PEV_MAX_STACK_DUMP,
	};

	check(_metadata, &call, 1, do_call, "a system call");
}

/* With the lock of the tree of tasks. */
TEST_F(weight, of_a_fork)
{
	const struct pev_attr wait = { .type = PEV_TYPE_WAIT, .target = PEV_TARGET_SUBTREE };

	check(_metadata, &wait, 1, do_fork, "a fork");
}

/* Who moves it does it for others: the scheduler, on any CPU. */
TEST_F(weight, of_a_move)
{
	const struct pev_attr move = {
		.config = PEV_SW_CPU_MIGRATIONS,
		.sample = PEV_SAMPLE_READ,
	};

	if (!can_move())
		SKIP(return, "needs two CPUs");
	check(_metadata, &move, PEV_MAX_GROUP, do_move, "a move to another CPU");
}

TEST_HARNESS_MAIN
