// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces that go on where another one ended: each says its own losses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 600
#define PARTS 3

static char dir[4096], source[4200], path[PARTS][4300];
static struct pev_trace *from;
static const char *text;
static size_t text_len;

/* Writes a packet of the source, with the count of losses that the kernel would give it. */
static int put(struct pev_writer *w, unsigned int nr, size_t packet, uint64_t lost)
{
	const struct pev_stream *s = pev_trace_stream(from, nr);
	const struct pev_packet_index *i = &s->packets[packet];
	struct pev_packet *copy = malloc(i->size);
	int ret;

	memcpy(copy, s->data + i->offset, i->size);
	copy->events_discarded = lost;
	ret = pev_writer_packets(w, (unsigned int)s->instance, copy, i->size);
	free(copy);
	return ret;
}

static struct pev_writer *open_part(unsigned int nr, const struct pev_writer *before)
{
	struct pev_writer *w;

	if (pev_writer_open(path[nr], 0, &w, NULL))
		return NULL;
	if ((before && pev_writer_continue(w, before)) || pev_writer_metadata(w, text, text_len)) {
		pev_writer_close(w);
		return NULL;
	}
	return w;
}

static void check_part(unsigned int nr, uint64_t lost)
{
	struct pev_trace *t;

	if (pev_trace_open(path[nr], 0, &t, NULL)) {
		check(false, "part %u opens", nr);
		return;
	}
	check(pev_trace_lost(t) == lost, "part %u: %llu of %llu lost", nr,
	      (unsigned long long)pev_trace_lost(t), (unsigned long long)lost);
	check(!pev_trace_damaged(t) && !pev_trace_nr_warnings(t), "part %u: nothing is damaged", nr);
	check(!memcmp(pev_meta_uuid(pev_trace_meta(t, 0)), pev_meta_uuid(pev_trace_meta(from, 0)),
		      16) == !nr,
	      "part %u: the UUID is %s", nr, nr ? "its own" : "the channel's");
	pev_trace_close(t);
}

static unsigned int events_of_all(void)
{
	const struct pev_event *ev;
	unsigned int seen = 0;
	struct pev_cursor *c;
	struct pev_trace *t;

	if (pev_trace_open(dir, 0, &t, NULL))
		return 0;
	pev_cursor_open(t, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0)
		seen++;
	check(pev_trace_lost(t) == 7 + 10 + 4, "losses of all parts together: %llu",
	      (unsigned long long)pev_trace_lost(t));
	pev_cursor_close(c);
	pev_trace_close(t);
	return seen;
}

static void test_losses(void)
{
	struct pev_writer *a = open_part(0, NULL), *b, *c;
	unsigned int wrong = 0;

	/* ring 0 has lost 7, of which 5 before its last packet; ring 1 nothing; ring 2 is empty */
	wrong += put(a, 0, 0, 0) || put(a, 0, 1, 5) || put(a, 1, 0, 0);
	b = open_part(1, a);
	/* the last packet of a part may come when the next one is described already */
	wrong += put(a, 1, 1, 0) || pev_writer_lost(a, 0, 0, 7, 0) || (b && pev_writer_continue(b, a));
	check(b && !pev_writer_close(a) && !wrong, "a part goes on where another one ended");
	if (!b)
		return;
	/* a packet that was closed before the kernel counted 7, then 6 more */
	wrong += put(b, 0, 2, 6) || put(b, 0, 3, 13) || put(b, 2, 0, 0);
	wrong += pev_writer_lost(b, 1, 1, 4, 0) != 0;
	c = open_part(2, b);
	check(c && !pev_writer_close(b) && !wrong, "and another one");
	if (!c)
		return;
	/* ring 1 had no packet but for its losses; what ring 0 had lost is said already */
	for (size_t i = 4; i < pev_trace_stream(from, 0)->nr_packets; i++)
		wrong += put(c, 0, i, 13) != 0;
	for (size_t i = 2; i < pev_trace_stream(from, 1)->nr_packets; i++)
		wrong += put(c, 1, i, 4) != 0;
	for (size_t i = 1; i < pev_trace_stream(from, 2)->nr_packets; i++)
		wrong += put(c, 2, i, 1) != 0;
	wrong += pev_writer_lost(c, 0, 0, 13, 0) || pev_writer_lost(c, 1, 1, 7, 0);
	check(!pev_writer_close(c) && !wrong, "the last one ends");
	check_part(0, 7);
	check_part(1, 6 + 4);
	check_part(2, 3 + 1);
	check(events_of_all() == EVENTS * SAMPLE_CPUS, "no event is missing, and none there twice");
}

/* What the kernel describes later is added to the part's own text. */
static void test_metadata(void)
{
	struct pev_writer *a, *b = NULL;
	size_t half = text_len / 2;
	struct pev_trace *t;
	bool right = false;

	remove_tree(path[0]);
	remove_tree(path[1]);
	while (half && text[half - 1] != '\n')
		half--;
	a = open_part(0, NULL);
	right = a && !pev_writer_open(path[1], 0, &b, NULL) && !pev_writer_continue(b, a);
	check(right && pev_writer_metadata(b, "trace {", 7) == -EBADMSG,
	      "metadata that make no sense are refused");
	check(right && !pev_writer_metadata(b, text, text_len) &&
		      !pev_writer_metadata(b, text, text_len) && !put(b, 0, 0, 0),
	      "the same text again is nothing new");
	check(right && pev_writer_continue(b, a) == -EINVAL && pev_writer_continue(a, b) == -EINVAL &&
		      pev_writer_continue(a, a) == -EINVAL,
	      "what was begun continues nothing");
	pev_writer_close(b);
	pev_writer_close(a);
	if (!right || pev_trace_open(path[1], 0, &t, NULL)) {
		check(false, "the part opens");
		return;
	}
	check(pev_trace_stream(t, 0)->nr_packets == 1, "a packet and the metadata have one UUID");
	pev_trace_close(t);
}

int main(void)
{
	char *made = test_dir();
	struct pev_error err;

	snprintf(dir, sizeof(dir), "%s", made);
	free(made);
	snprintf(source, sizeof(source), "%s.source", dir);
	for (unsigned int i = 0; i < PARTS; i++)
		snprintf(path[i], sizeof(path[i]), "%s/part.%u", dir, i);
	if (sample_trace(source, EVENTS, 4096) || pev_trace_open(source, 0, &from, &err)) {
		check(false, "a trace to copy");
		return 1;
	}
	text = pev_meta_text(pev_trace_meta(from, 0), &text_len);
	test_losses();
	test_metadata();
	pev_trace_close(from);
	remove_tree(source);
	remove_tree(dir);
	return tap_done();
}
