// SPDX-License-Identifier: GPL-2.0
/*
 * Whole scenarios that once worked, or would if a check were missing. What they look
 * for is a secret that comes out, or a call that waits for a stranger.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"

#define PATIENCE	400000000ULL	/* ns that a call may take on a busy machine */

/* ---- small objects of a scenario's own ---- */

static int software_event(int channel, uint64_t flags, pid_t tid)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK, .target_id = tid, .flags = flags,
		.channel_fd = channel, .group_fd = -1, .period = channel >= 0,
	};

	return k_event(&attr);
}

static int call_event(const char *name, const char *filter, int channel)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
		.name = (uintptr_t)name, .filter = (uintptr_t)filter,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.channel_fd = channel, .group_fd = -1, .period = channel >= 0,
	};

	return k_event(&attr);
}

static int small_channel(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .channel_fd = -1, .group_fd = -1,
		.ring_size = 65536, .packet_size = 4096,
	};

	return k_event(&attr);
}

static int set_filter(int fd, const char *text)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)text };

	return k_ioctl(fd, PEV_IOC_FILTER, (uintptr_t)&arg);
}

/* ---- secrets ---- */

/* A filter follows a pointer that the caller chose. */
void attack_filter(struct player *w, const struct op *op, struct rng *r)
{
	static const char filter[] = "filename ~ \"Linux*\"";
	bool late = one_in(r, 2);
	struct pev_value v;
	int fd;

	(void)op;
	if (w->root || !secret)
		return;
	fd = call_event("syscalls:sys_enter_openat", late ? NULL : filter, -1);
	if (fd < 0)
		return;
	if (late && set_filter(fd, filter)) {
		k_close(fd);
		return;
	}
	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	syscall(SYS_openat, AT_FDCWD, secret, O_RDONLY);
	memset(&v, 0, sizeof(v));
	k_read(fd, &v, sizeof(v));
	add(&all->laws, 1);
	if (v.value)
		broken("a filter of uid %u read the kernel's memory", w->uid);
	k_close(fd);
}

/* A filter that knows where the kernel's functions are. */
void attack_function(struct player *w, const struct op *op, struct rng *r)
{
	static const char * const filters[] = {
		"fd.function == commit_creds", "fd.function != commit_creds",
		"fd.function == 18446744071578845184",
	};
	const char *filter = filters[below(r, ARRAY_SIZE(filters))];
	bool late = one_in(r, 2);
	int fd;

	(void)op;
	if (w->root)
		return;
	fd = call_event("syscalls:sys_enter_close", late ? NULL : filter, -1);
	if (fd < 0)
		return;
	add(&all->laws, 1);
	if (!late || !set_filter(fd, filter))
		broken("a filter of uid %u may ask for functions: %s", w->uid, filter);
	k_close(fd);
}

/* What the program with more rights says of itself. */
struct addresses {
	uint32_t	euid;
	uint32_t	unused;
	uint64_t	stack;
};

int helper_main(int argc, char **argv)
{
	struct addresses self = { .euid = geteuid(), .stack = (uintptr_t)&self };

	if (argc > 2 && write(atoi(argv[2]), &self, sizeof(self)) != sizeof(self))
		return 1;
	return 0;
}

static void *waiting_thread(void *arg)
{
	pid_t tid = syscall(SYS_gettid);

	if (write(*(int *)arg, &tid, sizeof(tid)) == sizeof(tid))
		for (;;)
			pause();
	return NULL;
}

/* Tells the id of a second thread, and executes the helper once told so. */
static void exec_with_thread(int tell, int told)
{
	char number[16];
	char *argv[] = { helper_path, "addresses", number, NULL }, c;
	char *none[] = { NULL };
	pthread_t t;

	snprintf(number, sizeof(number), "%d", tell);
	if (pthread_create(&t, NULL, waiting_thread, &tell) || read(told, &c, 1) != 1)
		_exit(1);
	execve(helper_path, argv, none);
	_exit(1);
}

static void look_for(int channel, const struct addresses *secret_of)
{
	struct channel c = { .fd = -1 };
	struct member none[1] = { 0 };

	c.members = none;
	c.fd = channel;
	c.info.size = sizeof(c.info);
	if (k_ioctl(channel, PEV_IOC_CHANNEL_INFO, (uintptr_t)&c.info) || rings_map(&c))
		return;
	for (unsigned int cpu = 0; cpu < c.info.nr_rings && cpu < MAX_CPUS; cpu++) {
		const uint64_t *words = (const void *)(c.rings[cpu].map + c.info.mmap_data);

		if (!c.rings[cpu].map)
			continue;
		for (size_t i = 0; i < c.info.ring_size / 8; i++)
			if (words[i] - (secret_of->stack - (1 << 20)) < 2 << 20)
				broken("a record shows the stack of a program with more rights: %#llx",
				       (llu)words[i]);
	}
	rings_unmap(&c);
}

/*
 * While an exec waits for a thread that the tracer does not reap, an event is put on
 * the task: it must not see the program that comes then.
 */
void attack_exec(struct player *w, const struct op *op, struct rng *r)
{
	int out[2], in[2], channel, fd;
	struct addresses self = { 0 };
	siginfo_t info;
	pid_t pid, tid;

	(void)op;
	if (w->root || pipe(out) || pipe(in))
		return;
	channel = small_channel();
	pid = fork();
	if (!pid)
		exec_with_thread(out[1], in[0]);
	close(out[1]);
	close(in[0]);
	if (channel < 0 || pid < 0 || read(out[0], &tid, sizeof(tid)) != sizeof(tid) ||
	    ptrace(PTRACE_SEIZE, tid, NULL, NULL) || write(in[1], "", 1) != 1)
		goto out;
	while (waitid(P_PID, tid, &info, WEXITED | WNOWAIT | __WALL) && errno == EINTR)
		;
	{
		struct pev_attr attr = {
			.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS,
			.target = PEV_TARGET_TASK + below(r, 3), .target_id = pid,
			.channel_fd = channel, .group_fd = -1, .period = 1,
			.sample = PEV_SAMPLE_TID | PEV_SAMPLE_ADDR,
		};

		fd = k_event(&attr);
	}
	while (waitpid(tid, NULL, __WALL) < 0 && errno == EINTR)
		;
	add(&all->laws, 1);
	if (read(out[0], &self, sizeof(self)) == sizeof(self) && !self.euid && fd >= 0)
		look_for(channel, &self);
	if (fd >= 0)
		k_close(fd);
out:
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	close(out[0]);
	close(in[1]);
	if (channel >= 0)
		k_close(channel);
}

/* ---- strangers that wait ---- */

struct held {
	struct pev_attr	attr;
	int		fd;
	void		*page;
};

static void held_open(void *arg)
{
	struct held *h = arg;

	h->fd = k_open(&h->attr, sizeof(h->attr), PEV_OPEN_CLOEXEC);
}

static void held_filter(void *arg)
{
	struct held *h = arg;

	set_filter(h->fd, h->page);
}

static void held_read(void *arg)
{
	struct held *h = arg;

	k_read(h->fd, h->page, 1024);
}

/* Others' calls while one waits for a page. */
static void attack_held(struct player *w, struct held *h, void (*call)(void *), const char *data,
			const char *what)
{
	int fd;

	racer_call(w, call, h);
	if (pager_wait()) {
		fd = software_event(-1, 0, 0);
		if (fd >= 0)
			k_close(fd);
		fd = small_channel();
		if (fd >= 0)
			k_close(fd);
		add(&all->laws, 1);
		if (!pager_give(data, strlen(data) + 1))
			broken("other calls waited for the page of %s", what);
	}
	racer_wait();
}

void attack_hold(struct player *w, const struct op *op, struct rng *r)
{
	struct held h = {
		.attr = {
			.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
			.name = (uintptr_t)"syscalls:sys_enter_close", .channel_fd = -1,
			.group_fd = -1,
		},
		.page = pager_page(r), .fd = -1,
	};

	(void)op;
	if (!h.page)
		return;
	switch (below(r, 3)) {
	case 0:
		h.attr.name = (uintptr_t)h.page;
		attack_held(w, &h, held_open, "syscalls:sys_enter_close", "a name");
		break;
	case 1:
		h.attr.filter = (uintptr_t)h.page;
		attack_held(w, &h, held_open, "fd == 7", "a filter");
		break;
	default:
		h.fd = k_event(&h.attr);
		if (h.fd >= 0)
			attack_held(w, &h, held_filter, "fd == 7", "PEV_IOC_FILTER");
	}
	if (h.fd >= 0)
		k_close(h.fd);
}

void attack_hold_read(struct player *w, const struct op *op, struct rng *r)
{
	struct held h = { .page = pager_page(r) };
	int fd;

	(void)op;
	if (!h.page)
		return;
	h.fd = small_channel();
	if (h.fd < 0)
		return;
	/* one that has to leave the channel meanwhile */
	fd = software_event(h.fd, 0, 0);
	if (fd >= 0)
		k_close(fd);
	attack_held(w, &h, held_read, "", "a channel's metadata");
	k_close(h.fd);
}

struct filters {
	int	channel;
	bool	set;
};

static void filter_channel(void *arg)
{
	struct filters *f = arg;

	f->set = !set_filter(f->channel, "fd == 7");
}

/* ns of the longest of some calls that have nothing to do with others'. */
static uint64_t longest_open(void)
{
	uint64_t begin, took, longest = 0;
	int fd;

	for (unsigned int i = 0; i < 4; i++) {
		begin = now_ns();
		fd = software_event(-1, 0, 0);
		if (fd >= 0)
			k_close(fd);
		took = now_ns() - begin;
		if (took > longest)
			longest = took;
	}
	return longest;
}

/*
 * One filter for many events, and what a stranger's call takes meanwhile. A busy host can
 * hold any call up, but not each of several; grace periods under a lock do.
 */
void attack_channel_filter(struct player *w, const struct op *op, struct rng *r)
{
	struct filters f = { .channel = small_channel() };
	uint64_t quiet, longest;
	int events[64], nr = 0, tries = 4;
	bool late;

	(void)op;
	(void)r;
	if (f.channel < 0)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		events[nr] = call_event("syscalls:sys_enter_close", NULL, f.channel);
		nr += events[nr] >= 0;
	}
	do {
		quiet = longest_open();
		racer_call(w, filter_channel, &f);
		longest = longest_open();
		racer_wait();
		late = f.set && longest > 5 * quiet + PATIENCE;
	} while (late && --tries);
	add(&all->laws, 1);
	if (late)
		broken("an open took %llu ms beside a filter for %d events, and %llu ms otherwise",
		       (llu)longest / 1000000, nr, (llu)quiet / 1000000);
	while (nr--)
		k_close(events[nr]);
	k_close(f.channel);
}

/* ---- what corrupts ---- */

static void flush_often(void *arg)
{
	for (unsigned int i = 0; i < 20; i++)
		k_ioctl(*(int *)arg, PEV_IOC_FLUSH, 0);
}

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < nr_cpus)
		CPU_SET(cpu, &set);
	else
		for (unsigned int i = 0; i < nr_cpus; i++)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void plug(unsigned int cpu, bool on)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_file(path, on ? "1" : "0");
}

/* Two at once flush the rings of a CPU that has gone with a packet open. */
void attack_flush(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int cpu = nr_cpus > 2 ? 1 + op->a % (nr_cpus - 1) : 0;
	int channel = small_channel(), fd;
	uint64_t nobody = 0;
	bool mine = false;

	if (channel < 0)
		return;
	fd = call_event("syscalls:sys_enter_getppid", NULL, channel);
	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	if (w->root && cpu && one_in(r, 4))
		mine = __atomic_compare_exchange_n(&all->plugging, &nobody, 1, false,
						   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	if (mine)
		plug(cpu, true);
	run_on(cpu);
	for (unsigned int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	run_on(~0U);
	if (mine)
		plug(cpu, false);
	racer_call(w, flush_often, &channel);
	flush_often(&channel);
	racer_wait();
	if (mine) {
		plug(cpu, true);
		__atomic_store_n(&all->plugging, 0, __ATOMIC_RELEASE);
	}
	k_close(fd);
	k_close(channel);
}

/* The last event of a task goes while the task moves to another CPU and exits. */
void attack_last(struct player *w, const struct op *op, struct rng *r)
{
	int go[2], fd;
	pid_t pid;
	char c;

	(void)w;
	if (pipe(go))
		return;
	pid = fork();
	if (!pid) {
		run_on(op->a % nr_cpus);
		close(go[1]);
		if (read(go[0], &c, 1) >= 0)
			run_on(op->b % nr_cpus);
		_exit(0);
	}
	close(go[0]);
	if (pid > 0) {
		fd = software_event(-1, 0, pid);
		if (one_in(r, 2))
			sched_yield();
		if (one_in(r, 2) && write(go[1], "", 1) == 1)
			sched_yield();
		k_close(fd);
	}
	close(go[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Timers as short and records as large as they may be. */
void attack_timers(struct player *w, const struct op *op, struct rng *r)
{
	int channel = small_channel(), fds[20], n = 1 + below(r, ARRAY_SIZE(fds));
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER, .target = PEV_TARGET_TASK, .period = PEV_MIN_TIMER_NS,
		.flags = PEV_F_EXCLUDE_KERNEL, .channel_fd = channel, .group_fd = -1,
		.sample = PEV_SAMPLE_USTACK_DUMP, .stack_user = 3072,
	};

	(void)w;
	(void)op;
	if (channel < 0)
		return;
	if (slow) {	/* it would do nothing else any more */
		attr.period *= 500;
		n = 1 + n % 4;
	}
	for (int i = 0; i < n; i++)
		fds[i] = k_event(&attr);
	for (volatile unsigned int i = 0; i < 100000; i++)
		;
	for (int i = 0; i < n; i++)
		k_close(fds[i]);
	k_close(channel);
}
