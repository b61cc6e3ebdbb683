// SPDX-License-Identifier: GPL-2.0
/*
 * A recording of any content, from libpev's door to the fields of each event.
 *
 * The first byte is even: two bytes are the length of the metadata, which follow, and then
 * comes a stream. Odd: all others are a stream of the tests' metadata; its first packet is
 * given the right uuid, so that what follows is reached. With its second bit, two bytes are the
 * length of an index, which follows, before the stream. With its third bit, two bytes are the length
 * of the ends of compressed packets, and the stream is a compressed one.
 */
// FUZZ-SOURCES: tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev -iquote tests/lib -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-LIBS: -lm -lpthread -ldl -Wl,--wrap=meta_parse_more,--wrap=pev_meta_free
// FUZZ-SEEDS: tests/fuzz/seed_recording.py "$1"
// FUZZ-RUNS: 10000
#include <pev/pev.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ctf/meta.h"
#include "event_sum.h"

#define MOST_EVENTS 500

static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
static char dir[64], known[65536];
static size_t known_len;
static int metadata, stream;
static char index_path[100], ends_path[100], plain_path[100], packed_path[100];
static bool is_packed;

/* ---- The tests' metadata, which most inputs have, are parsed once and lent ---- */

static struct pev_meta *lent;

int __real_meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
			   struct pev_error *err);
void __real_pev_meta_free(struct pev_meta *meta);
int __wrap_meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
			   struct pev_error *err);
int __wrap_meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
			   struct pev_error *err)
{
	if (meta->first_index || len != known_len || memcmp(text, known, len))
		return __real_meta_parse_more(meta, text, len, err);
	if (!lent) {
		lent = meta_new();
		if (!lent || __real_meta_parse_more(lent, text, len, err))
			abort();
	}
	*meta = *lent;
	return 0;
}

void __wrap_pev_meta_free(struct pev_meta *meta);
void __wrap_pev_meta_free(struct pev_meta *meta)
{
	if (meta && lent && meta->text == lent->text)
		free(meta);
	else
		__real_pev_meta_free(meta);
}

/* ---- The files ---- */

static void clean(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(dir);
}

static int create(const char *name)
{
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *f = fopen("tests/unit/lib/metadata.tsdl", "re");

	(void)argc;
	(void)argv;
	known_len = f ? fread(known, 1, sizeof(known), f) : 0;
	snprintf(dir, sizeof(dir), "%s/pev-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!known_len || !mkdtemp(dir))
		abort();
	fclose(f);
	atexit(clean);
	snprintf(index_path, sizeof(index_path), "%s/index", dir);
	if (mkdir(index_path, 0700))
		abort();
	snprintf(index_path, sizeof(index_path), "%s/index/stream_0.idx", dir);
	snprintf(ends_path, sizeof(ends_path), "%s/index/stream_0.ends", dir);
	snprintf(plain_path, sizeof(plain_path), "%s/stream_0", dir);
	snprintf(packed_path, sizeof(packed_path), "%s/stream_0.zst", dir);
	setenv("TMPDIR", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", 1);
	metadata = create("metadata");
	stream = create("stream_0");
	return 0;
}

static void put(int fd, const void *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

/* Returns the length of what comes next, and passes over that. */
static size_t take_length(const uint8_t **data, size_t *size)
{
	size_t len;

	if (*size <= 2)
		return 0;
	len = (size_t)((*data)[0] | (*data)[1] << 8);
	*data += 2;
	*size -= 2;
	return len < *size ? len : *size;
}

static void put_new(const char *name, const uint8_t *data, size_t len)
{
	int fd = create(name);

	put(fd, data, len);
	close(fd);
}

/*
 * Packets of a megabyte take as long as a thousand inputs, and are read as small ones are. Those of
 * four gigabytes and more stay what they are: they are refused.
 */
static void put_index(const uint8_t *data, size_t len, bool packed)
{
	static uint8_t index[1 << 16];

	memcpy(index, data, len);
	/* a head of 16 bytes, and 72 for a packet, which begin with its place and its size in bits */
	for (size_t at = 16; packed && at + 72 <= len; at += 72) {
		index[at + 4] = 0;
		index[at + 5] &= 1;
		index[at + 12] = 0;
		index[at + 13] &= 15;
	}
	put_new("index/stream_0.idx", index, len);
}

static void put_recording(const uint8_t *data, size_t size)
{
	bool own = !(data[0] & 1), indexed = data[0] & 2, packed = data[0] & 4;
	size_t len;

	data++;
	size--;
	len = own ? take_length(&data, &size) : 0;
	put(metadata, own ? (const void *)data : known, own ? len : known_len);
	data += len;
	size -= len;
	unlink(index_path);
	if (indexed) {
		len = take_length(&data, &size);
		put_index(data, len, packed);
		data += len;
		size -= len;
	}
	unlink(ends_path);
	if (packed) {
		len = take_length(&data, &size);
		put_new("index/stream_0.ends", data, len);
		data += len;
		size -= len;
	}
	if (packed != is_packed &&
	    rename(is_packed ? packed_path : plain_path, packed ? packed_path : plain_path))
		abort();
	is_packed = packed;
	put(stream, data, size);
	if (!own && !packed && size >= 20 && pwrite(stream, uuid, sizeof(uuid), 4) != sizeof(uuid))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile uint64_t sum;
	struct pev_cursor *cursor;
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_error err;
	int64_t middle;
	bool *early;

	if (!size)
		return 0;
	put_recording(data, size);
	if (pev_trace_open(dir, 0, &trace, &err))
		return 0;
	sum = (uint64_t)pev_trace_begin_ns(trace) + (uint64_t)pev_trace_end_ns(trace) +
	      pev_trace_lost(trace);
	if (!pev_cursor_open(trace, NULL, 0, &cursor)) {
		for (int i = 0; i < MOST_EVENTS && pev_cursor_next(cursor, &ev) > 0; i++)
			sum += event_sum(ev);
		middle = pev_trace_begin_ns(trace) / 2 + pev_trace_end_ns(trace) / 2;
		if (!pev_cursor_seek(cursor, middle) && pev_cursor_next(cursor, &ev) > 0)
			sum += event_sum(ev);
		early = calloc(pev_trace_nr_classes(trace) + 1, sizeof(*early));
		if (early && !pev_trace_find(trace, middle) &&
		    !pev_cursor_seek_early(cursor, INT64_MIN, early, middle))
			for (int i = 0; i < MOST_EVENTS && pev_cursor_next(cursor, &ev) > 0; i++)
				sum += event_sum(ev);
		free(early);
		pev_cursor_close(cursor);
	}
	for (unsigned int i = 0; i < pev_trace_nr_warnings(trace); i++)
		sum += strlen(pev_trace_warning(trace, i));
	pev_trace_close(trace);
	return 0;
}
