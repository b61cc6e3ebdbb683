// SPDX-License-Identifier: GPL-2.0
/* System calls whose arguments have names, for perfctl trace */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct timespec ts = { 0, 30000000 };
	char line[4096];
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_APPEND);

	open("/nowhere", O_WRONLY | O_CREAT | O_EXCL, 0640);
	lseek(fd, 17, SEEK_END);
	mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	close(-77);
	write(open("/dev/null", O_WRONLY),
	      "two\nlines \033[31m\0007 and so on, further than is shown", 51);
	read(open("/proc/sys/kernel/ostype", O_RDONLY), line, sizeof(line));
	if (!fork()) {
		char *argv[] = { "echo", "one two", NULL };

		execv("/nowhere/echo", argv);
		_exit(0);
	}
	wait(NULL);
	nanosleep(&ts, NULL);
	syscall(400000);
	return 7;
}
