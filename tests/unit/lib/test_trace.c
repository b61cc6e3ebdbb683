// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the writer writes is what the reader reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sample.h"
#include "tap.h"

#define EVENTS	600

static char path[4096];

static struct pev_trace *open_trace(const char *name)
{
	struct pev_trace *trace;
	struct pev_error err;

	if (pev_trace_open(name, 0, &trace, &err)) {
		check(false, "open %s: %s", name, err.text);
		exit(1);
	}
	return trace;
}

static void test_round_trip(const char *dir)
{
	const struct pev_event *ev;
	unsigned int seen[SAMPLE_CPUS] = { 0 }, wrong = 0, total = 0, order = 0;
	struct pev_cursor *c;
	struct pev_trace *trace;
	uint64_t last = 0;

	snprintf(path, sizeof(path), "%s/trace", dir);
	check(!sample_trace(path, EVENTS, 4096), "a trace is written");
	trace = open_trace(path);
	check(pev_trace_nr_streams(trace) == SAMPLE_CPUS && !pev_trace_nr_warnings(trace) &&
	      pev_trace_stream(trace, 0)->nr_packets > 3, "it opens without a warning");
	pev_cursor_open(trace, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		order += ev->time < last;
		last = ev->time;
		if (!sample_right(ev, seen[ev->cpu])) {
			if (!wrong)
				printf("# event %u of cpu %u is wrong\n", seen[ev->cpu], ev->cpu);
			wrong++;
		}
		seen[ev->cpu]++;
		total++;
	}
	pev_cursor_close(c);
	check(total == EVENTS * SAMPLE_CPUS, "%u events come back", total);
	check(!wrong, "all with their values: %u wrong", wrong);
	check(!order, "merged in order of time");
	check(!pev_trace_damaged(trace) && !pev_trace_nr_warnings(trace),
	      "nothing is called damaged");
	pev_trace_close(trace);
}

static void test_streams(void)
{
	struct pev_trace *trace = open_trace(path);
	const struct pev_event *ev;
	struct pev_cursor *c;
	unsigned int i = 0, wrong = 0;

	pev_cursor_open(trace, pev_trace_stream(trace, 1), 0, &c);
	while (pev_cursor_next(c, &ev) > 0)
		wrong += ev->cpu != 1 || !sample_right(ev, i++);
	pev_cursor_close(c);
	check(i == EVENTS && !wrong, "one stream alone");
	pev_trace_close(trace);
}

static void test_decoder(void)
{
	struct pev_trace *trace = open_trace(path);
	const struct pev_stream *s = pev_trace_stream(trace, 2);
	const struct pev_event *ev;
	struct pev_decoder *dec;
	unsigned int i = 0, wrong = 0;
	uint64_t time = 0;
	size_t from = 0;

	check(!pev_decoder_new(0, &dec) && !pev_decoder_next(dec, &ev), "a decoder without a packet");
	for (size_t nr = 0; nr < s->nr_packets; nr++) {
		pev_decoder_packet(dec, s->meta, s->data + s->packets[nr].offset,
				   s->packets[nr].size);
		while (pev_decoder_next(dec, &ev) > 0)
			wrong += !sample_right(ev, i++);
	}
	check(i == EVENTS && !wrong, "packet by packet");
	/* an open packet, a record more at each call */
	for (i = wrong = 0; i < 5; i++) {
		pev_decoder_partial(dec, s->meta, s->data, s->packets[0].content, from, time);
		wrong += pev_decoder_next(dec, &ev) != 1 || !sample_right(ev, i);
		from = pev_decoder_offset(dec);
		time = ev->time;
	}
	check(!wrong, "an open packet is read piece by piece");
	check(pev_decoder_packet(dec, s->meta, s->data, s->packets[0].size - 1) == -EBADMSG &&
	      pev_decoder_packet(dec, s->meta, s->data + 8, 4096) == -EBADMSG &&
	      pev_decoder_packet(dec, s->meta, s->data, 16) == -EBADMSG,
	      "what is not a packet is refused");
	pev_decoder_free(dec);
	check(pev_decoder_new(1, &dec) == -EINVAL && !dec, "a decoder has no flags yet");
	pev_trace_close(trace);
}

/* Every sixth event of the sample has the same class. */
struct scan {
	unsigned int next;
	unsigned int wrong;
	unsigned int stop;
};

static int scanned(void *arg, const struct pev_event *ev)
{
	struct scan *s = arg;

	s->wrong += !sample_right(ev, s->next);
	s->next += 6;
	return s->next == s->stop ? 7 : 0;
}

static void test_scan(void)
{
	struct pev_trace *trace = open_trace(path);
	const struct pev_stream *s = pev_trace_stream(trace, 1);
	unsigned int nr = pev_trace_nr_classes(trace), wrong = 0;
	bool *wanted = calloc(nr, sizeof(*wanted));
	struct scan scan;

	for (unsigned int i = 0; i < 6; i++) {
		for (unsigned int c = 0; c < nr; c++)
			wanted[c] = !strcmp(pev_trace_class(trace, c)->name, sample_name(i));
		scan = (struct scan){ .next = i };
		wrong += pev_stream_scan(s, 0, 2, wanted, scanned, &scan) != 0 ||
			 pev_stream_scan(s, 2, SIZE_MAX, wanted, scanned, &scan) != 0;
		wrong += scan.wrong || scan.next < EVENTS;
	}
	check(!wrong && s->nr_packets > 2, "each class alone");
	scan = (struct scan){ .next = 5, .stop = 5 + 6 * 3 };
	check(pev_stream_scan(s, 0, s->nr_packets, wanted, scanned, &scan) == 7 &&
	      scan.next == scan.stop, "a scan ends when it is told to");
	scan = (struct scan){ 0 };
	check(!pev_stream_scan(s, s->nr_packets, SIZE_MAX, wanted, scanned, &scan) &&
	      !pev_stream_scan(s, 3, 3, wanted, scanned, &scan) && !scan.next,
	      "no packets, no events");
	free(wanted);
	pev_trace_close(trace);
}

static void test_seek(void)
{
	struct pev_trace *trace = open_trace(path);
	const struct pev_meta *meta = pev_trace_meta(trace, 0);
	const struct pev_event *ev;
	struct pev_cursor *c;
	unsigned int wrong = 0;

	pev_cursor_open(trace, NULL, 0, &c);
	for (unsigned int i = 0; i < EVENTS; i += 7) {
		int64_t ns = pev_meta_ns(meta, sample_time(1, i));

		pev_cursor_seek(c, ns);
		wrong += pev_cursor_next(c, &ev) != 1 || pev_event_ns(ev) < ns ||
			 pev_event_ns(ev) > ns + 10;
	}
	check(!wrong, "seek finds the first event at a time");
	pev_cursor_seek(c, INT64_MIN);
	check(pev_cursor_next(c, &ev) == 1 && ev->cpu == 0 && sample_right(ev, 0),
	      "seek to the start");
	pev_cursor_seek(c, pev_trace_end_ns(trace) + 1);
	check(pev_cursor_next(c, &ev) == 0, "seek behind the end");
	pev_cursor_seek(c, INT64_MAX);
	check(pev_cursor_next(c, &ev) == 0 && pev_cursor_next(c, &ev) == 0,
	      "seek far behind the end");
	pev_cursor_close(c);
	check(pev_trace_begin_ns(trace) == pev_meta_ns(meta, sample_time(0, 0)) &&
	      pev_trace_end_ns(trace) == pev_meta_ns(meta, sample_time(2, EVENTS - 1)),
	      "begin and end of the trace");
	pev_trace_close(trace);
}

static void test_time(void)
{
	struct pev_trace *trace = open_trace(path);
	const struct pev_meta *meta = pev_trace_meta(trace, 0);
	uint64_t ticks = SAMPLE_BEGIN;

	/* (2^40 + 123) ticks of 0.4 ns */
	check(pev_meta_ns(meta, ticks) == 1700000000000000000 + (int64_t)((ticks + 123) * 2 / 5),
	      "ticks to ns since the epoch");
	check(pev_meta_ticks(meta, 1700000000000000000 + 2) == 0 &&
	      pev_meta_ticks(meta, 1700000000000000000 + 1000) == 2500 - 123,
	      "ns to ticks");
	check(!strcmp(pev_meta_clock(meta)->name, "cycles") &&
	      pev_meta_clock(meta)->freq == 2500000000, "the clock is described");
	pev_trace_close(trace);
}

static void test_info(const char *dir)
{
	struct pev_writer *w;
	struct pev_trace *trace;
	char *meta, *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/info", dir);
	meta = sample_metadata(&len);
	check(!pev_writer_open(path, 0, &w, NULL), "a trace with info");
	check(!pev_writer_metadata(w, meta, 1000) && !pev_writer_metadata(w, meta, len) &&
	      !pev_writer_metadata(w, meta, len), "metadata that grows");
	check(!pev_writer_info(w, "command", "a=b\nnext \\ line") &&
	      !pev_writer_info(w, "tool", "one") && !pev_writer_info(w, "tool", "two") &&
	      pev_writer_info(w, "a=b", "") == -EINVAL, "values are written");
	check(!pev_writer_info_file(w, "notes", "some text", 9) &&
	      pev_writer_info_file(w, "../x", "", 0) == -EINVAL, "a file is written");
	check(!pev_writer_system(w, PEV_SYSTEM_KALLSYMS | PEV_SYSTEM_MODULES),
	      "the machine is described");
	trace = open_trace(path);
	check(!strcmp(pev_trace_info(trace, "complete"), "no"), "not complete yet");
	pev_trace_close(trace);
	check(!pev_writer_close(w), "closed");
	trace = open_trace(path);
	check(!strcmp(pev_trace_info(trace, "complete"), "yes"), "complete once it was closed");
	check(!strcmp(pev_trace_info(trace, "command"), "a=b\nnext \\ line") &&
	      !strcmp(pev_trace_info(trace, "tool"), "two") &&
	      !pev_trace_info(trace, "nothing") && pev_trace_info(trace, "release") &&
	      atoi(pev_trace_info(trace, "cpus")) > 0, "values come back");
	check(!pev_trace_info_file(trace, "notes", &text, &len) && !strcmp(text, "some text"),
	      "the file comes back");
	free(text);
	text = NULL;
	check(pev_trace_info_file(trace, "nothing", &text, &len) == -ENOENT,
	      "a file that is not there");
	check(pev_trace_nr_classes(trace) == 6 &&
	      !strcmp(pev_meta_env(pev_trace_meta(trace, 0), "hostname"), "box") &&
	      !strcmp(pev_meta_env(pev_trace_meta(trace, 0), "tracer_major"), "1"),
	      "classes and env");
	pev_trace_close(trace);
	free(meta);
}

static void test_replace(const char *dir)
{
	struct pev_writer *w;
	struct pev_error err;
	char file[8192];

	snprintf(path, sizeof(path), "%s/info", dir);
	check(pev_writer_open(path, 0, &w, &err) == -EEXIST && strstr(err.text, "exists"),
	      "a trace is not replaced unasked");
	snprintf(file, sizeof(file), "%s/thesis.txt", path);
	write_bytes(file, "", 0);
	check(pev_writer_open(path, PEV_WRITER_REPLACE, &w, &err) == -EEXIST &&
	      strstr(err.text, "thesis.txt"), "nor one with other files in it");
	snprintf(file, sizeof(file), "%s/metadata", path);
	check(!access(file, F_OK), "and then nothing is removed");
	snprintf(file, sizeof(file), "%s/thesis.txt", path);
	unlink(file);
	check(!pev_writer_open(path, PEV_WRITER_REPLACE, &w, &err), "replaced if asked to");
	pev_writer_close(w);
	snprintf(file, sizeof(file), "%s/metadata", path);
	check(access(file, F_OK), "the older files are gone");
}

/* Makes a trace if there is none; returns the path of one of its files. */
static const char *make_older(const char *dir, const char *file)
{
	static char name[8192];

	snprintf(path, sizeof(path), "%s/older", dir);
	if (access(path, F_OK))
		check(!sample_trace(path, 10, 4096), "an older trace");
	snprintf(name, sizeof(name), "%s/%s", path, file);
	return name;
}

static bool refused_for(const char *alien)
{
	char metadata[8192];
	struct pev_writer *w;
	struct pev_error err;

	snprintf(metadata, sizeof(metadata), "%s/metadata", path);
	return pev_writer_open(path, PEV_WRITER_REPLACE, &w, &err) == -EEXIST &&
	       strstr(err.text, alien) && pev_trace_remove(path, &err) == -EEXIST &&
	       strstr(err.text, alien) && !access(metadata, F_OK);
}

/* What a writer has not made is never removed, whatever its name. */
static void test_remove(const char *dir)
{
	const char *file = make_older(dir, "stream_of_thought");
	struct pev_error err;
	char link[8192];

	write_bytes(file, "a text", 6);
	check(refused_for("stream_of_thought"), "a file that only has the name of a stream");
	unlink(file);
	file = make_older(dir, "info/notes");
	write_bytes(file, "a text", 6);
	check(refused_for("info/notes"), "a file of another program's in info");
	unlink(file);
	file = make_older(dir, "deep");
	mkdir(file, 0777);
	check(refused_for("deep"), "an empty directory");
	rmdir(file);
	file = make_older(dir, "stream_9");
	check(!symlink("stream_0", file) && refused_for("stream_9"), "a link");
	unlink(file);
	snprintf(link, sizeof(link), "%s/link", dir);
	check(!symlink(path, link) && pev_trace_remove(link, &err) < 0 && !access(path, F_OK),
	      "a link to a trace is not followed");
	unlink(link);
	check(!pev_trace_remove(path, &err) && access(path, F_OK), "the trace alone is removed");
	check(pev_trace_remove(path, &err) == -ENOENT, "one that is not there");
	mkdir(path, 0777);
	snprintf(link, sizeof(link), "%s/metadata", path);
	write_bytes(link, "/* CTF 1.8 */", 13);
	check(pev_trace_remove(path, &err) == -EEXIST, "a trace that no writer of ours made");
	unlink(link);
	rmdir(path);
}

/* Names that others put into the directory lead nowhere. */
static void test_planted(const char *dir)
{
	char victim[8192], name[8192], text[8] = "";
	struct pev_writer *w;
	struct pev_error err;
	char *meta;
	size_t len;
	int fd;

	meta = sample_metadata(&len);
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	write_bytes(victim, "precious", 8);
	snprintf(path, sizeof(path), "%s/planted", dir);
	check(!pev_writer_open(path, 0, &w, &err), "a trace that others can write to");
	snprintf(name, sizeof(name), "%s/metadata.new", path);
	check(!symlink(victim, name) && !pev_writer_metadata(w, meta, len),
	      "a link in the way of metadata");
	snprintf(name, sizeof(name), "%s/stream_7", path);
	check(!symlink(victim, name) && pev_writer_lost(w, 7, 7, 1, 0) == -EEXIST,
	      "a link in the way of a stream");
	snprintf(name, sizeof(name), "%s/info/record", path);
	unlink(name);
	check(!symlink(victim, name) && pev_writer_info(w, "command", "x") == -ELOOP,
	      "a link in the way of info");
	unlink(name);
	check(!link(victim, name) && pev_writer_info(w, "command", "x") == -EPERM,
	      "a file that has another name, too");
	unlink(name);
	pev_writer_close(w);
	fd = open(victim, O_RDONLY);
	check(read(fd, text, 8) == 8 && !memcmp(text, "precious", 8),
	      "none of them was written through");
	close(fd);
	free(meta);
	if (geteuid()) {
		printf("# not root: another user's directory is not tried\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/theirs", dir);
	check(!mkdir(path, 0777) && !chown(path, 65534, 65534) &&
	      pev_writer_open(path, PEV_WRITER_REPLACE, &w, &err) == -EPERM &&
	      strstr(err.text, "another user (65534)"), "another user's directory is refused");
	rmdir(path);
}

static void test_lost(const char *dir)
{
	const struct pev_packet *first;
	struct pev_trace *trace;
	struct pev_writer *w;
	char source[8192], *meta;
	size_t len;

	snprintf(source, sizeof(source), "%s/trace", dir);
	snprintf(path, sizeof(path), "%s/lost", dir);
	trace = open_trace(source);
	first = (const void *)pev_trace_stream(trace, 0)->data;
	meta = sample_metadata(&len);
	pev_writer_open(path, 0, &w, NULL);
	pev_writer_metadata(w, meta, len);
	pev_writer_packets(w, 0, first, first->packet_size / 8);
	check(pev_writer_packets(w, 0, first, 100) == -EINVAL, "half a packet is refused");
	check(!pev_writer_lost(w, 0, 0, 0, 0) && pev_writer_packets_written(w) == 1,
	      "no loss, no further packet");
	check(!pev_writer_lost(w, 0, 0, 17, first->timestamp_end + 50) &&
	      pev_writer_packets_written(w) == 2, "a loss makes an empty packet");
	check(!pev_writer_lost(w, 0, 0, 17, 0) && pev_writer_packets_written(w) == 2,
	      "the same loss makes none");
	check(!pev_writer_lost(w, 7, 5, 3, first->timestamp_end) &&
	      !pev_writer_lost(w, 8, -1, 2, first->timestamp_end),
	      "losses in rings with no packet");
	check(!pev_writer_close(w), "closed");
	pev_trace_close(trace);
	trace = open_trace(path);
	check(pev_trace_lost(trace) == 22 && pev_trace_nr_streams(trace) == 3 &&
	      pev_trace_stream(trace, 0)->packets[1].lost == 17 &&
	      !pev_trace_nr_warnings(trace), "losses are read back");
	check(!strcmp(pev_trace_stream(trace, 1)->name, "stream_7") &&
	      pev_trace_stream(trace, 1)->instance == 7 &&
	      pev_trace_stream(trace, 1)->cpu == 5, "a ring has a number and a CPU");
	check(pev_trace_stream(trace, 2)->instance == 8 &&
	      pev_trace_stream(trace, 2)->cpu == -1, "or no CPU");
	pev_trace_close(trace);
	free(meta);
}

/* A limit of the file's size does what a full disk does: a short write. */
static void test_full_disk(const char *dir)
{
	struct rlimit limit = { 10000, RLIM_INFINITY }, old;
	const struct pev_stream *s;
	struct pev_trace *trace, *copy;
	struct pev_writer *w;
	char source[8192], *meta;
	uint64_t bytes;
	size_t len;
	int ret;

	snprintf(source, sizeof(source), "%s/trace", dir);
	snprintf(path, sizeof(path), "%s/full", dir);
	trace = open_trace(source);
	s = pev_trace_stream(trace, 0);
	meta = sample_metadata(&len);
	pev_writer_open(path, 0, &w, NULL);
	pev_writer_metadata(w, meta, len);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	ret = pev_writer_packets(w, 0, s->data, s->size);
	check(ret == -EFBIG && pev_writer_packets(w, 1, s->data, 4096) == ret,
	      "a write that fails is told, and again");
	bytes = pev_writer_bytes(w);
	check(bytes > 4096 && bytes <= 10000, "whole packets count as written: %llu bytes",
	      (unsigned long long)bytes);
	check(pev_writer_close(w) == ret, "and at the close");
	setrlimit(RLIMIT_FSIZE, &old);
	copy = open_trace(path);
	check(pev_trace_stream(copy, 0)->size == bytes && !pev_trace_nr_warnings(copy) &&
	      pev_trace_stream(copy, 0)->nr_packets == 2, "what was written can be read");
	check(!strcmp(pev_trace_info(copy, "complete"), "no") &&
	      !strcmp(pev_trace_info(copy, "error"), strerror(-ret)), "it says that it was cut");
	pev_trace_close(copy);
	pev_trace_close(trace);
	free(meta);
}

/* A packet that was closed early does not take its place in the ring on the disk. */
static void test_short_packets(const char *dir)
{
	static uint8_t data[3 * 8192];
	struct pev_packet *p = (void *)data;
	struct pev_trace *source, *trace;
	const struct pev_stream *s;
	unsigned int events[2] = { 0 };
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_writer *w;
	char name[8192], *meta;
	size_t len;

	snprintf(name, sizeof(name), "%s/trace", dir);
	source = open_trace(name);
	s = pev_trace_stream(source, 0);
	snprintf(path, sizeof(path), "%s/short", dir);
	meta = sample_metadata(&len);
	for (unsigned int i = 0; i < 3; i++) {
		memcpy(data + i * 8192, s->data + s->packets[i].offset, s->packets[i].size);
		p = (void *)(data + i * 8192);
		p->packet_size = 8192 * 8;
	}
	check(!pev_writer_open(path, 0, &w, NULL) && !pev_writer_metadata(w, meta, len) &&
	      !pev_writer_packets(w, 0, data, sizeof(data)) && !pev_writer_close(w),
	      "packets with an empty rest");
	trace = open_trace(path);
	check(pev_trace_stream(trace, 0)->nr_packets == 3 && !pev_trace_nr_warnings(trace) &&
	      pev_trace_stream(trace, 0)->packets[1].size ==
	      (s->packets[1].content + 7) / 8 * 8, "they lose it on the disk");
	for (unsigned int k = 0; k < 2; k++) {
		pev_cursor_open(k ? trace : source, pev_trace_stream(k ? trace : source, 0), 0, &c);
		while (pev_cursor_next(c, &ev) > 0 &&
		       ev->time <= pev_trace_stream(trace, 0)->packets[2].end)
			events[k]++;
		pev_cursor_close(c);
	}
	check(events[0] && events[0] == events[1], "and no event: %u of %u", events[1], events[0]);
	pev_trace_close(trace);
	pev_trace_close(source);
	free(meta);
}

static void test_encoder_stream(const char *dir)
{
	const struct pev_event *ev = NULL;
	struct pev_encoder *enc;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_writer *w;
	struct pev_meta *meta;
	char *text, *big;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%s/state", dir);
	text = sample_metadata(&len);
	pev_meta_parse(text, len, 0, &meta, NULL);
	pev_writer_open(path, 0, &w, NULL);
	pev_writer_metadata(w, text, len);
	check(!pev_writer_encoder(w, meta, "state", 0, &enc), "a stream of one's own");
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, "pev:comm"), 100, 77);
	check(pev_encoder_int(enc, "nothing", 1) == -ENOENT &&
	      pev_encoder_int(enc, "comm", 1) == -EINVAL &&
	      pev_encoder_data(enc, "pid", "", 0) == -EINVAL, "wrong fields are refused");
	check(!pev_encoder_data(enc, "comm", "init", 4) && !pev_encoder_commit(enc) &&
	      pev_encoder_commit(enc) == -EINVAL, "a record");
	check(pev_encoder_begin(enc, pev_meta_class(meta, 0), 99, 0) == -EINVAL,
	      "time that runs backwards is refused");
	big = calloc(1, 70000);
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, "timer:cpu-clock"), 200, 78);
	pev_encoder_data(enc, "dump", big, 40000);
	check(!pev_encoder_commit(enc), "a record larger than a packet");
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, "pev:mmap"), 300, 79);
	pev_encoder_data(enc, "filename", big, 40000);
	check(!pev_encoder_commit(enc), "another one");
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, "pev:mmap"), 300, 79);
	ret = pev_encoder_data(enc, "filename", big, 70000);
	check(!ret && pev_encoder_commit(enc) == -E2BIG, "one that its length cannot hold");
	check(!pev_encoder_close(enc) && !pev_writer_close(w), "closed");
	trace = open_trace(path);
	pev_cursor_open(trace, NULL, 0, &c);
	check(pev_cursor_next(c, &ev) == 1 && ev->tid == 77 && ev->time == 100, "the first");
	check(pev_cursor_next(c, &ev) == 1 && ev->dump_len == 40000, "the second");
	check(pev_cursor_next(c, &ev) == 1 && ev->tid == 79 && pev_cursor_next(c, &ev) == 0 &&
	      !pev_trace_nr_warnings(trace), "the third and no more");
	pev_cursor_close(c);
	pev_trace_close(trace);
	pev_meta_free(meta);
	free(big);
	free(text);
}

static int put_comm(struct pev_encoder *enc, const struct pev_meta *meta, uint64_t time)
{
	int ret = pev_encoder_begin(enc, pev_meta_class_by_name(meta, "pev:comm"), time, 77);

	return ret ? ret : pev_encoder_commit(enc);
}

/* Packets are as large as was asked for, and end where they are told to. */
static void test_encoder_packets(const char *dir)
{
	const struct pev_stream *stream;
	struct pev_encoder *enc;
	struct pev_trace *trace;
	struct pev_writer *w;
	struct pev_meta *meta;
	unsigned int wrong = 0;
	uint64_t bytes;
	char *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/packets", dir);
	text = sample_metadata(&len);
	pev_meta_parse(text, len, 0, &meta, NULL);
	pev_writer_open(path, 0, &w, NULL);
	pev_writer_metadata(w, text, len);
	pev_writer_encoder(w, meta, "large", 0, &enc);
	check(pev_encoder_packets(enc, 128) == -EINVAL &&
		      pev_encoder_packets(enc, 4100) == -EINVAL &&
		      pev_encoder_packets(enc, 32U << 20) == -EINVAL,
	      "sizes that no packet has");
	check(!pev_encoder_flush(enc), "nothing is begun");
	check(!pev_encoder_packets(enc, 4U << 20), "packets of 4 MiB");
	for (uint64_t t = 1; t <= 50000; t++)
		wrong += put_comm(enc, meta, t) != 0;
	bytes = pev_writer_bytes(w);
	check(!wrong && !pev_encoder_flush(enc) && pev_writer_bytes(w) > bytes + 1000000,
	      "what was begun is in the file");
	bytes = pev_writer_bytes(w);
	check(!pev_encoder_flush(enc) && pev_writer_bytes(w) == bytes, "once");
	check(!put_comm(enc, meta, 50001) && !pev_encoder_close(enc) && !pev_writer_close(w),
	      "and it goes on");
	trace = open_trace(path);
	stream = pev_trace_stream(trace, 0);
	check(stream->nr_packets == 2 && stream->packets[0].size > 1000000 &&
		      !pev_trace_nr_warnings(trace),
	      "two packets");
	pev_trace_close(trace);
	pev_meta_free(meta);
	free(text);
}

/* Two classes of streams, and two rings of one CPU */
static void test_stream_classes(const char *dir)
{
	static const struct { uint32_t stream, instance; int cpu; } want[] = {
		{ 0, 0, 0 }, { 0, 1, 0 }, { SAMPLE_STREAM, 2, -1 },
	};
	unsigned int nr[3] = { 0 }, wrong = 0, order = 0;
	const struct pev_event *ev;
	struct pev_encoder *enc;
	struct pev_trace *trace;
	struct pev_cursor *c;
	uint64_t last = 0;

	snprintf(path, sizeof(path), "%s/streams", dir);
	check(!sample_streams(path, 600), "a trace of two classes of streams");
	trace = open_trace(path);
	for (unsigned int i = 0; i < 3; i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		wrong += s->stream_id != want[i].stream || s->instance != want[i].instance ||
			 s->cpu != want[i].cpu || s->nr_packets < 2;
	}
	check(pev_trace_nr_streams(trace) == 3 && !wrong && !pev_trace_nr_warnings(trace),
	      "two rings of one CPU, and one of none");
	pev_cursor_open(trace, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		unsigned int i = nr[ev->stream->index]++;

		order += ev->time < last;
		last = ev->time;
		if (ev->stream->index < 2)
			wrong += !sample_right(ev, i) || ev->cpu;
		else
			wrong += strcmp(ev->cls->name, "user:request") || ev->tid != 5000 + i ||
				 ev->cpu != UINT32_MAX || ev->cls->stream_id != SAMPLE_STREAM ||
				 pev_event_int(ev, pev_class_field(ev->cls, "number")) != i;
	}
	check(nr[0] == 600 && nr[1] == 600 && nr[2] == 600 && !wrong && !order,
	      "each record is decoded by its stream's class");
	pev_cursor_close(c);
	pev_encoder_new(pev_trace_meta(trace, 0), 4096, 5, 0, NULL, NULL, &enc);
	check(!pev_encoder_begin(enc, pev_trace_class(trace, 0), 1, 1) &&
	      pev_encoder_begin(enc, pev_trace_class(trace, 6), 1, 1) == -EINVAL,
	      "an encoder takes records of one class of streams");
	pev_encoder_close(enc);
	pev_trace_close(trace);
}

/* Two traces beside each other, of which one has another clock */
static void test_subtraces(const char *dir)
{
	const struct pev_event *ev;
	unsigned int count = 0, order = 0;
	struct pev_trace *trace;
	struct pev_cursor *c;
	char file[8192], *text, *freq;
	int64_t last = 0;
	size_t len;

	snprintf(path, sizeof(path), "%s/both", dir);
	mkdir(path, 0777);
	snprintf(file, sizeof(file), "%s/one", path);
	sample_trace(file, 60, 4096);
	snprintf(file, sizeof(file), "%s/two", path);
	sample_trace(file, 60, 4096);
	text = sample_metadata(&len);
	freq = strstr(text, "freq = 2500000000");
	memcpy(freq, "freq = 2400000000", 17);
	snprintf(file, sizeof(file), "%s/two/metadata", path);
	write_bytes(file, text, len);
	trace = open_trace(path);
	check(pev_trace_nr_metas(trace) == 2 && pev_trace_nr_streams(trace) == 6 &&
	      pev_trace_nr_classes(trace) == 12 &&
	      pev_trace_class(trace, 7)->index == 7 && !pev_trace_class(trace, 12),
	      "a directory of two traces");
	pev_cursor_open(trace, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		order += pev_event_ns(ev) < last;
		last = pev_event_ns(ev);
		count++;
	}
	check(count == 360 && !order, "merged over two clocks: %u events", count);
	pev_cursor_close(c);
	pev_trace_close(trace);
	free(text);
}

static void test_print(void)
{
	struct pev_trace *trace;
	const struct pev_event *ev;
	struct pev_cursor *c;
	char buf[256], tiny[4];
	bool good = true;

	trace = open_trace(path);
	pev_cursor_open(trace, pev_trace_stream(trace, 0), 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		for (unsigned int i = 0; i < ev->cls->nr_fields; i++)
			good &= pev_event_print_field(ev, &ev->cls->fields[i], 0, buf,
						      sizeof(buf)) > 0;
		for (unsigned int i = 0; i < ev->cls->nr_context; i++)
			pev_event_print_field(ev, &ev->cls->context[i], PEV_PRINT_CONTEXT,
					      buf, sizeof(buf));
		if (!strcmp(ev->cls->name, "timer:cpu-clock") && ev->tid == 5007) {
			pev_event_print_field(ev, pev_class_context_field(ev->cls, "kstack"), PEV_PRINT_CONTEXT,
					      buf, sizeof(buf));
			check(!strcmp(buf, "[0xffffffff81000010]"), "a call chain prints: %s", buf);
		}
		if (!strcmp(ev->cls->name, "test:two") && ev->tid == 5011) {
			pev_event_print_field(ev, pev_class_field(ev->cls, "b"), 0, buf,
					      sizeof(buf));
			check(!strcmp(buf, "[-1, 1099511627776, 7]"), "an array prints: %s", buf);
			check(pev_event_print_field(ev, pev_class_field(ev->cls, "b"), 0, tiny,
						    sizeof(tiny)) == 22 && !strcmp(tiny, "[-1"),
			      "cut to the buffer");
		}
		if (!strcmp(ev->cls->name, "pev:mmap") && ev->tid == 5002) {
			pev_event_print_field(ev, pev_class_field(ev->cls, "filename"), 0, buf,
					      sizeof(buf));
			check(!strcmp(buf, "\"/lib/lib2.so\""), "text prints: %s", buf);
			pev_event_print_field(ev, pev_class_field(ev->cls, "build_id"), 0, buf,
					      sizeof(buf));
			check(!strncmp(buf, "30313233", 8), "bytes print: %s", buf);
		}
	}
	check(good, "all fields print");
	pev_cursor_close(c);
	pev_trace_close(trace);
}

/* A recording of another user's, who writes over it while it is read */
static void test_others(const char *dir)
{
	static const char zeros[4096];
	unsigned int total = 0, wrong = 0, seen[SAMPLE_CPUS] = { 0 };
	const struct pev_event *ev;
	const struct pev_stream *s;
	struct pev_trace *trace;
	struct pev_cursor *c;
	int fd;

	if (geteuid()) {
		check(true, "another user's recording # SKIP not root");
		return;
	}
	snprintf(path, sizeof(path), "%s/others", dir);
	check(!sample_trace(path, EVENTS, 4096), "a recording of another user's");
	trace = open_trace(path);
	for (unsigned int i = 0; i < SAMPLE_CPUS; i++)
		wrong += chown(pev_trace_stream(trace, i)->path, 4242, 4242) != 0;
	pev_trace_close(trace);
	trace = open_trace(path);
	for (unsigned int i = 0; i < SAMPLE_CPUS; i++) {
		s = pev_trace_stream(trace, i);
		fd = open(s->path, O_WRONLY | O_CLOEXEC);
		for (uint64_t at = 0; at < s->size; at += sizeof(zeros))
			wrong += pwrite(fd, zeros, sizeof(zeros), (off_t)at) < 0;
		close(fd);
	}
	pev_cursor_open(trace, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		wrong += !sample_right(ev, seen[ev->cpu]++);
		total++;
	}
	pev_cursor_close(c);
	check(total == EVENTS * SAMPLE_CPUS && !wrong && !pev_trace_damaged(trace),
	      "... is as it was when it was opened: %u events, %u wrong", total, wrong);
	pev_trace_close(trace);
}

int main(void)
{
	char *dir = test_dir();

	test_round_trip(dir);
	test_streams();
	test_decoder();
	test_scan();
	test_seek();
	test_time();
	test_print();
	test_info(dir);
	test_replace(dir);
	test_remove(dir);
	test_planted(dir);
	test_lost(dir);
	test_full_disk(dir);
	test_short_packets(dir);
	test_encoder_stream(dir);
	test_encoder_packets(dir);
	test_stream_classes(dir);
	test_subtraces(dir);
	test_others(dir);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
