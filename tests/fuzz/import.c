// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl import: a perf.data of any content becomes a trace, or is refused. The trace is
 * written nowhere, which would take ten times as long as the rest, but every packet of it
 * is read: what we write we must understand.
 */
// FUZZ-SOURCES: tools/perfctl/import/*.c tools/perfctl/base/tempfile.c tools/perfctl/cli/term.c tools/perfctl/base/util.c tools/perfctl/base/text.c tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/perfctl -iquote tools/lib/pev -Itools/lib/pev/include -Itools/lib/pev-sym/include -Iinclude/uapi -fsanitize-coverage-ignorelist=tests/fuzz/import.ignore
// FUZZ-LIBS: -lzstd -lm -lpthread -ldl -Wl,--wrap=pev_writer_metadata,--wrap=pev_writer_info,--wrap=pev_writer_info_file,--wrap=pev_writer_packets,--wrap=pev_writer_lost,--wrap=pev_writer_close,--wrap=pev_meta_parse,--wrap=pev_meta_free,--wrap=getrandom
// FUZZ-SEEDS: tests/fuzz/seed_perf.py "$1"
// FUZZ-ARGS: -detect_leaks=0
// FUZZ-RUNS: 15000
#include "import/file.h"
#include "import/input.h"
#include "import/records.h"
#include "import/sort.h"
#include "import/write.h"
#include "base/say.h"
#include "record/trace_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* ---- A trace that is written nowhere ---- */

/* Metadata that inputs had before, and the one that the writer has now */
static struct known {
	struct pev_meta *meta;
	struct pev_decoder *decoder;
} known[1024], *now;

int trace_dir_open(struct trace_dir *d, const char *path, struct pev_writer **w, struct msg *m)
{
	(void)path;
	(void)m;
	*d = (struct trace_dir){ 0 };
	*w = (struct pev_writer *)&known;
	return 0;
}

void trace_dir_discard(struct trace_dir *d)
{
	(void)d;
}

void trace_dir_free(struct trace_dir *d)
{
	(void)d;
}

int __wrap_pev_writer_metadata(struct pev_writer *w, const char *text, size_t len);
int __wrap_pev_writer_metadata(struct pev_writer *w, const char *text, size_t len)
{
	(void)w;
	return len && !text[len - 1] ? -EINVAL : 0;
}

int __wrap_pev_writer_info(struct pev_writer *w, const char *key, const char *value);
int __wrap_pev_writer_info(struct pev_writer *w, const char *key, const char *value)
{
	(void)w;
	return *key && strlen(value) == SIZE_MAX ? -EINVAL : 0;
}

int __wrap_pev_writer_info_file(void);
int __wrap_pev_writer_info_file(void)
{
	return 0;
}

int __wrap_pev_writer_packets(struct pev_writer *w, unsigned int ring, const void *data,
			      size_t len);
int __wrap_pev_writer_packets(struct pev_writer *w, unsigned int ring, const void *data,
			      size_t len)
{
	const struct pev_event *ev;
	int ret;

	(void)w;
	(void)ring;
	ret = pev_decoder_packet(now->decoder, now->meta, data, len);
	while (!ret && (ret = pev_decoder_next(now->decoder, &ev)) > 0)
		ret = 0;
	if (ret)
		abort();
	return 0;
}

int __wrap_pev_writer_lost(void);
int __wrap_pev_writer_lost(void)
{
	return 0;
}

int __wrap_pev_writer_close(struct pev_writer *w);
int __wrap_pev_writer_close(struct pev_writer *w)
{
	(void)w;
	return 0;
}

/* The identity of a trace is in its metadata, and would make each text another. */
ssize_t __wrap_getrandom(void *to, size_t len);
ssize_t __wrap_getrandom(void *to, size_t len)
{
	memset(to, 0x5a, len);
	return (ssize_t)len;
}

/* Many inputs have the metadata of one before: parsing these is another target's work. */
int __real_pev_meta_parse(const char *text, size_t len, unsigned int flags, struct pev_meta **m,
			  struct pev_error *err);
void __real_pev_meta_free(struct pev_meta *m);

static struct known *place_of(const char *text, size_t len)
{
	uint64_t hash = len, word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return &known[hash % ARRAY_SIZE(known)];
}

int __wrap_pev_meta_parse(const char *text, size_t len, unsigned int flags, struct pev_meta **m,
			  struct pev_error *err);
int __wrap_pev_meta_parse(const char *text, size_t len, unsigned int flags, struct pev_meta **m,
			  struct pev_error *err)
{
	struct known *k = place_of(text, len);
	size_t before_len = 0;
	const char *before = k->meta ? pev_meta_text(k->meta, &before_len) : NULL;

	if (!before || len != before_len || memcmp(before, text, len)) {
		pev_decoder_free(k->decoder);
		__real_pev_meta_free(k->meta);
		/* it is our own text */
		if (__real_pev_meta_parse(text, len, flags, &k->meta, err) ||
		    pev_decoder_new(0, &k->decoder))
			abort();
	}
	now = k;
	*m = k->meta;
	return 0;
}

void __wrap_pev_meta_free(struct pev_meta *m);
void __wrap_pev_meta_free(struct pev_meta *m)
{
	(void)m;
}

/* ---- One file ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* times in the metadata follow from it */
	static const struct timespec written[2] = { { 1700000000, 0 }, { 1700000000, 0 } };
	static char path[32];
	static int fd = -1;
	struct import im = { 0 };
	struct msg m;
	int err;

	if (fd < 0) {
		fd = memfd_create("perf.data", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    futimens(fd, written))
		abort();
	im.path = path;
	err = import_input(&im, "-", &m);
	if (!err)
		err = import_open(&im, &m);
	if (!err) {
		err = import_write_open(&im, "/nowhere", "/dev/null", &m);
		if (!err)
			err = import_each(&im, import_queue_add, &m);
		if (!err)
			err = import_queue_end(&im, &m);
		import_write_close(&im, err, &m);
	}
	import_queue_free(&im);
	import_free(&im);
	return 0;
}
