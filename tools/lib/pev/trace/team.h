/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Threads that drain rings beside the caller's thread, each those of its own: pev_writer_threads().
 *
 * They work while team_drain() does, and wait otherwise. So all else that a writer does, by the caller's
 * thread, has the writer to itself: what is written, and in which order, is the same with any number
 * of threads. While they work they share the writer's metadata, which stay as they are, and its error.
 */
#ifndef _PEV_TRACE_TEAM_H
#define _PEV_TRACE_TEAM_H

#include "trace/writer.h"

struct team;

/* The hand that writes a ring's stream */
struct hand *team_hand(struct pev_writer *w, unsigned int ring);
/* Drains all rings, as pev_writer_drain(). 0 or the first thread's -errno */
int team_drain(struct pev_writer *w, struct pev_channel *channel, int64_t *bytes);
/* Ends the threads, before their hands are freed. */
void team_end(struct pev_writer *w);
void team_free(struct pev_writer *w);

#endif /* _PEV_TRACE_TEAM_H */
