/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of targets, rights and lifetimes share: children in step with
 * their parent, other users, kernel settings, CPUs. Waiting is for events.
 */
#ifndef PEV_CHILD_H
#define PEV_CHILD_H

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "pev_util.h"

#define PEV_NOBODY	65534
#define PEV_CAP_PERFMON	38

#define PEV_OFFSET(member)	offsetof(struct pev_attr, member)

/*
 * A system call that nothing else makes meanwhile: its tracepoint counts what
 * a test does and no more.
 */
#define PEV_CALL_EVENT	"syscalls:sys_enter_sched_get_priority_max"

static UNUSED void pev_call(unsigned int times)
{
	while (times--)
		syscall(SYS_sched_get_priority_max, 0);
}

static UNUSED struct pev_attr pev_attr_calls(uint32_t target, int id)
{
	return (struct pev_attr) {
		.type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)PEV_CALL_EVENT,
		.target = target, .target_id = id, .channel_fd = -1, .group_fd = -1,
	};
}

static UNUSED struct pev_attr pev_attr_software(uint64_t config, uint32_t target, int id)
{
	return (struct pev_attr) {
		.type = PEV_TYPE_SOFTWARE, .config = config,
		.target = target, .target_id = id, .channel_fd = -1, .group_fd = -1,
	};
}

/* ---- children ---- */

struct pev_child {
	pid_t	pid;
	int	go[2];		/* parent to child */
	int	said[2];	/* child to parent */
};

/* As fork(). */
static UNUSED pid_t pev_child_start(struct pev_child *c)
{
	if (pipe2(c->go, O_CLOEXEC) || pipe2(c->said, O_CLOEXEC))
		return -1;
	c->pid = fork();
	if (!c->pid) {
		/* a parent that died must not leave a child behind */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(c->go[1]);
		close(c->said[0]);
	} else {
		close(c->go[0]);
		close(c->said[1]);
	}
	return c->pid;
}

/* In the child: wait for the parent's pev_child_go(). */
static UNUSED void pev_child_wait(struct pev_child *c)
{
	char byte;

	if (read(c->go[0], &byte, 1) != 1)
		_exit(98);
}

/* In the child: end the parent's pev_child_hear(), which returns @value. */
static UNUSED void pev_child_say(struct pev_child *c, int64_t value)
{
	if (write(c->said[1], &value, sizeof(value)) != sizeof(value))
		_exit(97);
}

static UNUSED void pev_child_go(struct pev_child *c)
{
	if (write(c->go[1], "", 1) != 1)
		fprintf(stderr, "# the child is gone\n");
}

static UNUSED int64_t pev_child_hear(struct pev_child *c)
{
	int64_t value;

	if (read(c->said[0], &value, sizeof(value)) != sizeof(value))
		return INT64_MIN;
	return value;
}

/* The exit status, or 1000 and the signal. */
static UNUSED int pev_child_end(struct pev_child *c)
{
	int status = 0;

	close(c->go[1]);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return -1;
	close(c->said[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Of a task, as proc(5) has it; 'X': it is gone. */
static UNUSED char pev_state_of(pid_t tid)
{
	char path[64], text[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = '\0';
	close(fd);
	end = strrchr(text, ')');
	return end ? end[2] : 'X';
}

/* Until it sleeps in a call, or is gone. */
static UNUSED void pev_settled(pid_t tid)
{
	char state;

	do {
		pev_yield();
		state = pev_state_of(tid);
	} while (state != 'S' && state != 'X');
}

/* ---- rights ---- */

/* Become @uid, with no capability but @cap (-1: none). */
static UNUSED int pev_become(uid_t uid, int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { };

	if (setgroups(0, NULL) || prctl(PR_SET_KEEPCAPS, 1) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -1;
	if (cap >= 0) {
		data[cap / 32].effective = 1U << cap % 32;
		data[cap / 32].permitted = 1U << cap % 32;
	}
	if (syscall(SYS_capset, &head, data))
		return -1;
	/* changing the uid made it private, and let it outlive its parent */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -1;
	return prctl(PR_SET_DUMPABLE, 1);
}

/* ---- settings and CPUs ---- */

static UNUSED int pev_get_number(const char *path, int missing)
{
	FILE *f = fopen(path, "r");
	int value;

	if (!f)
		return missing;
	if (fscanf(f, "%d", &value) != 1)
		value = missing;
	fclose(f);
	return value;
}

static UNUSED int pev_put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = -errno;
	close(fd);
	return err;
}

static UNUSED int pev_put_number(const char *path, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return pev_put_text(path, text);
}

static UNUSED int pev_set_online(int cpu, int on)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return pev_put_number(path, on);
}

#define PEV_PARANOID	"/proc/sys/kernel/pev_paranoid"
#define PERF_PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* The stricter of the two settings counts. */
struct pev_levels {
	int	pev;
	int	perf;
};

static UNUSED int pev_paranoid(void)
{
	return pev_get_number(PEV_PARANOID, -100);
}

static UNUSED struct pev_levels pev_get_levels(void)
{
	return (struct pev_levels) { pev_paranoid(), pev_get_number(PERF_PARANOID, -100) };
}

static UNUSED int pev_set_levels(struct pev_levels levels)
{
	int err = pev_put_number(PEV_PARANOID, levels.pev);

	return err ? err : pev_put_number(PERF_PARANOID, levels.perf);
}

/* To @level exactly, whatever it was. */
static UNUSED int pev_set_paranoid(int level)
{
	return pev_set_levels((struct pev_levels) { level, level });
}

/* For FIXTURE_SETUP: the default level. The teardown gives *@before to pev_set_levels(). */
#define PEV_DEFAULT_LEVELS(before)                 \
	do {                                       \
		*(before) = pev_get_levels();      \
		ASSERT_EQ(0, pev_set_paranoid(2)); \
	} while (0)

/* CPUs that this thread may use, at most @max of their numbers in @cpus. */
static UNUSED int pev_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

/* ---- fds between processes ---- */

static UNUSED int pev_send_fd(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -1;
}

static UNUSED int pev_receive_fd(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

#endif
