// SPDX-License-Identifier: GPL-2.0
/* PEV_F_STRUCTS: structures that the arguments of system calls point to. */
#define _GNU_SOURCE
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_call.h"
#include "pev_child.h"
#include "pev_util.h"

#define FLAGS (PEV_F_TEXT | PEV_F_STRUCTS)

FIXTURE(structs) {
	struct pev_calls c;
};

FIXTURE_SETUP(structs)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ASSERT_TRUE(pev_calls_open(&self->c, FLAGS)) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(structs)
{
	pev_calls_close(&self->c);
}

/* Records of @nr: with even numbers those of beginnings, with odd ones those of ends. */
static int take(FIXTURE_DATA(structs) *self, long nr)
{
	static const int sizes[] = { PEV_WALK_TEXT(56 + PEV_WALK_KINDS, 6),
				     PEV_WALK_TEXT(16 + PEV_WALK_KINDS, 6) };

	pev_calls_off(&self->c);
	return pev_take_calls(&self->c.map, sizes, 2, nr, true, self->c.calls);
}

#define EXPECT_BYTES(call, arg, what, object, size)					\
	do {										\
		EXPECT_TRUE((call)->copied & 1 << (arg));				\
		EXPECT_EQ(what, (call)->kind[arg]);					\
		EXPECT_EQ(size, (call)->len[arg]);					\
		EXPECT_EQ(0, memcmp((call)->text[arg], object, size));			\
	} while (0)

#define EXPECT_OBJECT(call, arg, what, object)						\
	EXPECT_BYTES(call, arg, what, &(object), sizeof(object))

/* A socket with a name of the kernel's choice in the abstract namespace, and its address. */
static int named_socket(struct sockaddr_un *at, socklen_t *len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	*len = sizeof(*at);
	if (bind(fd, (struct sockaddr *)at, sizeof(at->sun_family)) ||
	    getsockname(fd, (struct sockaddr *)at, len)) {
		close(fd);
		return -1;
	}
	return fd;
}

TEST_F(structs, address_in)
{
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX, .sun_path = "/nowhere/at/all" };
	char many[4096] = { AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	pev_calls_on(&self->c);
	/* a call that fails has been told nevertheless */
	syscall(__NR_connect, fd, &nowhere, sizeof(nowhere));
	syscall(__NR_connect, fd, &nowhere, 5);
	syscall(__NR_connect, fd, &nowhere, 0);
	syscall(__NR_connect, fd, &nowhere, -1);
	syscall(__NR_connect, fd, many, sizeof(many));
	/* an int: what is above it in the register does not count */
	syscall(__NR_connect, fd, &nowhere, 1UL << 40 | sizeof(nowhere));
	syscall(__NR_connect, fd, 8L, sizeof(nowhere));
	syscall(__NR_connect, fd, NULL, sizeof(nowhere));
	ASSERT_EQ(16, take(self, __NR_connect));
	EXPECT_EQ(-ENOENT, (int)self->c.calls[1].words[0]);
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_SOCKADDR, nowhere);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(0, self->c.calls[1].copied);
	EXPECT_BYTES(&self->c.calls[2], 1, PEV_CALL_SOCKADDR, &nowhere, 5);
	EXPECT_EQ(0, self->c.calls[2].cut);
	EXPECT_EQ(0, self->c.calls[4].len[1]);
	EXPECT_EQ(0, self->c.calls[6].len[1]);
	EXPECT_BYTES(&self->c.calls[8], 1, PEV_CALL_SOCKADDR, many, 128);
	EXPECT_EQ(2, self->c.calls[8].cut);
	EXPECT_OBJECT(&self->c.calls[10], 1, PEV_CALL_SOCKADDR, nowhere);
	for (int i = 12; i < 16; i++)
		EXPECT_EQ(0, self->c.calls[i].copied);
	/* what it would be is known */
	EXPECT_EQ(PEV_CALL_SOCKADDR, self->c.calls[12].kind[1]);
	EXPECT_EQ(PEV_CALL_NOTHING, self->c.calls[12].kind[0]);
	close(fd);
}

TEST_F(structs, address_out)
{
	struct sockaddr_un at, got;
	socklen_t at_len, len = sizeof(got), room = sizeof(got), small = 4;
	int fd = named_socket(&at, &at_len);

	ASSERT_LE(0, fd);
	pev_calls_on(&self->c);
	syscall(__NR_getsockname, fd, &got, &len);
	syscall(__NR_getsockname, -1, &got, &len);
	syscall(__NR_getsockname, fd, &got, &small);
	ASSERT_EQ(6, take(self, __NR_getsockname));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_INT, room);
	EXPECT_EQ(1 << 2, self->c.calls[0].copied);
	EXPECT_BYTES(&self->c.calls[1], 1, PEV_CALL_SOCKADDR, &at, at_len);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_INT, at_len);
	EXPECT_EQ(0, self->c.calls[3].copied);
	/* the call says how long it would be */
	EXPECT_EQ(at_len, small);
	EXPECT_OBJECT(&self->c.calls[5], 2, PEV_CALL_INT, small);
	close(fd);
}

TEST_F(structs, accept_and_send)
{
	struct sockaddr_un at, own, peer;
	socklen_t at_len, own_len, len = sizeof(peer);
	char byte = 'x';
	int fd = named_socket(&at, &at_len), client = named_socket(&own, &own_len), server;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, client);
	ASSERT_EQ(0, listen(fd, 5));
	ASSERT_EQ(0, connect(client, (struct sockaddr *)&at, at_len));
	pev_calls_on(&self->c);
	server = syscall(__NR_accept4, fd, &peer, &len, 0);
	syscall(__NR_accept4, -1, NULL, NULL, 0);
	ASSERT_EQ(4, take(self, __NR_accept4));
	ASSERT_LE(0, server);
	EXPECT_BYTES(&self->c.calls[1], 1, PEV_CALL_SOCKADDR, &own, own_len);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_INT, len);
	EXPECT_EQ(0, self->c.calls[2].copied);
	pev_calls_on(&self->c);
	syscall(__NR_sendto, client, &byte, 1, 0, &at, at_len);
	ASSERT_EQ(2, take(self, __NR_sendto));
	EXPECT_BYTES(&self->c.calls[0], 1, PEV_CALL_BYTES, &byte, 1);
	EXPECT_BYTES(&self->c.calls[0], 4, PEV_CALL_SOCKADDR, &at, at_len);
	close(fd);
	close(client);
	close(server);
}

TEST_F(structs, times)
{
	struct timespec shortly = { 0, 1000 }, never = { 0, -1 }, now, left;
	struct itimerspec timer = { .it_value = { 1000, 7 } }, old;
	struct timeval tv = { 0, 1 };

	pev_calls_on(&self->c);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, &shortly, &left);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, &never, NULL);
	ASSERT_EQ(4, take(self, __NR_clock_nanosleep));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_TIMESPEC, shortly);
	EXPECT_EQ(1 << 2, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[1].copied);
	EXPECT_OBJECT(&self->c.calls[2], 2, PEV_CALL_TIMESPEC, never);
	EXPECT_EQ(-EINVAL, (int)self->c.calls[3].words[0]);

	pev_calls_on(&self->c);
	syscall(__NR_clock_gettime, CLOCK_MONOTONIC, &now);
	syscall(__NR_clock_gettime, 12345, &now);
	ASSERT_EQ(4, take(self, __NR_clock_gettime));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_TIMESPEC, now);
	EXPECT_EQ(0, self->c.calls[3].copied);

	pev_calls_on(&self->c);
	syscall(__NR_timerfd_settime, -1, 0, &timer, &old);
	ASSERT_EQ(2, take(self, __NR_timerfd_settime));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_ITIMERSPEC, timer);
	EXPECT_EQ(0, self->c.calls[1].copied);

	pev_calls_on(&self->c);
	syscall(__NR_gettimeofday, &tv, NULL);
	ASSERT_EQ(2, take(self, __NR_gettimeofday));
	EXPECT_OBJECT(&self->c.calls[1], 0, PEV_CALL_TIMEVAL, tv);
}

TEST_F(structs, files)
{
	struct stat st;
	struct statx stx;

	pev_calls_on(&self->c);
	syscall(__NR_newfstatat, AT_FDCWD, "/dev/null", &st, 0);
	syscall(__NR_newfstatat, AT_FDCWD, "/nowhere", &st, 0);
	ASSERT_EQ(4, take(self, __NR_newfstatat));
	EXPECT_EQ(0, self->c.calls[0].copied & 1 << 2);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_STAT, st);
	EXPECT_EQ(0, self->c.calls[3].copied);
	pev_calls_on(&self->c);
	syscall(__NR_statx, AT_FDCWD, "/", 0, STATX_BASIC_STATS, &stx);
	ASSERT_EQ(2, take(self, __NR_statx));
	EXPECT_OBJECT(&self->c.calls[1], 4, PEV_CALL_STATX, stx);
	EXPECT_EQ(0, self->c.calls[1].cut);
}

TEST_F(structs, descriptors)
{
	int ends[2], pair[2];

	pev_calls_on(&self->c);
	syscall(__NR_pipe2, ends, O_CLOEXEC);
	syscall(__NR_pipe2, pair, -1);
	ASSERT_EQ(4, take(self, __NR_pipe2));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 0, PEV_CALL_FDS, ends);
	EXPECT_EQ(0, self->c.calls[3].copied);
	pev_calls_on(&self->c);
	syscall(__NR_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	ASSERT_EQ(2, take(self, __NR_socketpair));
	EXPECT_OBJECT(&self->c.calls[1], 3, PEV_CALL_FDS, pair);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(pair[i]);
	}
}

TEST_F(structs, poll)
{
	struct pollfd asked[2], polled[2] = { { .fd = -1 }, { .fd = 1, .events = POLLOUT } };
	struct pollfd *many = calloc(200, sizeof(*many));
	struct timespec none = { 0, 0 };
	sigset_t signals;
	int ends[2];

	ASSERT_NE(NULL, many);
	ASSERT_EQ(0, pipe(ends));
	polled[1].fd = ends[1];
	memcpy(asked, polled, sizeof(asked));
	memset(&signals, 0, sizeof(signals));
	sigaddset(&signals, SIGUSR1);
	pev_calls_on(&self->c);
	syscall(__NR_ppoll, polled, 2, &none, &signals, 8);
	/* whole elements, as many as there is room for */
	syscall(__NR_ppoll, many, 200, &none, NULL, 8);
	syscall(__NR_ppoll, polled, -1, &none, NULL, 8);
	syscall(__NR_ppoll, polled, 0, &none, NULL, 8);
	ASSERT_EQ(8, take(self, __NR_ppoll));
	EXPECT_OBJECT(&self->c.calls[0], 0, PEV_CALL_POLLFD, asked);
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_TIMESPEC, none);
	EXPECT_BYTES(&self->c.calls[0], 3, PEV_CALL_SIGSET, &signals, 8);
	EXPECT_EQ(POLLOUT, polled[1].revents);
	EXPECT_OBJECT(&self->c.calls[1], 0, PEV_CALL_POLLFD, polled);
	EXPECT_EQ(PEV_CALL_TEXT, self->c.calls[2].len[0]);
	EXPECT_EQ(1, self->c.calls[2].cut);
	EXPECT_EQ(0, self->c.calls[4].len[0]);
	EXPECT_EQ(0, self->c.calls[6].len[0]);
	free(many);
	close(ends[0]);
	close(ends[1]);
}

TEST_F(structs, epoll)
{
	struct epoll_event in = { .events = EPOLLIN, .data.u64 = 0x123456789 }, out[4];
	int ends[2], fd = epoll_create1(0);

	ASSERT_EQ(0, pipe(ends));
	pev_calls_on(&self->c);
	syscall(__NR_epoll_ctl, fd, EPOLL_CTL_ADD, ends[0], &in);
	ASSERT_EQ(2, take(self, __NR_epoll_ctl));
	EXPECT_OBJECT(&self->c.calls[0], 3, PEV_CALL_EPOLL_EVENT, in);
	ASSERT_EQ(1, write(ends[1], "x", 1));
	pev_calls_on(&self->c);
	syscall(__NR_epoll_pwait, fd, out, 4, 0, NULL, 8);
	ASSERT_EQ(2, take(self, __NR_epoll_pwait));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_EPOLL_EVENT, out[0]);
	EXPECT_EQ(0x123456789, out[0].data.u64);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

TEST_F(structs, processes)
{
	struct rlimit limit, unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct rusage usage;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(7);
	pev_calls_on(&self->c);
	syscall(__NR_wait4, child, &status, 0, &usage);
	syscall(__NR_wait4, -1, &status, 0, &usage);
	ASSERT_EQ(4, take(self, __NR_wait4));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(7, WEXITSTATUS(status));
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_WAIT_STATUS, status);
	EXPECT_OBJECT(&self->c.calls[1], 3, PEV_CALL_RUSAGE, usage);
	EXPECT_EQ(0, self->c.calls[3].copied);
	pev_calls_on(&self->c);
	syscall(__NR_prlimit64, 0, RLIMIT_CORE, NULL, &limit);
	syscall(__NR_prlimit64, 0, 999, &unlimited, NULL);
	ASSERT_EQ(4, take(self, __NR_prlimit64));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 3, PEV_CALL_RLIMIT, limit);
	EXPECT_OBJECT(&self->c.calls[2], 2, PEV_CALL_RLIMIT, unlimited);
}

TEST_F(structs, signals)
{
	uint64_t set = 1 << (SIGUSR1 - 1), old = ~0ULL, action[4];

	pev_calls_on(&self->c);
	syscall(__NR_rt_sigprocmask, SIG_BLOCK, &set, &old, 8);
	ASSERT_EQ(2, take(self, __NR_rt_sigprocmask));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_SIGSET, set);
	EXPECT_EQ(1 << 1, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_SIGSET, old);
	pev_calls_on(&self->c);
	syscall(__NR_rt_sigaction, SIGUSR1, NULL, action, 8);
	ASSERT_EQ(2, take(self, __NR_rt_sigaction));
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_SIGACTION, action);
	syscall(__NR_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
}

/* What the caller says the size of is copied so far, and no farther than this kernel knows it. */
TEST_F(structs, sized)
{
	uint64_t how[16] = { O_RDONLY | O_CLOEXEC }, clone[16] = { 0 };

	pev_calls_on(&self->c);
	close(syscall(__NR_openat2, AT_FDCWD, "/", how, 24));
	syscall(__NR_openat2, AT_FDCWD, "/", how, 8);
	syscall(__NR_openat2, AT_FDCWD, "/", how, sizeof(how));
	syscall(__NR_openat2, AT_FDCWD, "/", how, -1L);
	ASSERT_EQ(8, take(self, __NR_openat2));
	EXPECT_BYTES(&self->c.calls[0], 2, PEV_CALL_OPEN_HOW, how, 24);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_BYTES(&self->c.calls[2], 2, PEV_CALL_OPEN_HOW, how, 8);
	EXPECT_BYTES(&self->c.calls[4], 2, PEV_CALL_OPEN_HOW, how, 24);
	EXPECT_EQ(1 << 2, self->c.calls[4].cut);
	EXPECT_BYTES(&self->c.calls[6], 2, PEV_CALL_OPEN_HOW, how, 24);
	pev_calls_on(&self->c);
	/* a signal that there is not: it is refused */
	clone[4] = 1000;
	syscall(__NR_clone3, clone, 64);
	ASSERT_EQ(2, take(self, __NR_clone3));
	EXPECT_BYTES(&self->c.calls[0], 0, PEV_CALL_CLONE_ARGS, clone, 64);
}

TEST_F(structs, file_systems_and_children)
{
	struct statfs fs;
	siginfo_t info;
	int child;

	pev_calls_on(&self->c);
	syscall(__NR_statfs, "/proc", &fs);
	ASSERT_EQ(2, take(self, __NR_statfs));
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_STATFS, fs);
	child = fork();
	if (!child)
		_exit(7);
	pev_calls_on(&self->c);
	ASSERT_EQ(0, syscall(__NR_waitid, P_PID, child, &info, WEXITED, NULL));
	ASSERT_EQ(2, take(self, __NR_waitid));
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_SIGINFO, info);
	EXPECT_EQ(7, info.si_status);
	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	info.si_int = 5;
	pev_calls_on(&self->c);
	/* signal 0 only asks */
	syscall(__NR_rt_sigqueueinfo, getpid(), 0, &info);
	ASSERT_EQ(2, take(self, __NR_rt_sigqueueinfo));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_SIGINFO, info);
}

/* PEV_CALL_BUFFERS of three buffers and five bytes in them. */
struct buffers3 {
	uint64_t n;
	struct iovec vec[3];
	char contents[5];
} __attribute__((packed));

/* Buffers come with what they hold: of a call that fills them, as much as it returned. */
TEST_F(structs, buffers)
{
	char a[3] = "abc", b[2] = "de", c[40] = "nothing was read here";
	struct iovec vec[3] = { { a, 3 }, { b, 2 }, { c, sizeof(c) } };
	struct buffers3 all = { 3, { vec[0], vec[1], { c, 0 } }, "abcde" };
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	vec[2].iov_len = 0;
	pev_calls_on(&self->c);
	ASSERT_EQ(5, syscall(__NR_writev, fds[1], vec, 3));
	ASSERT_EQ(2, take(self, __NR_writev));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_BUFFERS, all);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(0, self->c.calls[1].copied);

	all.vec[2].iov_len = vec[2].iov_len = sizeof(c);
	pev_calls_on(&self->c);
	ASSERT_EQ(5, syscall(__NR_readv, fds[0], vec, 3));
	ASSERT_EQ(2, take(self, __NR_readv));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_BUFFERS, all);
	EXPECT_EQ(0, self->c.calls[1].cut);

	/* a buffer that is not there, or the kernel's */
	vec[1].iov_base = (void *)-4096L;
	pev_calls_on(&self->c);
	EXPECT_EQ(-1, syscall(__NR_writev, -1, vec, 3));
	ASSERT_EQ(2, take(self, __NR_writev));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[0].len[1]);
	EXPECT_EQ(0, self->c.calls[1].copied);
	EXPECT_EQ(0, self->c.calls[1].len[1]);
	close(fds[0]);
	close(fds[1]);
}

/* More buffers, or bytes in them, than there is room for are cut. */
TEST_F(structs, buffers_cut)
{
	static char much[2048];
	struct iovec vec[100] = { { much, sizeof(much) } };
	struct {
		uint64_t n;
		struct iovec vec;
		char contents[PEV_CALL_TEXT - 8 - sizeof(struct iovec)];
	} one = { 1, { much, sizeof(much) } };

	memset(much, 'x', sizeof(much));
	memset(one.contents, 'x', sizeof(one.contents));
	pev_calls_on(&self->c);
	EXPECT_EQ(-1, syscall(__NR_writev, -1, vec, 1));
	EXPECT_EQ(-1, syscall(__NR_writev, -1, vec, 100));
	ASSERT_EQ(4, take(self, __NR_writev));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_BUFFERS, one);
	EXPECT_EQ(2, self->c.calls[0].cut);
	EXPECT_EQ(PEV_CALL_TEXT, self->c.calls[2].len[1]);
	EXPECT_EQ(2, self->c.calls[2].cut);
}

/* A message without a name and control data has its buffers behind it. */
struct message {
	struct msghdr head;
	uint32_t name_len, control_len;
	uint64_t n;
	struct iovec vec;
	char contents[4];
} __attribute__((packed));

/* It is copied when it is sent, and when it was received. */
TEST_F(structs, messages)
{
	char text[4] = "ping", got[16];
	struct iovec out = { text, sizeof(text) }, in = { got, sizeof(got) };
	struct message sent = {
		.head = { .msg_iov = &out, .msg_iovlen = 1 }, .n = 1, .vec = out, .contents = "ping"
	};
	struct message received = {
		.head = { .msg_iov = &in, .msg_iovlen = 1 }, .n = 1, .vec = in, .contents = "ping"
	};
	struct msghdr head = sent.head;
	int fds[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, fds));
	pev_calls_on(&self->c);
	ASSERT_EQ(4, syscall(__NR_sendmsg, fds[0], &head, 0));
	ASSERT_EQ(2, take(self, __NR_sendmsg));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_MSGHDR, sent);
	head = received.head;
	pev_calls_on(&self->c);
	ASSERT_EQ(4, syscall(__NR_recvmsg, fds[1], &head, 0));
	ASSERT_EQ(2, take(self, __NR_recvmsg));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_MSGHDR, received);
	close(fds[0]);
	close(fds[1]);
}

/* Where a message goes or comes from, and the descriptors in it. */
TEST_F(structs, message_parts)
{
	struct sockaddr_un at, from;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec vec = { "x", 1 };
	struct msghdr out = { .msg_name = &at,
			      .msg_iov = &vec,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct msghdr in = { .msg_name = &from,
			     .msg_namelen = sizeof(from),
			     .msg_iov = &vec,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control) };
	int server = socket(AF_UNIX, SOCK_DGRAM, 0), client = socket(AF_UNIX, SOCK_DGRAM, 0),
	    fd = 1;
	char byte;
	uint32_t lens[2];
	const char *text;

	at.sun_family = from.sun_family = AF_UNIX;
	ASSERT_EQ(0, bind(client, (struct sockaddr *)&from, sizeof(from.sun_family)));
	ASSERT_EQ(0, bind(server, (struct sockaddr *)&at, sizeof(at.sun_family)));
	out.msg_namelen = sizeof(at);
	ASSERT_EQ(0, getsockname(server, (struct sockaddr *)&at, &out.msg_namelen));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	pev_calls_on(&self->c);
	ASSERT_EQ(1, syscall(__NR_sendmsg, client, &out, 0));
	ASSERT_EQ(2, take(self, __NR_sendmsg));
	text = self->c.calls[0].text[1];
	memcpy(lens, text + sizeof(out), sizeof(lens));
	EXPECT_EQ(out.msg_namelen, lens[0]);
	EXPECT_EQ(sizeof(control), lens[1]);
	text += sizeof(out) + sizeof(lens);
	EXPECT_EQ(0, memcmp(text, &at, lens[0]));
	EXPECT_EQ(0, memcmp(text + lens[0], &control, lens[1]));
	EXPECT_EQ(sizeof(out) + 8 + lens[0] + lens[1] + 8 + sizeof(vec) + 1,
		  self->c.calls[0].len[1]);
	EXPECT_EQ(0, self->c.calls[0].cut);

	vec.iov_base = &byte;
	pev_calls_on(&self->c);
	ASSERT_EQ(1, syscall(__NR_recvmsg, server, &in, 0));
	ASSERT_EQ(2, take(self, __NR_recvmsg));
	text = self->c.calls[1].text[1];
	memcpy(lens, text + sizeof(in), sizeof(lens));
	EXPECT_EQ(in.msg_namelen, lens[0]);
	EXPECT_LT(2, lens[0]);
	EXPECT_EQ(in.msg_controllen, lens[1]);
	text += sizeof(in) + sizeof(lens);
	EXPECT_EQ(0, memcmp(text, &from, lens[0]));
	EXPECT_EQ(0, memcmp(text + lens[0], &control, lens[1]));
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	EXPECT_LT(1, fd);
	close(fd);
	close(server);
	close(client);
}

/* Lengths that no socket takes, and places where nothing is. */
TEST_F(structs, message_bounds)
{
	static char much[4096];
	struct iovec vec = { "x", 1 };
	struct msghdr head = { .msg_name = much,
			       .msg_namelen = sizeof(much),
			       .msg_iov = &vec,
			       .msg_iovlen = 1,
			       .msg_control = much,
			       .msg_controllen = -1UL };
	uint32_t lens[2];

	memset(much, 'x', sizeof(much));
	pev_calls_on(&self->c);
	syscall(__NR_sendmsg, -1, &head, 0);
	head.msg_namelen = -1;
	head.msg_controllen = 0;
	syscall(__NR_sendmsg, -1, &head, 0);
	head.msg_name = NULL;
	head.msg_namelen = 16;
	head.msg_control = NULL;
	head.msg_controllen = 16;
	syscall(__NR_sendmsg, -1, &head, 0);
	head.msg_control = (void *)-4096L;
	syscall(__NR_sendmsg, -1, &head, 0);
	head.msg_control = NULL;
	head.msg_name = (void *)8;
	syscall(__NR_sendmsg, -1, &head, 0);
	ASSERT_EQ(10, take(self, __NR_sendmsg));
	/* an address of 128 bytes, and half of what is left after that */
	memcpy(lens, self->c.calls[0].text[1] + sizeof(head), sizeof(lens));
	EXPECT_EQ(128, lens[0]);
	EXPECT_EQ((PEV_CALL_TEXT - sizeof(head) - 8 - 128) / 2, lens[1]);
	EXPECT_GE(PEV_CALL_TEXT, self->c.calls[0].len[1]);
	for (int i = 2; i < 6; i += 2) {
		memcpy(lens, self->c.calls[i].text[1] + sizeof(head), sizeof(lens));
		EXPECT_EQ(0, lens[0]);
		EXPECT_EQ(0, lens[1]);
		EXPECT_EQ(sizeof(struct message) - 3, self->c.calls[i].len[1]);
	}
	for (int i = 6; i < 10; i++) {
		EXPECT_EQ(0, self->c.calls[i].copied);
		EXPECT_EQ(0, self->c.calls[i].len[1]);
		EXPECT_EQ(PEV_CALL_MSGHDR, self->c.calls[i].kind[1]);
	}
}

#ifdef __x86_64__
/* A 32-bit call: 20 is getpid() there, and writev() here. */
static long call32(long nr)
{
	long ret;

	asm volatile("int $0x80"
		     : "=a"(ret)
		     : "a"(nr), "b"(-1L), "c"(0L), "d"(0L)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return ret;
}

static bool has_call32(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(call32(20) != getpid());
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Nothing is copied of it, and it says what it is; the next one is as ever. */
TEST_F(structs, compat)
{
	struct iovec vec = { "x", 1 };

	if (!has_call32())
		SKIP(return, "no 32-bit calls in this kernel");
	pev_calls_on(&self->c);
	call32(20);
	syscall(__NR_writev, -1, &vec, 1);
	ASSERT_EQ(4, take(self, 20));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, self->c.calls[i].copied);
		for (int arg = 0; arg < 6; arg++)
			EXPECT_EQ(PEV_CALL_COMPAT, self->c.calls[i].kind[arg]);
	}
	EXPECT_EQ(2, self->c.calls[2].copied);
	EXPECT_EQ(PEV_CALL_BUFFERS, self->c.calls[2].kind[1]);
}
#endif

/* select() looks at the bits below its first argument, and leaves those that are ready. */
TEST_F(structs, fd_sets)
{
	uint64_t in[16] = { ~0ULL, ~0ULL }, only, ready;
	struct timespec now = { 0, 0 };
	int fds[2], n;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_LT(fds[1], 63);
	ASSERT_EQ(1, write(fds[1], "x", 1));
	n = fds[0] + 1;
	only = 1ULL << fds[0];
	ready = only;
	in[0] = only | ~((1ULL << n) - 1);
	pev_calls_on(&self->c);
	ASSERT_EQ(1, syscall(__NR_pselect6, n, in, NULL, NULL, &now, NULL));
	in[0] = only;
	EXPECT_EQ(-1, syscall(__NR_pselect6, -1, in, NULL, NULL, &now, NULL));
	syscall(__NR_pselect6, INT_MAX, in, NULL, NULL, &now, NULL);
	ASSERT_EQ(6, take(self, __NR_pselect6));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_FD_SET, only);
	EXPECT_OBJECT(&self->c.calls[1], 1, PEV_CALL_FD_SET, ready);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(0, self->c.calls[2].len[1]);
	EXPECT_EQ(sizeof(in), self->c.calls[4].len[1]);
	EXPECT_EQ(2, self->c.calls[4].cut);
	close(fds[0]);
	close(fds[1]);
}

/* The records of a test's ioctl(): before and behind them are those that switch the events. */
static int take_ioctls(FIXTURE_DATA(structs) * self)
{
	int n = take(self, __NR_ioctl) - 4;

	if (n > 0)
		memmove(self->c.calls, self->c.calls + 2, n * sizeof(*self->c.calls));
	return n;
}

/* What an argument of ioctl() points to, the request says: by its parts, or it is known. */
TEST_F(structs, requests)
{
	unsigned long out = _IOC(_IOC_READ, 0xfe, 1, 8), in = _IOC(_IOC_WRITE, 0xfe, 1, 8);
	unsigned long both = _IOC(_IOC_READ | _IOC_WRITE, 0xfe, 1, 8);
	uint64_t it = 0x123456789;
	int fds[2], on = 1, there = -1;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(5, write(fds[1], "12345", 5));
	pev_calls_on(&self->c);
	ASSERT_EQ(0, syscall(__NR_ioctl, fds[0], FIONREAD, &there));
	/* an int: what is above it in the register does not count */
	ASSERT_EQ(0, syscall(__NR_ioctl, fds[0], 1UL << 40 | FIONBIO, &on));
	ASSERT_EQ(0, syscall(__NR_ioctl, fds[0], FIOCLEX, &on));
	/* what no driver has: calls that fail fill in nothing */
	syscall(__NR_ioctl, fds[0], out, &it);
	syscall(__NR_ioctl, fds[0], in, &it);
	syscall(__NR_ioctl, fds[0], both, &it);
	syscall(__NR_ioctl, fds[0], in, NULL);
	syscall(__NR_ioctl, fds[0], in, 8L);
	ASSERT_EQ(16, take_ioctls(self));
	EXPECT_EQ(5, there);
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_IOCTL, there);
	EXPECT_OBJECT(&self->c.calls[2], 2, PEV_CALL_IOCTL, on);
	for (int i = 3; i < 8; i++)
		EXPECT_EQ(0, self->c.calls[i].copied);
	EXPECT_OBJECT(&self->c.calls[8], 2, PEV_CALL_IOCTL, it);
	EXPECT_EQ(0, self->c.calls[8].cut);
	EXPECT_EQ(0, self->c.calls[9].copied);
	EXPECT_OBJECT(&self->c.calls[10], 2, PEV_CALL_IOCTL, it);
	for (int i = 11; i < 16; i++)
		EXPECT_EQ(0, self->c.calls[i].copied);
	EXPECT_EQ(PEV_CALL_IOCTL, self->c.calls[12].kind[2]);
	close(fds[0]);
	close(fds[1]);
}

/* The caller may say that it is longer than there is room, or than there is memory. */
TEST_F(structs, requests_cut)
{
	unsigned long longest = _IOC(_IOC_WRITE, 0xfe, 1, _IOC_SIZEMASK);
	long page = sysconf(_SC_PAGESIZE);
	char *p = pev_map_last_page(page);

	ASSERT_NE(MAP_FAILED, p);
	pev_calls_on(&self->c);
	syscall(__NR_ioctl, -1, longest, p);
	syscall(__NR_ioctl, -1, longest, p + page - PEV_CALL_TEXT);
	syscall(__NR_ioctl, -1, longest, p + page - PEV_CALL_TEXT + 1);
	syscall(__NR_ioctl, -1, longest, -4096L);
	ASSERT_EQ(8, take_ioctls(self));
	for (int i = 0; i < 4; i += 2) {
		EXPECT_BYTES(&self->c.calls[i], 2, PEV_CALL_IOCTL, p, PEV_CALL_TEXT);
		EXPECT_EQ(1 << 2, self->c.calls[i].cut);
	}
	for (int i = 4; i < 8; i++) {
		EXPECT_EQ(0, self->c.calls[i].copied);
		EXPECT_EQ(0, self->c.calls[i].cut);
	}
	munmap(p, page);
}

/* A number from before they had parts is known, and so are structures of interfaces. */
TEST_F(structs, requests_known)
{
	struct ifreq ifr = { .ifr_name = "lo" }, asked;
	struct winsize size = { 24, 80, 0, 0 }, got;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), ptm = open("/dev/ptmx", O_RDWR | O_NOCTTY);

	asked = ifr;
	pev_calls_on(&self->c);
	ASSERT_EQ(0, syscall(__NR_ioctl, fd, SIOCGIFINDEX, &ifr));
	ASSERT_EQ(2, take_ioctls(self));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_IOCTL, asked);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_IOCTL, ifr);
	EXPECT_EQ(1, ifr.ifr_ifindex);
	close(fd);
	if (ptm < 0)
		SKIP(return, "no terminals here");
	pev_calls_on(&self->c);
	ASSERT_EQ(0, syscall(__NR_ioctl, ptm, TIOCSWINSZ, &size));
	ASSERT_EQ(0, syscall(__NR_ioctl, ptm, TIOCGWINSZ, &got));
	ASSERT_EQ(4, take_ioctls(self));
	EXPECT_OBJECT(&self->c.calls[0], 2, PEV_CALL_IOCTL, size);
	EXPECT_EQ(0, self->c.calls[1].copied | self->c.calls[2].copied);
	EXPECT_OBJECT(&self->c.calls[3], 2, PEV_CALL_IOCTL, got);
	EXPECT_EQ(80, got.ws_col);
	close(ptm);
}

/* A structure longer than the limit is cut. */
TEST_F(structs, limit)
{
	struct utsname uts;
	char abc[] = "abc", de[] = "de";
	struct iovec vec[3] = { { abc, 3 }, { de, 2 }, { NULL, 0 } };
	struct buffers3 abcde = { 3, { vec[0], vec[1], vec[2] }, "abcde" };

	pev_calls_on(&self->c);
	syscall(__NR_uname, &uts);
	ASSERT_EQ(2, take(self, __NR_uname));
	EXPECT_BYTES(&self->c.calls[1], 0, PEV_CALL_UTSNAME, &uts, PEV_CALL_TEXT);
	EXPECT_EQ(1, self->c.calls[1].cut);
	pev_calls_on(&self->c);
	syscall(__NR_writev, -1, vec, 3);
	syscall(__NR_writev, -1, vec, -1L);
	ASSERT_EQ(4, take(self, __NR_writev));
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_BUFFERS, abcde);
	/* what lies behind is on the stack, or nowhere */
	EXPECT_TRUE(!(self->c.calls[2].copied & 2) || self->c.calls[2].cut & 2);
}

/* A structure that reaches into a page that is not there is left out as a whole. */
TEST_F(structs, half)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	memset(p, 0, page);
	munmap(p + page, page);
	pev_calls_on(&self->c);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, p + page - 8, NULL);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, p + page - 16, NULL);
	ASSERT_EQ(4, take(self, __NR_clock_nanosleep));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[1].copied);
	EXPECT_EQ(-EFAULT, (int)self->c.calls[1].words[0]);
	EXPECT_BYTES(&self->c.calls[2], 2, PEV_CALL_TIMESPEC, p, 16);
	munmap(p, page);
}

/* ... and looked for again when the call has brought it in. */
TEST_F(structs, not_resident)
{
	struct timespec shortly = { 0, 1000 };
	void *p = pev_map_absent(&shortly, sizeof(shortly));

	ASSERT_NE(MAP_FAILED, p);
	pev_calls_on(&self->c);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, p, NULL);
	ASSERT_EQ(2, take(self, __NR_clock_nanosleep));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_OBJECT(&self->c.calls[1], 2, PEV_CALL_TIMESPEC, shortly);
	munmap(p, 4096);
}

/* Texts are what they are without the flag, and say what they are. */
TEST_F(structs, texts)
{
	char path[] = "/nowhere", *argv[] = { "one", "two", NULL };
	char list[] = "one\0two";

	for (int i = 0; argv[i]; i++)
		ASSERT_LE(0, *(volatile char *)argv[i]);
	pev_calls_on(&self->c);
	syscall(__NR_execve, path, argv, NULL);
	ASSERT_EQ(2, take(self, __NR_execve));
	EXPECT_OBJECT(&self->c.calls[0], 0, PEV_CALL_STRING, path);
	EXPECT_OBJECT(&self->c.calls[0], 1, PEV_CALL_STRINGS, list);
	EXPECT_EQ(0, self->c.calls[1].copied);
}

TEST_F(structs, by_name)
{
	const int sizes[] = { 0, 0, PEV_WALK_TEXT(32 + PEV_WALK_KINDS, 1), 8 };
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX, .sun_path = "/nowhere/at/all" };
	int connect, ppid, fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char *metadata;

	connect = pev_open_call("syscalls:sys_enter_connect", NULL, FLAGS, self->c.channel, 0);
	ASSERT_LE(0, connect) TH_LOG("%s", pev_reason());
	/* a call that takes nothing has no kinds either */
	ppid = pev_open_call("syscalls:sys_enter_getppid", NULL, FLAGS, self->c.channel, 0);
	ASSERT_LE(0, ppid) TH_LOG("%s", pev_reason());
	pev_on(connect);
	pev_on(ppid);
	syscall(__NR_connect, fd, &nowhere, sizeof(nowhere));
	syscall(__NR_getppid);
	pev_off(connect);
	pev_off(ppid);
	EXPECT_EQ(1, pev_read(ppid).samples);
	ASSERT_EQ(1, pev_take_calls(&self->c.map, sizes, 4, __NR_connect, true, self->c.calls));
	EXPECT_EQ(PEV_CALL_SOCKADDR, self->c.calls[0].kind[1]);
	EXPECT_EQ(1 << 1, self->c.calls[0].copied);
	EXPECT_EQ(sizeof(nowhere), self->c.calls[0].len[0]);
	EXPECT_EQ(0, memcmp(self->c.calls[0].text[0], &nowhere, sizeof(nowhere)));
	metadata = pev_read_text(self->c.channel);
	ASSERT_NE(NULL, metadata);
	EXPECT_NE(NULL, strstr(metadata, " sockaddr = 4, "));
	EXPECT_NE(NULL, strstr(metadata, "} text_kind[6];"));
	EXPECT_NE(NULL, strstr(metadata, "text_t uservaddr_text[uservaddr_text_len];"));
	free(metadata);
	close(connect);
	close(ppid);
	close(fd);
}

TEST_F(structs, refused)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_STRUCTS,
		.name = (uintptr_t)PEV_CALL_ENTER,
		.channel_fd = self->c.channel,
		.group_fd = -1,
		.period = 1,
	};

	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, flags), pev_why.head.field);
	attr.type = PEV_TYPE_SOFTWARE;
	attr.name = 0;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	attr.flags |= PEV_F_TEXT;
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_EQ(-EOPNOTSUPP,
		  pev_open_call("sched:sched_switch", NULL, FLAGS, self->c.channel, 0));
	EXPECT_EQ(-EINVAL, pev_open_call(PEV_CALL_ENTER, NULL, FLAGS, self->c.channel,
					 PEV_MAX_CALL_TEXT + 1));
}

TEST_HARNESS_MAIN
