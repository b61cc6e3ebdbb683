// SPDX-License-Identifier: GPL-2.0
/* Files that become shorter while they are mapped. */
#include "tests.h"
#include "base/bus.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 65536

/* Returns how a program ends that reads a file which is empty by then. */
static int read_cut(bool survive, int protection, int flags)
{
	char name[] = "/tmp/perfctl-bus.XXXXXX";
	int fd = mkstemp(name), status;
	volatile char *data;
	pid_t pid;

	if (fd < 0 || ftruncate(fd, SIZE))
		return -1;
	pid = fork();
	if (!pid) {
		bus_explain();
		if (survive)
			bus_survive();
		data = mmap(NULL, SIZE, protection, flags, fd, 0);
		if (data == MAP_FAILED || data[SIZE - 1] || ftruncate(fd, 0))
			_exit(1);
		if (protection & PROT_WRITE)
			data[0] = 1;
		_exit(data[SIZE - 1] || data[SIZE / 2]);
	}
	waitpid(pid, &status, 0);
	close(fd);
	unlink(name);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void test_bus(void)
{
	IS_NUM(read_cut(false, PROT_READ, MAP_PRIVATE), 65, "a recording that is cut ends who reads it");
	IS_NUM(read_cut(true, PROT_READ, MAP_PRIVATE), 0, "a program of others that is cut does not");
	IS_NUM(read_cut(true, PROT_READ | PROT_WRITE, MAP_PRIVATE), 0, "... as elfutils maps it");
	IS_NUM(read_cut(true, PROT_READ | PROT_WRITE, MAP_SHARED), 65,
	       "what others write into is not made up");
}
