// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Threads that drain rings of their own. See team.h.
 *
 * The lock is for the two moments at which a thread begins and ends to drain; what it drains it has
 * for itself meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "core/compiler.h"
#include "trace/index_write.h"
#include "trace/team.h"

/**
 * struct member - a thread
 * @number: from 1 on; 0 is the caller's
 * @drains: how often it was told to drain, and did
 * @bytes:  of the last drain, with its result @ret
 */
struct member {
	struct team *team;
	pthread_t thread;
	unsigned int number;
	struct hand hand;
	uint64_t drains;
	int64_t bytes;
	int ret;
};

/**
 * struct team - the threads
 * @channel: that is drained
 * @drains:  how often there was something to do
 * @working: threads that are at it
 * @nr:      of @members
 * @running: of them, threads that were not ended
 */
struct team {
	struct pev_writer *w;
	pthread_mutex_t lock;
	pthread_cond_t begin;
	pthread_cond_t end;
	struct pev_channel *channel;
	uint64_t drains;
	unsigned int working;
	bool ends;
	unsigned int nr;
	unsigned int running;
	struct member members[];
};

static void *work(void *arg)
{
	struct member *m = arg;
	struct team *t = m->team;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (!t->ends && m->drains == t->drains)
			pthread_cond_wait(&t->begin, &t->lock);
		if (t->ends)
			break;
		m->drains = t->drains;
		pthread_mutex_unlock(&t->lock);
		m->bytes = 0;
		m->ret = writer_drain_share(t->w, t->channel, m->number, t->nr + 1, &m->bytes);
		pthread_mutex_lock(&t->lock);
		if (!--t->working)
			pthread_cond_signal(&t->end);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct hand *team_hand(struct pev_writer *w, unsigned int ring)
{
	unsigned int number = w->team ? ring % (w->team->nr + 1) : 0;

	return number ? &w->team->members[number - 1].hand : &w->own;
}

int team_drain(struct pev_writer *w, struct pev_channel *channel, int64_t *bytes)
{
	struct team *t = w->team;
	int ret;

	pthread_mutex_lock(&t->lock);
	t->channel = channel;
	t->drains++;
	t->working = t->nr;
	pthread_cond_broadcast(&t->begin);
	pthread_mutex_unlock(&t->lock);
	ret = writer_drain_share(w, channel, 0, t->nr + 1, bytes);
	pthread_mutex_lock(&t->lock);
	while (t->working)
		pthread_cond_wait(&t->end, &t->lock);
	pthread_mutex_unlock(&t->lock);
	for (unsigned int i = 0; i < t->nr; i++) {
		*bytes += t->members[i].bytes;
		ret = ret ? ret : t->members[i].ret;
	}
	return ret;
}

void team_end(struct pev_writer *w)
{
	struct team *t = w->team;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ends = true;
	pthread_cond_broadcast(&t->begin);
	pthread_mutex_unlock(&t->lock);
	while (t->running)
		pthread_join(t->members[--t->running].thread, NULL);
}

void team_free(struct pev_writer *w)
{
	struct team *t = w->team;

	if (!t)
		return;
	for (unsigned int i = 0; i < t->nr; i++)
		writer_free_hand(w, &t->members[i].hand);
	pthread_cond_destroy(&t->end);
	pthread_cond_destroy(&t->begin);
	pthread_mutex_destroy(&t->lock);
	free(t);
	w->team = NULL;
}

/* Signals are for the caller's threads: one that ends a write must not be taken here. */
static int start(struct team *t)
{
	sigset_t all, old;
	int ret = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (t->running < t->nr && !ret) {
		struct member *m = &t->members[t->running];

		*m = (struct member){ .team = t, .number = t->running + 1 };
		ret = -pthread_create(&m->thread, NULL, work, m);
		t->running += !ret;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

PEV_EXPORT int pev_writer_threads(struct pev_writer *w, unsigned int nr)
{
	struct team *t;
	int ret;

	if (!nr || nr > PEV_WRITER_MOST_THREADS || w->sink || w->nr_files || w->team)
		return -EINVAL;
	if (nr == 1)
		return 0;
	t = calloc(1, sizeof(*t) + (nr - 1) * sizeof(t->members[0]));
	if (!t)
		return -ENOMEM;
	t->w = w;
	t->nr = nr - 1;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->begin, NULL);
	pthread_cond_init(&t->end, NULL);
	w->team = t;
	index_prepare(w);
	ret = start(t);
	if (!ret)
		return 0;
	team_end(w);
	team_free(w);
	return ret;
}
