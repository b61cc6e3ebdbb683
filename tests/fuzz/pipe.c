// SPDX-License-Identifier: GPL-2.0
/* What comes through a pipe as a recording, until it is one in a directory. */
// FUZZ-SOURCES: tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-LIBS: -lm -lpthread -ldl
// FUZZ-SEEDS: tests/fuzz/seed_pipe.py "$1"
#include <pev/pev.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char dir[64];

static void clean(void)
{
	if (rmdir(dir))
		perror(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%s/pev-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	atexit(clean);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[80];
	int fd = memfd_create("pipe", MFD_CLOEXEC);
	struct pev_pipe *pipe;
	struct pev_writer *w;
	struct pev_trace *trace;

	snprintf(path, sizeof(path), "%s/trace", dir);
	if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    pev_writer_open(path, 0, &w, NULL) || pev_pipe_open(fd, NULL, 0, w, &pipe))
		abort();
	while (pev_pipe_read(pipe, NULL) > 0)
		;
	pev_pipe_close(pipe);
	pev_writer_close(w);
	close(fd);
	if (!pev_trace_open(path, 0, &trace, NULL))
		pev_trace_close(trace);
	/* whatever came, nothing else is in it */
	if (pev_trace_remove(path, NULL))
		abort();
	return 0;
}
