// SPDX-License-Identifier: GPL-2.0
/*
 * Loading in several threads. See load.h.
 *
 * The recording is cut into spans of time of about the same size. Each thread takes
 * the next one, replays the sideband events before it, which a first pass gathered,
 * to know the processes and address spaces at its beginning, reads it, and merges
 * its samples into the common profile once all earlier spans have been merged.
 *
 * Both passes are made over one group of spans after the other, so that something can be shown soon
 * whatever the size of the recording, and that the second pass finds in memory what the first has read.
 */
#include "load_parts.h"
#include "load.h"
#include "profile.h"
#include "session/since.h"

#include <errno.h>
#include <stdlib.h>

#define SPAN_BYTES (4u << 20) /* of packets that make a span, at most */
#define SPANS_EACH 8 /* of a thread, at least */
#define LEAST_BYTES (8u << 20) /* below this, one thread is as fast */
/* Spans of a group, for each thread: of the first one, and of the largest */
#define GROUP_FIRST 4
#define GROUP_MOST 32

/**
 * struct side - a sideband event: what it takes to make it again, as there are millions of mappings
 * @payload: bytes behind @record
 * @cls:     number of its class
 * @stream:  number of its stream
 */
struct side {
	uint64_t time;
	const uint8_t *record;
	uint32_t record_len;
	uint32_t payload;
	uint32_t payload_len;
	uint32_t pid;
	uint32_t tid;
	uint32_t cls;
	uint32_t stream;
};

struct sides {
	struct side *s;
	size_t n, cap;
};

/**
 * struct parts - what the threads share
 * @sides:  all sideband events in order of time
 * @metas:  of each stream
 * @since:  ns, where they begin
 * @cuts:   ns at which spans begin; one more, which ends the last
 * @begin:  the first span of the group that is loaded
 * @end:    the first one behind it
 * @next:   the next span to take
 * @merged: spans that are in the common profile
 * @lock:   @next, @merged, @err
 */
struct parts {
	struct load *load;
	unsigned int threads;
	struct sides sides;
	const struct pev_meta **metas;
	int64_t since;
	int64_t *cuts;
	size_t n;
	size_t begin;
	size_t end;
	size_t next;
	size_t merged;
	int err;
	struct msg msg;
	pthread_mutex_t lock;
	pthread_cond_t moved;
};

/**
 * struct worker - a thread, from one group to the next
 * @open: it has its session and profile
 */
struct worker {
	struct parts *parts;
	unsigned int nr;
	pthread_t thread;
	bool open;
	struct sides sides;
	struct session session;
	struct profile profile;
	struct profile_map map;
	size_t replayed;
};

struct piece {
	int64_t begin;
	uint32_t bytes;
};

static int by_begin(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* The packets that have events of a time, from *first to before *end */
static void packets_of(const struct pev_stream *s, int64_t from, int64_t to, size_t *first,
		       size_t *end)
{
	size_t low = 0, high = s->nr_packets;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pev_meta_ns(s->meta, s->packets[mid].end) < from)
			low = mid + 1;
		else
			high = mid;
	}
	*first = low;
	high = s->nr_packets;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pev_meta_ns(s->meta, s->packets[mid].begin) <= to)
			low = mid + 1;
		else
			high = mid;
	}
	*end = low;
}

/* Chooses where spans begin; returns 0 if there would not be two. */
static size_t cut(struct parts *p)
{
	const struct pev_trace *t = p->load->session->trace;
	int64_t from = p->load->config.from, to = p->load->config.to;
	struct piece *pieces = NULL;
	size_t n = 0, cap = 0, cap_cuts = 0;
	uint64_t bytes = 0, all = 0;

	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++) {
		const struct pev_stream *s = pev_trace_stream(t, i);
		size_t k, end;

		for (packets_of(s, from, to, &k, &end); k < end; k++) {
			struct piece *piece = ARRAY_PUSH(pieces, n, cap);

			piece->begin = pev_meta_ns(s->meta, s->packets[k].begin);
			piece->bytes = s->packets[k].content;
			all += piece->bytes;
		}
	}
	if (n)
		qsort(pieces, n, sizeof(*pieces), by_begin);
	for (size_t i = 0; i < n && (all >= LEAST_BYTES || p->load->config.threads); i++) {
		uint64_t most = min_u64(SPAN_BYTES, all / (SPANS_EACH * p->threads) + 1);

		if (!p->n || (bytes >= most && pieces[i].begin > p->cuts[p->n - 1])) {
			int64_t begin = p->n ? pieces[i].begin : from;

			*ARRAY_PUSH(p->cuts, p->n, cap_cuts) = begin;
			bytes = 0;
		}
		bytes += pieces[i].bytes;
	}
	free(pieces);
	if (p->n < 2)
		return 0;
	p->cuts = array_grow(p->cuts, p->n, &cap_cuts, sizeof(*p->cuts));
	p->cuts[p->n] = to == INT64_MAX ? to : to + 1;
	return p->n;
}

static int64_t side_ns(const struct parts *p, const struct side *s)
{
	return pev_meta_ns(p->metas[s->stream], s->time);
}

static int side_order(const void *va, const void *vb, void *arg)
{
	const struct side *a = va, *b = vb;
	const struct parts *p = arg;

	if (p->metas[a->stream] == p->metas[b->stream]) {
		if (a->time != b->time)
			return a->time < b->time ? -1 : 1;
	} else {
		int64_t x = side_ns(p, a), y = side_ns(p, b);

		if (x != y)
			return x < y ? -1 : 1;
	}
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->record < b->record ? -1 : a->record > b->record;
}

/* When the sideband events begin that a group's spans and earlier ones do not have, ns */
static int64_t group_from(const struct parts *p)
{
	return p->begin ? p->cuts[p->begin] : p->since;
}

static int add_side(void *arg, const struct pev_event *ev)
{
	const uint8_t *record = ev->record, *payload = ev->payload;
	struct worker *w = arg;
	const struct parts *p = w->parts;
	int64_t ns = pev_event_ns(ev);

	/* packets lie on both sides of a cut */
	if ((p->begin && ns < p->cuts[p->begin]) || (p->end < p->n && ns >= p->cuts[p->end]))
		return p->load->stop;
	*ARRAY_PUSH(w->sides.s, w->sides.n, w->sides.cap) = (struct side){
		.time = ev->time,
		.record = record,
		.record_len = ev->record_len,
		.payload = (uint32_t)(payload - record),
		.payload_len = ev->payload_len,
		.pid = ev->pid,
		.tid = ev->tid,
		.cls = ev->cls->index,
		.stream = ev->stream->index,
	};
	return p->load->stop;
}

/* Applies what @side tells to a session. */
static void tell(const struct parts *p, struct session *s, const struct side *side)
{
	const struct pev_event ev = {
		.time = side->time,
		.cls = pev_trace_class(s->trace, side->cls),
		.payload = side->record + side->payload,
		.record = side->record,
		.payload_len = side->payload_len,
		.record_len = side->record_len,
		.meta = p->metas[side->stream],
		.stream = pev_trace_stream(s->trace, side->stream),
		.tid = side->tid,
		.pid = side->pid,
	};

	session_sideband(s, &s->classes[side->cls], &ev);
}

/* What a session does not learn from an event, it need not be told again. */
static bool is_side(enum session_kind kind)
{
	return kind != SESSION_EVENT && kind != SESSION_USTACK && kind != SESSION_INVENTORY;
}

/* First pass: gathers the sideband events of the n-th part of each stream, as far as the group goes. */
static void *gather(void *arg)
{
	struct worker *w = arg;
	struct parts *p = w->parts;
	const struct session *f = p->load->session;
	bool *wanted = xcalloc(f->n_classes, sizeof(*wanted));
	int64_t to = p->end < p->n ? p->cuts[p->end] : p->load->config.to;

	w->sides = (struct sides){ 0 };
	for (unsigned int c = 0; c < f->n_classes; c++)
		wanted[c] = is_side(f->classes[c].kind);
	for (unsigned int i = 0; i < pev_trace_nr_streams(f->trace) && !p->load->stop; i++) {
		const struct pev_stream *s = pev_trace_stream(f->trace, i);
		size_t first, end, n;

		packets_of(s, group_from(p), to, &first, &end);
		n = end - first;
		pev_stream_scan(s, first + n * w->nr / p->threads,
				first + n * (w->nr + 1) / p->threads, wanted, add_side, w);
	}
	free(wanted);
	return NULL;
}

/* Brings the machine to the state it has when span @k begins. */
static void replay(struct worker *w, size_t k)
{
	struct parts *p = w->parts;

	for (; w->replayed < p->sides.n && side_ns(p, &p->sides.s[w->replayed]) < p->cuts[k];
	     w->replayed++)
		tell(p, &w->session, &p->sides.s[w->replayed]);
}

/**
 * struct sooner - saves most events the conversion of their clock
 * @meta:  of the events that have comparable ticks
 * @ticks: an event with fewer is certainly before the span's end
 */
struct sooner {
	const struct pev_meta *meta;
	uint64_t ticks;
};

/* Rounding may move an event by one tick. */
static struct sooner sooner_than(const struct pev_meta *meta, int64_t end)
{
	uint64_t ticks = pev_meta_ticks(meta, end);

	return (struct sooner){ meta, ticks ? ticks - 1 : 0 };
}

static int walk(struct worker *w, size_t k, bool *chains, struct msg *m)
{
	const struct load *l = w->parts->load;
	struct load_part part = { .profile = &w->profile };
	int64_t end = w->parts->cuts[k + 1], ns = 0;
	bool timed = load_timed(l);
	struct sooner sooner = { 0 };
	const struct session_class *cls;
	const struct pev_event *ev;
	int err;

	replay(w, k);
	err = pev_cursor_seek(w->session.cursor, w->parts->cuts[k]);
	while (!err && !l->stop && (err = pev_cursor_next(w->session.cursor, &ev)) > 0) {
		err = 0;
		if (timed || ev->meta != sooner.meta || ev->time >= sooner.ticks) {
			ns = pev_event_ns(ev);
			if (ns >= end)
				break;
			sooner = sooner_than(ev->meta, end);
		}
		cls = &w->session.classes[ev->cls->index];
		if (cls->kind != SESSION_EVENT)
			session_sideband(&w->session, cls, ev);
		else if (l->verdicts[cls->event] &&
			 (!timed || (ns >= l->config.from && ns <= l->config.to)))
			load_event(l, &part, ev, cls, ns);
	}
	while (w->replayed < w->parts->sides.n &&
	       side_ns(w->parts, &w->parts->sides.s[w->replayed]) < end)
		w->replayed++;
	*chains = part.chains;
	return err < 0 ? msg_set(m, err, "reading the trace: %s", strerror(-err)) : 0;
}

static void merge(struct worker *w, bool chains)
{
	struct load *l = w->parts->load;

	pthread_mutex_lock(&l->lock);
	profile_merge(&l->profile, &w->profile, &w->map);
	l->chains |= chains;
	l->done = l->total * (w->parts->merged + 1) / w->parts->n;
	if (l->progress)
		l->progress(l->arg, l->done, l->total);
	pthread_mutex_unlock(&l->lock);
}

static int open_worker(struct worker *w, struct msg *m)
{
	int err = w->open ? 0 : session_fork(&w->session, w->parts->load->session, m);

	if (err || w->open)
		return err;
	profile_init(&w->profile, &w->session);
	w->open = true;
	return 0;
}

static void close_worker(struct worker *w)
{
	if (!w->open)
		return;
	profile_map_free(&w->map);
	profile_free(&w->profile);
	session_close(&w->session);
}

/* Second pass: loads one span of the group after another. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct parts *p = w->parts;
	struct msg m;
	int err = open_worker(w, &m);

	for (;;) {
		bool chains = false;
		size_t k;

		pthread_mutex_lock(&p->lock);
		if (err && !p->err) {
			p->err = err;
			p->msg = m;
		}
		k = p->err || p->next == p->end ? p->n : p->next++;
		pthread_mutex_unlock(&p->lock);
		if (k >= p->n)
			break;
		err = walk(w, k, &chains, &m);
		pthread_mutex_lock(&p->lock);
		while (p->merged != k)
			pthread_cond_wait(&p->moved, &p->lock);
		pthread_mutex_unlock(&p->lock);
		merge(w, chains);
		pthread_mutex_lock(&p->lock);
		p->merged++;
		pthread_cond_broadcast(&p->moved);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

/* The caller runs worker 0; the others take over if a thread cannot be created. */
static void run(struct worker *w, unsigned int n, void *(*fn)(void *))
{
	bool started[n];

	for (unsigned int i = 1; i < n; i++) {
		started[i] = !pthread_create(&w[i].thread, NULL, fn, &w[i]);
		if (!started[i] && fn == gather)
			fn(&w[i]); /* no other worker gathers its part */
	}
	fn(&w[0]);
	for (unsigned int i = 1; i < n; i++)
		if (started[i])
			pthread_join(w[i].thread, NULL);
}

/* Adds what a group has behind that of the groups before, in order of time. */
static void collect(struct parts *p, struct worker *w)
{
	size_t had = p->sides.n, n = had;

	for (unsigned int i = 0; i < p->threads; i++)
		n += w[i].sides.n;
	p->sides.s = xrealloc(p->sides.s, (n + 1) * sizeof(*p->sides.s));
	for (unsigned int i = 0; i < p->threads; i++) {
		if (w[i].sides.n)
			memcpy(p->sides.s + p->sides.n, w[i].sides.s,
			       w[i].sides.n * sizeof(*p->sides.s));
		p->sides.n += w[i].sides.n;
		free(w[i].sides.s);
	}
	if (n > had)
		qsort_r(p->sides.s + had, n - had, sizeof(*p->sides.s), side_order, p);
}

/*
 * The first session resolves functions, and so knows those that came into the kernel: what is shown
 * meanwhile asks it.
 */
static void note_functions(const struct parts *p, size_t from)
{
	struct session *s = p->load->session;

	pthread_mutex_lock(&p->load->lock);
	for (size_t i = from; i < p->sides.n; i++)
		if (s->classes[p->sides.s[i].cls].kind == SESSION_FUNCTION)
			tell(p, s, &p->sides.s[i]);
	pthread_mutex_unlock(&p->load->lock);
}

static void load_groups(struct parts *p, struct worker *w)
{
	size_t spans = GROUP_FIRST * p->threads, most = GROUP_MOST * p->threads, had;

	for (; p->begin < p->n && !p->err && !p->load->stop; p->begin = p->end) {
		p->end = p->n - p->begin > spans ? p->begin + spans : p->n;
		had = p->sides.n;
		run(w, p->threads, gather);
		collect(p, w);
		note_functions(p, had);
		run(w, p->threads, work);
		spans = 2 * spans < most ? 2 * spans : most;
	}
}

int load_in_parts(struct load *l, unsigned int threads, struct msg *m)
{
	struct parts p = { .load = l, .threads = threads > 64 ? 64 : threads };
	struct worker *workers;
	int err = session_seek(l->session, l->config.from, m);

	if (err)
		return err;
	p.since = since_checkpoint(l->session->trace, l->config.from);
	if (!cut(&p)) {
		free(p.cuts);
		return 1;
	}
	p.metas = xcalloc(pev_trace_nr_streams(l->session->trace) + 1, sizeof(*p.metas));
	for (unsigned int i = 0; i < pev_trace_nr_streams(l->session->trace); i++)
		p.metas[i] = pev_trace_stream(l->session->trace, i)->meta;
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.moved, NULL);
	workers = xcalloc(p.threads, sizeof(*workers));
	for (unsigned int i = 0; i < p.threads; i++) {
		workers[i].parts = &p;
		workers[i].nr = i;
	}
	load_groups(&p, workers);
	if (p.err)
		*m = p.msg;
	for (unsigned int i = 0; i < p.threads; i++)
		close_worker(&workers[i]);
	pthread_mutex_destroy(&p.lock);
	pthread_cond_destroy(&p.moved);
	free(p.sides.s);
	free(p.metas);
	free(p.cuts);
	free(workers);
	return p.err;
}
