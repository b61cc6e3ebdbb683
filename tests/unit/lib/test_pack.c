// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compressed traces: what is read of them is the same, a packet is decompressed when it is needed,
 * and no file that says otherwise does harm.
 */
#include <endian.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 12000
#define HEAD 16
#define ENTRY 72

static char trace[4096], plain[4096];

struct file {
	char path[4200];
	char *data;
	size_t len;
};

static struct file stream, ends, idx;

static void read_file(struct file *f, const char *name)
{
	FILE *in;

	snprintf(f->path, sizeof(f->path), "%s/%s", trace, name);
	in = fopen(f->path, "re");
	f->data = malloc(1 << 22);
	f->len = in && f->data ? fread(f->data, 1, 1 << 22, in) : 0;
	if (in)
		fclose(in);
}

static void restore(const struct file *f)
{
	write_bytes(f->path, f->data, f->len);
}

/* Everything is read; a warning says @what, NULL: there is none. */
static void is_whole(const char *name, const char *what)
{
	struct sample_reading r = sample_read(trace);

	check(r.events == EVENTS * SAMPLE_CPUS && !r.wrong && !r.damaged &&
		      (what ? strstr(r.warning, what) != NULL : !r.warnings),
	      "%s: %u events, %u wrong, \"%s\"", name, r.events, r.wrong, r.warning);
}

static void test_right(void)
{
	struct stat big, small;
	char path[4200];

	is_whole("a compressed trace", NULL);
	snprintf(path, sizeof(path), "%s/stream_0", plain);
	if (stat(path, &big) || stat(stream.path, &small))
		return;
	check(small.st_size * 2 < big.st_size,
	      "it is less than half as large: %lld of %lld", (long long)small.st_size,
	      (long long)big.st_size);
	unlink(ends.path);
	is_whole("the ends of packets are missing", NULL);
	unlink(idx.path);
	is_whole("... and the index", NULL);
	restore(&ends);
	is_whole("the index is missing", NULL);
	write_bytes(idx.path, idx.data, HEAD + 10 * ENTRY);
	is_whole("the recorder was killed", NULL);
	write_bytes(ends.path, ends.data, 5 * 8 + 3);
	is_whole("... before it wrote the ends", NULL);
	restore(&ends);
	restore(&idx);
}

/* How many packets were decompressed: the others are zeros */
static size_t count_ready(const struct pev_stream *s)
{
	size_t n = 0;
	uint32_t magic;

	for (size_t i = 0; i < s->nr_packets; i++) {
		memcpy(&magic, s->data + s->packets[i].offset, sizeof(magic));
		n += magic == PEV_PACKET_MAGIC;
	}
	return n;
}

static void test_middle(void)
{
	const struct pev_stream *s;
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_trace *t;
	size_t before;

	if (pev_trace_open(trace, 0, &t, NULL))
		return;
	s = pev_trace_stream(t, 0);
	before = count_ready(s);
	check(s->nr_packets > 200 && before <= 64, "opening it decompresses %zu packets of %zu",
	      before, s->nr_packets);
	pev_cursor_open(t, NULL, 0, &c);
	pev_cursor_seek(c, pev_meta_ns(s->meta, sample_time(0, EVENTS / 3)));
	check(pev_cursor_next(c, &ev) > 0 && sample_right(ev, EVENTS / 3),
	      "an event in the middle is right");
	check(count_ready(s) <= before + 1, "... which takes one packet: %zu",
	      count_ready(s) - before);
	check(pev_stream_packet(s, s->nr_packets - 2)->magic == PEV_PACKET_MAGIC &&
		      count_ready(s) <= before + 2 && !pev_stream_packet(s, s->nr_packets),
	      "a packet by its number");
	pev_cursor_close(c);
	pev_trace_close(t);
}

/* Frames elsewhere, of another size, beyond the file: everything is read nevertheless. */
static void test_lies(void)
{
	static const struct {
		const char *name;
		int64_t add;
	} lies[] = {
		{ "an end that is too early", -1 },
		{ "an end that is too late", 1 },
		{ "an end far outside", 1LL << 60 },
		{ "an end below zero", INT64_MIN },
	};
	char *bad = malloc(ends.len);

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct sample_reading r;
		uint64_t end;

		/* the first packet is looked at when the trace is opened */
		memcpy(bad, ends.data, ends.len);
		memcpy(&end, bad, sizeof(end));
		end = htobe64(be64toh(end) + (uint64_t)lies[i].add);
		memcpy(bad, &end, sizeof(end));
		write_bytes(ends.path, bad, ends.len);
		r = sample_read(trace);
		check(r.events == EVENTS * SAMPLE_CPUS && !r.wrong && !r.damaged,
		      "%s: %u events, %u wrong, \"%s\"", lies[i].name, r.events, r.wrong,
		      r.warning);
	}
	free(bad);
	restore(&ends);
	bad = malloc(idx.len);
	memcpy(bad, idx.data, idx.len);
	*(uint64_t *)(bad + HEAD + 8) = htobe64(1ULL << 40);
	write_bytes(idx.path, bad, idx.len);
	is_whole("a packet of any size", "its index is not used");
	free(bad);
	restore(&idx);
}

static void test_damaged(void)
{
	char *bad = malloc(stream.len);
	uint64_t second, third;
	struct sample_reading r;

	memcpy(bad, stream.data, stream.len);
	memcpy(&second, ends.data + 8, sizeof(second));
	memcpy(&third, ends.data + 16, sizeof(third));
	second = be64toh(second);
	third = be64toh(third);
	memset(bad + second + 20, 0xff, third - second - 20);
	write_bytes(stream.path, bad, stream.len);
	r = sample_read(trace);
	check(r.damaged == 1 && r.events < EVENTS * SAMPLE_CPUS &&
		      r.events > EVENTS * SAMPLE_CPUS - 100 &&
		      strstr(r.warning, "stream_0: packet 2 "),
	      "a packet that is damaged is left out: %u events, %s", r.events, r.warning);
	unlink(idx.path);
	memset(bad + second, 0xff, third - second);
	write_bytes(stream.path, bad, stream.len);
	r = sample_read(trace);
	check(r.damaged && r.events > EVENTS * SAMPLE_CPUS - 100 &&
		      strstr(r.warning, "no compressed packet begins here"),
	      "... without an index, too: %u events, %s", r.events, r.warning);
	write_bytes(stream.path, stream.data, third - 3);
	r = sample_read(trace);
	check(r.damaged == 1 && r.events > EVENTS * (SAMPLE_CPUS - 1) &&
		      strstr(r.warning, "the file ends in a compressed packet"),
	      "a file that was cut: %u events, %s", r.events, r.warning);
	/* a header that promises more than any packet has */
	memcpy(bad, "\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x0f\x03\x00\x00\x00", 17);
	write_bytes(stream.path, bad, 17);
	r = sample_read(trace);
	check(r.damaged == 1 && r.events == EVENTS * (SAMPLE_CPUS - 1),
	      "a packet of exabytes: %s", r.warning);
	restore(&stream);
	restore(&idx);
	free(bad);
	is_whole("afterwards", NULL);
}

/* What a full disk leaves ends with a whole packet. */
static void test_full(void)
{
	struct rlimit old, limit = { .rlim_cur = 5000 };
	char path[4200], file[4300];
	struct pev_writer *w;
	struct pev_trace *t, *copy;
	const struct pev_stream *s;
	struct stat st;
	size_t len, nr = 0;
	char *meta = sample_metadata(&len);
	int ret = 0;

	snprintf(path, sizeof(path), "%s.full", trace);
	snprintf(file, sizeof(file), "%s/stream_0.zst", path);
	if (pev_trace_open(plain, 0, &t, NULL) || pev_writer_open(path, 0, &w, NULL))
		return;
	s = pev_trace_stream(t, 0);
	check(!pev_writer_compress(w, 1) && pev_writer_compress(w, 1) == -EINVAL,
	      "it is said once that a trace is compressed");
	pev_writer_metadata(w, meta, len);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	while (!ret && nr < s->nr_packets) {
		ret = pev_writer_packets(w, 0, pev_stream_packet(s, nr), s->packets[nr].size);
		nr += !ret;
	}
	check(ret == -EFBIG && nr, "a write that fails is told, after %zu packets", nr);
	if (stat(file, &st))
		return;
	check((uint64_t)st.st_size == pev_writer_bytes(w) && st.st_size,
	      "the file has what counts as written: %lld bytes", (long long)st.st_size);
	check(pev_writer_close(w) == ret, "and at the close");
	setrlimit(RLIMIT_FSIZE, &old);
	check(!pev_trace_open(path, 0, &copy, NULL) && !pev_trace_nr_warnings(copy) &&
		      pev_trace_stream(copy, 0)->nr_packets == nr,
	      "what was written can be read");
	pev_trace_close(copy);
	pev_trace_close(t);
	free(meta);
}

static void test_both(void)
{
	char path[4200];
	struct sample_reading r;
	size_t len;
	char *text;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stream_0", plain);
	text = malloc(1 << 22);
	f = fopen(path, "re");
	len = fread(text, 1, 1 << 22, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/stream_0", trace);
	write_bytes(path, text, len);
	free(text);
	r = sample_read(trace);
	check(r.events == EVENTS * SAMPLE_CPUS && !r.wrong &&
		      strstr(r.warning, "the compressed stream is left out, as it is there plainly"),
	      "a stream that is there twice counts once: %s", r.warning);
	unlink(path);
}

static void test_others(void)
{
	struct pev_error err;
	struct pev_trace *t;

	if (!pev_trace_open(trace, PEV_TRACE_FOLLOW, &t, &err)) {
		check(pev_trace_nr_warnings(t) == SAMPLE_CPUS &&
			      strstr(pev_trace_warning(t, 0), "cannot be followed"),
		      "it cannot be followed: %s", pev_trace_warning(t, 0));
		pev_trace_close(t);
	}
	check(!pev_trace_remove(trace, &err) && access(trace, F_OK), "it is removed as others are");
}

int main(void)
{
	char *dir = test_dir();

	snprintf(trace, sizeof(trace), "%s/trace", dir);
	snprintf(plain, sizeof(plain), "%s/plain", dir);
	if (sample_packed(trace, EVENTS, 4096) || sample_trace(plain, EVENTS, 4096)) {
		check(false, "a trace");
		return 1;
	}
	read_file(&stream, "stream_0.zst");
	read_file(&ends, "index/stream_0.ends");
	read_file(&idx, "index/stream_0.idx");
	test_right();
	test_middle();
	test_lies();
	test_damaged();
	test_full();
	test_both();
	test_others();
	free(stream.data);
	free(ends.data);
	free(idx.data);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
