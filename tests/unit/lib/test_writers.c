// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rings that several threads drain, under the thread sanitizer: what is written is what one thread
 * writes, byte for byte, as it is, compressed, and with call chains once a packet; and with a disk that is
 * full in the middle of it, all that was written can be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "ring/ring.h"
#include "sample.h"
#include "tap.h"

#define RINGS 8
#define PACKET 1024
#define RING (8 * PACKET)
#define EVENTS 6000
#define AT_A_TIME 5

/**
 * struct fake_ring - a ring, and what comes into it
 * @packets: of which @filled bytes did
 */
struct fake_ring {
	struct pev_ring_kernel kernel;
	struct pev_ring_user user;
	uint8_t data[RING] __attribute__((aligned(64)));
	const uint8_t *packets;
	size_t len;
	size_t filled;
};

static struct fake_ring rings[RINGS];
static struct pev_channel *channel;
static uint8_t *streams[SAMPLE_CPUS];
static size_t lengths[SAMPLE_CPUS];

/* One ring comes late, while the others are drained. */
static int prepare(void *arg)
{
	unsigned int *looks = arg;
	int ret = 0;

	for (unsigned int i = 0; i < RINGS && !ret; i++) {
		if (pev_channel_ring(channel, i) || (i == 3 && *looks < 3))
			continue;
		ret = channel_add_ring(channel, &rings[i].kernel, &rings[i].user, rings[i].data);
	}
	(*looks)++;
	return ret;
}

/* As a kernel does that has some packets each time it is looked at */
static int fetch(void *arg, unsigned int nr)
{
	struct fake_ring *r = &rings[nr];
	uint64_t head = r->kernel.head;

	(void)arg;
	for (unsigned int i = 0; i < AT_A_TIME && r->filled < r->len; i++) {
		uint64_t tail = __atomic_load_n(&r->user.tail, __ATOMIC_ACQUIRE);

		if (head + PACKET - tail > RING)
			break;
		memcpy(r->data + head % RING, r->packets + r->filled, PACKET);
		r->filled += PACKET;
		head += PACKET;
	}
	__atomic_store_n(&r->kernel.head, head, __ATOMIC_RELEASE);
	return 0;
}

static bool all_taken(void)
{
	for (unsigned int i = 0; i < RINGS; i++)
		if (rings[i].filled < rings[i].len || rings[i].user.tail < rings[i].filled)
			return false;
	return true;
}

static void start(unsigned int *looks)
{
	struct pev_channel_info info = {
		.size = sizeof(info),
		.nr_rings = RINGS,
		.ring_size = RING,
		.packet_size = PACKET,
	};
	struct channel_source source = { .arg = looks, .prepare = prepare, .fetch = fetch };

	for (unsigned int i = 0; i < RINGS; i++)
		rings[i] = (struct fake_ring){
			.kernel = { .ring = i, .cpu = (int)i },
			.packets = streams[i % SAMPLE_CPUS],
			.len = lengths[i % SAMPLE_CPUS],
		};
	if (channel_make(&info, -1, &source, &channel))
		exit(2);
}

enum form { PLAIN, PACKED, INTERNED };

static const char *const names[] = { "as it is", "compressed", "with chains once a packet" };

/* Returns what draining ended with. */
static int64_t write_it(const char *path, enum form form, unsigned int threads, int *closed)
{
	char *text;
	struct pev_writer *w;
	unsigned int looks = 0;
	int64_t n = 0;
	size_t len;
	int ret = pev_writer_open(path, 0, &w, NULL);

	*closed = ret;
	if (ret)
		return ret;
	text = sample_metadata(&len);
	ret = form == PACKED   ? pev_writer_compress(w, 1) :
	      form == INTERNED ? pev_writer_intern(w) :
				 0;
	if (!ret && threads)
		ret = pev_writer_threads(w, threads);
	if (!ret)
		ret = pev_writer_metadata(w, text, len);
	start(&looks);
	while (!ret && n >= 0 && !all_taken()) {
		n = pev_writer_drain(w, channel);
		ret = n < 0 ? 0 : pev_writer_sync(w);
	}
	*closed = pev_writer_close(w);
	pev_channel_unmap(channel);
	free(text);
	return ret ? ret : n;
}

static uint8_t *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	uint8_t *data = malloc(4 << 20);

	*len = f && data ? fread(data, 1, 4 << 20, f) : 0;
	if (f)
		fclose(f);
	return data;
}

/* Files of one name under both directories */
static bool same_file(const char *a, const char *b, const char *name)
{
	char path[4200];
	uint8_t *x, *y;
	size_t x_len, y_len;
	bool same;

	snprintf(path, sizeof(path), "%s/%s", a, name);
	x = read_all(path, &x_len);
	snprintf(path, sizeof(path), "%s/%s", b, name);
	y = read_all(path, &y_len);
	same = x_len && x_len == y_len && !memcmp(x, y, x_len);
	free(x);
	free(y);
	return same;
}

static void test_same(const char *dir, enum form form, unsigned int threads)
{
	char one[4200], many[4200], name[64];
	unsigned int different = 0;
	int closed, closed_many;
	int64_t n, n_many;

	snprintf(one, sizeof(one), "%s/one", dir);
	snprintf(many, sizeof(many), "%s/many", dir);
	n = write_it(one, form, 0, &closed);
	n_many = write_it(many, form, threads, &closed_many);
	for (unsigned int i = 0; i < RINGS; i++) {
		snprintf(name, sizeof(name), "stream_%u%s", i, form == PACKED ? ".zst" : "");
		different += !same_file(one, many, name);
		snprintf(name, sizeof(name), "index/stream_%u.idx", i);
		different += !same_file(one, many, name);
	}
	check(n >= 0 && n_many >= 0 && !closed && !closed_many && !different,
	      "%u threads write what one does, %s", threads, names[form]);
	remove_tree(one);
	remove_tree(many);
}

/* Files may have so many bytes; as on a disk that is full, the last write has half a packet. */
static void test_full(const char *dir)
{
	const struct rlimit least = { 20 * PACKET + 200, RLIM_INFINITY };
	struct rlimit old;
	struct pev_trace *t = NULL;
	char path[4200];
	unsigned int cut = 0;
	int64_t n;
	int closed;

	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &least);
	snprintf(path, sizeof(path), "%s/full", dir);
	n = write_it(path, PLAIN, 3, &closed);
	setrlimit(RLIMIT_FSIZE, &old);
	check(n == -EFBIG && closed == -EFBIG, "a full disk ends it, with its error");
	if (!check(!pev_trace_open(path, 0, &t, NULL), "and what was written can be opened"))
		return;
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++)
		cut += pev_trace_stream(t, i)->size % PACKET != 0;
	check(!cut && !pev_trace_damaged(t), "each stream ends with a whole packet");
	pev_trace_close(t);
	remove_tree(path);
}

static void test_refused(const char *dir)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char path[4200];
	struct pev_writer *w;

	snprintf(path, sizeof(path), "%s/refused", dir);
	if (pev_writer_open(path, 0, &w, NULL))
		exit(2);
	check(pev_writer_threads(w, 0) == -EINVAL &&
		      pev_writer_threads(w, PEV_WRITER_MOST_THREADS + 1) == -EINVAL,
	      "numbers of threads that make no sense are refused");
	check(!pev_writer_threads(w, 1) && !pev_writer_threads(w, 2) &&
		      pev_writer_threads(w, 2) == -EINVAL,
	      "one is none more; others are started once");
	check(!pev_writer_close(w), "and end without having had anything to do");
	remove_tree(path);
	if (pev_writer_pipe(null, NULL, NULL, &w, NULL))
		exit(2);
	check(pev_writer_threads(w, 2) == -EINVAL, "a pipe has no use for them");
	pev_writer_close(w);
	close(null);
}

/* What rings are filled with: whole packets of a trace */
static void read_streams(const char *dir)
{
	char path[4200];

	for (unsigned int i = 0; i < SAMPLE_CPUS; i++) {
		snprintf(path, sizeof(path), "%s/model/stream_%u", dir, i);
		streams[i] = read_all(path, &lengths[i]);
		lengths[i] -= lengths[i] % PACKET + PACKET;
	}
}

int main(void)
{
	char *dir = test_dir(), model[4200];

	snprintf(model, sizeof(model), "%s/model", dir);
	if (sample_trace(model, EVENTS, PACKET)) {
		check(false, "a trace is written");
		return 1;
	}
	read_streams(dir);
	for (enum form form = PLAIN; form <= INTERNED; form++)
		test_same(dir, form, form == PLAIN ? 3 : 2);
	test_same(dir, PLAIN, RINGS + 3);
	test_full(dir);
	test_refused(dir);
	for (unsigned int i = 0; i < SAMPLE_CPUS; i++)
		free(streams[i]);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
