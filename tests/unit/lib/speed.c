// SPDX-License-Identifier: LGPL-2.1-only
/*
 * speed [MILLIONS]: events decoded in a second, from memory. The records are
 * those of a trace of small tracepoints and timer samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sample.h"

static char *data;
static size_t used;

static int take(void *arg, const void *packet, size_t len)
{
	(void)arg;
	data = realloc(data, used + len);
	memcpy(data + used, packet, len);
	used += len;
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void make(const struct pev_meta *meta, const char *name, unsigned int events,
		 unsigned int frames)
{
	const struct pev_class *cls = pev_meta_class_by_name(meta, name);
	uint64_t stack[32] = { 0 };
	struct pev_encoder *enc;

	used = 0;
	pev_encoder_new(meta, 65536, 0, 0, take, NULL, &enc);
	for (unsigned int i = 0; i < events; i++) {
		pev_encoder_begin(enc, cls, i * 100ULL, i);
		pev_encoder_int(enc, "pid", 5);
		pev_encoder_int(enc, "ip", 0x401000 + i);
		pev_encoder_data(enc, "kstack", stack, frames * 8);
		pev_encoder_commit(enc);
	}
	pev_encoder_close(enc);
}

static void measure(const struct pev_meta *meta, const char *name, unsigned int frames,
		    unsigned int millions)
{
	const struct pev_field *f;
	const struct pev_event *ev;
	struct pev_decoder *dec;
	uint64_t sum = 0, count = 0;
	double start, best = 1e9, took;

	make(meta, name, 1000000, frames);
	if (pev_decoder_new(0, &dec))
		exit(1);
	f = pev_class_field(pev_meta_class_by_name(meta, name), "next_pid");
	for (unsigned int round = 0; round < millions; round++) {
		start = now();
		count = 0;
		for (size_t at = 0; at < used;
		     at += ((const struct pev_packet *)(data + at))->packet_size / 8) {
			if (pev_decoder_packet(dec, meta, data + at, used - at))
				exit(1);
			while (pev_decoder_next(dec, &ev) > 0) {
				sum += ev->ip + ev->tid + pev_event_int(ev, f);
				count++;
			}
		}
		took = now() - start;
		best = took < best ? took : best;
	}
	pev_decoder_free(dec);
	printf("# decode %s, %u frames: %.1f M events/s, %.0f MB/s (%llu)\n", name, frames,
	       count / best / 1e6, used / best / 1e6, (unsigned long long)sum % 10);
}

int main(int argc, char **argv)
{
	unsigned int millions = argc > 1 ? atoi(argv[1]) : 5;
	struct pev_meta *meta;
	size_t len;
	char *text = sample_metadata(&len);

	if (pev_meta_parse(text, len, 0, &meta, NULL))
		return 1;
	measure(meta, "test:nothing", 0, millions);
	measure(meta, "sched:sched_switch", 0, millions);
	measure(meta, "timer:cpu-clock", 0, millions);
	measure(meta, "timer:cpu-clock", 16, millions);
	measure(meta, "pev:mmap", 0, millions);
	pev_meta_free(meta);
	free(text);
	free(data);
	return 0;
}
