// SPDX-License-Identifier: GPL-2.0
/* Follows threads from switch to switch. See offcpu.h. */
#include "offcpu.h"
#include "place.h"
#include "base/text.h"
#include "event/target.h"
#include "profile/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOW "\"perfctl record --off-cpu -- COMMAND\""

const char *const offcpu_columns[OFFCPU_COLUMNS] = { "waker", "user" };

static struct waiting *wait_of(struct offcpu *o, uint32_t tid)
{
	struct waiting *w;

	if (HTAB_GET(w, &o->h, hash_u64(tid), w->tid == tid, o->waits, o->n, o->cap))
		w->tid = tid;
	return w;
}

static void wait_ends(struct offcpu *o, struct waiting *w, int64_t now)
{
	uint64_t ns = (uint64_t)(now - w->since);
	bool wanted = !o->state || (w->blocked == !strcmp(o->state, "blocked"));

	/* shares are of what was asked for */
	if (o->comm &&
	    !globs_match(o->comm, machine_comm_name(&o->session->machine, w->key.comm)))
		wanted = false;
	if (o->family.n && !family_has(&o->family, w->key.pid))
		wanted = false;
	if (w->since && now > w->since && now >= o->from && now <= o->to && wanted &&
	    ns >= o->least_ns)
		profile_add(&o->profile, &w->key, ns);
	w->since = 0;
}

static void wait_begins(struct offcpu *o, struct waiting *w, const struct pev_event *event,
			const struct sched_fields *f, uint32_t number, int64_t now)
{
	struct profile *p = &o->profile;
	const struct seen *who = sched_prev(&p->session->machine, event, f);
	const struct pev_event *ev = session_unwind(o->session, who, event);

	if (sched_state(ev, f) == SCHED_DEAD)
		return;
	o->unseen += w->since != 0;
	w->since = now;
	w->blocked = sched_state(ev, f) == SCHED_BLOCKED;
	w->key = (struct cell_key){ .event = number, .comm = who->thread.comm,
				    .pid = who->thread.pid, .tid = who->thread.tid,
				    .cpu = w->blocked ? 0 : OFFCPU_PREEMPTED };
	if (ev->kstack_len || ev->ustack_len) {
		o->chains = true;
		w->key.chain = stacks_chain(p->stacks, who->space, ev->kstack, ev->kstack_len,
					    ev->ustack, ev->ustack_len);
		w->key.frame = p->stacks->chain_frames[p->stacks->chains[w->key.chain].first];
	}
}

/* The first to wake a thread that waits */
static void wait_is_ended_by(struct offcpu *o, const struct pev_event *ev)
{
	uint32_t tid, nr = wakers_event(&o->wakers, ev, &tid);
	struct waiting *w = nr ? wait_of(o, tid) : NULL;

	if (w && w->since && w->blocked && !w->key.cpu)
		w->key.cpu = nr;
}

static int read_events(struct offcpu *o, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int64_t now = 0;
	int err;

	session_progress(o->session, "reading");
	while ((err = session_next(o->session, &ev, &cls, m)) > 0) {
		const struct sched_fields *f = &o->fields[ev->cls->index];
		uint32_t prev, next;

		wait_is_ended_by(o, ev);
		family_event(&o->family, cls, ev);
		if (!o->is_switch[ev->cls->index])
			continue;
		o->switches++;
		now = pev_event_ns(ev);
		prev = (uint32_t)pev_event_int(ev, f->prev_pid);
		next = (uint32_t)pev_event_int(ev, f->next_pid);
		if (next)
			wait_ends(o, wait_of(o, next), now);
		if (prev)
			wait_begins(o, wait_of(o, prev), ev, f, cls->event, now);
	}
	now = pev_trace_end_ns(o->session->trace);
	for (size_t i = 0; !err && i < o->n; i++)
		if (o->waits[i].since && !o->no_open)
			wait_ends(o, &o->waits[i], now);
	return err;
}

/* Fills the columns that functions were needed for. */
static void fill_columns(void *arg, struct cell_key *key)
{
	struct offcpu *o = arg;
	struct strbuf b = { 0 };

	for (int c = 0; c < OFFCPU_COLUMNS; c++) {
		if (o->columns[c] < 0)
			continue;
		strbuf_reset(&b);
		if (c == OFFCPU_USER)
			place_user_function(&o->profile, key->chain, &b);
		else if (key->cpu == OFFCPU_PREEMPTED)
			strbuf_puts(&b, "[a processor]");
		else
			wakers_name(&o->wakers, key->cpu, &b);
		key->value[o->columns[c]] = strtab_id(&o->profile.values, b.s);
	}
	key->cpu = 0;
	strbuf_free(&b);
}

static void find_switches(struct offcpu *o)
{
	o->fields = xcalloc(o->session->n_classes, sizeof(*o->fields));
	o->is_switch = xcalloc(o->session->n_classes, sizeof(*o->is_switch));
	for (unsigned int c = 0; c < o->session->n_classes; c++)
		o->is_switch[c] = sched_is_switch(pev_trace_class(o->session->trace, c),
						  &o->fields[c]);
}

/*
 * Refuses recordings that only show one side: times would be of nothing. perf leaves out a
 * switch of a whole CPU now and then without counting it, which is no reason.
 */
static int check_switches(const struct offcpu *o, struct msg *m)
{
	const struct pev_trace *t = o->session->trace;
	const char *target = pev_trace_info(t, "target");
	char a[32], b[32], safe[256];

	if (!o->switches)
		return msg_set(m, -EBADMSG, "%s has no " OFFCPU_SWITCH "; record with " HOW,
			       pev_trace_path(t));
	if (o->unseen * 100 <= o->switches || pev_trace_lost(t) ||
	    (target && !strcmp(target, TARGET_MACHINE)))
		return 0;
	return msg_set(m, -EBADMSG, "%s: %s of %s switches show a thread leave that is not seen to "
		       "come back, as that is a record of who was there before: this needs the "
		       "switches of all threads, and the recording is of %s; record with " HOW,
		       pev_trace_path(t), text_count(a, o->unseen), text_count(b, o->switches),
		       target ? text_safe(safe, sizeof(safe), target) : "some");
}

void offcpu_init(struct offcpu *o, struct session *session)
{
	*o = (struct offcpu){ .session = session };
	profile_init(&o->profile, session);
	for (int c = 0; c < OFFCPU_COLUMNS; c++)
		o->columns[c] = -1;
}

void offcpu_free(struct offcpu *o)
{
	profile_free(&o->profile);
	wakers_free(&o->wakers);
	family_free(&o->family);
	free(o->waits);
	htab_free(&o->h);
	free(o->fields);
	free(o->is_switch);
}

int offcpu_load(struct offcpu *o, struct msg *m)
{
	int err;

	if (o->columns[OFFCPU_WAKER] >= 0 && !wakers_init(&o->wakers, o->session))
		return msg_set(m, -EBADMSG, "%s has no " OFFCPU_WAKING ", which tells who woke a "
			       "thread; record with " HOW, pev_trace_path(o->session->trace));
	find_switches(o);
	err = read_events(o, m);
	if (!err)
		err = check_switches(o, m);
	if (!err)
		place_waits(&o->profile, fill_columns, o);
	return err;
}
