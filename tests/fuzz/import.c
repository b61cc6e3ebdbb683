// SPDX-License-Identifier: GPL-2.0
/* perfctl import: a perf.data of any content becomes a trace, or is refused. */
// FUZZ-SOURCES: tools/perfctl/import/*.c tools/perfctl/base/tempfile.c tools/perfctl/base/util.c tools/perfctl/base/text.c tools/perfctl/record/trace_dir.c tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/perfctl -iquote tools/lib/pev -Itools/lib/pev/include -Itools/lib/pev-sym/include -Iinclude/uapi
// FUZZ-LIBS: -lzstd -lm -lpthread -ldl
// FUZZ-SEEDS: tests/fuzz/seed_perf.py "$1"
#include "import/file.h"
#include "import/input.h"
#include "import/records.h"
#include "import/sort.h"
#include "import/write.h"
#include "base/say.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void note(const char *fmt, ...)
{
	(void)fmt;
}

void build_id_text(const struct build_id *id, char buf[41])
{
	(void)id;
	buf[0] = 0;
}

static char dir[64], trace[80], file[80];

static void clean(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%s/pev-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" :
										     "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	atexit(clean);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import im = { 0 };
	int fd = memfd_create("perf.data", 0), err;
	struct msg m;

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	im.path = file;
	err = import_input(&im, "-", &m);
	if (!err)
		err = import_open(&im, &m);
	if (!err) {
		err = import_write_open(&im, trace, "/dev/null", &m);
		if (!err)
			err = import_each(&im, import_queue_add, &m);
		if (!err)
			err = import_queue_end(&im, &m);
		import_write_close(&im, err, &m);
	}
	import_queue_free(&im);
	import_free(&im);
	close(fd);
	return 0;
}
