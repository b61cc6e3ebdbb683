// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on what events are about: processes that are counted, CPUs, cgroups,
 * modules, and what else listens to the kernel.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz.h"

#define CGROUP_DIR	"/sys/fs/cgroup"

/* ---- what threads do that are counted ---- */

static void *nothing(void *arg)
{
	return arg;
}

void spawn_thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, nothing, NULL))
		pthread_join(t, NULL);
}

void map_code(bool protects)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	if (protects)
		mprotect(at, PAGE, PROT_READ);
	munmap(at, PAGE);
}

void map_program(void)
{
	int fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
	void *at;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED)
		munmap(at, PAGE);
	close(fd);
}

void touch_pages(unsigned int n)
{
	char *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	for (unsigned int i = 0; i < n; i++)
		p[i * PAGE] = 1;
	munmap(p, n * PAGE);
}

/* A message whose header says anything; what it points to may be too short, or nowhere. */
static void any_message(struct rng *r)
{
	static char room[400];
	void *places[] = { room, room + sizeof(room) - 20, NULL, (void *)8L, (void *)-4096L };
	struct iovec vec = { places[below(r, 5)], below(r, 3) ? below(r, 300) : -1UL };
	struct msghdr msg = {
		.msg_name = places[below(r, 5)],
		.msg_namelen = below(r, 3) ? (int)below(r, 300) : -1,
		.msg_iov = &vec,
		.msg_iovlen = below(r, 3) ? below(r, 40) : -1UL,
		.msg_control = places[below(r, 5)],
		.msg_controllen = below(r, 3) ? below(r, 300) : -1UL,
	};

	sendmsg(-1, &msg, 0);
	recvmsg(-1, &msg, 0);
}

static void small_work(struct rng *r)
{
	unsigned int n = 1 + below(r, 20);
	char name[16], path[] = "/proc/self/nothing";
	cpu_set_t set;

	switch (below(r, 10)) {
	case 0:
	case 1:
		while (n--)
			syscall(SYS_getppid);
		break;
	case 2:
		touch_pages(n);
		break;
	case 3:
		while (n--)
			sched_yield();
		break;
	case 4:
		snprintf(name, sizeof(name), "fuzz-%u", n);
		prctl(PR_SET_NAME, name);
		break;
	case 5:
		close(open(path, O_RDONLY | O_CLOEXEC));
		break;
	case 6:
		spawn_thread();
		break;
	case 7:
		CPU_ZERO(&set);
		CPU_SET(below(r, nr_cpus), &set);
		sched_setaffinity(0, sizeof(set), &set);
		CPU_SET(0, &set);
		CPU_SET(1, &set);
		CPU_SET(2, &set);
		sched_setaffinity(0, sizeof(set), &set);
		break;
	case 8:
		any_message(r);
		break;
	default:
		map_code(false);
	}
}

void world_work(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	add(&all->ops, 1);
	small_work(r);
}

/* ---- victims: processes that do as they are told ---- */

static int take_fd(int sock, char *command)
{
	char room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { command, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = room,
		.msg_controllen = sizeof(room),
	};
	struct cmsghdr *c;
	int fd = -1;
	ssize_t got;

	do {
		got = recvmsg(sock, &msg, 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return -2;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_type == SCM_RIGHTS)
			memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void give_fd(int sock, int fd, char command)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &command, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		msg.msg_control = room;
		msg.msg_controllen = sizeof(room);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void run_helper(bool privileged)
{
	char *argv[] = { privileged ? helper_path : self_path, "nothing", NULL };
	char *none[] = { NULL };

	execve(argv[0], argv, none);
	_exit(1);
}

static void child_of_victim(struct rng *r)
{
	pid_t pid;
	unsigned int kind = below(r, 6);

	pid = kind == 5 ? vfork() : fork();
	if (!pid) {
		if (kind == 5)
			_exit(0);
		if (kind < 2)
			run_helper(kind == 1);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void victim_again(int sock, uint64_t seed)
{
	char number[16], seeds[32];
	char *argv[] = { self_path, "victim", number, seeds, NULL };
	char *none[] = { NULL };

	snprintf(number, sizeof(number), "%d", sock);
	snprintf(seeds, sizeof(seeds), "%llu", (llu)seed);
	execve(self_path, argv, none);
}

/* Does a work of its own whenever the first thread is told to. */
static struct second {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	uint64_t	seed;
} second = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *second_thread(void *unused)
{
	struct rng r;

	for (;;) {
		pthread_mutex_lock(&second.lock);
		while (!second.seed)
			pthread_cond_wait(&second.changed, &second.lock);
		r.state = second.seed;
		second.seed = 0;
		pthread_mutex_unlock(&second.lock);
		small_work(&r);
	}
	return unused;
}

static void wake_second(uint64_t seed)
{
	pthread_mutex_lock(&second.lock);
	second.seed = seed;
	pthread_cond_signal(&second.changed);
	pthread_mutex_unlock(&second.lock);
}

/* A descriptor that it is given is kept until the next one comes. */
int victim_main(int sock, uint64_t seed)
{
	struct rng r = { seed };
	struct rlimit core = { 0, 0 };
	int kept = -1, fd;
	pthread_t t;
	char command;

	setrlimit(RLIMIT_CORE, &core);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_IGN);
	cover_open();
	pthread_create(&t, NULL, second_thread, NULL);
	cover_start();
	while ((fd = take_fd(sock, &command)) != -2) {
		if (fd >= 0) {
			if (kept >= 0)
				close(kept);
			kept = fd;
		}
		switch (command) {
		case 'w':
			if (one_in(&r, 2))
				wake_second(rnd(&r));
			small_work(&r);
			break;
		case 'c':
			child_of_victim(&r);
			break;
		case 'e':
			victim_again(sock, rnd(&r));
			break;
		case 'x':
			_exit(0);
		}
		cover_end();
	}
	_exit(0);
}

static void end_victim(struct victim *v, bool ask)
{
	pid_t changed;
	int status;

	if (v->sock >= 0) {
		if (ask)
			give_fd(v->sock, -1, 'x');
		close(v->sock);
	}
	v->sock = -1;
	v->traced = false;
	if (!v->pid)
		return;
	kill(v->pid, SIGKILL);
	/* of a traced one it may be told first that it has stopped: what it holds is not free before its end */
	do {
		changed = waitpid(v->pid, &status, __WALL);
	} while (changed < 0 ? errno == EINTR : !WIFEXITED(status) && !WIFSIGNALED(status));
	v->pid = 0;
}

/*
 * What it inherits it may keep: then others close first, or last. If not, it is waited for, as an event
 * that the model takes for closed can be switched on again until then.
 */
pid_t world_spawn(struct player *w, struct victim *v)
{
	uint64_t seed = rnd(&w->rng);
	bool keeps = !(seed & 1);
	int pair[2];
	char c;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		return 0;
	for (unsigned int i = 0; i < EVENTS && keeps; i++)
		w->events[i].shared = true;
	v->pid = fork();
	if (!v->pid) {
		int sock = dup2(pair[1], 3);

		if (!keeps)
			close_range(4, ~0U, 0);
		send(sock, "", 1, MSG_NOSIGNAL);
		victim_main(sock, seed);
	}
	close(pair[1]);
	if (v->pid < 0) {	/* a limit */
		close(pair[0]);
		v->pid = 0;
		return 0;
	}
	v->sock = pair[0];
	fcntl(v->sock, F_SETFD, FD_CLOEXEC);
	while (recv(v->sock, &c, 1, 0) < 0 && errno == EINTR)
		;
	return v->pid;
}

void world_victim(struct player *w, const struct op *op, struct rng *r)
{
	struct victim *v = &w->victims[op->a % VICTIMS];

	add(&all->ops, 1);
	end_victim(v, one_in(r, 2));
	world_spawn(w, v);
}

static struct victim *pick_victim(struct player *w, unsigned int from)
{
	for (unsigned int i = 0; i < VICTIMS; i++)
		if (w->victims[(from + i) % VICTIMS].pid)
			return &w->victims[(from + i) % VICTIMS];
	return NULL;
}

void world_poke(struct player *w, const struct op *op, struct rng *r)
{
	struct victim *v = pick_victim(w, op->a);
	static const char commands[] = "wwwwwwwwwwwwwwwwwwwwwwwwwwwwce";

	if (!v)
		return;
	add(&all->ops, 1);
	give_fd(v->sock, -1, commands[below(r, sizeof(commands) - 1)]);
}

/* A descriptor to a victim, or from one worker to another. */
void world_pass(struct player *w, const struct op *op, struct rng *r)
{
	struct victim *v = pick_victim(w, op->a);
	struct event *e = pick_event(w, op->b);
	char command;
	int fd;

	if (v && e && one_in(r, 2)) {
		add(&all->ops, 1);
		e->shared = true;
		give_fd(v->sock, e->fd, 'w');
		return;
	}
	/*
	 * Others may do with it what they like, to its whole group and channel: so only
	 * what is not followed is given away.
	 */
	fd = w->others[op->b % OTHERS];
	if (fd >= 0 && one_in(r, 2)) {
		add(&all->ops, 1);
		give_fd(w->post, fd, 'p');
		return;
	}
	if (recv(w->post, &command, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
		return;
	fd = take_fd(w->post, &command);
	if (fd < 0)
		return;
	add(&all->ops, 1);
	if (w->others[op->a % OTHERS] >= 0)
		k_close(w->others[op->a % OTHERS]);
	w->others[op->a % OTHERS] = fd;
}

/* A child that has all of it open and mapped, and goes as it likes. */
void world_fork(struct player *w, const struct op *op, struct rng *r)
{
	bool closes = one_in(r, 2), unshares = one_in(r, 4);
	pid_t pid;

	add(&all->ops, 1);
	pid = fork();
	if (pid) {
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return;
	}
	if (unshares && !unshare(0x10000000 | 0x20000000)) {	/* NEWUSER, NEWPID */
		struct layout layout;
		struct pev_attr attr;

		attr_event(w, r, &attr, &layout);
		attr.channel_fd = -1;
		attr.sample = 0;
		k_open(&attr, sizeof(attr), 0);
	}
	for (unsigned int i = 0; closes && i < EVENTS; i++)
		if (w->events[(op->a + i) % EVENTS].fd >= 0)
			close(w->events[(op->a + i) % EVENTS].fd);
	if (one_in(r, 3))
		touch_pages(4);
	_exit(0);
}

void world_exec(struct player *w, const struct op *op, struct rng *r)
{
	bool privileged = one_in(r, 2);
	pid_t pid;

	(void)w;
	(void)op;
	add(&all->ops, 1);
	pid = fork();
	if (!pid)
		run_helper(privileged);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void world_limits(struct player *w, const struct op *op, struct rng *r)
{
	struct rlimit limit, small;
	struct layout layout;
	struct pev_attr attr;
	int which = one_in(r, 2) ? RLIMIT_NOFILE : RLIMIT_MEMLOCK, fd;

	(void)op;
	getrlimit(which, &limit);
	small = limit;
	small.rlim_cur = below(r, 64);
	setrlimit(which, &small);
	if (which == RLIMIT_MEMLOCK)
		attr_channel(r, &attr);
	else
		attr_event(w, r, &attr, &layout);
	attr.channel_fd = -1;
	fd = k_open(&attr, sizeof(attr), 0);
	setrlimit(which, &limit);
	if (fd > 0)
		k_close(fd);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Alarms that come all the time, for a while. */
void world_signal(struct player *w, const struct op *op, struct rng *r)
{
	struct sigaction action = { .sa_handler = on_alarm };
	unsigned int us = w->alarms ? 0 : 1000 + below(r, 10000);
	struct itimerval timer = { { 0, us }, { 0, us } };

	(void)op;
	add(&all->ops, 1);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	w->alarms = !w->alarms;
}

void world_ptrace(struct player *w, const struct op *op, struct rng *r)
{
	struct victim *v = pick_victim(w, op->a);
	unsigned int tries = 0;
	pid_t changed;
	int status;

	if (!v)
		return;
	add(&all->ops, 1);
	if (!v->traced) {
		if (!ptrace(PTRACE_SEIZE, v->pid, NULL,
			    one_in(r, 2) ? (void *)PTRACE_O_TRACEEXEC : NULL))
			v->traced = true;
		return;
	}
	/* Linux loses one that comes in the middle of an exec of several threads */
	do {
		ptrace(PTRACE_INTERRUPT, v->pid, NULL, NULL);
		usleep(tries++ ? 1000 : 0);
		changed = waitpid(v->pid, &status, __WALL | WNOHANG);
	} while (!changed || (changed < 0 && errno == EINTR));
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		v->pid = 0;
		end_victim(v, false);
		return;
	}
	if (one_in(r, 2)) {
		ptrace(PTRACE_CONT, v->pid, NULL, NULL);
	} else {
		ptrace(PTRACE_DETACH, v->pid, NULL, NULL);
		v->traced = false;
	}
}

/* ---- what only root can ---- */

static void cgroup_path(const struct player *w, unsigned int i, char *path, size_t size)
{
	snprintf(path, size, CGROUP_DIR "/fuzz-%u-%u", w->index, i);
}

void world_cgroup(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int i = op->a % CGROUPS;
	char path[128];

	add(&all->ops, 1);
	cgroup_path(w, i, path, sizeof(path));
	if (w->cgroups[i] >= 0 && one_in(r, 2)) {
		close(w->cgroups[i]);
		w->cgroups[i] = -1;
		rmdir(path);
		return;
	}
	mkdir(path, 0755);
	if (w->cgroups[i] < 0)
		w->cgroups[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void world_move(struct player *w, const struct op *op, struct rng *r)
{
	struct victim *v = pick_victim(w, op->a);
	char path[160] = CGROUP_DIR "/cgroup.procs", text[16] = "0";

	add(&all->ops, 1);
	if (!one_in(r, 3)) {
		cgroup_path(w, op->b % CGROUPS, path, sizeof(path));
		strcat(path, "/cgroup.procs");
	}
	if (v && !one_in(r, 4))
		snprintf(text, sizeof(text), "%d", v->pid);
	write_file(path, text);
}

void world_fire(struct player *w, const struct op *op, struct rng *r)
{
	static const char * const contexts[] = { "task", "softirq", "irq", "mixed" };
	char text[32];

	(void)w;
	(void)op;
	add(&all->ops, 1);
	snprintf(text, sizeof(text), "%s %u", contexts[below(r, 4)], 1 + (int)below(r, 20));
	write_file("/sys/kernel/debug/pev_sample/fire", text);
	write_file("/sys/kernel/debug/pev_log/fire", text);
}

/* One with markers, one with a function on a marker, one with channels of its own. */
static const struct { const char *file, *name; } modules[] = {
	{ "pev-sample.ko", "pev_sample" }, { "pev-connect.ko", "pev_connect" },
	{ "pev-log.ko", "pev_log" },
};

void world_unload(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(modules); i++)
		syscall(SYS_delete_module, modules[i].name, O_NONBLOCK);
}

void world_module(struct player *w, const struct op *op, struct rng *r)
{
	const char *dir = getenv("PEV_MODULES");
	unsigned int which = below(r, ARRAY_SIZE(modules));
	char path[512];
	int fd;

	(void)w;
	(void)op;
	add(&all->ops, 1);
	if (one_in(r, 3)) {
		syscall(SYS_delete_module, modules[which].name, O_NONBLOCK);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", modules[which].file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	syscall(SYS_finit_module, fd, one_in(r, 4) ? "forgets=1 delay_us=500" : "", 0);
	close(fd);
}

void world_perf(struct player *w, const struct op *op, struct rng *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = below(r, PERF_COUNT_SW_MAX), .disabled = one_in(r, 2),
		.inherit = one_in(r, 2), .sample_period = one_in(r, 2) ? 1000000 : 0,
	};
	struct victim *v = pick_victim(w, op->a);
	int *other = &w->others[op->b % OTHERS], fd;

	if (one_in(r, 3)) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = below(r, 4);
	}
	fd = syscall(SYS_perf_event_open, &attr, v && one_in(r, 2) ? v->pid : 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	add(&all->ops, 1);
	if (fd < 0)
		return;
	if (*other >= 0)
		close(*other);
	*other = fd;
}

/* By whose driver events count from now on, and whether the lockup detector has a counter. */
void world_driver(struct player *w, const struct op *op, struct rng *r)
{
	static const char *const names[] = { "auto", "own", "perf" };

	(void)w;
	(void)op;
	add(&all->ops, 1);
	if (one_in(r, 3))
		write_file("/proc/sys/kernel/nmi_watchdog", one_in(r, 2) ? "1" : "0");
	else
		write_file("/proc/sys/kernel/pev_pmu", names[below(r, ARRAY_SIZE(names))]);
}

void world_ftrace(struct player *w, const struct op *op, struct rng *r)
{
	static const char * const names[] = {
		"syscalls/sys_enter_getppid", "sched/sched_switch", "exceptions/page_fault_user",
		"raw_syscalls/sys_enter",
	};
	char path[256];

	(void)w;
	(void)op;
	add(&all->ops, 1);
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/enable",
		 names[below(r, ARRAY_SIZE(names))]);
	write_file(path, one_in(r, 2) ? "1" : "0");
}

/* One worker at a time, and never the first CPU. */
void world_hotplug(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int cpu = nr_cpus > 1 ? 1 + op->a % (nr_cpus - 1) : 0;
	uint64_t nobody = 0;
	char path[128];

	(void)w;
	if (!cpu || !__atomic_compare_exchange_n(&all->plugging, &nobody, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	add(&all->ops, 1);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_file(path, one_in(r, 2) ? "0" : "1");
	__atomic_store_n(&all->plugging, 0, __ATOMIC_RELEASE);
}

void world_end(struct player *w)
{
	struct itimerval none = { { 0, 0 }, { 0, 0 } };
	char path[128];

	setitimer(ITIMER_REAL, &none, NULL);
	for (unsigned int i = 0; i < VICTIMS; i++)
		end_victim(&w->victims[i], true);
	for (unsigned int i = 0; i < CGROUPS; i++) {
		if (w->cgroups[i] < 0)
			continue;
		close(w->cgroups[i]);
		w->cgroups[i] = -1;
		write_file(CGROUP_DIR "/cgroup.procs", "0");
		cgroup_path(w, i, path, sizeof(path));
		rmdir(path);
	}
}
