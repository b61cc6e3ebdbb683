// SPDX-License-Identifier: GPL-2.0
/* From rings to a session, without a file between. See sampler.h. */
#include "sampler.h"
#include "event/engine.h"
#include "procs/state.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/**
 * struct sampler_ring - where the walk through a ring is
 * @ev:     the next event; NULL: there is none
 * @pieces: of the ring, not yet given back
 * @at:     the packet behind that of @ev: number of its piece ...
 * @offset: ... and where it begins there
 * @packet: of @ev, where it begins in the ring
 */
struct sampler_ring {
	struct pev_decoder *decoder;
	const struct pev_event *ev;
	struct pev_piece *pieces;
	size_t n, cap;
	size_t at;
	size_t offset;
	uint64_t packet;
};

/* Goes to the next packet; false: there is none. */
static bool next_packet(struct sampler *l, struct sampler_ring *r)
{
	while (r->at < r->n) {
		const struct pev_piece *piece = &r->pieces[r->at];
		const struct pev_packet *p = (const void *)((const char *)piece->data + r->offset);
		size_t left = piece->len - r->offset, size;

		size = left < sizeof(*p) ? 0 : p->packet_size / 8;
		if (!size || size > left) {
			r->at++;
			r->offset = 0;
			continue;
		}
		r->packet = piece->position + r->offset;
		r->offset += size;
		if (!pev_decoder_packet(r->decoder, pev_trace_meta(l->session.trace, 0), p, size))
			return true;
	}
	return false;
}

static void next_event(struct sampler *l, struct sampler_ring *r)
{
	while (r->ev && pev_decoder_next(r->decoder, &r->ev) <= 0)
		if (!next_packet(l, r))
			r->ev = NULL;
}

static void take_event(struct sampler *l, const struct pev_event *ev)
{
	const struct session_class *cls;

	if (ev->cls->index >= l->session.n_classes)
		return;
	cls = &l->session.classes[ev->cls->index];
	if (cls->kind != SESSION_EVENT)
		session_sideband(&l->session, cls, ev);
	l->event(l->arg, ev, cls);
}

/* Finds the ring with the earliest event, and until when it stays that. */
static struct sampler_ring *earliest(struct sampler *l, uint64_t *until)
{
	struct sampler_ring *first = NULL;

	*until = UINT64_MAX;
	for (size_t i = 0; i < l->n_rings; i++) {
		struct sampler_ring *r = &l->rings[i];

		if (!r->ev)
			continue;
		if (!first) {
			first = r;
		} else if (r->ev->time < first->ev->time) {
			*until = first->ev->time;
			first = r;
		} else if (r->ev->time < *until) {
			*until = r->ev->time;
		}
	}
	return first;
}

static int add_rings(struct sampler *l)
{
	size_t n = pev_channel_nr_rings(l->recorder.channel);

	while (l->n_rings < n) {
		struct pev_decoder *decoder;

		if (pev_decoder_new(0, &decoder))
			return -ENOMEM;
		ARRAY_PUSH(l->rings, l->n_rings, l->cap_rings)->decoder = decoder;
	}
	return 0;
}

static void fetch_ring(struct sampler *l, struct sampler_ring *r, struct pev_ring *ring)
{
	/* stands for "before the first one" */
	static const struct pev_event before;
	struct pev_piece piece;

	while (pev_ring_next(ring, &piece) > 0) {
		const struct pev_packet *last = (const void *)((const char *)piece.data +
							       piece.len -
							       pev_ring_packet_size(ring));

		*ARRAY_PUSH(r->pieces, r->n, r->cap) = piece;
		l->newest = max_u64(l->newest, last->timestamp_end);
	}
	if (r->ev)
		return;
	r->ev = next_packet(l, r) ? &before : NULL;
	next_event(l, r);
}

/* Gives back all packets before that of the next event. */
static void release_ring(struct sampler_ring *r, struct pev_ring *ring)
{
	size_t done = r->ev ? r->at : r->n;

	if (r->ev)
		pev_ring_release_to(ring, r->packet);
	else
		pev_ring_release(ring);
	r->n -= done;
	memmove(r->pieces, r->pieces + done, r->n * sizeof(*r->pieces));
	r->at = 0;
	r->offset = r->ev ? r->offset : 0;
}

/*
 * In the order of time over all rings: what a process did on another CPU has happened to it
 * before its next sample. Rings are read one after another, so that a later one may have what
 * follows from what an earlier one did not have yet. But each has by now all that is no later
 * than what was read the last time, and the rest stays where it is.
 */
void sampler_take(struct sampler *l, bool all)
{
	struct pev_channel *channel = l->recorder.channel;
	uint64_t until, limit = all ? UINT64_MAX : l->newest;
	struct sampler_ring *r;

	pev_channel_map_new(channel);
	if (add_rings(l))
		return;
	for (unsigned int nr = 0; nr < l->n_rings; nr++)
		if (pev_channel_ring(channel, nr))
			fetch_ring(l, &l->rings[nr], pev_channel_ring(channel, nr));
	while ((r = earliest(l, &until)) && r->ev->time <= limit) {
		until = min_u64(until, limit);
		for (; r->ev && r->ev->time <= until; next_event(l, r))
			take_event(l, r->ev);
	}
	for (unsigned int nr = 0; nr < l->n_rings; nr++)
		if (pev_channel_ring(channel, nr))
			release_ring(&l->rings[nr], pev_channel_ring(channel, nr));
}

/* ---- what is read again ---- */

#define REREAD_PACKET 16384

/* What the process was before is forgotten, as at an exec. */
static int apply_packet(void *arg, const void *packet, size_t len)
{
	struct sampler *l = arg;
	struct session *s = &l->session;
	const struct session_class *cls;
	const struct pev_event *ev;
	int ret = pev_decoder_packet(l->again, pev_trace_meta(s->trace, 0), packet, len);

	while (!ret && (ret = pev_decoder_next(l->again, &ev)) > 0) {
		ret = 0;
		if (ev->cls->index >= s->n_classes)
			continue;
		cls = &s->classes[ev->cls->index];
		if (l->reread)
			machine_exec(&s->machine, l->reread);
		l->reread = 0;
		session_sideband(s, cls, ev);
	}
	return ret;
}

int sampler_reread(struct sampler *l, uint32_t pid)
{
	const struct pev_meta *meta = pev_trace_meta(l->session.trace, 0);
	struct pev_encoder *enc;
	int err = l->again ? 0 : pev_decoder_new(0, &l->again), close_err;

	l->reread = pid;
	if (!err)
		err = pev_encoder_new(meta, REREAD_PACKET, PEV_STREAM_USER, UINT32_MAX, apply_packet,
				      l, &enc);
	if (err)
		return err;
	err = proc_state_encode_one(enc, meta, pid, proc_state_time(meta));
	close_err = pev_encoder_close(enc);
	return err ? err : close_err ? close_err : !l->reread;
}

/* Writes the description of what runs already into a directory of its own, and reads it. */
int sampler_open(struct sampler *l, const char *command, struct event_plan *plan,
		 const struct target *target, struct msg *m)
{
	struct recorder_config config = {
		.plan = plan, .target = target, .command = command, .later = l->later
	};
	const char *tmp = getenv("TMPDIR");
	const struct session_class *cls;
	const struct pev_event *ev;
	char *path;
	int err;

	l->recorder.fd = -1;
	l->dir = xasprintf("%s/perfctl-live.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(l->dir)) {
		err = msg_set(m, -EIO, "%s: %s", l->dir, strerror(errno));
		free(l->dir);
		l->dir = NULL;
		return err;
	}
	path = xasprintf("%s/trace", l->dir);
	config.path = path;
	err = recorder_open(&l->recorder, &config, m);
	if (!err) {
		/* the description is all that is written */
		pev_writer_close(l->recorder.writer);
		l->recorder.writer = NULL;
		err = session_open(&l->session, path, m);
	}
	if (!err && add_rings(l))
		err = msg_set(m, -ENOMEM, "out of memory");
	while (!err && (err = session_next(&l->session, &ev, &cls, m)) > 0)
		err = 0;
	free(path);
	return err;
}

void sampler_close(struct sampler *l)
{
	for (size_t i = 0; i < l->n_rings; i++) {
		pev_decoder_free(l->rings[i].decoder);
		free(l->rings[i].pieces);
	}
	free(l->rings);
	pev_decoder_free(l->again);
	session_close(&l->session);
	recorder_close(&l->recorder);
	if (l->dir)
		nftw(l->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(l->dir);
}
