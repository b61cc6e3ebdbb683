// SPDX-License-Identifier: GPL-2.0
/*
 * What makes the kernel tell of processes more often than anything else does, until it is killed.
 *
 * usage: storm fork|exec|map
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(int exec)
{
	pid_t pid = vfork();

	if (!pid) {
		if (exec)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void map(int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at != MAP_FAILED)
		munmap(at, 4096);
}

int main(int argc, char **argv)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	while (argc == 2 && getppid() != 1) {
		if (!strcmp(argv[1], "map"))
			map(fd);
		else
			child(!strcmp(argv[1], "exec"));
	}
	return 2;
}
