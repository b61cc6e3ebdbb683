// SPDX-License-Identifier: GPL-2.0
/* From rings to a session, without a file between. See sampler.h. */
#include "sampler.h"
#include "event/engine.h"

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

/* Records of one packet. @sideband: these, else all others. */
static void take_packet(struct sampler *l, const void *data, size_t len, bool sideband)
{
	const struct pev_event *ev;

	if (pev_decoder_packet(l->decoder, pev_trace_meta(l->session.trace, 0), data, len))
		return;
	while (pev_decoder_next(l->decoder, &ev) > 0) {
		const struct session_class *cls;

		if (ev->cls->index >= l->session.n_classes)
			continue;
		cls = &l->session.classes[ev->cls->index];
		if (sideband != (cls->kind != SESSION_EVENT))
			continue;
		if (sideband)
			session_sideband(&l->session, cls, ev);
		l->event(l->arg, ev, cls);
	}
}

static void take_piece(struct sampler *l, const struct pev_piece *piece, bool sideband)
{
	size_t at = 0;

	while (at + sizeof(struct pev_packet) <= piece->len) {
		const struct pev_packet *p = (const void *)((const char *)piece->data + at);
		size_t size = p->packet_size / 8;

		if (!size || size > piece->len - at)
			break;
		take_packet(l, p, size, sideband);
		at += size;
	}
}

/*
 * All complete packets of all rings: first what changed in processes, so that
 * a sample that was taken on another CPU after that finds it.
 */
void sampler_take(struct sampler *l)
{
	struct pev_channel *channel = l->recorder.channel;
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
		take_piece(l, &pieces[i], true);
	for (size_t i = 0; i < n; i++)
		take_piece(l, &pieces[i], false);
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++)
		if (pev_channel_ring(channel, nr))
			pev_ring_release(pev_channel_ring(channel, nr));
	free(pieces);
}

/* Writes the description of what runs already into a directory of its own, and reads it. */
int sampler_open(struct sampler *l, const char *command, struct event_plan *plan,
		 const struct target *target, struct msg *m)
{
	struct recorder_config config = { .plan = plan, .target = target, .command = command };
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
	if (!err && pev_decoder_new(0, &l->decoder))
		err = msg_set(m, -ENOMEM, "out of memory");
	while (!err && (err = session_next(&l->session, &ev, &cls, m)) > 0)
		err = 0;
	free(path);
	return err;
}

void sampler_close(struct sampler *l)
{
	pev_decoder_free(l->decoder);
	session_close(&l->session);
	recorder_close(&l->recorder);
	if (l->dir)
		nftw(l->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(l->dir);
}
