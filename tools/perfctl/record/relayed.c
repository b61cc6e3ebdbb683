// SPDX-License-Identifier: GPL-2.0
/* A recording that goes to a relay. See relayed.h. */
#include "relayed.h"
#include "describe.h"
#include "recorder.h"
#include "base/clock.h"
#include "base/say.h"
#include "event/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* So often a relay that has gone is called */
#define CALL_NS 1000000000ull

/* ---- Losses ---- */

static int prepare_count(struct recorder *r)
{
	struct relayed *d = &r->relayed;
	struct strbuf text = { 0 };
	struct msg ignored;
	char *written = NULL;
	size_t len;
	int err = 0;

	if (d->decoder)
		return 0;
	d->events = xcalloc(r->config.plan->n, sizeof(*d->events));
	err = describe_text(r, &text, &ignored);
	/* packets are as they were to be sent */
	if (!err && r->config.intern)
		err = pev_meta_intern(text.s, text.len, &written, &len);
	if (!err)
		err = written ? pev_meta_parse(written, len, 0, &d->meta, NULL) :
				pev_meta_parse(text.s, text.len, 0, &d->meta, NULL);
	free(written);
	if (!err)
		err = pev_decoder_new(0, &d->decoder);
	strbuf_free(&text);
	return err;
}

static void count_event(struct recorder *r, const struct pev_class *cls)
{
	const struct event_plan *plan = r->config.plan;

	for (size_t i = 0; i < plan->n; i++) {
		const char *name = (const char *)(uintptr_t)plan->events[i].attr.name;

		if (strcmp(name ? name : plan->events[i].name, cls->name))
			continue;
		r->relayed.events[i]++;
		r->relayed.records++;
		return;
	}
}

static uint64_t *of_ring(struct relayed *d, unsigned int ring)
{
	static uint64_t none;

	if (ring == RELAY_NO_RING)
		return &none;
	if (ring >= d->n_rings) {
		d->rings = xrealloc(d->rings, (ring + 1) * sizeof(*d->rings));
		memset(d->rings + d->n_rings, 0, (ring + 1 - d->n_rings) * sizeof(*d->rings));
		d->n_rings = ring + 1;
	}
	return &d->rings[ring];
}

static void count_lost(void *arg, unsigned int ring, struct pev_packet *packet)
{
	struct recorder *r = arg;
	struct relayed *d = &r->relayed;
	const struct pev_event *ev;

	if (prepare_count(r))
		return;
	/* a part has another one than the channel */
	memcpy(packet->uuid, pev_meta_uuid(d->meta), sizeof(packet->uuid));
	if (pev_decoder_packet(d->decoder, d->meta, packet, packet->packet_size / 8))
		return;
	while (pev_decoder_next(d->decoder, &ev) > 0) {
		++*of_ring(d, ring);
		count_event(r, ev->cls);
	}
}

static void note_cut(void *arg, const char *why)
{
	const struct recorder *r = arg;

	note("%s: the relay has gone before it had all: %s", r->config.path, why);
}

static const struct relay_sink_events events = {
	.lost = count_lost,
	.cut = note_cut,
};

int relayed_take_over(struct recorder *r, struct pev_writer *w)
{
	struct relayed *d = &r->relayed;
	int err = 0;

	if (!d->down)
		return 0;
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->channel) && !err; nr++) {
		uint64_t *lost = of_ring(d, nr), n = *lost + relay_sink_unsaid(d->sink, nr);

		err = n ? pev_writer_add_lost(w, nr, n) : 0;
		*lost = 0;
	}
	return err;
}

/* ---- Sessions ---- */

int relayed_open(struct recorder *r, struct pev_writer **w, struct msg *m)
{
	struct relayed *d = &r->relayed;
	int err = relay_sink_open(r->config.relay, d->nr++, r->config.flush, &d->sink, m);

	if (err)
		return err;
	relay_sink_tell(d->sink, &events, r);
	err = pev_writer_sink(&relay_sink_ops, d->sink, w);
	if (err) {
		relay_sink_free(d->sink);
		d->sink = NULL;
		return msg_set(m, err, "%s: %s", r->config.path, strerror(-err));
	}
	return 0;
}

static void *call(void *arg)
{
	struct recorder *r = arg;
	struct relayed *d = &r->relayed;
	struct msg ignored;

	relay_sink_open(r->config.relay, d->nr, r->config.flush, &d->next, &ignored);
	__atomic_store_n(&d->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Streams of marks, and sums of waits, belong to one recording from its begin to its end. */
static bool can_go_on(const struct recorder *r)
{
	return !r->marks.user && !r->config.waits;
}

static void begin_call(struct recorder *r)
{
	struct relayed *d = &r->relayed;
	uint64_t ns = now_ns();

	if (ns - d->tried < CALL_NS || !can_go_on(r))
		return;
	d->tried = ns;
	d->ended = false;
	d->calls = !pthread_create(&d->thread, NULL, call, r);
}

static void join_call(struct relayed *d)
{
	if (d->calls)
		pthread_join(d->thread, NULL);
	d->calls = false;
}

/* The recording goes on in the session that was made. */
static int go_on(struct recorder *r)
{
	struct relayed *d = &r->relayed;
	struct relay_sink *sink = d->next;
	struct pev_writer *w;
	struct msg m;
	int err;

	d->next = NULL;
	/* the switch looks at the relay, too */
	d->tried = now_ns();
	err = pev_writer_sink(&relay_sink_ops, sink, &w);
	if (err) {
		relay_sink_free(sink);
		return err;
	}
	relay_sink_tell(sink, &events, r);
	err = recorder_switch_writer(r, w, &m);
	if (err) {
		print_error("%s", m.text);
		return err;
	}
	d->sink = sink;
	d->nr++;
	d->down = false;
	note("%s: the relay answers again: the recording goes on there, in another session",
	     r->config.path);
	return 0;
}

int relayed_look(struct recorder *r)
{
	struct relayed *d = &r->relayed;

	if (!d->sink || d->ends || r->ending)
		return 0;
	if (!d->down && relay_sink_failed(d->sink)) {
		d->down = true;
		d->tried = now_ns();
		d->since = switch_clock_now(&r->clock, r->checkpoint.meta);
		note("%s: the relay has gone: %s; what it had not got is lost, and counted%s",
		     r->config.path, relay_sink_why(d->sink),
		     can_go_on(r) ? ", until it answers again" : "");
	}
	if (!d->down)
		return 0;
	if (!d->calls)
		begin_call(r);
	else if (__atomic_load_n(&d->ended, __ATOMIC_ACQUIRE))
		join_call(d);
	return d->calls || !d->next ? 0 : go_on(r);
}

void relayed_ending(struct recorder *r)
{
	struct relayed *d = &r->relayed;

	if (!d->sink)
		return;
	d->ends = true;
	join_call(d);
	if (d->next)
		relay_sink_free(d->next);
	d->next = NULL;
	relay_sink_ending(d->sink);
}

void relayed_ended(struct recorder *r)
{
	r->relayed.sink = NULL;
}

void relayed_free(struct recorder *r)
{
	struct relayed *d = &r->relayed;

	join_call(d);
	if (d->next)
		relay_sink_free(d->next);
	pev_meta_free(d->meta);
	pev_decoder_free(d->decoder);
	free(d->events);
	free(d->rings);
	*d = (struct relayed){ 0 };
}
