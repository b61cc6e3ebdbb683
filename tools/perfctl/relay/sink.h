/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that goes to a relay: the sink of a writer, and the thread that sends. What was sent
 * is kept until the relay says that it has written it, so that what is lost with the connection is
 * known. The recorder never waits for the relay, but at the end, for seconds at most.
 */
#ifndef PERFCTL_RELAY_SINK_H
#define PERFCTL_RELAY_SINK_H

#include "url.h"

#include <pev/pev.h>

struct relay_sink;

/* The streams of a recording that are no ring's */
#define RELAY_NO_RING ~0u

/**
 * struct relay_sink_events - what a sink tells, in the thread of its writer
 * @lost: a packet did not reach the relay; it is 8-byte aligned, and may be changed
 * @cut:  the connection ended while the recording was being ended
 */
struct relay_sink_events {
	void (*lost)(void *arg, unsigned int ring, struct pev_packet *packet);
	void (*cut)(void *arg, const char *why);
};

/*
 * Connects, and starts the thread; blocks for seconds at most. @nr: see relay_conn_open(); @live_ns:
 * viewers hear of each stream so often. The sink becomes that of a writer with relay_sink_ops.
 */
int relay_sink_open(const struct relay_url *u, uint64_t nr, uint64_t live_ns,
		    struct relay_sink **out, struct msg *m);
void relay_sink_tell(struct relay_sink *s, const struct relay_sink_events *events, void *arg);
/*
 * Has the connection ended? Then all that the relay has not got is lost, and packets of rings stay
 * there from now on.
 */
bool relay_sink_failed(struct relay_sink *s);
/* Why it has ended */
const char *relay_sink_why(const struct relay_sink *s);
/* Losses of a ring that only lost packets tell of; once the connection has ended */
uint64_t relay_sink_unsaid(const struct relay_sink *s, unsigned int ring);
/*
 * The recording ends: wait for a slow relay rather than leave packets in the rings, unless it takes
 * nothing for seconds. What comes once the connection has ended is lost.
 */
void relay_sink_ending(struct relay_sink *s);
/* Without a writer */
void relay_sink_free(struct relay_sink *s);

extern const struct pev_sink_ops relay_sink_ops;

#endif
