// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces that are cut short, mangled or made up. Under the address and
 * undefined-behaviour sanitizers: the reader must get through each, in bounded
 * time, and what it yields from a cut trace must be the start of the whole.
 *
 * PEV_TEST_ROUNDS: rounds of random damage, PEV_TEST_SEED: where they start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "event_sum.h"
#include "sample.h"
#include "tap.h"

#define SMALL	40

static char file[8192];

struct result {
	bool		opened;
	unsigned int	events;
	unsigned int	wrong;		/* not event n of its stream */
	unsigned int	warnings;
	uint64_t	damaged;
};

#define SCANNED 2 /* index of a class */

static int count(void *arg, const struct pev_event *ev)
{
	(*(unsigned int *)arg)++;
	return ev->cls->index == SCANNED ? 0 : -1;
}

/* Events of one class: to be as many as a cursor finds, whatever is broken. */
static unsigned int scan_trace(const struct pev_trace *trace)
{
	bool *wanted = calloc(pev_trace_nr_classes(trace) + SCANNED + 1, sizeof(*wanted));
	unsigned int n = 0;

	wanted[SCANNED] = true;
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++)
		if (pev_stream_scan(pev_trace_stream(trace, i), 0, SIZE_MAX, wanted, count, &n))
			n = UINT32_MAX;
	free(wanted);
	return n;
}

static struct result read_trace(const char *dir)
{
	struct result r = { 0 };
	const struct pev_event *ev;
	unsigned int nr[16] = { 0 };
	struct pev_trace *trace;
	struct pev_cursor *c;
	volatile uint64_t sum = 0;
	unsigned int of_class = 0;

	if (pev_trace_open(dir, 0, &trace, NULL))
		return r;
	r.opened = true;
	pev_cursor_open(trace, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		sum += event_sum(ev);
		r.wrong += ev->cpu >= SAMPLE_CPUS || !sample_right(ev, nr[ev->cpu & 15]);
		nr[ev->cpu & 15]++;
		of_class += ev->cls->index == SCANNED;
		r.events++;
	}
	r.wrong += scan_trace(trace) != of_class;
	pev_cursor_seek(c, pev_trace_begin_ns(trace) + 1000);
	pev_cursor_next(c, &ev);
	pev_cursor_close(c);
	r.warnings = pev_trace_nr_warnings(trace);
	r.damaged = pev_trace_damaged(trace);
	pev_trace_close(trace);
	return r;
}

static char *read_bytes(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *data = malloc(1 << 20);

	*len = f ? fread(data, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return data;
}

/* A trace of one stream, small enough to be cut at every byte */
static void make_small(const char *dir)
{
	char other[8192];

	sample_trace(dir, SMALL, 1024);
	for (int cpu = 1; cpu < SAMPLE_CPUS; cpu++) {
		snprintf(other, sizeof(other), "%s/stream_%d", dir, cpu);
		remove(other);
	}
	snprintf(file, sizeof(file), "%s/stream_0", dir);
}

static void test_truncated(const char *dir)
{
	unsigned int bad = 0, quiet = 0, last = 0, shrank = 0;
	struct result whole, r = { 0 };
	size_t len;
	char *data;

	make_small(dir);
	whole = read_trace(dir);
	data = read_bytes(file, &len);
	check(whole.events == SMALL && !whole.warnings, "the whole has %u events", whole.events);
	for (size_t cut = 0; cut < len; cut++) {
		write_bytes(file, data, cut);
		r = read_trace(dir);
		bad += !r.opened || r.wrong || r.events > whole.events;
		shrank += r.events < last;
		last = r.events;
		quiet += cut % 1024 && !r.warnings;
	}
	check(!bad, "cut at each of %zu bytes, only true events come", len);
	check(!shrank, "more bytes never give fewer events");
	check(!quiet, "each cut in a packet is told");
	write_bytes(file, data, len);
	free(data);
}

static void test_stretches(const char *dir)
{
	static char zero[3000];
	struct result r;
	size_t len;
	char *data = read_bytes(file, &len), *copy = malloc(len + sizeof(zero));

	/* rubbish before, between and behind packets */
	memcpy(copy, zero, sizeof(zero));
	memcpy(copy + sizeof(zero), data, len);
	write_bytes(file, copy, len + sizeof(zero));
	r = read_trace(dir);
	check(r.events == SMALL && !r.wrong && r.damaged == 1, "rubbish before the first packet");
	memcpy(copy, data, 1024);
	memset(copy + 1024, 0x5a, 2000);
	memcpy(copy + 1024 + 2000, data + 1024, len - 1024);
	write_bytes(file, copy, len + 2000);
	r = read_trace(dir);
	check(r.events == SMALL && !r.wrong && r.damaged == 1, "rubbish between packets");
	memcpy(copy, data, len);
	memset(copy + len, 0, sizeof(zero));
	write_bytes(file, copy, len + sizeof(zero));
	r = read_trace(dir);
	check(r.events == SMALL && !r.wrong && r.damaged == 1, "rubbish behind the last packet");
	/* a packet missing, twice, in wrong order */
	memcpy(copy, data, 1024);
	memcpy(copy + 1024, data + 2048, len - 2048);
	write_bytes(file, copy, len - 1024);
	r = read_trace(dir);
	check(r.events < SMALL && r.events && r.warnings == 1 && !r.damaged,
	      "a packet is missing: %u events, %u warnings", r.events, r.warnings);
	memcpy(copy, data, 1024);
	memcpy(copy + 1024, data, len);
	write_bytes(file, copy, len + 1024);
	r = read_trace(dir);
	check(r.events == SMALL && !r.wrong && r.damaged == 1, "a packet is there twice");
	memcpy(copy, data + 1024, 1024);
	memcpy(copy + 1024, data, 1024);
	write_bytes(file, copy, 2048);
	r = read_trace(dir);
	check(r.events && r.damaged == 1, "two packets are in wrong order");
	write_bytes(file, data, len);
	free(copy);
	free(data);
}

#define AT(member)	offsetof(struct pev_packet, member)

static void test_headers(const char *dir)
{
	static const struct { const char *what; size_t at; uint64_t value; } bad[] = {
		{ "magic", AT(magic), 0 }, { "UUID", 8, 0 },
		{ "stream id", 16, 0x0000000100000000 },
		{ "stream instance", AT(stream_instance_id), 3 },
		{ "end before begin", AT(timestamp_end), 5 },
		{ "content larger than the packet", AT(content_size), 100000 * 8 },
		{ "content smaller than the header", AT(content_size),
		  sizeof(struct pev_packet) * 8 - 8 },
		{ "content of bits", AT(content_size), 801 },
		{ "packet of no bytes", AT(packet_size), 0 },
		{ "packet of bits", AT(packet_size), 8193 },
		{ "packet of 2^64 bits", AT(packet_size), ~0ULL },
		{ "packet of 2^63 bits", AT(packet_size), 1ULL << 63 },
		{ "CPU", AT(cpu_id), 0xfffffffe }, { "no CPU", AT(cpu_id), 0xffffffff },
	};
	struct result r;
	size_t len;
	char *data = read_bytes(file, &len), *copy = malloc(len);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(copy, data, len);
		memcpy(copy + 1024 + bad[i].at, &bad[i].value, 8);
		write_bytes(file, copy, len);
		r = read_trace(dir);
		check(r.opened && r.events < SMALL && r.events >= 5 && r.damaged == 1,
		      "a packet with a wrong header is left out: %s", bad[i].what);
	}
	write_bytes(file, data, len);
	free(copy);
	free(data);
}

static void test_random(const char *dir)
{
	const char *rounds_text = getenv("PEV_TEST_ROUNDS"), *seed = getenv("PEV_TEST_SEED");
	unsigned int rounds = rounds_text ? atoi(rounds_text) : 3000, opened = 0;
	size_t len;
	char *data = read_bytes(file, &len), *copy = malloc(len);

	srand(seed ? atoi(seed) : 7);
	for (unsigned int i = 0; i < rounds; i++) {
		int changes = 1 + rand() % 8;

		memcpy(copy, data, len);
		while (changes--) {
			size_t at = rand() % len;

			switch (rand() % 4) {
			case 0:
				copy[at] = rand();
				break;
			case 1:
				copy[at] ^= 1 << rand() % 8;
				break;
			case 2:
				memset(copy + at, rand() % 2 ? 0xff : 0,
				       len - at < 16 ? len - at : 16);
				break;
			default:
				/* the start of a packet is where it hurts */
				copy[at / 1024 * 1024 + at % 120] = rand();
				break;
			}
		}
		write_bytes(file, copy, rand() % 10 ? len : (size_t)rand() % len);
		opened += read_trace(dir).opened;
	}
	check(opened == rounds, "%u rounds of random damage", rounds);
	write_bytes(file, data, len);
	free(copy);
	free(data);
}

static void test_records(const char *dir)
{
	size_t len, at;
	char *data = read_bytes(file, &len), *copy = malloc(len);
	unsigned int wrong = 0;

	/* each word of a packet's records set to the largest value */
	for (at = sizeof(struct pev_packet); at + 4 <= 1024; at += 4) {
		memcpy(copy, data, len);
		memset(copy + at, 0xff, 4);
		write_bytes(file, copy, len);
		wrong += !read_trace(dir).opened;
	}
	check(!wrong, "each word of the records set to its largest value");
	write_bytes(file, data, len);
	free(copy);
	free(data);
}

static bool refused(const char *path, int error)
{
	struct pev_trace *trace;
	struct pev_error err = { 0 };
	int ret = pev_trace_open(path, 0, &trace, &err);

	if (!ret)
		pev_trace_close(trace);
	printf("# %s\n", err.text);
	return ret == -error && err.error == (uint32_t)error && err.text[0];
}

static void test_directories(const char *dir)
{
	char path[9000], name[9100];
	struct result r;
	size_t len;
	char *meta = sample_metadata(&len);

	snprintf(path, sizeof(path), "%s/none", dir);
	check(refused(path, ENOENT), "a directory that is not there");
	mkdir(path, 0777);
	check(refused(path, ENOENT), "an empty directory");
	snprintf(name, sizeof(name), "%s/metadata", path);
	write_bytes(name, "", 0);
	check(refused(path, EBADMSG), "empty metadata");
	check(refused(name, ENOTDIR), "a file");
	write_bytes(name, "\0\1\2\3garbage", 12);
	check(refused(path, EBADMSG), "garbage for metadata");
	write_bytes(name, meta, len / 3);
	check(refused(path, EBADMSG), "metadata that ends too early");
	write_bytes(name, meta, len);
	r = read_trace(path);
	check(r.opened && !r.events && !r.warnings, "no streams at all");
	snprintf(name, sizeof(name), "%s/stream_0", path);
	write_bytes(name, "", 0);
	r = read_trace(path);
	check(r.opened && !r.events && !r.warnings, "an empty stream");
	write_bytes(name, meta, len);
	r = read_trace(path);
	check(r.opened && !r.events && r.warnings == 1, "a stream that is none");
	snprintf(name, sizeof(name), "%s/metadata", path);
	write_bytes(name, meta, len - 30);
	r = read_trace(path);
	check(r.opened && r.warnings == 2, "metadata whose last event is cut");
	snprintf(name, sizeof(name), "%s/info", path);
	mkdir(name, 0777);
	snprintf(name, sizeof(name), "%s/info/record", path);
	write_bytes(name, "\0=\n\n=x\nkey\na=\\", 14);
	check(read_trace(path).opened, "garbage for info");
	free(meta);
}

int main(void)
{
	char *dir = test_dir(), trace[4096];

	snprintf(trace, sizeof(trace), "%s/trace", dir);
	test_truncated(trace);
	test_stretches(trace);
	test_headers(trace);
	test_records(trace);
	test_random(trace);
	test_directories(dir);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
