// SPDX-License-Identifier: GPL-2.0
/* From rings to a profile, without a file between. See top.h. */
#include "top.h"
#include "event/engine.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define POLL_MS 100
/* Chains, or frames, that are remembered before all are forgotten, so that top may run for days */
#define CHAINS_MOST 500000
/* Names of threads, texts of fields, and files, beside twice as many as were left the last time */
#define NAMES_MOST 4096

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Processor time of this process, in ms. */
static int64_t own_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Records of one packet. @sideband: these, else all others. */
static void take_packet(struct top *t, const void *data, size_t len, bool sideband)
{
	struct load_part part = { .profile = &t->load.profile };
	const struct pev_event *ev;

	if (pev_decoder_packet(t->decoder, pev_trace_meta(t->session.trace, 0), data, len))
		return;
	while (pev_decoder_next(t->decoder, &ev) > 0) {
		const struct session_class *cls;

		if (ev->cls->index >= t->session.n_classes)
			continue;
		cls = &t->session.classes[ev->cls->index];
		if (sideband != (cls->kind != SESSION_EVENT))
			continue;
		if (sideband) {
			session_sideband(&t->session, cls, ev);
			continue;
		}
		t->samples++;
		load_event(&t->load, &part, ev, cls, 0);
	}
	t->load.chains |= part.chains;
}

static void take_piece(struct top *t, const struct pev_piece *piece, bool sideband)
{
	size_t at = 0;

	while (at + sizeof(struct pev_packet) <= piece->len) {
		const struct pev_packet *p = (const void *)((const char *)piece->data + at);
		size_t size = p->packet_size / 8;

		if (!size || size > piece->len - at)
			break;
		take_packet(t, p, size, sideband);
		at += size;
	}
}

/*
 * All complete packets of all rings: first what changed in processes, so that
 * a sample that was taken on another CPU after that finds it.
 */
static void take_all(struct top *t)
{
	struct pev_channel *channel = t->recorder.channel;
	struct pev_piece *pieces = NULL;
	size_t n = 0, cap = 0;

	pev_channel_map_new(channel);
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(channel, nr);
		struct pev_piece piece;

		while (ring && pev_ring_next(ring, &piece) > 0)
			*ARRAY_PUSH(pieces, n, cap) = piece;
	}
	for (size_t i = 0; i < n; i++)
		take_piece(t, &pieces[i], true);
	for (size_t i = 0; i < n; i++)
		take_piece(t, &pieces[i], false);
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++)
		if (pev_channel_ring(channel, nr))
			pev_ring_release(pev_channel_ring(channel, nr));
	free(pieces);
	t->lost = pev_channel_lost(channel);
}

static size_t names(const struct top *t)
{
	const struct session *s = &t->session;

	return s->machine.comms.n + t->load.profile.values.n + s->objects.n - s->objects.n_forgotten;
}

/*
 * Starts with an empty picture, without what belongs to processes that have ended: frames and rows
 * have its numbers.
 */
static void forget(struct top *t)
{
	profile_forget(&t->load.profile);
	session_forget(&t->session);
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
	machine_forget(&t->session.machine);
	fade(t);
	pthread_mutex_unlock(&t->load.lock);
	while (!t->load.stop && now_ms() < end) {
		int64_t left = end - now_ms();

		if (pev_channel_poll(t->recorder.channel, (int)(left < POLL_MS ? left : POLL_MS)) <=
		    0)
			continue;
		pthread_mutex_lock(&t->load.lock);
		take_all(t);
		pthread_mutex_unlock(&t->load.lock);
	}
	pev_engine_flush(engine(), t->recorder.fd);
	pthread_mutex_lock(&t->load.lock);
	take_all(t);
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

/* Writes the description of what runs already into a directory of its own, and reads it. */
static int describe(struct top *t, struct event_plan *plan, const struct target *target,
		    struct msg *m)
{
	struct recorder_config config = { .plan = plan, .target = target, .command = "top" };
	const char *tmp = getenv("TMPDIR");
	const struct session_class *cls;
	const struct pev_event *ev;
	char *path;
	int err;

	t->dir = xasprintf("%s/perfctl-top.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(t->dir)) {
		err = msg_set(m, -EIO, "%s: %s", t->dir, strerror(errno));
		free(t->dir);
		t->dir = NULL;
		return err;
	}
	path = xasprintf("%s/trace", t->dir);
	config.path = path;
	err = recorder_open(&t->recorder, &config, m);
	if (!err) {
		/* the description is all that is written */
		pev_writer_close(t->recorder.writer);
		t->recorder.writer = NULL;
		err = session_open(&t->session, path, m);
	}
	if (!err && pev_decoder_new(0, &t->decoder))
		err = msg_set(m, -ENOMEM, "out of memory");
	while (!err && (err = session_next(&t->session, &ev, &cls, m)) > 0)
		err = 0;
	free(path);
	return err;
}

int top_open(struct top *t, struct event_plan *plan, const struct target *target, unsigned int mask,
	     struct msg *m)
{
	struct load_config config = {
		.mask = mask, .chains = true, .from = INT64_MIN, .to = INT64_MAX, .quantum = 1
	};
	int err;

	t->recorder.fd = -1;
	err = describe(t, plan, target, m);
	if (err)
		return err;
	load_init(&t->load, &t->session, &config);
	t->names_most = 2 * names(t) + NAMES_MOST;
	t->load.scale = TOP_SCALE;
	t->load.owner = t;
	err = recorder_start(&t->recorder, m);
	t->last_own = own_ms();
	return err;
}

void top_close(struct top *t)
{
	load_free(&t->load);
	pev_decoder_free(t->decoder);
	session_close(&t->session);
	recorder_close(&t->recorder);
	if (t->dir)
		nftw(t->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(t->dir);
}
