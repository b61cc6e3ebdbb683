// SPDX-License-Identifier: GPL-2.0
/* Sends what is in a spool. See sender.h. */
#include "sender.h"
#include "base/say.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Between attempts, longer each time: a fleet must not run over a store that comes back. */
#define RETRY_FIRST 1u
#define RETRY_MOST 60u

/* One batch; 0 if the store has it. */
static int send_one(struct sender *s, struct spooled *f, struct store_batch *b, struct msg *m)
{
	uint64_t id = f->id;
	bool sent;
	int err = 0;

	if (f->sent) {
		err = store_void(s->http, b->day, f->id, m);
		id = store_new_id();
	}
	/* noted on the disk first: from here on it is in doubt */
	if (!err)
		err = outbox_sending(s->outbox, f, id, m);
	if (!err) {
		known_leave_out(&s->known, b);
		err = store_insert(s->http, b, id, &sent, m);
	}
	/* a store that failed may have come back without what it had */
	if (err)
		known_forget(&s->known);
	else
		known_add(&s->known, b);
	return err;
}

static void count(struct sender *s, const struct store_batch *b, int err, const struct msg *m)
{
	pthread_mutex_lock(&s->lock);
	s->up = !err;
	if (err) {
		s->failures++;
	} else {
		s->batches++;
		s->samples += b->samples;
	}
	/* a store that is away for hours is reported once */
	if (err && strcmp(s->said.text, m->text)) {
		s->said = *m;
		note("%s; samples stay in %s", m->text, s->outbox->path);
	} else if (!err && s->said.text[0]) {
		s->said.text[0] = '\0';
		note("the store takes samples again");
	}
	pthread_mutex_unlock(&s->lock);
}

/* Sends all that is there; false if the store does not take it. */
static bool send_all(struct sender *s)
{
	struct store_batch b;
	struct spooled f;
	struct msg m;
	int err = 0;

	while (!err && !s->stop && outbox_take(s->outbox, &f, &b)) {
		err = send_one(s, &f, &b, &m);
		outbox_give(s->outbox, !err);
		if (!s->stop || !err)
			count(s, &b, err, &m);
		store_batch_free(&b);
	}
	return !err;
}

/* Some of the wait is random, so that machines that failed together come back one by one. */
static void wait_for(struct sender *s, unsigned int seconds)
{
	uint64_t ms = seconds * 500 + store_new_id() % (seconds * 500);
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(ms / 1000);
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&s->lock);
	while (!s->stop && !pthread_cond_timedwait(&s->wake, &s->lock, &until))
		;
	pthread_mutex_unlock(&s->lock);
}

static void *run(void *arg)
{
	unsigned int retry = RETRY_FIRST;
	struct sender *s = arg;

	while (!s->stop) {
		if (send_all(s)) {
			retry = RETRY_FIRST;
			wait_for(s, RETRY_FIRST);
			continue;
		}
		wait_for(s, retry);
		retry = retry * 2 < RETRY_MOST ? retry * 2 : RETRY_MOST;
	}
	return NULL;
}

int sender_start(struct sender *s, struct outbox *outbox, const struct store_url *url,
		 struct msg *m)
{
	pthread_condattr_t monotonic;
	int err;

	*s = (struct sender){ .outbox = outbox };
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	err = http_open(url, &s->http, m);
	if (err)
		return err;
	http_stop_by(s->http, &s->stop);
	if (pthread_create(&s->thread, NULL, run, s))
		return msg_set(m, -EAGAIN, "a thread that sends samples cannot be started");
	s->runs = true;
	return 0;
}

void sender_stop(struct sender *s)
{
	if (!s->runs)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->runs = false;
}

void sender_end(struct sender *s)
{
	if (!s->outbox)
		return;
	sender_stop(s);
	http_close(s->http);
	known_free(&s->known);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	*s = (struct sender){ 0 };
}
