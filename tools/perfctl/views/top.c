// SPDX-License-Identifier: GPL-2.0
/* From rings to a profile, without a file between. See top.h. */
#include "top.h"
#include "base/clock.h"
#include "event/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#define POLL_MS 100
/* Chains, or frames, that are remembered before all are forgotten, so that top may run for days */
#define CHAINS_MOST 500000
/* Names of threads, texts of fields, and files, beside twice as many as were left the last time */
#define NAMES_MOST 4096

/* Processor time of this process, in ms. */
static int64_t own_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

static void take_event(void *arg, const struct pev_event *ev, const struct session_class *cls)
{
	struct load_part part = { 0 };
	struct top *t = arg;

	if (cls->kind != SESSION_EVENT)
		return;
	part.profile = &t->load.profile;
	t->samples++;
	load_event(&t->load, &part, ev, cls, 0);
	t->load.chains |= part.chains;
}

static void take(struct top *t, bool all)
{
	sampler_take(&t->sampler, all);
	t->lost = pev_channel_lost(t->sampler.recorder.channel);
}

static size_t names(const struct top *t)
{
	const struct session *s = &t->sampler.session;

	return s->machine.comms.n + t->load.profile.values.n + s->objects.n - s->objects.n_forgotten;
}

/*
 * Starts with an empty picture, without what belongs to processes that have ended: frames and rows
 * have its numbers.
 */
static void forget(struct top *t)
{
	profile_forget(&t->load.profile);
	session_forget(&t->sampler.session);
	t->names_most = 2 * names(t) + NAMES_MOST;
	t->load.forgot++;
}

/* Older samples count less: 7/8 after each picture. */
static void fade(struct top *t)
{
	struct profile *p = &t->load.profile;
	size_t kept = 0;

	if (p->stacks->n_chains > CHAINS_MOST || p->stacks->n_frames > CHAINS_MOST ||
	    names(t) > t->names_most) {
		forget(t);
		return;
	}
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell c = p->cells[i];

		c.weight = c.weight * 7 / 8;
		c.samples = c.weight / TOP_SCALE;
		if (c.weight)
			p->cells[kept++] = c;
	}
	p->n_cells = kept;
	profile_rehash_cells(p);
}

static void say_cost(struct top *t, double seconds)
{
	int64_t own = own_ms();

	snprintf(t->load.live, sizeof(t->load.live), "%.0f samples/s, costs %.1f %% of a CPU%s",
		 (double)(t->samples - t->last_samples) / seconds,
		 (double)(own - t->last_own) / 10 / seconds, t->lost ? ", some lost" : "");
	t->last_samples = t->samples;
	t->last_own = own;
}

void top_gather(struct top *t)
{
	int64_t begin = now_ms(), end = begin + (int64_t)(t->delay * 1000);

	pthread_mutex_lock(&t->load.lock);
	machine_forget(&t->sampler.session.machine);
	fade(t);
	pthread_mutex_unlock(&t->load.lock);
	while (!t->load.stop && now_ms() < end) {
		int64_t left = end - now_ms();

		if (pev_channel_poll(t->sampler.recorder.channel, (int)(left < POLL_MS ? left : POLL_MS)) <=
		    0)
			continue;
		pthread_mutex_lock(&t->load.lock);
		take(t, false);
		pthread_mutex_unlock(&t->load.lock);
	}
	pev_engine_flush(engine(), t->sampler.recorder.fd);
	pthread_mutex_lock(&t->load.lock);
	take(t, true);
	say_cost(t, (double)(now_ms() - begin) / 1000 + 1e-9);
	if (t->load.progress)
		t->load.progress(t->load.arg, 0, 0);
	pthread_mutex_unlock(&t->load.lock);
}

int top_live(struct load *l, struct msg *m)
{
	struct top *t = l->owner;

	(void)m;
	while (!l->stop)
		top_gather(t);
	return 0;
}

int top_open(struct top *t, struct event_plan *plan, const struct target *target, unsigned int mask,
	     struct msg *m)
{
	struct load_config config = {
		.mask = mask, .chains = true, .from = INT64_MIN, .to = INT64_MAX, .quantum = 1
	};
	int err;

	t->sampler.event = take_event;
	t->sampler.arg = t;
	err = sampler_open(&t->sampler, "top", plan, target, m);
	if (err)
		return err;
	load_init(&t->load, &t->sampler.session, &config);
	t->names_most = 2 * names(t) + NAMES_MOST;
	t->load.scale = TOP_SCALE;
	t->load.owner = t;
	err = recorder_start(&t->sampler.recorder, m);
	t->last_own = own_ms();
	return err;
}

void top_close(struct top *t)
{
	load_free(&t->load);
	sampler_close(&t->sampler);
}
