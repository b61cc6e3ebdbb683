// SPDX-License-Identifier: GPL-2.0
/* What ran since a flight recorder began. See history.h. */
#include "history.h"
#include "state.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>
#include <stdlib.h>

#define RING (256u << 10)
#define PACKET 16384
/* Bytes of each of the two parts: some hundred thousand records */
#define MOST (32u << 20)

static int keep_packet(void *arg, const void *packet, size_t len)
{
	struct packet_store *s = arg;

	while (s->cap - s->len < len)
		s->p = array_grow(s->p, s->cap, &s->cap, 1);
	memcpy(s->p + s->len, packet, len);
	s->len += len;
	return 0;
}

static int new_encoder(struct proc_history *h)
{
	return pev_encoder_new(h->meta, PACKET, PEV_STREAM_USER, 0, keep_packet, &h->newer,
			       &h->enc);
}

/* Closes the open packet and puts it behind the others. */
static int end_packet(struct proc_history *h)
{
	int err = pev_encoder_close(h->enc);

	h->enc = NULL;
	return err ? err : new_encoder(h);
}

/* Asks for all that runs, so that nothing older is needed to know it. */
static int take_state(struct proc_history *h)
{
	bool later = h->began;

	h->time = max_u64(h->time, proc_state_time(h->meta));
	h->began = true;
	return proc_state_encode(h->enc, h->meta, h->target, h->time, later);
}

static int forget_older(struct proc_history *h)
{
	int err = end_packet(h);

	free(h->older.p);
	h->older = h->newer;
	h->newer = (struct packet_store){ 0 };
	return err;
}

static int open_channel(struct proc_history *h, uint32_t clock, struct msg *m)
{
	struct pev_error why;
	struct pev_attr attr;

	pev_attr_channel(&attr, RING);
	attr.packet_size = PACKET;
	attr.clock = clock;
	h->fd = pev_engine_open(engine(), &attr, 0, &why);
	return h->fd < 0 ? kernel_refused(m, h->fd, &why, "the rings for processes") : 0;
}

int proc_history_open(struct proc_history *h, const struct target *t, uint32_t clock, struct msg *m)
{
	struct pev_error e;
	int err;

	*h = (struct proc_history){ .target = t, .fd = -1 };
	err = open_channel(h, clock, m);
	if (err)
		return err;
	event_plan_sideband(&h->plan, h->fd, ~0u, "tell which code ran");
	err = event_set_open(&h->set, &h->plan, t, 0, m);
	if (err)
		return err;
	err = pev_reader_open(engine(), h->fd, 0, &h->reader, &e);
	if (err)
		return msg_set(m, err, "%s", e.text);
	h->meta = pev_reader_metadata(h->reader, &e);
	if (!h->meta)
		return msg_set(m, -(int)e.error, "the channel's metadata: %s", e.text);
	err = new_encoder(h);
	if (!err)
		err = take_state(h);
	return err ? msg_set(m, err, "the state of running processes: %s", strerror(-err)) : 0;
}

/* Writes the same record by another encoder, not before @time. */
static int copy_event(struct pev_encoder *enc, const struct pev_meta *meta,
		      const struct pev_event *ev, uint64_t *time)
{
	const struct pev_class *cls = pev_meta_class_by_name(meta, ev->cls->name);
	int err;

	if (!cls)
		return 0;
	*time = max_u64(*time, ev->time);
	err = pev_encoder_begin(enc, cls, *time, ev->tid);
	for (unsigned int i = 0; i < ev->cls->nr_fields && !err; i++) {
		const struct pev_field *f = &ev->cls->fields[i];
		size_t count;
		const void *at;

		if (f->shape == PEV_SHAPE_INT) {
			err = pev_encoder_int(enc, f->name, pev_event_int(ev, f));
			continue;
		}
		at = pev_event_locate(ev, f, &count);
		if (at)
			err = pev_encoder_data(enc, f->name, at, count * f->size);
	}
	return err ? err : pev_encoder_commit(enc);
}

static int read_events(struct proc_history *h, unsigned int flags)
{
	const struct pev_event *ev;
	int err = pev_reader_fetch(h->reader, flags, NULL);

	while (!err && pev_reader_next(h->reader, &ev) > 0)
		err = copy_event(h->enc, h->meta, ev, &h->time);
	return err;
}

int proc_history_read(struct proc_history *h)
{
	uint64_t lost = pev_channel_lost(pev_reader_channel(h->reader));
	int err = read_events(h, 0);

	if (err || (lost == h->lost && h->newer.len < MOST))
		return err;
	/* ask again after losses, and at the beginning of a new part */
	h->lost = lost;
	if (h->newer.len >= MOST)
		err = forget_older(h);
	return err ? err : take_state(h);
}

static int copy_packets(const struct proc_history *h, const struct packet_store *s,
			struct pev_encoder *enc, const struct pev_meta *meta, uint64_t *time)
{
	struct pev_decoder *dec;
	const struct pev_event *ev;
	int err = pev_decoder_new(0, &dec);

	for (size_t at = 0; at < s->len && !err;) {
		const struct pev_packet *packet = (const void *)(s->p + at);

		err = pev_decoder_packet(dec, h->meta, packet, packet->packet_size / 8);
		while (!err && pev_decoder_next(dec, &ev) > 0)
			err = copy_event(enc, meta, ev, time);
		at += packet->packet_size / 8;
	}
	pev_decoder_free(dec);
	return err;
}

int proc_history_write(struct proc_history *h, struct pev_writer *w, const struct pev_meta *meta,
		       struct msg *m)
{
	struct pev_encoder *enc = NULL;
	uint64_t time = 0;
	int err, close_err;

	pev_engine_flush(engine(), h->fd);
	err = read_events(h, PEV_FETCH_ALL);
	if (!err)
		err = end_packet(h);
	if (!err)
		err = pev_writer_encoder(w, meta, "state", 0, &enc);
	if (!err)
		err = copy_packets(h, &h->older, enc, meta, &time);
	if (!err)
		err = copy_packets(h, &h->newer, enc, meta, &time);
	close_err = pev_encoder_close(enc);
	if (!err)
		err = close_err;
	return err ? msg_set(m, err, "the history of processes: %s", strerror(-err)) : 0;
}

void proc_history_close(struct proc_history *h)
{
	if (!h->target)
		return;
	pev_encoder_close(h->enc);
	pev_reader_close(h->reader);
	event_set_close(&h->set);
	event_plan_free(&h->plan);
	if (h->fd >= 0)
		pev_engine_close(engine(), h->fd);
	free(h->older.p);
	free(h->newer.p);
	*h = (struct proc_history){ 0 };
}
