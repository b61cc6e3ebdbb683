/* SPDX-License-Identifier: GPL-2.0 */
/* One part of a recording ends, and the next one begins, without a gap. */
#ifndef PERFCTL_RECORD_SWITCH_H
#define PERFCTL_RECORD_SWITCH_H

#include "trace_dir.h"

#include <pthread.h>
#include <time.h>

struct recorder;

/**
 * struct switch_clock - what a time is in ticks of the trace, days after it began
 * @id:    a clock of the system that goes as fast
 * @at:    its time when it was ...
 * @ticks: ... so much
 */
struct switch_clock {
	clockid_t id;
	struct timespec at;
	uint64_t ticks;
};

/**
 * struct part_end - a part that is being ended beside the recorder
 * @runs:   in the thread
 * @writer: of the part
 * @dir:    of it, locked until then
 * @packed: it is compressed
 * @err:    of it
 */
struct part_end {
	bool runs;
	pthread_t thread;
	struct pev_writer *writer;
	struct trace_dir dir;
	bool packed;
	int err;
};

/* After the first trace was described */
void switch_clock_start(struct switch_clock *c, const struct pev_meta *meta);
/* Returns the present time in ticks. */
uint64_t switch_clock_now(const struct switch_clock *c, const struct pev_meta *meta);
/*
 * Goes on in a new trace at @path; the one before is complete, and says its own losses. If that
 * cannot be, the recorder goes on as before.
 */
int recorder_switch(struct recorder *r, const char *path, struct msg *m);
/* The same, with a writer that is open; it is closed if it does not become the recorder's. */
int recorder_switch_writer(struct recorder *r, struct pev_writer *w, struct msg *m);
/* Waits until the part before is complete; returns its first error. */
int switch_finish(struct recorder *r);

#endif
