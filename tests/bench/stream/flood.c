// SPDX-License-Identifier: GPL-2.0
/*
 * Records as fast as a kernel under load makes them, into rings of two CPUs, and libpev's writer,
 * which takes them to the disk as perfctl record does: what that costs, and whether each record that
 * was made is either on the disk or counted as lost. Records have 64 bytes, as those of system calls.
 *
 * usage: flood DIR SECONDS RATE WRITERS [LEVEL]	RATE: records a second of both CPUs together;
 *						LEVEL: of zstd, 0: not compressed
 *
 * Writes parts, as --switch-output=512M does, and keeps the last one only. Prints "made N written N lost N
 * bytes N packed N cpu_ns N": of the threads that write, without those that make records.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/packet.h"
#include "ctf/head.h"
#include "engine/perf/producer.h"
#include "ring/ring.h"

#define CPUS 2
#define RING (4u << 20)
#define PACKET (64u << 10)
#define WATERMARK (RING / 4)
#define FLUSH_NS 400000000ull
#define PART (512ull << 20)
/* Records of a burst, between two looks at the clock */
#define BURST 500
#define FIELDS 7
#define RECORD (8 + FIELDS * 8)

/**
 * struct cpu - makes records
 * @ready:  tells the writer that a quarter of the ring is full
 * @due:    a packet is to be closed
 */
struct cpu {
	struct producer out;
	pthread_t thread;
	int ready;
	bool due;
	uint64_t made;
	uint64_t lost;
	uint64_t cpu_ns;
};

static struct cpu cpus[CPUS];
static struct pev_channel *channel;
static uint64_t each_ns;
static bool stop;

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void make_record(struct cpu *c, uint64_t time)
{
	const struct record_head head = { .id = 0, .tid = 4711, .time = time };
	/* a system call, and what its arguments may look like */
	uint64_t fields[FIELDS] = {
		c->made & 7, 3 + (c->made & 15), 0x7ffd12345000 + 64 * c->made, 4096, 0,
		time,	     0x7f0000001000
	};
	uint8_t *at;

	c->made++;
	if (c->out.sink.begin(&c->out.sink, sizeof(fields), &head, &at)) {
		producer_lose(&c->out, 1);
		c->lost++;
		return;
	}
	memcpy(at, fields, sizeof(fields));
	c->out.sink.commit(&c->out.sink, at + sizeof(fields));
}

static void *produce(void *arg)
{
	const uint64_t one = 1;
	struct cpu *c = arg;
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), told = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), due = (now - begin) / each_ns;

		for (unsigned int i = 0; i < BURST && c->made < due; i++)
			make_record(c, now + i);
		if (__atomic_exchange_n(&c->due, false, __ATOMIC_ACQUIRE))
			producer_flush(&c->out);
		producer_publish(&c->out);
		if (c->out.packet - told >= WATERMARK) {
			told = c->out.packet;
			if (write(c->ready, &one, sizeof(one)) < 0)
				break;
		}
		if (c->made >= due)
			nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	producer_flush(&c->out);
	c->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int prepare(void *arg)
{
	(void)arg;
	return 0;
}

static void make_channel(struct pev_channel_info *info)
{
	const struct channel_source source = { .prepare = prepare };

	*info = (struct pev_channel_info){
		.size = sizeof(*info),
		.nr_rings = CPUS,
		.ring_size = RING,
		.packet_size = PACKET,
		.clock = PEV_CLOCK_MONOTONIC,
		.clock_freq = 1000000000,
		.uuid = { 0x70, 0x65, 0x76 },
	};
	if (channel_make(info, -1, &source, &channel))
		exit(2);
	for (unsigned int i = 0; i < CPUS; i++) {
		struct producer *p = &cpus[i].out;

		cpus[i].ready = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (producer_init(p, info, i) ||
		    channel_add_ring(channel, p->kernel, p->user, p->data))
			exit(2);
	}
}

static char *make_metadata(const struct pev_channel_info *info)
{
	struct text text = { 0 };

	ctf_head(&text, info->uuid, &(struct ctf_env){ .engine = "flood" }, 0, 0);
	text_puts(&text,
		  "event {\n	name = \"raw_syscalls:sys_enter\";\n	id = 0;\n"
		  "	stream_id = 0;\n	fields := struct {\n		int64_t nr;\n");
	for (unsigned int i = 1; i < FIELDS; i++)
		text_addf(&text, "		uint64_t arg%u;\n", i);
	text_puts(&text, "		struct { } align(64) ___end;\n	} align(64);\n};\n");
	return text.s;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/**
 * struct sums - of all parts
 * @bytes: of packets, @packed of them on the disk
 */
struct sums {
	uint64_t written;
	uint64_t lost;
	uint64_t bytes;
	uint64_t packed;
};

/* Adds up what is in a part. All records have one size. */
static void count_part(const char *path, struct sums *s)
{
	struct pev_trace *t;
	struct pev_error err;

	if (pev_trace_open(path, 0, &t, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(1);
	}
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++) {
		const struct pev_stream *stream = pev_trace_stream(t, i);

		for (size_t n = 0; n < stream->nr_packets; n++)
			s->written += (stream->packets[n].content - PACKET_HEADER) / RECORD;
		s->lost += stream->lost;
		s->bytes += stream->size;
	}
	pev_trace_close(t);
}

static void check(int ret, const char *what)
{
	if (ret < 0) {
		fprintf(stderr, "%s: %s\n", what, strerror(-ret));
		exit(1);
	}
}

static struct pev_writer *open_part(const char *path, unsigned int writers, int level)
{
	struct pev_writer *w;

	check(pev_writer_open(path, 0, &w, NULL), path);
	if (level)
		check(pev_writer_compress(w, level), "compressing");
	check(pev_writer_threads(w, writers), "threads");
	return w;
}

static void end_part(struct pev_writer *w, const char *path, struct sums *s)
{
	s->packed += pev_writer_bytes(w);
	check(pev_writer_close(w), path);
	count_part(path, s);
}

static void wait_for_data(void)
{
	struct pollfd p[CPUS];
	uint64_t n;

	for (unsigned int i = 0; i < CPUS; i++)
		p[i] = (struct pollfd){ .fd = cpus[i].ready, .events = POLLIN };
	poll(p, CPUS, FLUSH_NS / 1000000);
	for (unsigned int i = 0; i < CPUS; i++)
		if (p[i].revents && read(cpus[i].ready, &n, sizeof(n)) < 0)
			continue;
}

static void sync_it(struct pev_writer *w, uint64_t *synced)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - *synced < FLUSH_NS)
		return;
	*synced = now;
	for (unsigned int i = 0; i < CPUS; i++)
		__atomic_store_n(&cpus[i].due, true, __ATOMIC_RELEASE);
	check(pev_writer_sync(w), "sync");
}

int main(int argc, char **argv)
{
	unsigned int writers, part = 0;
	uint64_t end, synced = 0, made = 0, makers_ns = 0;
	char path[2][4200], *text;
	struct pev_channel_info info;
	struct sums sums = { 0 };
	struct pev_writer *w, *next;
	int level;

	if (argc < 5 || !atol(argv[3]))
		return 2;
	each_ns = CPUS * 1000000000ull / (uint64_t)atol(argv[3]);
	writers = (unsigned int)atoi(argv[4]);
	level = argc > 5 ? atoi(argv[5]) : 0;
	make_channel(&info);
	text = make_metadata(&info);
	snprintf(path[0], sizeof(path[0]), "%s/part.0", argv[1]);
	w = open_part(path[0], writers, level);
	check(pev_writer_continue(w, NULL), "a part");
	check(pev_writer_metadata(w, text, strlen(text)), "metadata");
	end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)atol(argv[2]) * 1000000000;
	for (unsigned int i = 0; i < CPUS; i++)
		check(-pthread_create(&cpus[i].thread, NULL, produce, &cpus[i]), "a thread");
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		wait_for_data();
		check((int)pev_writer_drain(w, channel), "drain");
		sync_it(w, &synced);
		if (pev_writer_bytes(w) < PART)
			continue;
		part++;
		snprintf(path[part % 2], sizeof(path[0]), "%s/part.%u", argv[1], part);
		next = open_part(path[part % 2], writers, level);
		check(pev_writer_continue(next, w), "the next part");
		check(pev_writer_metadata(next, text, strlen(text)), "metadata");
		end_part(w, path[(part + 1) % 2], &sums);
		nftw(path[(part + 1) % 2], remove_one, 16, FTW_DEPTH | FTW_PHYS);
		w = next;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < CPUS; i++) {
		pthread_join(cpus[i].thread, NULL);
		made += cpus[i].made;
		makers_ns += cpus[i].cpu_ns;
	}
	check((int)pev_writer_drain(w, channel), "drain");
	for (unsigned int i = 0; i < CPUS; i++)
		check(pev_writer_lost(w, i, (int)i, cpus[i].lost, 0), "losses");
	end_part(w, path[part % 2], &sums);
	printf("made %" PRIu64 " written %" PRIu64 " lost %" PRIu64 " bytes %" PRIu64
	       " packed %" PRIu64 " cpu_ns %" PRIu64 "\n",
	       made, sums.written, sums.lost, sums.bytes, sums.packed,
	       clock_ns(CLOCK_PROCESS_CPUTIME_ID) - makers_ns);
	pev_channel_unmap(channel);
	for (unsigned int i = 0; i < CPUS; i++)
		producer_free(&cpus[i].out);
	free(text);
	return made != sums.written + sums.lost;
}
