// SPDX-License-Identifier: GPL-2.0
/* Wall-clock time. See wall.h. */
#include "wall.h"
#include "offcpu.h"
#include "place.h"

#include <stdlib.h>

/* Marks cells of waits, as cpu in their key */
#define OF_WAITS 1

/*
 * Waits become cells of the recording's profile. Their functions are known there only, where they
 * begin at what waited.
 */
static void merge(struct load *l, struct profile *waits)
{
	struct profile *p = &l->profile;
	struct profile_map map = { 0 };
	struct cell *cells;
	size_t n;

	profile_merge(p, waits, &map);
	profile_map_free(&map);
	stacks_resolve(p->stacks);
	cells = p->cells;
	n = p->n_cells;
	p->cells = NULL;
	p->n_cells = p->cap_cells = 0;
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < n; i++) {
		if (cells[i].key.cpu == OF_WAITS)
			place_cell(p, &cells[i].key);
		cells[i].key.cpu = 0;
		profile_add_many(p, &cells[i].key, cells[i].samples, cells[i].weight);
	}
	free(cells);
	stacks_resolve(p->stacks);
}

/* Takes out samples of other programs; returns the weight of those that stay. */
static uint64_t choose(struct profile *p, uint32_t event, const struct wait_filter *f)
{
	uint64_t weight = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		struct thread t = { .tid = c->key.tid, .pid = c->key.pid, .comm = c->key.comm };

		if (c->key.event != event || !wait_filter_thread(f, &t))
			continue;
		weight += c->weight;
		p->cells[n++] = *c;
	}
	p->n_cells = n;
	return weight;
}

/* Samples share the time in which threads ran. */
static void scale(struct profile *p, uint64_t weight, uint64_t run)
{
	for (size_t i = 0; i < p->n_cells && weight; i++)
		p->cells[i].weight = (uint64_t)((double)p->cells[i].weight / (double)weight *
						(double)run);
	profile_rehash_cells(p);
}

static uint64_t time_run(const struct waits *w, const struct wait_filter *f)
{
	uint64_t run = 0;

	for (size_t i = 0; i < w->n; i++)
		if (wait_filter_thread(f, &w->threads[i].thread))
			run += w->threads[i].sums.run;
	return run;
}

int wall_add(struct load *l, uint32_t event, const char *comm, struct msg *m)
{
	struct session session;
	struct offcpu o;
	int err = session_fork(&session, l->session, m);

	if (err)
		return err;
	offcpu_init(&o, &session);
	o.raw = true;
	err = wait_filter_init(&o.filter, &session, comm, false, NULL, m);
	if (!err)
		err = offcpu_load(&o, m);
	if (!err) {
		scale(&l->profile, choose(&l->profile, event, &o.filter),
		      time_run(&o.waits, &o.filter));
		for (size_t i = 0; i < o.profile.n_cells; i++) {
			o.profile.cells[i].key.event = event;
			o.profile.cells[i].key.cpu = OF_WAITS;
		}
		merge(l, &o.profile);
		l->chains |= o.waits.chains;
	}
	offcpu_free(&o);
	session_close(&session);
	return err;
}

/* ---- events beside those of the recording ---- */

/**
 * struct wall_events - what becomes of waits, as they are read
 * @profile: in stacks of their own
 * @quantum: ns of a span of time
 * @begin:   of the first span
 * @wall:    event of what ran and what waited
 * @wakers:  event of what waited, by the stacks of what woke it
 */
struct wall_events {
	struct session session;
	struct waits waits;
	struct wait_filter filter;
	struct profile profile;
	uint64_t quantum;
	int64_t begin;
	uint32_t wall;
	uint32_t wakers;
};

/* A wait counts in each span of time for its part there, and in the first as one. */
static void add_spans(struct wall_events *e, const struct wait *wait, struct cell_key *key)
{
	uint64_t from = (uint64_t)(wait->begin > e->begin ? wait->begin - e->begin : 0);
	uint64_t to = (uint64_t)(wait->end > e->begin ? wait->end - e->begin : 0), next;
	uint64_t one = 1;

	for (; from < to; from = next, one = 0) {
		uint64_t span = from / e->quantum;

		next = min_u64((span + 1) * e->quantum, to);
		key->time = (uint32_t)min_u64(span, UINT32_MAX);
		profile_add_many(&e->profile, key, one, next - from);
	}
}

static void add_events(void *arg, const struct wait *wait)
{
	struct wall_events *e = arg;
	struct stacks *s = &e->session.stacks;
	uint32_t by = wait->waker ? e->waits.wakers.w[wait->waker - 1].chain : CHAIN_NONE;
	struct cell_key key = {
		.event = e->wall,
		.comm = wait->thread.comm,
		.pid = wait->thread.pid,
		.tid = wait->thread.tid,
		.cpu = OF_WAITS,
		.chain = wait->chain,
	};

	if (!wait_filter_has(&e->filter, wait))
		return;
	if (wait->chain)
		key.frame = s->chain_frames[s->chains[wait->chain].first];
	add_spans(e, wait, &key);
	if (!by)
		return;
	key.event = e->wakers;
	key.cpu = 0;
	key.chain = by;
	key.frame = s->chain_frames[s->chains[by].first];
	add_spans(e, wait, &key);
}

static bool is_run(const struct cell *c, uint32_t event, const struct wait_filter *f)
{
	struct thread t = { .tid = c->key.tid, .pid = c->key.pid, .comm = c->key.comm };

	return c->key.event == event && wait_filter_thread(f, &t);
}

/* Samples of the first event are copied: they stand for the time that threads ran. */
static void add_runs(struct profile *p, const struct wall_events *e)
{
	uint64_t run = time_run(&e->waits, &e->filter), weight = 0;
	uint32_t event = UINT32_MAX;
	size_t n = p->n_cells;

	for (size_t i = 0; i < n; i++)
		event = (uint32_t)min_u64(event, p->cells[i].key.event);
	for (size_t i = 0; i < n; i++)
		if (is_run(&p->cells[i], event, &e->filter))
			weight += p->cells[i].weight;
	for (size_t i = 0; i < n && weight; i++) {
		struct cell c = p->cells[i];

		if (!is_run(&c, event, &e->filter))
			continue;
		c.key.event = e->wall;
		c.weight = (uint64_t)((double)c.weight / (double)weight * (double)run);
		profile_add_many(p, &c.key, c.samples, c.weight);
	}
}

int wall_add_events(struct load *l, uint32_t *first, struct msg *m)
{
	struct wall_events e = {
		.quantum = l->config.quantum,
		.begin = pev_trace_begin_ns(l->session->trace),
	};
	int err;

	/* before the names are shared */
	e.wall = strtab_id(&l->session->names, "wall-clock time");
	e.wakers = strtab_id(&l->session->names, "time waited, by what woke");
	*first = e.wall;
	err = session_fork(&e.session, l->session, m);
	if (err)
		return err;
	waits_init(&e.waits, &e.session);
	profile_init(&e.profile, &e.session);
	err = wait_filter_init(&e.filter, &e.session, NULL, false, NULL, m);
	e.waits.family = &e.filter.family;
	if (!err)
		err = waits_read(&e.waits, add_events, &e, m);
	if (!err) {
		add_runs(&l->profile, &e);
		merge(l, &e.profile);
		l->chains |= e.waits.chains;
	}
	wait_filter_free(&e.filter);
	profile_free(&e.profile);
	waits_free(&e.waits);
	session_close(&e.session);
	return err;
}
