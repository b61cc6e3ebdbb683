// SPDX-License-Identifier: LGPL-2.1-only
/*
 * One trace, many threads, under the thread sanitizer: cursors over all of it,
 * cursors over a stream, and packets one by one, all of the same trace and
 * metadata. Then the same on a damaged trace, where every thread may be the
 * first to find the damage, while others ask what was found.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "tap.h"

#define EVENTS	1500
#define PACKET	1024
#define THREADS	9
#define ROUNDS	3

static struct pev_trace *trace;
static pthread_barrier_t ready;

struct result {
	unsigned int	nr;
	uint64_t	events;
	uint64_t	wrong;
	uint64_t	sum;
};

static void take(struct result *r, const struct pev_event *ev, unsigned int *at)
{
	char buf[128];

	r->wrong += !sample_right(ev, at[ev->cpu]++);
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		pev_event_print_field(ev, &ev->cls->fields[i], 0, buf, sizeof(buf));
		for (const char *c = buf; *c; c++)
			r->sum = r->sum * 31 + (unsigned char)*c;
	}
	r->sum += (uint64_t)pev_event_ns(ev);
	r->events++;
}

static void walk(struct result *r, const struct pev_stream *stream)
{
	unsigned int at[SAMPLE_CPUS] = { 0 };
	const struct pev_event *ev;
	struct pev_cursor *c;

	if (pev_cursor_open(trace, stream, 0, &c)) {
		r->wrong++;
		return;
	}
	while (pev_cursor_next(c, &ev) > 0)
		take(r, ev, at);
	/* and once more from the middle, uncounted */
	pev_cursor_seek(c, (pev_trace_begin_ns(trace) + pev_trace_end_ns(trace)) / 2);
	while (pev_cursor_next(c, &ev) > 0)
		;
	pev_cursor_close(c);
}

static void packets(struct result *r, const struct pev_stream *stream)
{
	unsigned int at[SAMPLE_CPUS] = { 0 };
	const struct pev_event *ev;
	struct pev_decoder *dec;

	if (pev_decoder_new(0, &dec)) {
		r->wrong++;
		return;
	}
	for (size_t i = 0; i < stream->nr_packets; i++) {
		if (pev_decoder_stream_packet(dec, stream, i)) {
			r->wrong++;
			continue;
		}
		while (pev_decoder_next(dec, &ev) > 0)
			take(r, ev, at);
	}
	pev_decoder_free(dec);
}

/* What others find meanwhile: a text stays what it is. */
static void ask(struct result *r)
{
	for (unsigned int i = 0; i < pev_trace_nr_warnings(trace); i++) {
		const char *text = pev_trace_warning(trace, i);

		r->wrong += !text || !strlen(text);
	}
	r->wrong += pev_trace_damaged(trace) > 1000000;
}

static void *thread(void *arg)
{
	struct result *r = arg;

	pthread_barrier_wait(&ready);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		switch (r->nr % 3) {
		case 0:
			walk(r, NULL);
			break;
		case 1:
			for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++)
				walk(r, pev_trace_stream(trace, i));
			break;
		default:
			for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++)
				packets(r, pev_trace_stream(trace, i));
		}
		ask(r);
	}
	return NULL;
}

static void run(const char *dir, struct result *results)
{
	pthread_t threads[THREADS];
	struct pev_error err;

	if (pev_trace_open(dir, 0, &trace, &err)) {
		check(false, "%s", err.text);
		exit(1);
	}
	pthread_barrier_init(&ready, NULL, THREADS);
	for (unsigned int i = 0; i < THREADS; i++) {
		results[i] = (struct result){ .nr = i };
		pthread_create(&threads[i], NULL, thread, &results[i]);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&ready);
}

static void test_sound(const char *dir)
{
	struct result results[THREADS];
	unsigned int bad = 0;

	run(dir, results);
	for (unsigned int i = 0; i < THREADS; i++)
		bad += results[i].events != (uint64_t)EVENTS * SAMPLE_CPUS * ROUNDS ||
		       results[i].wrong || results[i].sum != results[i % 3].sum;
	check(!bad, "%d threads read one trace, each all of its events", THREADS);
	check(!pev_trace_nr_warnings(trace), "and nothing is damaged");
	pev_trace_close(trace);
}

/* A record of an unknown event in the middle of each packet */
static void damage(const char *dir)
{
	static uint8_t data[1 << 20];
	char path[4200];

	for (unsigned int cpu = 0; cpu < SAMPLE_CPUS; cpu++) {
		FILE *f;
		size_t len;

		snprintf(path, sizeof(path), "%s/stream_%u", dir, cpu);
		f = fopen(path, "r");
		len = f ? fread(data, 1, sizeof(data), f) : 0;
		if (f)
			fclose(f);
		for (size_t at = PACKET / 2; at < len; at += PACKET)
			memset(data + at, 0xff, 64);
		write_bytes(path, data, len);
	}
}

static void test_damaged(const char *dir)
{
	struct result results[THREADS];
	unsigned int bad = 0, nr = 0;
	uint64_t damaged, warned;
	const char *last;

	damage(dir);
	run(dir, results);
	for (unsigned int i = 0; i < THREADS; i++)
		bad += results[i].events != results[0].events || !results[i].events ||
		       results[i].sum != results[i % 3].sum;
	check(!bad, "%d threads read one damaged trace, and find the same", THREADS);
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++)
		nr += pev_trace_stream(trace, i)->nr_packets;
	damaged = pev_trace_damaged(trace);
	check(damaged > 63 && damaged <= nr, "%" PRIu64 " of %u packets are damaged, each once",
	      damaged, nr);
	last = pev_trace_warning(trace, 63);
	warned = pev_trace_nr_warnings(trace) == 64 && last ? 63 + strtoull(last, NULL, 10) : 0;
	check(warned == damaged, "and each is warned of once: %" PRIu64, warned);
	pev_trace_close(trace);
}

int main(void)
{
	char *dir = test_dir();

	if (sample_trace(dir, EVENTS, PACKET)) {
		check(false, "a trace is written");
		return 1;
	}
	test_sound(dir);
	test_damaged(dir);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
