// SPDX-License-Identifier: GPL-2.0
/* Wall-clock time. See wall.h. */
#include "wall.h"
#include "offcpu.h"
#include "place.h"

#include <stdlib.h>

/* Marks cells of waits, as cpu in their key */
#define OF_WAITS 1

/*
 * Waits become cells of the event of the samples. Their functions are known in the profile of the
 * whole recording only, where they begin at what waited.
 */
static void merge(struct load *l, struct offcpu *o, uint32_t event)
{
	struct profile *p = &l->profile;
	struct profile_map map = { 0 };
	struct cell *cells;
	size_t n;

	for (size_t i = 0; i < o->profile.n_cells; i++) {
		o->profile.cells[i].key.event = event;
		o->profile.cells[i].key.cpu = OF_WAITS;
	}
	profile_merge(p, &o->profile, &map);
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

static uint64_t time_run(const struct offcpu *o)
{
	uint64_t run = 0;

	for (size_t i = 0; i < o->waits.n; i++)
		if (wait_filter_thread(&o->filter, &o->waits.threads[i].thread))
			run += o->waits.threads[i].sums.run;
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
		scale(&l->profile, choose(&l->profile, event, &o.filter), time_run(&o));
		merge(l, &o, event);
		l->chains |= o.waits.chains;
	}
	offcpu_free(&o);
	session_close(&session);
	return err;
}
