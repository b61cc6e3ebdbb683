// SPDX-License-Identifier: GPL-2.0
/* System calls that are given structures, for perfctl trace */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(9) };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nowhere/at all" };
	struct sockaddr_un got, abstract = { .sun_family = AF_UNIX, .sun_path = "\0pev-trace" };
	socklen_t len = sizeof(got);
	struct timespec ts = { 0, 1000 };
	struct stat st;
	struct rlimit limit;
	struct sigaction act = { .sa_handler = SIG_IGN };
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV };
	struct clone_args child = { .flags = CLONE_FS, .exit_signal = SIGCHLD };
	struct statfs fs;
	siginfo_t info = { 0 };
	char hello[6] = "hello", big[20] = "!";
	struct iovec two[2] = { { hello, 5 }, { big, 1 } }, first = { big, 8 };
	struct msghdr message = { .msg_iov = &first, .msg_iovlen = 1 };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	fd_set in_set = { 0 }, out_set = { 0 };
	struct ifreq lo = { .ifr_name = "lo" };
	struct winsize size = { 24, 80 };
	struct termios tio;
	int ends[2], status, fd, pid;

	inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
	connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&in, sizeof(in));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	connect(fd, (struct sockaddr *)&un, sizeof(un));
	bind(fd, (struct sockaddr *)&abstract, 2 + 10);
	getsockname(fd, (struct sockaddr *)&got, &len);
	nanosleep(&ts, NULL);
	stat("/dev/null", &st);
	stat("/", &st);
	stat("/nowhere/at all", &st);
	if (pipe(ends) || write(ends[1], "x", 1) != 1)
		return 1;
	poll((struct pollfd[]){ { ends[0], POLLIN }, { ends[1], POLLIN } }, 2, -1);
	if (!fork())
		_exit(5);
	wait(&status);
	getrlimit(RLIMIT_CORE, &limit);
	sigaction(SIGUSR2, &act, NULL);
	syscall(SYS_openat2, AT_FDCWD, "/dev", &how, sizeof(how));
	statfs("/proc", &fs);
	pid = syscall(SYS_clone3, &child, sizeof(child));
	if (!pid)
		_exit(6);
	waitid(P_PID, pid, &info, WEXITED);
	info.si_code = SI_QUEUE;
	info.si_int = 5;
	syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info);
	if (writev(ends[1], two, 2) != 6)
		return 1;
	two[1].iov_len = sizeof(big);
	if (readv(ends[0], two, 2) != 7)
		return 1;
	FD_SET(ends[0], &in_set);
	FD_SET(ends[1], &out_set);
	select(ends[1] + 1, &in_set, &out_set, NULL, NULL);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || sendmsg(ends[0], &message, 0) != 8 ||
	    recvmsg(ends[1], &message, 0) != 8)
		return 1;
	message.msg_name = &abstract;
	message.msg_namelen = 2 + 10;
	message.msg_control = &control;
	message.msg_controllen = sizeof(control);
	*(int *)CMSG_DATA(&control.head) = 1;
	if (sendmsg(ends[0], &message, 0) != 8 && sendmsg(fd, &message, 0) != 8)
		return 1;
	message.msg_namelen = sizeof(abstract);
	if (recvmsg(fd, &message, 0) != 8)
		return 1;
	ioctl(fd, FS_IOC_GETFSLABEL, big);
	pid = 1;
	if (ioctl(fd, FIONREAD, &status) || ioctl(fd, FIONBIO, &pid) ||
	    ioctl(fd, SIOCGIFINDEX, &lo) || ioctl(fd, SIOCGIFFLAGS, &lo))
		return 1;
	fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	if (tcgetattr(fd, &tio) || ioctl(fd, TIOCSWINSZ, &size) || ioctl(fd, TIOCGWINSZ, &size))
		return 1;
	return 0;
}
