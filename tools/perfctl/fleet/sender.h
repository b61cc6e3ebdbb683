/* SPDX-License-Identifier: GPL-2.0 */
/* The thread of an agent that sends what is in the spool to a store, as soon as that takes it. */
#ifndef PERFCTL_FLEET_SENDER_H
#define PERFCTL_FLEET_SENDER_H

#include "known.h"
#include "outbox.h"
#include "store/http.h"

/**
 * struct sender - a thread
 * @known:   what need not be sent again
 * @lock:    of all below
 * @wake:    the end
 * @stop:    ends it; what is being sent is in doubt then
 * @up:      the last attempt succeeded
 * @batches: that the store acknowledged ...
 * @samples: ... and what they had
 * @failures: attempts that the store did not acknowledge
 * @said:    the error that was reported last
 */
struct sender {
	struct outbox *outbox;
	struct http *http;
	struct known known;
	pthread_t thread;
	bool runs;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	volatile bool stop;
	bool up;
	uint64_t batches;
	uint64_t samples;
	uint64_t failures;
	struct msg said;
};

int sender_start(struct sender *s, struct outbox *outbox, const struct store_url *url,
		 struct msg *m);
/* What is being sent is in doubt then. */
void sender_stop(struct sender *s);
void sender_end(struct sender *s);

#endif
