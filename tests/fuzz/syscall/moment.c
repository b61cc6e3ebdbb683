// SPDX-License-Identifier: GPL-2.0
/*
 * Places that are passed in a rare moment, and what leads there: a second thread that does one
 * thing all the time beside what this one does, CPUs that come and go, the last of what there is.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fuzz.h"

#define CGROUP_DIR "/sys/fs/cgroup"
#define STACK (64 * 1024)

static int some_channel(struct rng *r)
{
	struct pev_attr attr;

	attr_channel(r, &attr);
	return k_event(&attr);
}

static int faults_in(int place, uint32_t target, uint64_t id)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = target,
		.target_id = id,
		.channel_fd = place,
		.group_fd = -1,
		.period = place >= 0,
	};

	return k_event(&attr);
}

static void stay_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned int i = 0; i < nr_cpus; i++)
		if (cpu >= nr_cpus || i == cpu)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* An event that is off has nothing once it is reset. */
static void law_reset(int fd)
{
	struct pev_value v = { 0 };

	k_ioctl(fd, PEV_IOC_DISABLE, 0);
	k_ioctl(fd, PEV_IOC_RESET, 0);
	k_read(fd, &v, sizeof(v));
	add(&all->laws, 1);
	if (v.value)
		broken("an event has %llu after it was reset", (llu)v.value);
}

/* ---- two threads ---- */

#define BESIDE 12

/**
 * struct beside - what one thread works on while the other changes it
 * @attr: of an event in it
 * @place: a channel, or a table
 * @events: in it, the first is of @attr
 * @nr: of them
 * @seed: of what the second thread does
 * @done: the first one is
 */
struct beside {
	struct pev_attr attr;
	int place;
	int events[BESIDE];
	unsigned int nr;
	uint64_t seed;
	bool done;
};

static bool goes_on(const struct beside *b, unsigned int *turns)
{
	cover_step();
	return (*turns)-- && !__atomic_load_n(&b->done, __ATOMIC_RELAXED);
}

static void add_event(struct beside *b, const struct pev_attr *attr)
{
	int fd = b->nr < BESIDE ? k_event(attr) : -1;

	if (fd >= 0)
		b->events[b->nr++] = fd;
}

static void end_beside(struct beside *b)
{
	while (b->nr)
		k_close(b->events[--b->nr]);
	k_close(b->place);
}

static void flush(struct beside *b, unsigned int turns, struct rng *r)
{
	(void)r;
	while (goes_on(b, &turns))
		k_ioctl(b->place, PEV_IOC_FLUSH, 0);
}

/* Of writers in the midst of opening a ring that was closed. */
static void shut(struct beside *b, unsigned int turns, struct rng *r)
{
	bool freeze = one_in(r, 2);

	while (goes_on(b, &turns)) {
		k_ioctl(b->place, PEV_IOC_ACT, freeze ? PEV_ACT_FREEZE : PEV_ACT_STOP);
		k_ioctl(b->place, PEV_IOC_ACT, freeze ? PEV_ACT_THAW : PEV_ACT_START);
	}
}

static void toggle(struct beside *b, unsigned int turns, struct rng *r)
{
	int fd = one_in(r, 2) ? b->place : b->events[0];

	while (goes_on(b, &turns)) {
		k_ioctl(fd, PEV_IOC_DISABLE, 1);
		k_ioctl(fd, PEV_IOC_ENABLE, 1);
	}
}

static void reset(struct beside *b, unsigned int turns, struct rng *r)
{
	bool group = one_in(r, 2);

	while (goes_on(b, &turns))
		k_ioctl(b->events[0], PEV_IOC_RESET, group);
}

static void close_all(struct beside *b, unsigned int turns, struct rng *r)
{
	(void)turns;
	(void)r;
	for (unsigned int i = 1; i < b->nr; i++) {
		k_close(b->events[i]);
		cover_step();
	}
	b->nr = 1;
}

static void change_beside(void *beside)
{
	static void (*const changes[])(struct beside *, unsigned int, struct rng *) = {
		flush, flush, shut, toggle, reset, close_all,
	};
	struct beside *b = beside;
	struct rng r = { .state = b->seed };

	stay_on(1 + below(&r, nr_cpus));
	changes[below(&r, ARRAY_SIZE(changes))](b, 4 + below(&r, 60), &r);
	stay_on(~0U);
}

/* Long records, and those of timers, which interrupt the others. */
static void add_writers(struct beside *b, struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_PROCESS,
		.name = (uintptr_t) "syscalls:sys_enter_getppid",
		.channel_fd = b->place,
		.group_fd = -1,
		.period = 1,
		.flags = PEV_F_EXCLUDE_KERNEL,
		.sample = PEV_SAMPLE_USTACK_DUMP,
		.stack_user = 1024,
	};
	unsigned int n = below(r, 4);

	add_event(b, &attr);
	attr.type = PEV_TYPE_TIMER;
	attr.name = 0;
	attr.target = PEV_TARGET_TASK;
	attr.period = slow ? 2000000 : 100000;
	attr.sample = 0;
	attr.stack_user = 0;
	while (n--)
		add_event(b, &attr);
}

static void excite_beside(struct beside *b, struct rng *r)
{
	for (unsigned int n = 2 + below(r, 8); n; n--) {
		attr_excite(&b->attr, r);
		for (unsigned int i = 0; i < 8; i++)
			syscall(SYS_getppid);
		if (one_in(r, 4))
			map_code(true);
		cover_step();
	}
}

/* Some events in a channel or in a table, and something is done to them while they are busy. */
void moment_beside(struct player *w, const struct op *op, struct rng *r)
{
	struct beside b = { .place = -1 };
	struct layout layout;
	unsigned int n;

	(void)op;
	attr_event(w, r, &b.attr, &layout);
	b.attr.group_fd = -1;
	/* a set keeps the holes of those that went before others */
	if (one_in(r, 8) && b.attr.channel_fd >= 0) {
		b.attr.type = PEV_TYPE_SIDEBAND;
		b.attr.config = below(r, PEV_SB_MAX);
		b.attr.name = 0;
		b.attr.filter = 0;
		b.attr.flags = 0;
		b.attr.period = 0;
	}
	if (one_in(r, 4))
		b.place = table_open(r, &b.attr);
	else if (b.attr.channel_fd >= 0)
		b.place = some_channel(r);
	b.attr.channel_fd = b.place;
	if (b.attr.target != PEV_TARGET_CPUS && b.attr.target != PEV_TARGET_CGROUP) {
		b.attr.target = PEV_TARGET_PROCESS;
		b.attr.target_id = 0;
	}
	for (n = 1 + below(r, 6); n; n--) {
		add_event(&b, &b.attr);
		if (b.nr && one_in(r, 2))
			b.attr.group_fd = b.events[0];
	}
	if (b.place >= 0)
		add_writers(&b, r);
	if (b.nr) {
		k_ioctl(b.events[0], PEV_IOC_ENABLE, 1);
		b.seed = rnd(r);
		racer_call(w, change_beside, &b);
		excite_beside(&b, r);
		__atomic_store_n(&b.done, true, __ATOMIC_RELAXED);
		racer_wait();
	}
	end_beside(&b);
}

/* ---- a period that is shorter from now on than what was counted since the last record ---- */

void moment_shorten(struct player *w, const struct op *op, struct rng *r)
{
	uint64_t period = 1 + below(r, 4);
	struct layout layout;
	struct pev_attr attr;
	int channel, fd;

	(void)op;
	attr_event(w, r, &attr, &layout);
	if (attr.channel_fd < 0 || attr.type == PEV_TYPE_TIMER)
		return;
	channel = some_channel(r);
	attr.channel_fd = channel;
	attr.group_fd = -1;
	if (attr.period)
		attr.period = 1000;
	fd = k_event(&attr);
	if (fd >= 0) {
		k_ioctl(fd, PEV_IOC_ENABLE, 0);
		for (unsigned int i = 0; i < 12; i++) {
			attr_excite(&attr, r);
			cover_step();
			if (i == 8)
				k_ioctl(fd, PEV_IOC_PERIOD, (uintptr_t)&period);
		}
		k_close(fd);
	}
	k_close(channel);
}

/* ---- pages of a ring that were given back ---- */

void moment_fault(struct player *w, const struct op *op, struct rng *r)
{
	struct pev_channel_info info = { .size = sizeof(info) };
	int channel = some_channel(r);
	const volatile uint32_t *at;
	uint32_t version;

	(void)w;
	(void)op;
	if (channel < 0)
		return;
	if (k_ioctl(channel, PEV_IOC_CHANNEL_INFO, (uintptr_t)&info))
		broken("PEV_IOC_CHANNEL_INFO: %s", strerror(errno));
	at = k_mmap(channel, info.mmap_stride, PROT_READ, one_in(r, 4) ? MAP_PRIVATE : MAP_SHARED,
		    0);
	if (at) {
		version = *at;
		madvise((void *)at, info.mmap_stride, MADV_DONTNEED);
		add(&all->laws, 1);
		if (*at != version)
			broken("a ring's page came back as another");
		/* any other, to its last */
		(void)at[info.mmap_stride / PAGE * PAGE / 4 - 1];
		k_munmap((void *)at, info.mmap_stride);
	}
	k_close(channel);
}

/* ---- CPUs that come and go ---- */

static bool plugs(void)
{
	uint64_t nobody = 0;

	return nr_cpus > 1 && __atomic_compare_exchange_n(&all->plugging, &nobody, 1, false,
							  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void plug(unsigned int cpu, bool on)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_file(path, on ? "1" : "0");
	cover_step();
}

/* As large as the memory that outlives a crash lets the rings of this many CPUs be. */
static int lasting_channel(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL,
		.flags = PEV_CHF_OVERWRITE | PEV_CHF_PERSIST,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return k_event(&attr);
}

/* One that comes finds no room for a ring that lasts. */
static void come_late(struct rng *r)
{
	int channel, event;

	for (unsigned int cpu = 1; cpu < nr_cpus; cpu++)
		plug(cpu, false);
	channel = lasting_channel();
	event = channel >= 0 ? faults_in(channel, PEV_TARGET_CPUS, 0) : -1;
	for (unsigned int cpu = 1; cpu < nr_cpus; cpu++)
		plug(cpu, true);
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		stay_on(cpu);
		touch_pages(1 + below(r, 8));
	}
	stay_on(~0U);
	if (channel >= 0)
		k_ioctl(channel, PEV_IOC_FLUSH, 0);
	k_close(event);
	k_close(channel);
}

static void open_lasting(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
		k_close(lasting_channel());
		cover_step();
	}
}

/* One comes when the channel has just the memory for those that there were. */
static void come_between(struct player *w)
{
	bool stop = false;

	for (unsigned int cpu = 1; cpu < nr_cpus; cpu++)
		plug(cpu, false);
	racer_call(w, open_lasting, &stop);
	for (unsigned int cpu = 1; cpu < nr_cpus; cpu++)
		plug(cpu, true);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	racer_wait();
}

static void set_policy(int policy)
{
	sched_setscheduler(0, policy, &(struct sched_param){ 0 });
}

/* Slowly, so that it takes as long as a CPU needs to go and to come. */
static void open_large(void *unused)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL,
		.ring_size = 16 << 20,
		.channel_fd = -1,
		.group_fd = -1,
	};

	(void)unused;
	set_policy(SCHED_IDLE);
	for (unsigned int i = 0; i < 4; i++) {
		k_close(k_event(&attr));
		cover_step();
	}
	set_policy(SCHED_OTHER);
}

/* One comes back and has got its ring from that, while the channel makes one for it, too. */
static void come_twice(struct player *w)
{
	racer_call(w, open_large, NULL);
	for (unsigned int i = 0; i < 3; i++) {
		plug(nr_cpus - 1, false);
		plug(nr_cpus - 1, true);
	}
	racer_wait();
}

/* What one has counted that is gone now is forgotten, or told. */
static void go_first(struct rng *r)
{
	struct pev_value v;
	int channel = one_in(r, 2) ? some_channel(r) : -1;
	int fd = faults_in(channel, PEV_TARGET_CPUS, 0);
	unsigned int cpu = 1 + below(r, nr_cpus - 1);

	if (fd >= 0) {
		k_ioctl(fd, PEV_IOC_ENABLE, 0);
		stay_on(cpu);
		touch_pages(8);
		stay_on(~0U);
		plug(cpu, false);
		k_read(fd, &v, sizeof(v));
		law_reset(fd);
		if (channel >= 0)
			k_ioctl(channel, PEV_IOC_FLUSH, 0);
		plug(cpu, true);
	}
	k_close(fd);
	k_close(channel);
}

void moment_plug(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	if (!plugs())
		return;
	switch (below(r, 4)) {
	case 0:
		come_late(r);
		break;
	case 1:
		come_twice(w);
		break;
	case 2:
		come_between(w);
		break;
	default:
		go_first(r);
	}
	__atomic_store_n(&all->plugging, 0, __ATOMIC_RELEASE);
}

/* ---- threads that move between cgroups, alone and not with their process ---- */

static void tell_tid(void *tid)
{
	*(pid_t *)tid = syscall(SYS_gettid);
}

static void move_thread(const char *cgroup, pid_t tid)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.threads", cgroup);
	snprintf(text, sizeof(text), "%d", tid);
	write_file(path, text);
	cover_step();
}

void moment_threaded(struct player *w, const struct op *op, struct rng *r)
{
	char top[80], child[96], path[128];
	int dir, fd = -1;
	pid_t tids[2];

	(void)op;
	snprintf(top, sizeof(top), CGROUP_DIR "/fuzz-threads-%u", w->index);
	snprintf(child, sizeof(child), "%s/one", top);
	mkdir(top, 0755);
	mkdir(child, 0755);
	snprintf(path, sizeof(path), "%s/cgroup.type", child);
	write_file(path, "threaded");
	dir = open(child, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		fd = faults_in(-1, PEV_TARGET_CGROUP, dir);
	snprintf(path, sizeof(path), "%s/cgroup.procs", top);
	write_file(path, "0");
	/* one runs, one sleeps */
	tell_tid(&tids[0]);
	racer_call(w, tell_tid, &tids[1]);
	racer_wait();
	for (unsigned int n = 1 + below(r, 4); n; n--) {
		pid_t tid = tids[below(r, 2)];

		move_thread(child, tid);
		touch_pages(4);
		move_thread(top, tid);
	}
	write_file(CGROUP_DIR "/cgroup.procs", "0");
	k_close(fd);
	if (dir >= 0)
		close(dir);
	rmdir(child);
	rmdir(top);
}

/* ---- counters that perf has without any hardware ---- */

#define OTHER_PMU "/sys/bus/event_source/devices/msr/type"

/* attr.name: a user's own words for it */
static const struct {
	const char *text;
	bool refused;
} labels[] = {
	{ NULL, false },       { "ticks", false }, { "", true },
	{ "two words", true }, { "a\\b", true },   { "\"", true },
};

static void use_counter(struct rng *r, int fd)
{
	uint64_t period = 1 + below(r, 3);
	struct pev_value v;

	for (unsigned int i = 0; i < 3; i++) {
		k_ioctl(fd, PEV_IOC_ENABLE, 0);
		touch_pages(8);
		if (one_in(r, 2))
			k_ioctl(fd, PEV_IOC_RESET, 0);
		if (one_in(r, 2))
			k_ioctl(fd, PEV_IOC_PERIOD, (uintptr_t)&period);
		touch_pages(8);
		k_read(fd, &v, sizeof(v));
		law_reset(fd);
	}
}

void moment_perf(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int label = one_in(r, 2) ? 0 : below(r, ARRAY_SIZE(labels));
	struct pev_attr attr = {
		.type = PEV_TYPE_RAW,
		.pmu = read_number(OTHER_PMU),
		.config = one_in(r, 3) ? below(r, 4) : 0,
		.name = (uintptr_t)labels[label].text,
		.target = PEV_TARGET_TASK + below(r, 3),
		.group_fd = -1,
		.channel_fd = -1,
	};
	int fd;

	(void)w;
	(void)op;
	if (!attr.pmu)
		return;
	if (one_in(r, 16))
		attr.target = PEV_TARGET_CPUS;
	fd = k_event(&attr);
	add(&all->laws, 1);
	if (fd >= 0 && labels[label].refused)
		broken("an event may be called \"%s\"", labels[label].text);
	if (fd >= 0)
		use_counter(r, fd);
	k_close(fd);
}

/* ---- counts in a table ---- */

void moment_counted(struct player *w, const struct op *op, struct rng *r)
{
	struct pev_table table = {
		.size = sizeof(table),
		.rows = 1 + below(r, 8),
		.nr_keys = 1,
		.value = PEV_TABLE_COUNTED,
		.keys = { { .from = below(r, PEV_TABLE_EVENT + 1) } },
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE,
		.config = (uintptr_t)&table,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int place = k_event(&attr), fds[3] = { -1, -1, -1 };

	(void)op;
	attr.channel_fd = place;
	attr.target = w->root && one_in(r, 3) ? PEV_TARGET_CPUS : PEV_TARGET_TASK + below(r, 3);
	for (unsigned int i = 0; place >= 0 && i < ARRAY_SIZE(fds); i++) {
		attr.type = w->root && one_in(r, 3) ? PEV_TYPE_RAW : PEV_TYPE_SOFTWARE;
		attr.pmu = attr.type == PEV_TYPE_RAW ? read_number(OTHER_PMU) : 0;
		attr.config = attr.pmu ? 0 : below(r, PEV_SW_MAX);
		attr.group_fd = fds[0] < 0 ? -1 : fds[0];
		fds[i] = k_event(&attr);
	}
	for (unsigned int n = fds[0] >= 0 ? 1 + below(r, 4) : 0; n; n--) {
		k_ioctl(fds[0], PEV_IOC_ENABLE, 1);
		touch_pages(4);
		if (one_in(r, 2))
			k_ioctl(fds[0], PEV_IOC_RESET, one_in(r, 2));
		if (one_in(r, 2))
			k_ioctl(fds[0], PEV_IOC_DISABLE, one_in(r, 2));
		if (one_in(r, 2))
			k_ioctl(fds[0], PEV_IOC_RESET, one_in(r, 2));
		cover_step();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++)
		k_close(fds[i]);
	k_close(place);
}

/* ---- as many events as a task can have ---- */

void moment_most(struct player *w, const struct op *op, struct rng *r)
{
	static int fds[2 * PEV_MAX_TASK_EVENTS + 1];
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_TASK + below(r, 3),
		.period = 1000000000,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.channel_fd = -1,
		.group_fd = -1,
	};
	unsigned int nr = 0;
	int fd;

	(void)op;
	(void)w;
	attr.channel_fd = some_channel(r);
	if (attr.channel_fd < 0)
		return;
	do {
		fd = k_event(&attr);
		if (fd >= 0)
			fds[nr++] = fd;
		cover_step();
	} while (fd >= 0 && nr < ARRAY_SIZE(fds));
	add(&all->laws, 1);
	if (fd >= 0)
		broken("a task has %u events", nr);
	while (nr--)
		k_close(fds[nr]);
	k_close(attr.channel_fd);
}

/* ---- a fault while a record is made ---- */

static void call_there(int sig)
{
	(void)sig;
	for (unsigned int i = 0; i < 8; i++)
		syscall(SYS_getppid);
}

/* Calls from a stack behind whose end is nothing. */
static void call_at_end(void)
{
	char *at = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = call_there, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = at, .ss_size = STACK }, none = { .ss_flags = SS_DISABLE };

	if (at == MAP_FAILED)
		return;
	if (!mprotect(at, STACK, PROT_READ | PROT_WRITE) && !sigaltstack(&stack, NULL)) {
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
		sigaltstack(&none, NULL);
	}
	munmap(at, 2 * STACK);
}

/* The stack ends before what is wanted of it does; of the fault there a record is wanted, too. */
void moment_nested(struct player *w, const struct op *op, struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.name = (uintptr_t) "syscalls:sys_enter_getppid",
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_USTACK_DUMP,
		.stack_user = 32768,
	};
	struct pev_attr large = {
		.type = PEV_TYPE_CHANNEL,
		.ring_size = 1 << 20,
		.packet_size = 128 << 10,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int channel = k_event(&large), outer, inner;

	(void)w;
	(void)op;
	(void)r;
	attr.channel_fd = channel;
	outer = channel >= 0 ? k_event(&attr) : -1;
	attr.name = (uintptr_t) "exceptions:page_fault_kernel";
	attr.sample |= PEV_SAMPLE_USTACK;
	attr.stack_user = 1024;
	inner = channel >= 0 ? k_event(&attr) : -1;
	call_at_end();
	k_close(inner);
	k_close(outer);
	k_close(channel);
}
