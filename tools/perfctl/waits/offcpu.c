// SPDX-License-Identifier: GPL-2.0
/* Adds waits up. See offcpu.h. */
#include "offcpu.h"
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOW "\"perfctl record --off-cpu -- COMMAND\""
/* in place of a waker */
#define PREEMPTED UINT32_MAX

const char *const offcpu_columns[OFFCPU_COLUMNS] = { "waker", "user", "place", "from", "by" };

static bool is_wanted(const struct offcpu *o, const struct wait *wait)
{
	/* one that is new has not left */
	if (wait->state == PEV_WAIT_NEW || (wait->open && o->no_open))
		return false;
	if (o->state && wait_is_preempted(wait) != !strcmp(o->state, "preempted"))
		return false;
	return wait_filter_has(&o->filter, wait);
}

static void add_time(struct offcpu *o, uint32_t comm, uint64_t ns)
{
	struct comm_time *t;

	if (HTAB_GET(t, &o->h_times, hash_u64(comm), t->comm == comm, o->times, o->n_times,
		     o->cap_times))
		t->comm = comm;
	t->ns += ns;
}

uint64_t offcpu_time(const struct offcpu *o, uint32_t comm)
{
	for (size_t i = 0; i < o->n_times; i++)
		if (o->times[i].comm == comm)
			return o->times[i].ns;
	return 0;
}

/* The cell's cpu is the number of the waker, until all functions are known. */
static void add_wait(void *arg, const struct wait *wait)
{
	struct offcpu *o = arg;
	struct stacks *s = &o->session->stacks;
	struct cell_key key = {
		.event = wait->event,
		.comm = wait->thread.comm,
		.pid = wait->thread.pid,
		.tid = wait->thread.tid,
		.cpu = wait_is_preempted(wait) ? PREEMPTED : wait->waker,
		.chain = wait->chain,
	};
	uint64_t ns = wait->blocked + wait->runnable;
	uint32_t cell;

	if (wait_filter_thread(&o->filter, &wait->thread))
		add_time(o, wait->thread.comm, wait->ran + ns);
	if (!ns || !is_wanted(o, wait))
		return;
	if (wait->chain)
		key.frame = s->chain_frames[s->chains[wait->chain].first];
	cell = profile_add(&o->profile, &key, ns);
	if (!o->raw)
		spreads_add(&o->spreads, cell, ns);
}

static void column_text(struct offcpu *o, enum offcpu_column c, const struct cell_key *key,
			struct strbuf *b)
{
	const struct wakers *w = &o->waits.wakers;

	switch (c) {
	case OFFCPU_USER:
		place_user_function(&o->profile, key->chain, b);
		break;
	case OFFCPU_PLACE:
		place_function(&o->profile, key->chain, b);
		break;
	case OFFCPU_FROM:
		if (key->cpu != PREEMPTED)
			wakers_place(w, key->cpu, b);
		break;
	default:
		if (key->cpu == PREEMPTED)
			strbuf_puts(b, OFFCPU_NO_CPU);
		else
			wakers_name(w, key->cpu, c == OFFCPU_WAKER, b);
	}
}

/* Fills the columns that functions were needed for. */
static void fill_columns(struct offcpu *o, struct cell_key *key)
{
	struct strbuf b = { 0 };

	for (int c = 0; c < OFFCPU_COLUMNS; c++) {
		if (o->columns[c] < 0)
			continue;
		strbuf_reset(&b);
		column_text(o, (enum offcpu_column)c, key, &b);
		key->value[o->columns[c]] = strtab_id(&o->profile.values, b.len ? b.s : "");
	}
	key->cpu = 0;
	strbuf_free(&b);
}

/**
 * struct placing - cells that are added up again
 * @spreads: of the new ones
 */
struct placing {
	struct offcpu *offcpu;
	struct spreads spreads;
};

static void fill_cell(void *arg, struct cell_key *key)
{
	const struct placing *p = arg;

	fill_columns(p->offcpu, key);
}

static void cell_moved(void *arg, size_t from, uint32_t to)
{
	struct placing *p = arg;

	spreads_move(&p->offcpu->spreads, from, &p->spreads, to);
}

static void place_all(struct offcpu *o)
{
	struct placing p = { .offcpu = o };

	place_waits(&o->profile, fill_cell, cell_moved, &p);
	spreads_free(&o->spreads);
	o->spreads = p.spreads;
}

void offcpu_init(struct offcpu *o, struct session *session)
{
	*o = (struct offcpu){ .session = session };
	waits_init(&o->waits, session);
	profile_init(&o->profile, session);
	for (int c = 0; c < OFFCPU_COLUMNS; c++)
		o->columns[c] = -1;
}

void offcpu_free(struct offcpu *o)
{
	profile_free(&o->profile);
	spreads_free(&o->spreads);
	waits_free(&o->waits);
	wait_filter_free(&o->filter);
	free(o->times);
	htab_free(&o->h_times);
}

int offcpu_load(struct offcpu *o, struct msg *m)
{
	int err;

	if (!o->waits.source)
		return waits_check(&o->waits, m);
	if (o->columns[OFFCPU_WAKER] >= 0 && o->waits.source == &waits_by_switch)
		return msg_set(m, -EBADMSG, "%s", waits_without_chains(&o->waits));
	if (o->columns[OFFCPU_WAKER] >= 0 && !o->waits.names_wakers)
		return msg_set(m, -EBADMSG,
			       "%s lacks " WAITS_SWITCH " or " WAITS_WAKING
			       ", which together tell what woke a thread; record with " HOW,
			       pev_trace_path(o->session->trace));
	o->waits.family = &o->filter.family;
	err = waits_read(&o->waits, add_wait, o, m);
	/* what they ran since their last wait */
	for (size_t i = 0; i < o->waits.n; i++)
		if (wait_filter_thread(&o->filter, &o->waits.threads[i].thread))
			add_time(o, o->waits.threads[i].thread.comm, o->waits.threads[i].next.ran);
	if (!err && !o->raw)
		place_all(o);
	return err;
}
