// SPDX-License-Identifier: GPL-2.0
/*
 * What levels of zstd make of a recording, each packet alone as record -z does it: a line
 * "LEVEL RATIO SECONDS" for each, seconds of a processor for a GiB, the least of some tries.
 *
 * usage: levels DIR LEVEL...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <pev/pev.h>
#include "core/zstd.h"

#define TRIES 5
#define GIB (1024.0 * 1024 * 1024)

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/**
 * struct sums - of one way through the recording
 */
struct sums {
	size_t plain;
	size_t packed;
};

static void pack(const struct pev_stream *s, const struct zstd *z, void *ctx, int level,
		 struct sums *to)
{
	static uint8_t frame[2 << 20];

	for (size_t i = 0; i < s->nr_packets; i++) {
		size_t size = s->packets[i].size;

		to->packed += z->compress(ctx, frame, sizeof(frame), s->data + s->packets[i].offset,
					  size, level);
		to->plain += size;
	}
}

static void measure(const struct pev_trace *t, const struct zstd *z, int level)
{
	void *ctx = z->create();
	double least = 1e9, begin, took;
	struct sums sums;

	for (int i = 0; i < TRIES; i++) {
		sums = (struct sums){ 0 };
		begin = seconds();
		for (unsigned int s = 0; s < pev_trace_nr_streams(t); s++)
			pack(pev_trace_stream(t, s), z, ctx, level, &sums);
		took = seconds() - begin;
		least = took < least ? took : least;
	}
	z->destroy(ctx);
	printf("%d %.2f %.2f\n", level, (double)sums.plain / (double)sums.packed,
	       least * GIB / (double)sums.plain);
}

int main(int argc, char **argv)
{
	const struct zstd *z = zstd_get();
	struct pev_trace *t;
	struct pev_error err;

	if (argc < 3 || !z)
		return 2;
	if (pev_trace_open(argv[1], 0, &t, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (int i = 2; i < argc; i++)
		measure(t, z, atoi(argv[i]));
	pev_trace_close(t);
	return 0;
}
