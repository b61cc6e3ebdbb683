/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that there are, written again now and then while a recording grows: so its middle
 * can be read without all that was recorded before.
 */
#ifndef PERFCTL_RECORD_CHECKPOINT_H
#define PERFCTL_RECORD_CHECKPOINT_H

#include "base/util.h"

#include <pev/pev.h>

#include <pthread.h>

struct recorder;

/**
 * struct checkpoint - one that is being made in a thread, and when to make the next
 * @meta:    of the recording; NULL: none are made
 * @runs:    the thread is there, or has ended and was not joined
 * @ended:   by the thread, which touches nothing any more
 * @err:     of it
 * @path:    of the recording
 * @begin:   ticks before the first process was looked at
 * @end:     ticks behind the last one
 * @packets: what it has made
 * @due:     bytes of the recording at which the next one begins
 * @seq:     packets that were written
 */
struct checkpoint {
	struct pev_meta *meta;
	bool runs;
	bool ended;
	int err;
	pthread_t thread;
	char *path;
	uint64_t begin;
	uint64_t end;
	struct strbuf packets;
	uint64_t due;
	uint64_t seq;
};

/* Begins with a trace, or its next part. @meta: becomes the checkpoint's; NULL: keep the one before */
void checkpoint_init(struct recorder *r, struct pev_meta *meta);
/* Begins one if it is time to, and writes one that is there. Returns 0 or -errno of writing. */
int checkpoint_look(struct recorder *r);
/* Waits until no thread runs, whose result is not written; no other one begins. */
void checkpoint_stop(struct checkpoint *c);
void checkpoint_free(struct checkpoint *c);

#endif
