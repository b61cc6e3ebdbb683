// SPDX-License-Identifier: GPL-2.0
/* Files of others: they become shorter while they are mapped, and are no files. */
#include "tests.h"
#include "base/bus.h"
#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

static int why_not(const char *path, size_t most)
{
	char *text = file_read_regular(path, most, NULL);
	int err = text ? 0 : errno;

	free(text);
	return err;
}

static void strange(void)
{
	char dir[] = "/tmp/perfctl-strange.XXXXXX", path[64];
	int fd;

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/x", dir);
	IS_NUM(why_not("/dev/zero", 100), ENXIO, "a device is not read");
	IS_NUM(why_not(dir, 100), EISDIR, "... nor a directory");
	IS_NUM(why_not(path, 100), ENOENT, "nothing");
	mkfifo(path, 0600);
	IS_NUM(why_not(path, 100), ENXIO, "a FIFO is not waited at");
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, 100))
		abort();
	IS_NUM(why_not(path, 100), 0, "a file");
	IS_NUM(why_not(path, 99), EFBIG, "... and one that is too large");
	close(fd);
	unlink(path);
	rmdir(dir);
}

void test_bus(void)
{
	IS_NUM(read_cut(false, PROT_READ, MAP_PRIVATE), 65,
	       "a recording that is cut ends who reads it");
	IS_NUM(read_cut(true, PROT_READ, MAP_PRIVATE), 0,
	       "a program of others that is cut does not");
	IS_NUM(read_cut(true, PROT_READ | PROT_WRITE, MAP_PRIVATE), 0, "... as elfutils maps it");
	IS_NUM(read_cut(true, PROT_READ | PROT_WRITE, MAP_SHARED), 65,
	       "what others write into is not made up");
	strange();
}
