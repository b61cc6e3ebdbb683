// SPDX-License-Identifier: GPL-2.0
/*
 * Does what an event waits for, so that it is hit by a thread whose coverage is known:
 * among the calls that a worker makes by chance, few are those that its events count.
 */
#include <pthread.h>
#include <sched.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"

static void nap(struct rng *r)
{
	struct timespec t = { .tv_nsec = 1000 << below(r, 8) };

	nanosleep(&t, NULL);
}

static void move(struct rng *r)
{
	cpu_set_t set, before;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&set);
	CPU_SET(below(r, nr_cpus), &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setaffinity(0, sizeof(before), &before);
}

static void touch(struct rng *r)
{
	touch_pages(1 + below(r, 8));
}

/* A file that is none and has no build id. */
static void map_device(void)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at != MAP_FAILED)
		munmap(at, PAGE);
	if (fd >= 0)
		close(fd);
}

static void map(struct rng *r)
{
	if (one_in(r, 4))
		map_device();
	else if (one_in(r, 4))
		map_program();
	else
		map_code(one_in(r, 2));
}

static void rename_thread(struct rng *r)
{
	char name[17];

	memset(name, 'a' + below(r, 26), sizeof(name));
	name[below(r, sizeof(name))] = '\0';
	prctl(PR_SET_NAME, name);
}

/* Mostly as a thread, which takes a tenth of the time. */
static void be_born(struct rng *r)
{
	pid_t pid;

	if (!one_in(r, 4)) {
		spawn_thread();
		return;
	}
	if (one_in(r, 4)) {
		world_exec(me, &(struct op){ 0 }, r);
		return;
	}
	pid = fork();
	if (!pid)
		_exit(below(r, 2));
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The last thread of a process whose first one is gone. */
static void *end_last(void *go)
{
	pid_t tid = gettid();
	char end;

	if (write(((int *)go)[1], &tid, sizeof(tid)) == sizeof(tid))
		while (read(((int *)go)[0], &end, 1) < 0 && errno == EINTR)
			;
	usleep(1000);
	syscall(SYS_exit, 0);
	return NULL;
}

static void end_in_parts(int from, int to)
{
	int ends[] = { from, to };
	pthread_t thread;
	pid_t none = 0;
	char end;

	if (!pthread_create(&thread, NULL, end_last, ends)) {
		while (read(from, &end, 1) < 0 && errno == EINTR)
			;
	} else if (write(to, &none, sizeof(none)) < 0) {
		_exit(1);
	}
	syscall(SYS_exit, 0);
}

/*
 * Who traces both threads of a process and takes the last one away tells itself, while it waits,
 * that the first one can be taken: it wakes itself.
 */
static void wake_self(void)
{
	int go[2], told[2];
	pid_t pid, tid = 0;
	ssize_t n = -1;

	if (pipe2(go, O_CLOEXEC))
		return;
	if (pipe2(told, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return;
	}
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(go[1]);
		end_in_parts(go[0], told[1]);
	}
	if (pid > 0)
		setpgid(pid, pid);
	close(told[1]);
	while (pid > 0 && (n = read(told[0], &tid, sizeof(tid))) < 0 && errno == EINTR)
		;
	if (n == sizeof(tid) && tid) {
		ptrace(PTRACE_SEIZE, pid, NULL, NULL);
		ptrace(PTRACE_SEIZE, tid, NULL, NULL);
		/* to each: what another thread forks meanwhile has the pipes open, too, and they don't end */
		while (write(go[1], "12", 2) < 0 && errno == EINTR)
			;
	} else if (pid > 0) {
		kill(pid, SIGKILL);
	}
	close(go[0]);
	close(go[1]);
	close(told[0]);
	while (pid > 0 && (waitpid(-pid, NULL, __WALL) > 0 || errno == EINTR))
		;
}

static void wait_somehow(struct rng *r)
{
	switch (below(r, 4)) {
	case 0:
		wake_self();
		break;
	case 1:
		/* who wakes another does what the other's events want */
		world_poke(me, &(struct op){ .a = below(r, VICTIMS) }, r);
		break;
	default:
		nap(r);
	}
}

/* What is told of calls to pev. */
static void control(struct rng *r)
{
	const struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd = k_event(&attr);

	k_ioctl(fd, one_in(r, 2) ? PEV_IOC_ENABLE : PEV_IOC_RESET, 0);
	k_close(fd);
}

/* Spins @n times and makes a call, with a stack that is at @sp and frames that begin at @frame. */
static void call_with_stack(uint64_t sp, uint64_t frame, uint64_t n)
{
	long nr = SYS_getppid;
#ifdef __x86_64__
	__asm__ volatile("	mov	%%rsp, %%rbx\n"
			 "	mov	%%rbp, %%r12\n"
			 "	mov	%%rdi, %%rsp\n"
			 "	mov	%%rsi, %%rbp\n"
			 "1:	dec	%%rdx\n"
			 "	jnz	1b\n"
			 "	syscall\n"
			 "	mov	%%r12, %%rbp\n"
			 "	mov	%%rbx, %%rsp\n"
			 : "+a"(nr), "+d"(n)
			 : "D"(sp), "S"(frame)
			 : "rbx", "rcx", "r11", "r12", "cc", "memory");
#else
	(void)frame;
	__asm__ volatile("	mr	14, 1\n"
			 "	mr	15, %1\n"
			 "	mtctr	%2\n"
			 "	mr	0, %0\n"
			 "	mr	1, 15\n"
			 "1:	bdnz	1b\n"
			 "	sc\n"
			 "	mr	1, 14\n"
			 :
			 : "r"(nr), "r"(sp), "r"(n)
			 : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
			   "r14", "r15", "ctr", "lr", "xer", "cr0", "memory");
#endif
}

/* Where there is no stack, or hardly any; signals would want one. */
static void call_anywhere(struct rng *r)
{
	uint64_t sp = strange(r), frame = strange(r);
	sigset_t all_of_them, before;

	if (one_in(r, 2))
		sp = (uintptr_t)edge(r, &(uint64_t[2]){ sp, frame }, 8 + below(r, 9));
	/* a frame of which the second word is not there */
	if (one_in(r, 2))
		frame = (uintptr_t)edge(r, &sp, sizeof(sp)) & ~7ULL;
	else if (one_in(r, 2))
		frame = sp;
	sigfillset(&all_of_them);
	pthread_sigmask(SIG_SETMASK, &all_of_them, &before);
	call_with_stack(sp, frame, 1 + below(r, 10000));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Memory that is there, ends too early, or is not there. */
static void *there_or_not(struct rng *r, const void *data, size_t size)
{
	return one_in(r, 3) ? (void *)8 : one_in(r, 2) ? edge(r, data, size) : (void *)data;
}

/* Calls with structures that point to others: PEV_F_TEXT and PEV_F_STRUCTS copy all of it. */
static void call_with_structs(struct rng *r)
{
	static char room[4096], name[64];
	struct iovec vec[20];
	struct msghdr head = {
		.msg_name = one_in(r, 2) ? there_or_not(r, name, sizeof(name)) : NULL,
		.msg_namelen = one_in(r, 4) ? -1 : (int)below(r, sizeof(name) * 2),
		.msg_iov = one_in(r, 4) ? (void *)8 : vec,
		.msg_iovlen = one_in(r, 8) ? strange(r) : below(r, ARRAY_SIZE(vec) + 1),
		.msg_control = one_in(r, 2) ? there_or_not(r, room, 16) : NULL,
		.msg_controllen = one_in(r, 4) ? strange(r) : below(r, 2000),
	};
	struct pollfd fds[8] = { { .fd = -1 } };
	socklen_t len = one_in(r, 4) ? strange(r) : sizeof(name);
	struct timespec none = { 0 };
	fd_set set = { 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(vec); i++)
		vec[i] = (struct iovec){
			.iov_base = one_in(r, 16) ? there_or_not(r, room, 64) : room,
			.iov_len = one_in(r, 16) ? strange(r) : below(r, one_in(r, 3) ? 2000 : 64),
		};
	switch (below(r, 8)) {
	case 0:
		syscall(SYS_writev, -1, head.msg_iov, head.msg_iovlen);
		break;
	case 1:
		syscall(SYS_sendmsg, -1, there_or_not(r, &head, sizeof(head)), 0);
		break;
	case 2: {
		/* what it fills is told at its end */
		int fd = syscall(SYS_openat, -100, "/dev/zero", 0, 0);

		for (unsigned int i = 0; i < ARRAY_SIZE(vec); i++)
			vec[i] = (struct iovec){ room, below(r, 200) };
		syscall(SYS_readv, fd, vec, below(r, ARRAY_SIZE(vec) + 1));
		close(fd);
		break;
	}
	case 3:
		syscall(SYS_pselect6, below(r, 2) ? below(r, 200) : strange(r) | 1ULL << 31,
			there_or_not(r, &set, sizeof(set)), NULL, NULL, &none, NULL);
		break;
	case 4:
		syscall(SYS_ppoll, there_or_not(r, fds, sizeof(fds)),
			one_in(r, 4) ? strange(r) | 1ULL << 31 : below(r, 9), &none, NULL, 8);
		break;
	case 5:
		syscall(SYS_getsockname, -1, there_or_not(r, name, sizeof(name)),
			there_or_not(r, &len, sizeof(len)));
		break;
	case 6:
		syscall(SYS_sendto, -1, there_or_not(r, room, 64), below(r, 3000), 0,
			there_or_not(r, name, sizeof(name)), below(r, 200));
		break;
	default:
		syscall(SYS_setsockopt, -1, SOL_SOCKET, below(r, 50), there_or_not(r, name, 16),
			below(r, 64));
	}
}

static void call(struct rng *r)
{
	char room[64], *words[] = { "a", NULL, NULL };
	int fd;

	switch (below(r, 6)) {
	case 0:
		if (one_in(r, 3))
			call_anywhere(r);
		else
			syscall(SYS_getppid);
		break;
	case 1:
		syscall(SYS_getsid, 7);
		break;
	case 2:
		fd = syscall(SYS_openat, one_in(r, 2) ? -100 : -1,
			     one_in(r, 4) ? (const char *)strange(r) : "/dev/zero", 0, 0);
		read(fd, room, below(r, sizeof(room)));
		close(fd);
		break;
	case 3:
		syscall(SYS_write, -1, one_in(r, 4) ? (void *)strange(r) : room, below(r, 200));
		break;
	case 4:
		words[1] = one_in(r, 2) ? (char *)strange(r) : "b";
		syscall(SYS_execve, one_in(r, 2) ? (const char *)strange(r) : "/nothing", words,
			NULL);
		break;
	default:
		syscall(SYS_ioctl, -1, below(r, 8), NULL);
	}
}

static void call_any(struct rng *r)
{
	if (one_in(r, 2))
		call_with_structs(r);
	else
		call(r);
}

/* Long enough for some periods of a counter. */
static void spin(struct rng *r)
{
	for (unsigned long n = below(r, 100000); n; n--)
		__asm__ volatile("" : : "r"(n));
}

static void fire(struct rng *r)
{
	world_fire(me, &(struct op){ 0 }, r);
}

typedef void (*exciter)(struct rng *r);

static const exciter of_software[PEV_SW_MAX] = {
	[PEV_SW_CONTEXT_SWITCHES] = nap,
	[PEV_SW_CPU_MIGRATIONS] = move,
	[PEV_SW_PAGE_FAULTS] = touch,
	[PEV_SW_PAGE_FAULTS_MIN] = touch,
};

static const exciter of_sideband[PEV_SB_MAX] = {
	[PEV_SB_MMAP] = map,	 [PEV_SB_COMM] = rename_thread, [PEV_SB_FORK] = be_born,
	[PEV_SB_EXEC] = be_born, [PEV_SB_EXIT] = be_born,
};

/* The first word that a tracepoint's name begins with. */
static const struct {
	const char *begin;
	exciter does;
} of_point[] = {
	{ "syscalls:", call },
	{ "raw_syscalls:", call_any },
	{ "sched:sched_process", be_born },
	{ "sched:sched_migrate", move },
	{ "sched:", nap },
	{ "exceptions:", touch },
	{ "kmem:", touch },
	{ "timer:", nap },
	{ "task:task_rename", rename_thread },
	{ "task:", be_born },
	{ "pev_sample:", fire },
	{ "pev_api:", control },
};

static void hit_point(const char *name, struct rng *r)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(of_point); i++)
		if (!strncmp(name, of_point[i].begin, strlen(of_point[i].begin))) {
			of_point[i].does(r);
			return;
		}
	call(r);
}

void attr_excite(const struct pev_attr *attr, struct rng *r)
{
	exciter does = NULL;

	add(&all->ops, 1);
	switch (attr->type) {
	case PEV_TYPE_TRACEPOINT:
	case PEV_TYPE_MARKER:
		hit_point((const char *)(uintptr_t)attr->name, r);
		return;
	case PEV_TYPE_SOFTWARE:
		does = attr->config < PEV_SW_MAX ? of_software[attr->config] : NULL;
		break;
	case PEV_TYPE_SIDEBAND:
		does = attr->config < PEV_SB_MAX ? of_sideband[attr->config] : NULL;
		break;
	case PEV_TYPE_PROBE:
		probe_call(r);
		break;
	case PEV_TYPE_WAIT:
		does = wait_somehow;
		break;
	case PEV_TYPE_HARDWARE:
	case PEV_TYPE_RAW:
	case PEV_TYPE_TIMER:
		does = spin;
		break;
	}
	(does ?: call)(r);
}

void event_excite(struct event *e, struct rng *r)
{
	unsigned int n = 1 + below(r, 4);

	if (e->fd < 0)
		return;
	k_ioctl(e->fd, PEV_IOC_ENABLE, one_in(r, 4));
	while (n--) {
		uint64_t less = 1 + below(r, 3);

		attr_excite(&e->attr, r);
		/* what came since the last record is then more than one period */
		if (e->attr.period > 1 && e->attr.period < 100 && one_in(r, 2))
			k_ioctl(e->fd, PEV_IOC_PERIOD, (uintptr_t)&less);
	}
	if (one_in(r, 2))
		law_value(e);
	if (e->own && one_in(r, 16)) {
		if (e->member)
			e->member->reset = true;
		k_ioctl(e->fd, PEV_IOC_RESET, 0);
	}
}
