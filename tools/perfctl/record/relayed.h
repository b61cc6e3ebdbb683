/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording that goes to a relay: what is lost with a connection is counted, and once the relay
 * answers again, the recording goes on in another session there, as another part.
 */
#ifndef PERFCTL_RECORD_RELAYED_H
#define PERFCTL_RECORD_RELAYED_H

#include "relay/sink.h"

#include <pthread.h>

struct recorder;

/**
 * struct relayed - where a recording goes to, and what got lost on the way
 * @sink:    of the writer; NULL: the recording goes elsewhere, or has ended
 * @nr:      sessions that were made
 * @ends:    the recording does, and is not continued
 * @down:    the connection has ended
 * @since:   ticks at which that was seen
 * @tried:   when the relay was called last, ns
 * @calls:   the thread is there, or has ended and was not joined ...
 * @ended:   ... by the thread, which touches nothing any more
 * @next:    the session that it has made
 * @meta:    for counting records; NULL: none was lost yet
 * @events:  records lost, by event of the plan
 * @records: the sum of @events
 * @rings:   records of all kinds lost since the session began, by ring
 */
struct relayed {
	struct relay_sink *sink;
	uint64_t nr;
	bool ends;
	bool down;
	uint64_t since;
	uint64_t tried;
	bool calls;
	bool ended;
	pthread_t thread;
	struct relay_sink *next;
	struct pev_meta *meta;
	struct pev_decoder *decoder;
	uint64_t *events;
	uint64_t records;
	uint64_t *rings;
	unsigned int n_rings;
};

/* Makes the first session, and its writer. */
int relayed_open(struct recorder *r, struct pev_writer **w, struct msg *m);
/* Has the connection ended, or does the relay answer again? Returns 0 or -errno. */
int relayed_look(struct recorder *r);
/* From now on what is left in the rings is sent, or lost. */
void relayed_ending(struct recorder *r);
/* The writer was closed, and the sink with it. */
void relayed_ended(struct recorder *r);
/* The writer of the next part counts what the part before could not say. */
int relayed_take_over(struct recorder *r, struct pev_writer *w);
void relayed_free(struct recorder *r);

#endif
