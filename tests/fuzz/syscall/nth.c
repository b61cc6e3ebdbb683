// SPDX-License-Identifier: GPL-2.0
/*
 * The n-th failure of each kind of call: n counts up from 1, in steps that grow where a call has
 * many, until the call passes without having failed. No call passes before its first failure: what
 * is made once fails to be made, too. First with no event open, then with one beside it that must
 * nevertheless count right.
 *
 * Hooks stay for a while, and a failure that a call gets over leaves them in place. So once they
 * are gone, the calls fail again, but without those failures: then their hooks fail, too.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz.h"

#define MOST 600 /* failures of one call */
#define EACH 64 /* of them from the first on; what comes later in a call, it does often */
#define EACH_SOON 16 /* unless there is time */
#define HOOKS_STAY_US 1500000 /* more than the second that they do */

static int nth_fd = -1, channel = -1, event = -1, cgroup = -1;

/* The write itself may be what fails, if a failure is still due. */
static void fail_at(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	for (unsigned int i = 0; pwrite(nth_fd, text, len, 0) != len; i++)
		if (i == 3)
			abort();
}

/* True if the call met its failure, and not this question. */
static bool failed(void)
{
	char text[16] = "1";
	ssize_t got = pread(nth_fd, text, sizeof(text) - 1, 0);

	fail_at(0);
	return got > 0 && !atoi(text);
}

/**
 * struct call - a call to be failed
 * @name:   of it
 * @attr:   if it opens something
 * @run:    what it does else; returns what the call returned, or -errno
 * @seed: of the random numbers that it takes
 * @lone: @run needs nothing that is open
 * @passes: the failures with which it passed
 */
struct call {
	const char	*name;
	struct pev_attr	attr;
	int		(*run)(void);
	uint64_t seed;
	bool lone;
	bool passes[MOST];
};

static uint64_t seed;

static int do_enable(void) { return k_ioctl(event, PEV_IOC_ENABLE, 0); }
static int do_disable(void) { return k_ioctl(event, PEV_IOC_DISABLE, 0); }
static int do_reset(void) { return k_ioctl(event, PEV_IOC_RESET, 0); }
static int do_channel_on(void) { return k_ioctl(channel, PEV_IOC_ENABLE, 0); }
static int do_channel_off(void) { return k_ioctl(channel, PEV_IOC_DISABLE, 0); }
static int do_flush(void) { return k_ioctl(channel, PEV_IOC_FLUSH, 0); }

static int do_period(void)
{
	uint64_t period = 3;

	return k_ioctl(event, PEV_IOC_PERIOD, (uintptr_t)&period);
}

static int do_filter(void)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)"pid == 7 || pid > 100" };

	return k_ioctl(event, PEV_IOC_FILTER, (uintptr_t)&arg);
}

static int do_channel_filter(void)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)"pid == 7" };

	return k_ioctl(channel, PEV_IOC_FILTER, (uintptr_t)&arg);
}

static int do_no_filter(void)
{
	struct pev_filter_arg arg = { 0 };

	return k_ioctl(event, PEV_IOC_FILTER, (uintptr_t)&arg);
}

static int do_read(void)
{
	struct pev_value v[8];

	return k_read(event, v, sizeof(v));
}

static int do_read_cpus(void)
{
	static struct pev_value v[MAX_CPUS];
	struct pev_cpu_values arg = { .values = (uintptr_t)v, .nr = MAX_CPUS };

	return k_ioctl(event, PEV_IOC_READ_CPUS, (uintptr_t)&arg);
}

static int do_id(void)
{
	static uint16_t lengths[16];
	struct pev_id id = { .size = sizeof(id), .lengths = (uintptr_t)lengths,
			     .nr_lengths = 16 };

	return k_ioctl(event, PEV_IOC_ID, (uintptr_t)&id);
}

static int do_info(void)
{
	struct pev_channel_info info = { .size = sizeof(info) };

	return k_ioctl(channel, PEV_IOC_CHANNEL_INFO, (uintptr_t)&info);
}

static int do_snapshot(void)
{
	static struct pev_span spans[MAX_CPUS];
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)spans, .nr = MAX_CPUS };

	return k_ioctl(channel, PEV_IOC_SNAPSHOT, (uintptr_t)&arg);
}

static int do_counts(void)
{
	struct pev_counts counts = { .size = sizeof(counts) };

	return k_ioctl(event, PEV_IOC_READ_COUNTS, (uintptr_t)&counts);
}

static int do_state(void)
{
	struct pev_channel_state state = { .size = sizeof(state) };

	return k_ioctl(channel, PEV_IOC_CHANNEL_STATE, (uintptr_t)&state);
}

static int do_metadata(void)
{
	static char text[8192];

	return pread(channel, text, sizeof(text), 0) < 0 ? -errno : 0;
}

static int do_mmap(void)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	void *at;

	if (k_ioctl(channel, PEV_IOC_CHANNEL_INFO, (uintptr_t)&info))
		return -errno;
	at = k_mmap(channel, info.mmap_data + info.ring_size, PROT_READ, MAP_SHARED, 0);
	if (!at)
		return -errno;
	k_munmap(at, info.mmap_data + info.ring_size);
	return 0;
}

static int do_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static int do_exec_map(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, PAGE);
	return 0;
}

static int do_file_map(void)
{
	int fd = open(self_path, O_RDONLY | O_CLOEXEC);
	void *at;

	if (fd < 0)
		return -errno;
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return -errno;
	munmap(at, PAGE);
	return 0;
}

/* Without an event: it keeps no hook in place. */
static int open_channel(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .ring_size = 16384, .channel_fd = -1, .group_fd = -1
	};

	return k_event(&attr);
}

static int open_recorded(const char *name, int fd)
{
	struct pev_attr attr = { .type = PEV_TYPE_TRACEPOINT,
				 .target = PEV_TARGET_TASK,
				 .channel_fd = fd,
				 .group_fd = -1,
				 .period = 1 };

	attr.name = (uintptr_t)name;
	return k_event(&attr);
}

/* A channel's first event, whose part of the metadata and of the channel is the first as well. */
static int do_first_event(void)
{
	int fd = open_channel(), ret = fd;

	if (fd >= 0) {
		ret = open_recorded("sched:sched_process_fork", fd);
		k_close(ret);
		k_close(fd);
	}
	return ret < 0 ? ret : 0;
}

/* All of it is done or not, and its laws hold. */
static int do_table(void)
{
	law_table(me, &(struct rng){ .state = seed });
	return 0;
}

static int do_producer(void)
{
	law_user(&(struct rng){ .state = seed });
	return 0;
}

static int do_context(void)
{
	static __thread uint64_t pointer;
	struct pev_attr attr = { .type = PEV_TYPE_CONTEXT,
				 .config = (uintptr_t)&pointer,
				 .channel_fd = -1,
				 .group_fd = -1 };
	int ret = k_event(&attr);

	attr.config = 0;
	if (!ret)
		k_event(&attr);
	return ret;
}

static int do_text(void)
{
	static const char line[] = "sched:sched_process_exit pid > 1\n";
	int fd = open("/sys/kernel/debug/pev/text", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ssize_t ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, line, sizeof(line) - 1) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

#define EVENT(t, ...)	.attr = { .type = PEV_TYPE_##t, .target = PEV_TARGET_TASK, \
				  .channel_fd = -1, .group_fd = -1, __VA_ARGS__ }
#define RECORDS		.channel_fd = -2, .period = 1	/* -2: the channel */
#define NAME(n)		.name = (uintptr_t)(n)

/* clang-format off */
static struct call calls[] = {
	{ "channel", .attr = { .type = PEV_TYPE_CHANNEL, .ring_size = 16384, .channel_fd = -1,
			       .group_fd = -1 } },
	{ "channel, flushed", .attr = { .type = PEV_TYPE_CHANNEL, .ring_size = 16384,
			       .channel_fd = -1, .group_fd = -1, .flush_ms = 20,
			       .flags = PEV_CHF_OVERWRITE } },
	{ "catalog", .attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 } },
	{ "client", .attr = { .type = PEV_TYPE_CLIENT, .channel_fd = -1, .group_fd = -1,
			      .name = (uintptr_t)"pev_log" } },
	{ "pmu", .attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 } },
	{ "faults", EVENT(SOFTWARE, .config = PEV_SW_PAGE_FAULTS) },
	{ "switches", EVENT(SOFTWARE, .config = PEV_SW_CONTEXT_SWITCHES, RECORDS) },
	{ "migrations", EVENT(SOFTWARE, .config = PEV_SW_CPU_MIGRATIONS) },
	{ "clock", EVENT(SOFTWARE, .config = PEV_SW_TASK_CLOCK) },
	{ "timer", EVENT(TIMER, .channel_fd = -2, .period = 10000000,
			 .sample = PEV_SAMPLE_TID | PEV_SAMPLE_USTACK) },
	{ "call", EVENT(TRACEPOINT, NAME("syscalls:sys_enter_getsid"), RECORDS) },
	{ "call, filtered", EVENT(TRACEPOINT, NAME("syscalls:sys_exit_getsid"), RECORDS,
				  .filter = (uintptr_t)"ret > 3 && ret < 1000") },
	{ "raw call", EVENT(TRACEPOINT, NAME("raw_syscalls:sys_enter"), RECORDS,
			    .flags = PEV_F_TEXT) },
	{ "call, text", EVENT(TRACEPOINT, NAME("syscalls:sys_enter_openat"), RECORDS,
			      .flags = PEV_F_TEXT) },
	{ "call, structures", EVENT(TRACEPOINT, NAME("syscalls:sys_enter_connect"), RECORDS,
				    .flags = PEV_F_TEXT | PEV_F_STRUCTS) },
	{ "tracepoint", EVENT(TRACEPOINT, NAME("sched:sched_switch"), RECORDS,
			      .sample = PEV_SAMPLE_KSTACK) },
	{ "tracepoint, machine", .attr = { .type = PEV_TYPE_TRACEPOINT, .channel_fd = -2,
			NAME("sched:sched_wakeup"), .group_fd = -1, .period = 1,
			.target = PEV_TARGET_CPUS } },
	{ "marker", EVENT(MARKER, NAME("pev_api:control"), RECORDS) },
	{ "mmap", EVENT(SIDEBAND, .config = PEV_SB_MMAP, RECORDS) },
	{ "comm", EVENT(SIDEBAND, .config = PEV_SB_COMM, RECORDS) },
	{ "fork", EVENT(SIDEBAND, .config = PEV_SB_FORK, RECORDS) },
	{ "exec", EVENT(SIDEBAND, .config = PEV_SB_EXEC, RECORDS) },
	{ "exit", EVENT(SIDEBAND, .config = PEV_SB_EXIT, RECORDS) },
	{ "waits", EVENT(WAIT, .channel_fd = -2, .sample = PEV_SAMPLE_TID | PEV_SAMPLE_USTACK) },
	{ "process", .attr = { .type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
			.target = PEV_TARGET_PROCESS, .channel_fd = -1, .group_fd = -1 } },
	{ "subtree", .attr = { .type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
			.target = PEV_TARGET_SUBTREE, .channel_fd = -1, .group_fd = -1,
			.flags = PEV_F_ENABLE_ON_EXEC } },
	{ "cgroup", .attr = { .type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
			.target = PEV_TARGET_CGROUP, .channel_fd = -1, .group_fd = -1,
			.target_id = -2 } },
	{ "hardware", EVENT(HARDWARE, .config = PEV_HW_INSTRUCTIONS) },
	{ "perf's", EVENT(RAW, .pmu = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS) },
	{ "perf's, machine", .attr = { .type = PEV_TYPE_RAW, .pmu = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK, .target = PEV_TARGET_CPUS,
			.channel_fd = -1, .group_fd = -1 } },
	{ "stacks that come later", EVENT(USTACK, .channel_fd = -2,
			.sample = PEV_SAMPLE_TID | PEV_SAMPLE_USTACK) },
	{ "reasons of exits", .attr = { .type = PEV_TYPE_TIMER, .target = PEV_TARGET_CPUS,
			.channel_fd = -2, .group_fd = -1, .period = 10000000,
			.sample = PEV_SAMPLE_EXIT } },
	{ "probe", EVENT(PROBE, NAME("probe"), RECORDS, .config = PEV_PROBE_KERNEL) },
	{ "probe of a return", EVENT(PROBE, NAME("probe"), RECORDS,
				     .config = PEV_PROBE_KERNEL_RETURN) },
	{ "probe of a function", EVENT(PROBE, NAME("probe"), RECORDS,
				       .config = PEV_PROBE_FUNCTION) },
	{ "probe of a program", EVENT(PROBE, NAME("probe"), RECORDS, .config = PEV_PROBE_USER) },
	{ "probe of a program's return", EVENT(PROBE, NAME("probe"), RECORDS,
					       .config = PEV_PROBE_USER_RETURN) },
	{ "member", EVENT(SOFTWARE, .config = PEV_SW_PAGE_FAULTS, .group_fd = -2, RECORDS,
			  .sample = PEV_SAMPLE_READ) },
	{ "refusal", EVENT(TRACEPOINT, NAME("no:such")) },
	{ "first event", .run = do_first_event, .lone = true },
	{ "context", .run = do_context, .lone = true },
	{ "text", .run = do_text, .lone = true },
	{ "producer", .run = do_producer, .seed = 3, .lone = true },
	{ "listener", .run = do_producer, .seed = 5, .lone = true },
	{ "table", .run = do_table, .seed = 1, .lone = true },
	{ "refused table", .run = do_table, .seed = 2, .lone = true },
	{ "pairs", .run = do_table, .seed = 9, .lone = true },
	{ "enable", .run = do_enable }, { "channel on", .run = do_channel_on },
	{ "reset", .run = do_reset }, { "period", .run = do_period },
	{ "filter", .run = do_filter }, { "channel's filter", .run = do_channel_filter },
	{ "no filter", .run = do_no_filter }, { "read", .run = do_read },
	{ "read by CPUs", .run = do_read_cpus }, { "id", .run = do_id },
	{ "channel's info", .run = do_info }, { "snapshot", .run = do_snapshot },
	{ "counts", .run = do_counts }, { "channel's state", .run = do_state },
	{ "metadata", .run = do_metadata }, { "map", .run = do_mmap },
	{ "a fork", .run = do_fork }, { "a mapping", .run = do_exec_map },
	{ "a file's mapping", .run = do_file_map }, { "flush", .run = do_flush },
	{ "channel off", .run = do_channel_off }, { "disable", .run = do_disable },
};
/* clang-format on */

static int make(const struct call *c)
{
	struct pev_attr attr = c->attr;

	seed = c->seed;
	if (c->run)
		return c->run();
	if (attr.type == PEV_TYPE_PROBE)
		probe_plain(attr.config, &attr);
	if (attr.channel_fd == -2)
		attr.channel_fd = channel;
	if (attr.group_fd == -2)
		attr.group_fd = event;
	if (attr.target_id == -2)
		attr.target_id = cgroup;
	return k_event(&attr);
}

/* A failed call leaves no descriptor: the next one has the same number. */
static int next_fd(void)
{
	int fd = fcntl(0, F_DUPFD_CLOEXEC, 3);

	close(fd);
	return fd;
}

static unsigned int total;

static bool may_fail(int error)
{
	return error == -ENOMEM || error == -EFAULT || error == -EAGAIN || error == -ENFILE;
}

static unsigned int next(unsigned int n)
{
	return n < (getenv("PEV_LONG") ? EACH : EACH_SOON) ? n + 1 : n + n / 8;
}

/* The call must be possible at last, or be refused for what it is, and is so once more. */
static bool fail_each(struct call *c, const char *how, bool hooks)
{
	int want, got[MOST] = { 0 }, free_fd = next_fd();
	unsigned int n = 0, failures = 0;
	bool met = true;

	do {
		if (hooks && c->passes[n])
			continue;
		fail_at(n + 1);
		got[n] = make(c);
		met = failed();
		failures += met;
		c->passes[n] = met && got[n] >= 0;
		if (got[n] >= 0 && !c->run)
			k_close(got[n]);
		if (next_fd() != free_fd) {
			printf("not ok - nth: %s, %s: a descriptor is left after failure %u\n",
			       c->name, how, n + 1);
			return false;
		}
	} while (met && (n = next(n)) < MOST);
	total += failures;
	want = make(c);
	if (want >= 0 && !c->run)
		k_close(want);
	if (n >= MOST || (got[n] < 0) != (want < 0)) {
		printf("not ok - nth: %s, %s: %s after %u failures, then %s\n", c->name, how,
		       n >= MOST || got[n] >= 0 ? "good" : strerror(-got[n]), failures,
		       want < 0 ? strerror(-want) : "good");
		return false;
	}
	for (unsigned int i = 0; i < n; i++) {
		if (got[i] >= 0 || got[i] == want || may_fail(got[i]))
			continue;
		printf("not ok - nth: %s, %s: failure %u gives %s\n", c->name, how, i + 1,
		       strerror(-got[i]));
		return false;
	}
	if (opt.verbose)
		printf("# %s, %s: %u failures\n", c->name, how, failures);
	return true;
}

static bool count_right(int fd, const char *how)
{
	struct pev_value a, b;

	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	if (k_read(fd, &a, sizeof(a)) != sizeof(a))
		return false;
	for (unsigned int i = 0; i < 100; i++)
		syscall(SYS_getsid, 0);
	if (k_read(fd, &b, sizeof(b)) != sizeof(b))
		return false;
	if (b.value + b.filtered - a.value - a.filtered == 100)
		return true;
	printf("not ok - nth: %s: 100 calls, counted %llu\n", how,
	       (llu)(b.value + b.filtered - a.value - a.filtered));
	return false;
}

static bool all_calls(const char *how, bool hooks)
{
	bool good = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++) {
		bool needs = (calls[i].run && !calls[i].lone) || calls[i].attr.group_fd == -2;

		if (!excluded(calls[i].name) && (event >= 0 || !needs))
			good &= fail_each(&calls[i], how, hooks);
	}
	return good;
}

static void settings(void)
{
	static const char * const dirs[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[128];

	for (unsigned int i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", dirs[i]);
		write_file(path, "N");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", dirs[i]);
		write_file(path, "0");
	}
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
}

/* A stack that can't grow, as what it takes for it fails, ends the process. */
static __attribute__((noinline)) void grow_stack(void)
{
	volatile char room[512 << 10];

	for (size_t at = 0; at < sizeof(room); at += PAGE)
		room[sizeof(room) - 1 - at] = 0;
}

int nth_main(void)
{
	static struct player none;
	bool good = true;

	me = &none;
	model_init(me);
	none.root = true;
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		printf("ok - the n-th failure # SKIP this kernel injects no failures\n");
		return 0;
	}
	settings();
	grow_stack();
	k_failing = true;
	mkdir("/sys/fs/cgroup/fuzz-nth", 0755);
	cgroup = open("/sys/fs/cgroup/fuzz-nth", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	channel = open_channel();
	good &= channel >= 0;
	if (!excluded("alone")) {
		good &= all_calls("alone", false);
		usleep(HOOKS_STAY_US);
		good &= all_calls("without hooks", true);
	}
	event = open_recorded("syscalls:sys_enter_getsid", channel);
	good &= event >= 0;
	good &= count_right(event, "before");
	good &= all_calls("beside others", false);
	good &= count_right(event, "after");
	k_close(event);
	k_close(channel);
	close(cgroup);
	rmdir("/sys/fs/cgroup/fuzz-nth");
	printf("%s - the n-th failure: %u failures in %zu calls\n", good ? "ok" : "not ok",
	       total, ARRAY_SIZE(calls));
	return !good;
}
