// SPDX-License-Identifier: GPL-2.0
/* The critical path of a thread. See path.h. */
#include "path.h"
#include "waits/place.h"

#include <errno.h>
#include <stdlib.h>

/* No thread of waits.threads */
#define NONE SIZE_MAX

void path_init(struct path *p, struct session *session)
{
	*p = (struct path){ .session = session };
	waits_init(&p->waits, session);
	family_init(&p->family, session->trace);
	profile_init(&p->profile, session);
	strtab_id(&p->names, "");
}

void path_free(struct path *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		free(p->threads[i].w);
	free(p->threads);
	free(p->parts);
	htab_free(&p->h);
	strtab_free(&p->names);
	profile_free(&p->profile);
	family_free(&p->family);
	waits_free(&p->waits);
}

/* ---- reading ---- */

/* Returns the thread of that number that was there at a time. */
static size_t thread_at(const struct path *p, uint32_t tid, int64_t at)
{
	size_t found = NONE;

	for (size_t i = 0; i < p->waits.n && tid; i++)
		if (p->waits.threads[i].thread.tid == tid && p->waits.threads[i].begin <= at)
			found = i;
	return found;
}

/* The thread is the last one of its number, as waits come in order of time. */
static void keep(void *arg, const struct wait *wait)
{
	struct path *p = arg;
	size_t i = thread_at(p, wait->thread.tid, wait->end);
	struct path_thread *t;

	if (i == NONE)
		return;
	if (i >= p->n_threads) {
		p->threads = xrealloc(p->threads, (i + 1) * sizeof(*p->threads));
		while (p->n_threads <= i)
			p->threads[p->n_threads++] = (struct path_thread){ 0 };
	}
	t = &p->threads[i];
	*ARRAY_PUSH(t->w, t->n, t->cap) = *wait;
}

/* ---- the way back ---- */

static void add(struct path *p, uint32_t comm, enum path_what what, uint32_t place, int64_t from,
		int64_t to)
{
	struct path_part *part;

	if (to <= from)
		return;
	if (HTAB_GET(part, &p->h, hash_2u64(hash_pair(comm, what), place),
		     part->comm == comm && part->what == what && part->place == place, p->parts,
		     p->n, p->cap)) {
		part->comm = comm;
		part->what = what;
		part->place = place;
	}
	part->ns += (uint64_t)(to - from);
	part->times++;
	p->ns += (uint64_t)(to - from);
}

/* Returns the last wait of a thread that begins before a time, NULL if there is none. */
static const struct wait *wait_before(const struct path *p, size_t i, int64_t at)
{
	const struct path_thread *t = i < p->n_threads ? &p->threads[i] : NULL;
	size_t low = 0, high = t ? t->n : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->w[mid].begin < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &t->w[low - 1] : NULL;
}

static uint32_t place_of(struct path *p, const struct wait *w)
{
	struct strbuf b = { 0 };
	uint32_t nr;

	if (w->chain)
		place_function(&p->profile, place_chain(&p->profile, w->chain), &b);
	nr = strtab_id(&p->names, b.len ? b.s : "");
	strbuf_free(&b);
	return nr;
}

/**
 * struct point - where the way back has come to
 * @i:  the thread
 * @at: ns since the epoch
 */
struct point {
	size_t i;
	int64_t at;
};

/* Before a thread began, what began it is on the path. */
static void to_parent(struct path *p, struct point *at)
{
	const struct wait_thread *t = &p->waits.threads[at->i];

	add(p, t->thread.comm, PATH_RUNS, 0, t->begin, at->at);
	at->i = thread_at(p, t->parent, t->begin);
	if (at->at > t->begin)
		at->at = t->begin;
	p->jumps += at->i != NONE;
}

/* What others than the command's threads do, as the kernel's, is not theirs to shorten. */
static size_t waker_of(const struct path *p, const struct wait *w, int64_t at)
{
	size_t i = thread_at(p, wakers_thread(&p->waits.wakers, w->waker), at);

	if (i == NONE || !p->family.n || family_has(&p->family, p->waits.threads[i].thread.pid))
		return i;
	return NONE;
}

static void through(struct path *p, struct point *at, const struct wait *w)
{
	uint32_t comm = w->thread.comm;
	int64_t woken = w->begin + (int64_t)w->blocked;
	int64_t end = w->end < at->at ? w->end : at->at;
	size_t waker;

	add(p, p->waits.threads[at->i].thread.comm, PATH_RUNS, 0, w->end, at->at);
	add(p, comm, PATH_RUNNABLE, 0, woken, end);
	at->at = woken < end ? woken : end;
	waker = waker_of(p, w, at->at);
	if (w->blocked && waker != NONE && waker != at->i) {
		at->i = waker;
		p->jumps++;
		return;
	}
	add(p, comm, PATH_BLOCKED, place_of(p, w), w->begin, at->at);
	if (at->at > w->begin)
		at->at = w->begin;
}

/* Times never grow; where they stay, as clocks are coarse, the number of steps is bounded. */
static void walk(struct path *p, struct point at)
{
	int64_t begin = pev_trace_begin_ns(p->session->trace);
	uint64_t steps = 2;

	for (size_t i = 0; i < p->n_threads; i++)
		steps += 2 * p->threads[i].n + 2;
	while (at.i != NONE && at.at > begin && steps--) {
		const struct wait *w = wait_before(p, at.i, at.at);

		if (w)
			through(p, &at, w);
		else
			to_parent(p, &at);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct path_part *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

int path_find(struct path *p, uint32_t tid, struct msg *m)
{
	const struct pev_trace *t = p->session->trace;
	struct point end;
	int err;

	if (!tid && !p->family.n)
		return msg_set(m, -EBADMSG, "%s is not of a command: name the thread with --tid",
			       pev_trace_path(t));
	p->waits.family = &p->family;
	err = waits_read(&p->waits, keep, p, m);
	if (err)
		return err;
	end.i = thread_at(p, tid ? tid : p->family.pids[0], pev_trace_end_ns(t));
	if (end.i == NONE)
		return msg_set(m, -EBADMSG, "%s has nothing of thread %u", pev_trace_path(t),
			       tid ? tid : p->family.pids[0]);
	end.at = p->waits.threads[end.i].since;
	stacks_resolve(p->profile.stacks);
	walk(p, end);
	if (p->n)
		qsort(p->parts, p->n, sizeof(*p->parts), by_time);
	/* places in the table have changed */
	htab_clear(&p->h);
	return 0;
}
