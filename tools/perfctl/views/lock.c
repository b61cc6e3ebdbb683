// SPDX-License-Identifier: GPL-2.0
/* Which locks threads waited for. See lock.h. */
#include "lock.h"
#include "waits/place.h"

#include <stdlib.h>
#include <string.h>

/* Functions of the kernel that wait for a lock, innermost first in a chain */
static const struct lock_kind {
	const char *kind;
	const char *globs;
} kinds[] = {
	{ "futex", "futex_*,__futex_*,do_futex" },
	{ "mutex", "__mutex_lock*,mutex_lock*,ww_mutex_lock*,__ww_mutex_lock*" },
	{ "rwsem", "rwsem_down_*,__down_read*,down_read*,__down_write*,down_write*,rwsem_*" },
	{ "rt_mutex", "rt_mutex_*,__rt_mutex_*,rtlock_*,rt_spin_lock*" },
	{ "percpu_rwsem", "percpu_rwsem_*,__percpu_down_read*,percpu_down_*" },
	{ "semaphore", "__down,__down_*,down,down_interruptible,down_killable,down_timeout" },
	{ "socket", "__lock_sock,lock_sock_*" },
	{ "page", "__folio_lock*,folio_lock*" },
};

void locks_init(struct locks *l, struct session *session)
{
	*l = (struct locks){ .session = session };
	waits_init(&l->waits, session);
	profile_init(&l->profile, session);
	strtab_id(&l->names, "");
}

void locks_free(struct locks *l)
{
	for (size_t i = 0; i < l->n_cells; i++)
		durations_free(&l->cells[i].waits);
	for (size_t i = 0; i < l->n; i++)
		durations_free(&l->rows[i].waits);
	free(l->cells);
	free(l->rows);
	htab_free(&l->h_cells);
	htab_free(&l->h_rows);
	strtab_free(&l->names);
	profile_free(&l->profile);
	waits_free(&l->waits);
	wait_filter_free(&l->filter);
}

static void add_wait(void *arg, const struct wait *wait)
{
	struct locks *l = arg;
	struct lock_cell *c;
	uint32_t hash = hash_2u64(hash_pair(wait->thread.comm, wait->chain), wait->waker);

	if (!wait->chain || wait_is_preempted(wait) || !wait_filter_has(&l->filter, wait))
		return;
	if (HTAB_GET(c, &l->h_cells, hash,
		     c->comm == wait->thread.comm && c->chain == wait->chain &&
			     c->waker == wait->waker,
		     l->cells, l->n_cells, l->cap_cells)) {
		c->comm = wait->thread.comm;
		c->chain = wait->chain;
		c->waker = wait->waker;
	}
	durations_add(&c->waits, wait->blocked + wait->runnable);
}

static void frame_name(const struct locks *l, const struct chain *c, uint32_t i, struct strbuf *b)
{
	struct stacks *s = l->profile.stacks;

	strbuf_reset(b);
	stacks_func_name(s, stacks_frame_func(s, s->chain_frames[c->first + i]), b);
}

static const struct lock_kind *kind_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (globs_match(kinds[i].globs, name))
			return &kinds[i];
	return NULL;
}

/*
 * Appends the function that takes the lock: behind those that wait for it. Returns NULL if the
 * chain, which begins where the thread waited, is of no lock.
 */
static const struct lock_kind *taker(const struct locks *l, uint32_t chain, struct strbuf *b)
{
	const struct chain *c = &l->profile.stacks->chains[chain];
	const struct lock_kind *kind;
	uint32_t i = 0;

	frame_name(l, c, 0, b);
	kind = kind_of(b->s);
	if (!kind)
		return NULL;
	if (kind == &kinds[0]) {
		strbuf_reset(b);
		place_user_function(&l->profile, chain, b);
		return kind;
	}
	while (i + 1 < c->n && globs_match(kind->globs, b->s))
		frame_name(l, c, ++i, b);
	return kind;
}

static struct lock_row *row_of(struct locks *l, const struct lock_row *key)
{
	uint32_t hash = hash_2u64(hash_pair(key->function, key->holder),
				  hash_2u64((uintptr_t)key->kind, key->chain));
	struct lock_row *r;

	if (HTAB_GET(r, &l->h_rows, hash,
		     r->kind == key->kind && r->function == key->function &&
			     r->holder == key->holder && r->chain == key->chain,
		     l->rows, l->n, l->cap))
		*r = *key;
	return r;
}

static void add_cell(struct locks *l, const struct lock_cell *cell, struct strbuf *b)
{
	uint32_t chain = place_chain(&l->profile, cell->chain);
	const struct lock_kind *kind = taker(l, chain, b);
	struct lock_row key = { 0 };

	if (!kind)
		return;
	key.kind = kind->kind;
	key.function = strtab_id(&l->names, b->s);
	if (l->by == LOCK_BY_STACK)
		key.chain = chain;
	if (l->by == LOCK_BY_HOLDER) {
		strbuf_reset(b);
		wakers_name(&l->waits.wakers, cell->waker, true, b);
		key.holder = strtab_id(&l->names, b->s);
	}
	durations_merge(&row_of(l, &key)->waits, &cell->waits);
}

static int by_time(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	if (x->waits.sum != y->waits.sum)
		return x->waits.sum < y->waits.sum ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

int locks_load(struct locks *l, struct msg *m)
{
	struct strbuf b = { 0 };
	int err;

	l->waits.family = &l->filter.family;
	err = waits_read(&l->waits, add_wait, l, m);
	if (err)
		return err;
	stacks_resolve(l->profile.stacks);
	for (size_t i = 0; i < l->n_cells; i++)
		add_cell(l, &l->cells[i], &b);
	strbuf_free(&b);
	if (l->n)
		qsort(l->rows, l->n, sizeof(*l->rows), by_time);
	/* places in the table have changed */
	htab_clear(&l->h_rows);
	return 0;
}
