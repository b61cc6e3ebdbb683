// SPDX-License-Identifier: GPL-2.0
/*
 * What a user does with events on own tasks is the business of the CPUs that
 * these run on: others are not interrupted. And what it costs to be alone: the
 * first event hooks the kernel, the last one unhooks it.
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

#define ANYBODY		1000
#define SOMEBODY_ELSE	1001

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- interrupts by which CPUs ask each other ---- */

/*
 * Of what else goes on meanwhile; a doorbell rings to wake a task, too. An act that did
 * interrupt others would do so twice each time.
 */
#define TOLERATED(times)	((times) < 20 ? 30 : (times) * 3 / 2)

#ifdef __x86_64__
/* Without those that wake a task there. */
static bool is_call(const char *line)
{
	return strstr(line, "CAL:");
}
#else
static bool is_call(const char *line)
{
	return strstr(line, "DBL:") || strstr(line, "IPI");
}
#endif

/* So many came to @cpu. */
static long calls_to(int cpu)
{
	FILE *f = fopen("/proc/interrupts", "r");
	int column = -1, nr = 0;
	char line[4096];
	long sum = 0;

	/* "CPU0 CPU1 ...": those that are online */
	if (f && fgets(line, sizeof(line), f))
		for (char *p = line; (p = strstr(p, "CPU")); p += 3, nr++)
			if (atoi(p + 3) == cpu)
				column = nr;
	while (f && column >= 0 && fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':');

		if (!p || !is_call(line))
			continue;
		p++;
		for (int i = 0; i < column; i++)
			strtol(p, &p, 10);
		sum += strtol(p, &p, 10);
	}
	if (f)
		fclose(f);
	return sum;
}

/* ---- what anybody may do ---- */

#define ROWS 4

static int event, channel, table, in_table, counts, counter = -1;

static int open_own(uint32_t target)
{
	struct pev_attr attr = pev_attr_calls(target, 0);

	attr.flags = PEV_F_DISABLED;
	attr.channel_fd = channel;
	attr.period = 1;
	attr.sample = PEV_SAMPLE_TID;
	return pev_open(&attr);
}

static int open_table(uint32_t value)
{
	struct pev_table by_tid = {
		.size = sizeof(by_tid),
		.rows = ROWS,
		.nr_keys = 1,
		.keys = { { .from = PEV_TABLE_TID } },
		.value = value,
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE,
		.config = (uintptr_t)&by_tid,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

static int open_in(int fd)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);

	attr.channel_fd = fd;
	attr.period = 1;
	return pev_open(&attr);
}

static int open_counting(uint64_t flags)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_HARDWARE,
		.config = PEV_HW_INSTRUCTIONS,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_EXCLUDE_KERNEL | flags,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

/* Return: <0 where there is no PMU, or user mode can't read it. */
static int open_counter(void)
{
	return open_counting(PEV_F_USER_PAGE);
}

static bool do_switch(void)
{
	return !pev_on(event) && !pev_off(event);
}

static bool do_switch_channel(void)
{
	return !pev_on(channel) && !pev_off(channel);
}

static bool do_reset(void)
{
	return !ioctl(event, PEV_IOC_RESET, 0);
}

static bool do_read(void)
{
	struct pev_value v;

	return read(event, &v, sizeof(v)) == sizeof(v);
}

static bool do_count_and_flush(void)
{
	if (pev_on(event))
		return false;
	pev_call(1);
	return !ioctl(channel, PEV_IOC_FLUSH, 0) && !pev_off(event);
}

static bool opens(int fd)
{
	return fd >= 0 && !close(fd);
}

static bool do_open(void)
{
	return opens(open_own(PEV_TARGET_TASK));
}

static bool do_open_process(void)
{
	return opens(open_own(PEV_TARGET_PROCESS));
}

static bool do_open_subtree(void)
{
	return opens(open_own(PEV_TARGET_SUBTREE));
}

/* Tables of all CPUs, of which this one's has something in it. */
static bool do_swap(void)
{
	static uint64_t rows[8 * sizeof(struct pev_table_row)];
	struct pev_table_swap swap = { .rows = (uintptr_t)rows, .nr_rows = ROWS };
	uint64_t calls = 0;

	pev_call(1);
	for (swap.cpu = 0; swap.cpu < pev_nr_cpus(); swap.cpu++) {
		swap.size = sizeof(swap);
		swap.nr_rows = ROWS;
		if (ioctl(table, PEV_IOC_TABLE_SWAP, &swap))
			return false;
		calls += swap.generated.count;
	}
	/* the first time, what other acts called is there, too */
	return calls > 0;
}

static bool do_read_multiplexed(void)
{
	struct pev_multiplexed m = { .size = sizeof(m) };

	return !ioctl(counter, PEV_IOC_READ_MULTIPLEXED, &m) && m.value;
}

static bool do_map_page(void)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, counter, 0);

	return page != MAP_FAILED && !munmap(page, sysconf(_SC_PAGESIZE));
}

/* It is refused late: there is no such task. */
static bool do_refuse_counted(void)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0x3fffffff);

	attr.channel_fd = counts;
	return pev_open(&attr) == -ESRCH;
}

/* So is this: the event is no channel, or the kernel can't tell guests. */
static bool do_refuse_guest(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.config = PEV_TIMER_TASK_CLOCK,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_GUEST,
		.period = 1000000,
		.channel_fd = event,
		.group_fd = -1,
	};
	int err = pev_open(&attr);

	return (err == -EINVAL && pev_why.head.field == PEV_OFFSET(channel_fd)) ||
	       (err == -EOPNOTSUPP && pev_why.head.field == PEV_OFFSET(flags));
}

static bool do_nothing(void)
{
	usleep(500);
	return true;
}

static const struct {
	const char	*what;
	bool		(*fn)(void);
	unsigned int	times;
	bool once; /* an interrupt would be one each time: done thrice */
	bool counts; /* by @counter */
	bool visits; /* it was on the other CPU before */
} acts[] = {
	{ "nothing", do_nothing, 500 },
	{ "on and off", do_switch, 500 },
	{ "a channel on and off", do_switch_channel, 500 },
	{ "reset", do_reset, 500 },
	{ "read", do_read, 500 },
	{ "count and flush", do_count_and_flush, 200 },
	{ "open and close, a task", do_open, 50 },
	{ "open and close, a process", do_open_process, 50 },
	{ "open and close, a subtree", do_open_subtree, 50 },
	{ "tables", do_swap, 200, true },
	{ "an event of a table of counts", do_refuse_counted, 50 },
	{ "an event without guests", do_refuse_guest, 200 },
	{ "a page mapped", do_map_page, 200, true, true },
	{ "a multiplexed value", do_read_multiplexed, 200, true, true, .visits = true },
};

#define ACTS	(sizeof(acts) / sizeof(*acts))

/* Linux's thread that ends grace periods, which closing an event starts; 0: it is not found. */
static pid_t grace_periods(void)
{
	pid_t found = 0;
	char name[32];
	glob_t all;

	if (glob("/proc/[1-9]*/comm", 0, NULL, &all))
		return 0;
	for (size_t i = 0; i < all.gl_pathc && !found; i++) {
		FILE *f = fopen(all.gl_pathv[i], "r");

		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) &&
		    (!strcmp(name, "rcu_sched\n") || !strcmp(name, "rcu_preempt\n")))
			found = atoi(all.gl_pathv[i] + strlen("/proc/"));
		fclose(f);
	}
	globfree(&all);
	return found;
}

FIXTURE(interrupt) {
	struct pev_levels before;
	cpu_set_t rcu_cpus;
	pid_t rcu;
	struct pev_child busy;
	int cpus[2];
	int held;
};

/* What the other CPU does. */
FIXTURE_VARIANT(interrupt) {
	bool busy;
};

FIXTURE_VARIANT_ADD(interrupt, of_an_idle_cpu) {
	.busy = false,
};

FIXTURE_VARIANT_ADD(interrupt, of_a_busy_cpu) {
	.busy = true,
};

FIXTURE_SETUP(interrupt)
{
	PEV_NEEDS_ROOT(return );
	if (pev_cpus(self->cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	PEV_DEFAULT_LEVELS(&self->before);
	ASSERT_EQ(0, pev_pin(self->cpus[0]));
	/* the hooks stay in place, whatever events come and go */
	self->held = pev_open_event(PEV_TYPE_TRACEPOINT, PEV_CALL_EVENT, NULL, -1);
	ASSERT_LE(0, self->held);
	/* woken on the other CPU, that thread would be an interrupt for each close */
	self->rcu = grace_periods();
	if (self->rcu) {
		cpu_set_t here;

		CPU_ZERO(&here);
		CPU_SET(self->cpus[0], &here);
		ASSERT_EQ(0, sched_getaffinity(self->rcu, sizeof(self->rcu_cpus), &self->rcu_cpus));
		ASSERT_EQ(0, sched_setaffinity(self->rcu, sizeof(here), &here));
	}
	if (!variant->busy)
		return;
	ASSERT_LE(0, pev_child_start(&self->busy));
	if (!self->busy.pid) {
		pev_child_say(&self->busy, pev_become(SOMEBODY_ELSE, -1) ||
					   pev_pin(self->cpus[1]));
		for (;;)
			pev_relax();
	}
	ASSERT_EQ(0, pev_child_hear(&self->busy));
}

FIXTURE_TEARDOWN(interrupt)
{
	if (self->busy.pid) {
		kill(self->busy.pid, SIGKILL);
		pev_child_end(&self->busy);
	}
	if (self->rcu)
		sched_setaffinity(self->rcu, sizeof(self->rcu_cpus), &self->rcu_cpus);
	close(self->held);
	pev_set_levels(self->before);
}

/*
 * An emulator that runs both CPUs in one thread goes to the one that wakes up when the host
 * lets it: fewer rounds say the same.
 */
#define PATIENCE 1000000000LL /* ns */
#define LEAST		30

TEST_F(interrupt, none)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		channel = pev_open_channel(1 << 16, 4096, 0);
		event = open_own(PEV_TARGET_TASK);
		EXPECT_LE(0, event) TH_LOG("%s", pev_reason());
		table = open_table(PEV_TABLE_COUNT);
		counts = open_table(PEV_TABLE_COUNTED);
		EXPECT_LE(0, counts) TH_LOG("%s", pev_reason());
		in_table = open_in(table);
		EXPECT_LE(0, in_table) TH_LOG("%s", pev_reason());
		counter = open_counter();
		for (unsigned int i = 0; i < ACTS; i++) {
			unsigned int times = acts[i].times / (pev_kernel_is_slow() ? 4 : 1);
			unsigned int n = 0;
			int64_t end;
			long came;

			if (acts[i].counts && counter < 0)
				continue;
			if (acts[i].visits) {
				EXPECT_EQ(0, pev_pin(self->cpus[1]));
				EXPECT_EQ(0, pev_pin(self->cpus[0]));
			}
			came = calls_to(self->cpus[1]);
			end = now() + PATIENCE;
			while (n < times && (n < LEAST || now() < end)) {
				for (unsigned int k = 0; k < (acts[i].once ? 3 : 1); k++)
					ASSERT_TRUE(acts[i].fn())
				TH_LOG("%s: %s", acts[i].what, pev_reason());
				n++;
			}
			came = calls_to(self->cpus[1]) - came;
			EXPECT_GE(TOLERATED(n), came)
				TH_LOG("%u times %s: %ld interrupts", n, acts[i].what, came);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ---- the same, by what the one who asks has to do for it ---- */

/* Where a function of the kernel's begins; 0: it says nothing. */
static unsigned long address_of(const char *function)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long at, found = 0;
	char line[512], name[256];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %255s", &at, name) == 2 && !strcmp(name, function))
			found = at;
	if (f)
		fclose(f);
	return found;
}

/* Calls that the process @pid makes on @cpu, but for those that wake a task there. */
static int count_calls(pid_t pid, int cpu)
{
	char filter[100];
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.name = (uintptr_t) "csd:csd_queue_cpu",
		.filter = (uintptr_t)filter,
		.target = PEV_TARGET_PROCESS,
		.target_id = pid,
		.channel_fd = -1,
		.group_fd = -1,
	};

	snprintf(filter, sizeof(filter), "cpu == %d && func != 0x%lx", cpu,
		 address_of("sched_ttwu_pending"));
	return pev_open(&attr);
}

/* No other event has a counter: with this one pev gets the PMU, and gives it back. */
static bool do_open_only(void)
{
	return opens(open_counter());
}

/* The same, also where perf has the PMU. */
static int open_plain(void)
{
	return open_counting(0);
}

static bool do_open_plain(void)
{
	return opens(open_plain());
}

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

/* The detector has its counter, and so perf has the PMU. Return: how it was; -1: there is none. */
static int start_watchdog(void)
{
	int before = pev_get_number(WATCHDOG, -1);

	if (before < 0 || pev_put_number(WATCHDOG, 1))
		return -1;
	if (pev_get_number(WATCHDOG, 0) == 1 && pmu_by_perf())
		return before;
	pev_put_number(WATCHDOG, before);
	return -1;
}

/* By choice, though pev's own driver could have it. */
static int choose_perf(void)
{
	return pmu_by_perf() || pmu_choose("perf") ? -1 : 0;
}

static void stop_watchdog(int before)
{
	pev_put_number(WATCHDOG, before);
}

static void choose_any(int UNUSED before)
{
	pmu_choose("auto");
}

#define OTHER_PMU "/sys/bus/event_source/devices/msr/type"

static int other_pmu(void)
{
	return open(OTHER_PMU, O_RDONLY);
}

/* Its driver must be asked to find out what it can't. */
static bool do_refuse_other(void)
{
	struct pev_attr attr = pmu_attr(0, PEV_F_EXCLUDE_KERNEL, -1, 0);

	attr.type = PEV_TYPE_RAW;
	attr.pmu = pev_get_number(OTHER_PMU, -1);
	return pev_open(&attr) == -EOPNOTSUPP && strstr(pev_reason(), "in all modes");
}

static const struct {
	const char *what;
	bool (*fn)(void);
	unsigned int times;
	int (*open)(void);
	bool held; /* there is another counter all the time */
	long calls;
	bool first; /* to the first CPU */
	int (*prepare)(void); /* as root; <0: it can't be had here */
	void (*restore)(int before); /* is given what that returned */
} exact[] = {
	{ "the first page mapped", do_map_page, 1, open_counter, true, 0 },
	/* the kernel's text is patched, once for a second */
	{ "open and close, the only counter", do_open_only, 30, open_counter, false, 29 },
	{ "open and close, one without a page", do_open_plain, 30, open_plain, false, 29 },
	{ "an event of another PMU", do_refuse_other, 30, other_pmu, false, 29, true },
	{ "open and close, by perf", do_open_plain, 30, open_plain, false, 29,
	  .prepare = choose_perf, .restore = choose_any },
	{ "open and close, beside the detector", do_open_plain, 30, open_plain, false, 29,
	  .prepare = start_watchdog, .restore = stop_watchdog },
};

/* Return: those of the @i-th of @exact on the other CPU, <0 where there is no such counter. */
static long exact_calls(struct __test_metadata *_metadata, const int *cpus, unsigned int i)
{
	int cpu = cpus[!exact[i].first];
	struct pev_child c;
	long came;
	int calls;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		EXPECT_EQ(0, pev_pin(cpus[exact[i].first]));
		counter = exact[i].open();
		if (counter < 0)
			_exit(KSFT_SKIP);
		if (!exact[i].held)
			close(counter);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		for (unsigned int n = 0; n < exact[i].times; n++)
			EXPECT_TRUE(exact[i].fn());
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	if (pev_child_hear(&c)) {
		EXPECT_EQ(KSFT_SKIP, pev_child_end(&c));
		return -1;
	}
	calls = count_calls(c.pid, cpu);
	if (calls == -ENOENT) {
		/* Linux tells of calls since 6.5 */
		pev_child_end(&c);
		return -1;
	}
	ASSERT_LE(0, calls) TH_LOG("%s", pev_reason());
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_hear(&c));
	came = pev_read(calls).value;
	close(calls);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	return came;
}

#define TRIES 3
#define HOOKS_STAY_US 1100000

/*
 * Linux itself may make a call meanwhile, but not each time. What was made for the first of a
 * kind has gone before the next try.
 */
TEST_F(interrupt, none_by_name)
{
	bool any = false;

	for (unsigned int i = 0; i < sizeof(exact) / sizeof(*exact); i++) {
		int before = exact[i].prepare ? exact[i].prepare() : 0;
		long came;

		if (before < 0)
			continue;
		came = exact_calls(_metadata, self->cpus, i);
		any |= came >= 0;
		for (unsigned int n = 1; n < TRIES && came > exact[i].calls; n++) {
			TH_LOG("%u times %s: %ld calls", exact[i].times, exact[i].what, came);
			usleep(HOOKS_STAY_US);
			came = exact_calls(_metadata, self->cpus, i);
		}
		EXPECT_GE(exact[i].calls, came)
		TH_LOG("%u times %s: %ld calls", exact[i].times, exact[i].what, came);
		if (exact[i].restore)
			exact[i].restore(before);
	}
	if (!any)
		SKIP(return, "no counters");
}

#if defined(__powerpc64__)
#define FIRST_COUNTER 771
#else
#define FIRST_COUNTER 0
#endif

/* What the processor's first counters show here, whosever they are: all that is not 0. */
static uint64_t raw_counters(void)
{
	uint64_t shown = 0;

	for (uint32_t i = 0; i < 4; i++)
		shown |= pmu_read_counter(FIRST_COUNTER + i);
	return shown;
}

static atomic_bool is_there, is_mapped;

static void *read_there(void *shown)
{
	is_there = true;
	while (!is_mapped)
		pev_relax();
	*(uint64_t *)shown = raw_counters();
	return NULL;
}

/*
 * Which is not asked to hide what another task has counted there. A reader who is there as the
 * page is mapped, without an event of his own, or who comes later, sees nothing of it.
 */
TEST(hidden_on_another_cpu)
{
	uint64_t there = 0;
	struct pev_child c;
	pthread_t thread;
	int cpus[2], fd;
	void *page;

	fd = open_counter();
	if (fd < 0)
		SKIP(return, "no counter that user mode can read");
	close(fd);
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_pin(cpus[1]);
		for (int i = 0; i < 4; i++)
			pev_on(pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL));
		pmu_loop(100000);
		pev_child_say(&c, 0);
		pev_child_wait(&c);
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	pev_settled(c.pid);
	ASSERT_EQ(0, pev_pin(cpus[1]));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_there, &there));
	while (!is_there)
		pev_yield();
	ASSERT_EQ(0, pev_pin(cpus[0]));
	fd = open_counter();
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* what it counts is no other's */
	pev_off(fd);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	is_mapped = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, there);
	ASSERT_EQ(0, pev_pin(cpus[1]));
	EXPECT_EQ(0, raw_counters());
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
}

/* To attach is one round of interrupts to where the target runs, to close another. */
TEST_F(interrupt, rounds)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK, .target_id = self->busy.pid,
		.channel_fd = -1, .group_fd = -1,
	};
	unsigned int times = pev_kernel_is_slow() ? 50 : 200;
	long came;

	if (!variant->busy)
		SKIP(return, "the target must run");
#ifndef __x86_64__
	SKIP(return, "interrupts that wake a task count, too");
#endif
	came = calls_to(self->cpus[1]);
	for (unsigned int i = 0; i < times; i++) {
		int fd = pev_open(&attr);

		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		close(fd);
	}
	came = calls_to(self->cpus[1]) - came;
	printf("# %u times opened and closed: %ld interrupts\n", times, came);
	EXPECT_LE(times, came);
	EXPECT_GE(times * 5 / 2, came);
}

/* ---- processes that are moved to cgroups ---- */

#define CGROUP "/sys/fs/cgroup/pev-interrupt"
#define SLEEPERS 1100

static void *sleep_on(void *unused)
{
	pause();
	return NULL;
}

/* The child's, which has more threads than anybody looks at one by one. */
static void sleep_as_many(struct pev_child *c, int cpu)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	if (pev_pin(cpu))
		_exit(1);
	for (unsigned int i = 0; i < SLEEPERS; i++)
		if (pthread_create(&thread, &small, sleep_on, NULL))
			_exit(1);
	pev_child_say(c, 1);
	sleep_on(NULL);
}

/* Interrupts of @cpu while @file moves a task to the cgroup that it is in, again and again. */
static long moves(const char *file, pid_t pid, unsigned int times, int cpu)
{
	long came = calls_to(cpu);

	while (times--)
		if (pev_put_number(file, pid))
			return -1;
	return calls_to(cpu) - came;
}

#define PROCESSES CGROUP "/cgroup.procs"
#define THREADS CGROUP "/cgroup.threads"

/* Users may do that in cgroups that are theirs, while events on others are open. */
TEST_F(interrupt, of_nobody_by_moves)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_CGROUP, -1);
	const unsigned int times = 100;
	long without, with;
	struct pev_child c;
	int dir, fd;

	if (variant->busy)
		SKIP(return, "the other CPU must be idle");
	if (pev_kernel_is_slow())
		SKIP(return, "grace periods interrupt all CPUs there");
	if (geteuid() || access("/sys/fs/cgroup/cgroup.procs", W_OK))
		SKIP(return, "needs root and cgroup v2");
	mkdir(CGROUP, 0755);
	dir = open(CGROUP, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, dir);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		sleep_as_many(&c, self->cpus[0]);
	ASSERT_EQ(1, pev_child_hear(&c));
	EXPECT_LE(0, moves(PROCESSES, c.pid, 1, self->cpus[1]));
	without = moves(PROCESSES, c.pid, times, self->cpus[1]);
	EXPECT_LE(0, without);
	attr.target_id = dir;
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	with = moves(PROCESSES, c.pid, times, self->cpus[1]);
	printf("# %u moves: %ld interrupts, %ld without an event\n", times, with, without);
	EXPECT_GT(times / 2, with - without);
	close(fd);
	kill(c.pid, SIGKILL);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
	close(dir);
	EXPECT_EQ(0, rmdir(CGROUP));
}

/* It never sleeps, and has next to nothing of a CPU that another task wants. */
static void want_little(struct pev_child *c)
{
	struct sched_param none = {};

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		_exit(1);
	pev_child_say(c, 1);
	for (;;)
		pev_relax();
}

/* A thread that only waits for the CPU is no reason to interrupt the task that has it. */
TEST_F(interrupt, of_nobody_by_moves_of_one_that_waits)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_CGROUP, -1);
	const unsigned int times = 100;
	long without, with;
	struct pev_child c;
	int dir, fd;

	if (!variant->busy)
		SKIP(return, "the other CPU must be busy");
	if (pev_kernel_is_slow())
		SKIP(return, "grace periods interrupt all CPUs there");
	if (geteuid() || access("/sys/fs/cgroup/cgroup.procs", W_OK))
		SKIP(return, "needs root and cgroup v2");
	mkdir(CGROUP, 0755);
	dir = open(CGROUP, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, dir);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		want_little(&c);
	ASSERT_EQ(1, pev_child_hear(&c));
	ASSERT_EQ(0, pev_pin_task(c.pid, self->cpus[1]));
	EXPECT_LE(0, moves(PROCESSES, c.pid, 1, self->cpus[1]));
	without = moves(THREADS, c.pid, times, self->cpus[1]);
	EXPECT_LE(0, without);
	attr.target_id = dir;
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	with = moves(THREADS, c.pid, times, self->cpus[1]);
	printf("# %u moves: %ld interrupts, %ld without an event\n", times, with, without);
	EXPECT_GT(times / 2, with - without);
	close(fd);
	kill(c.pid, SIGKILL);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&c));
	close(dir);
	EXPECT_EQ(0, rmdir(CGROUP));
}

/* ---- the first and the last event ---- */

#define LONE	15

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Median ns of opening and closing an event that is the only one. */
static int64_t lone_open(uint32_t type, const char *name)
{
	int64_t ns[LONE];

	for (unsigned int i = 0; i < LONE; i++) {
		int64_t begin = now();
		int fd = pev_open_event(type, name, NULL, -1);

		if (fd < 0)
			return -1;
		close(fd);
		ns[i] = now() - begin;
	}
	qsort(ns, LONE, sizeof(*ns), by_size);
	return ns[LONE / 2];
}

TEST(alone)
{
	int64_t bound = (pev_kernel_is_slow() ? 200 : 20) * 1000000LL, ns;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ns = lone_open(PEV_TYPE_SOFTWARE, NULL);
	printf("# software event, open and close: %lld us\n", (long long)ns / 1000);
	EXPECT_LT(0, ns);
	EXPECT_GT(bound, ns);
	/* the PMU is had for it, and given back: others wait meanwhile, but for no grace period */
	ns = lone_open(PEV_TYPE_HARDWARE, NULL);
	if (ns >= 0) {
		printf("# counter, open and close: %lld us\n", (long long)ns / 1000);
		EXPECT_GT(bound / 4, ns);
	}
	if (geteuid())
		return;
	ns = lone_open(PEV_TYPE_TRACEPOINT, PEV_CALL_EVENT);
	printf("# tracepoint, open and close: %lld us\n", (long long)ns / 1000);
	EXPECT_LT(0, ns);
	EXPECT_GT(bound, ns);
}

TEST_HARNESS_MAIN
