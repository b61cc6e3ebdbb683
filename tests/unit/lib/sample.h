/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A small trace of known content for the tests.
 */
#ifndef _SAMPLE_H
#define _SAMPLE_H

#include <pev/pev.h>

#define SAMPLE_BEGIN	(1ULL << 40)
#define SAMPLE_CPUS	3

/* The file metadata.tsdl beside the tests, in memory that free() takes */
char *sample_metadata(size_t *len);

/*
 * Writes a trace with @events events in the ring of each of SAMPLE_CPUS CPUs.
 * Event i of ring r has the time sample_time(r, i) and a class by i % 6.
 */
int sample_trace(const char *path, unsigned int events, uint32_t packet_size);
/* The same, compressed */
int sample_packed(const char *path, unsigned int events, uint32_t packet_size);
/* The same, with call chains once a packet */
int sample_interned(const char *path, unsigned int events, uint32_t packet_size);
uint64_t sample_time(unsigned int ring, unsigned int i);
/* The name of event i's class */
const char *sample_name(unsigned int i);
/* Whether the event is what sample_trace() wrote as event i of its CPU */
bool sample_right(const struct pev_event *ev, unsigned int i);

/**
 * struct sample_reading - what came of reading such a trace
 * @wrong:   events that are not those of sample_trace()
 * @packets: of the first stream
 * @warning: the first one
 */
struct sample_reading {
	unsigned int events;
	unsigned int wrong;
	unsigned int warnings;
	uint64_t damaged;
	size_t packets;
	char warning[400];
};

/* All 0 if the trace can't be opened. */
struct sample_reading sample_read(const char *path);

/*
 * Writes a trace of two classes of streams, with @events events in each of three
 * rings: 0 and 1 are as in sample_trace(), but both of CPU 0; 2 is of class
 * SAMPLE_STREAM and of no CPU, and its events are user:request, numbered.
 */
int sample_streams(const char *path, unsigned int events);
#define SAMPLE_STREAM	9

/* Removes a directory and everything in it; only for paths with "pevtest" in them */
void remove_tree(const char *path);
/* A new directory for a test */
char *test_dir(void);
int write_bytes(const char *path, const void *data, size_t len);

#endif /* _SAMPLE_H */
