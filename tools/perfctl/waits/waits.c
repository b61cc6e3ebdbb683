// SPDX-License-Identifier: GPL-2.0
/* The waits of a recording, whatever tells of them. See waits.h. */
#include "waits.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOW "record with \"perfctl record --waits -- COMMAND\""

void waits_init(struct waits *w, struct session *session)
{
	static const struct waits_source *const sources[] = { &waits_by_record, &waits_by_sched,
							      &waits_by_switch };

	*w = (struct waits){ .session = session, .wakers = { .session = session } };
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !w->source; i++)
		if (sources[i]->find(w))
			w->source = sources[i];
}

void waits_free(struct waits *w)
{
	if (w->source && w->source->free)
		w->source->free(w);
	free(w->private);
	wakers_free(&w->wakers);
	free(w->threads);
	htab_free(&w->h);
	*w = (struct waits){ 0 };
}

/* The kernel's own sums, which need no times of records. False: they lack something. */
static bool take_told(struct wait_thread *t)
{
	struct wait_sums s = t->told.sums;
	const struct wait_sums *base = &t->told.base;
	uint64_t known;

	/* a damaged recording may say anything */
	if (!t->told.whole || s.enabled < base->enabled || s.run < base->run ||
	    s.folded < base->folded)
		return false;
	s.enabled -= base->enabled;
	s.run -= base->run;
	s.folded -= base->folded;
	s.blocked += t->told.open.blocked;
	s.runnable += t->told.open.runnable;
	known = s.run + s.folded + s.blocked + s.runnable;
	if (known > s.enabled)
		return false;
	/* in records that were lost */
	s.unseen = s.enabled - known;
	s.waits = t->sums.waits;
	t->sums = s;
	return true;
}

static void end(struct waits *w)
{
	w->source->end(w, pev_trace_end_ns(w->session->trace));
	for (size_t i = 0; i < w->n; i++) {
		struct wait_thread *t = &w->threads[i];

		if (!take_told(t))
			t->sums.enabled = (uint64_t)t->since - (uint64_t)t->begin;
	}
}

int waits_check(const struct waits *w, struct msg *m)
{
	if (!w->source)
		return msg_set(m, -EBADMSG,
			       "%s has no " WAITS_SWITCH " and no " WAITS_RECORD
			       ", which tell when threads wait; " HOW,
			       pev_trace_path(w->session->trace));
	return w->source->check ? w->source->check(w, m) : 0;
}

int waits_read(struct waits *w, waits_fn fn, void *arg, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int err;

	if (!w->source)
		return waits_check(w, m);
	w->fn = fn;
	w->arg = arg;
	session_progress(w->session, "reading");
	while ((err = session_next(w->session, &ev, &cls, m)) > 0) {
		if (w->family)
			family_event(w->family, cls, ev);
		w->source->event(w, cls, ev);
	}
	if (err)
		return err;
	end(w);
	return waits_check(w, m);
}

/* ---- threads ---- */

/* @t has the number of one that has ended: is it the thread that was to take it over? */
static void inherit(struct waits *w, struct wait_thread *t, const struct thread *thread)
{
	struct wait_thread *from = NULL;
	bool ended = false;

	for (struct wait_thread *o = w->threads; o < w->threads + w->n; o++) {
		ended |= o->gone && o->thread.tid == thread->tid;
		if (o->becomes == thread->tid)
			from = o;
	}
	if (!thread->tid || !ended || !from)
		return;
	w->heirs--;
	*t = *from;
	t->becomes = 0;
	t->thread = t->next.thread = *thread;
	*from = (struct wait_thread){ .gone = true };
}

struct wait_thread *waits_thread(struct waits *w, const struct thread *thread, int64_t now)
{
	struct wait_thread *t;

	if (HTAB_GET(t, &w->h, hash_u64(thread->tid), t->thread.tid == thread->tid && !t->gone,
		     w->threads, w->n, w->cap)) {
		t->thread = *thread;
		t->begin = t->since = now;
		t->next.thread = *thread;
		t->sums.mixed = w->period > 0;
		if (w->heirs)
			inherit(w, t, thread);
	}
	return t;
}

static void end_wait(struct waits *w, struct wait_thread *t, int64_t now)
{
	struct wait *next = &t->next;

	next->end = now;
	t->sums.blocked += next->blocked;
	t->sums.runnable += next->runnable;
	t->sums.waits += !next->open;
	if (w->fn)
		w->fn(w->arg, next);
	*next = (struct wait){ .thread = t->thread };
}

void waits_phase(struct waits *w, struct wait_thread *t, enum wait_phase phase, int64_t now)
{
	/* clocks of CPUs differ by a little */
	uint64_t ns = now > t->since ? (uint64_t)now - (uint64_t)t->since : 0;

	if (now > t->since)
		t->since = now;
	switch (t->phase) {
	case WAIT_UNSEEN:
		t->sums.unseen += ns;
		break;
	case WAIT_RUNS:
		t->sums.run += ns;
		t->next.ran += ns;
		break;
	case WAIT_BLOCKED:
		t->next.blocked += ns;
		break;
	case WAIT_RUNNABLE:
		t->next.runnable += ns;
		break;
	}
	if (t->phase == WAIT_RUNS && phase != WAIT_RUNS)
		t->next.begin = t->since;
	if ((t->phase == WAIT_BLOCKED || t->phase == WAIT_RUNNABLE) && phase == WAIT_RUNS)
		end_wait(w, t, t->since);
	t->phase = phase;
}

void waits_born(struct waits *w, struct wait_thread *t, uint32_t parent, int64_t now)
{
	if (t->phase != WAIT_UNSEEN)
		return;
	t->parent = parent;
	waits_phase(w, t, WAIT_RUNNABLE, now);
	t->next.begin = t->since;
	t->next.state = PEV_WAIT_NEW;
}

void waits_unseen(struct waits *w, struct wait_thread *t)
{
	if (t->next.blocked || t->next.runnable)
		end_wait(w, t, t->since);
	t->phase = WAIT_UNSEEN;
}

void waits_gone(struct wait_thread *t)
{
	t->gone = true;
}

void waits_leave_open(struct waits *w, int64_t now)
{
	for (size_t i = 0; i < w->n; i++) {
		struct wait_thread *t = &w->threads[i];

		if (t->gone)
			continue;
		t->next.open = t->phase == WAIT_BLOCKED || t->phase == WAIT_RUNNABLE;
		waits_phase(w, t, WAIT_RUNS, now);
	}
}

uint32_t waits_chain(struct waits *w, const struct seen *who, const struct pev_event *event)
{
	const struct pev_event *ev = w->no_chains ? NULL : session_unwind(w->session, who, event);

	if (!ev)
		return CHAIN_NONE;
	if (!ev->kstack_len && !ev->ustack_len)
		return CHAIN_NONE;
	w->chains = true;
	return stacks_chain(&w->session->stacks, who->space, ev->kstack, ev->kstack_len, ev->ustack,
			    ev->ustack_len);
}

const char *waits_without_chains(const struct waits *w)
{
	return w->source == &waits_by_switch ?
		       "these are switches alone, as perf_event_open(2) lets everybody record them: they do "
		       "not tell where threads waited, and what woke them: that takes root, tracefs (see "
		       "\"perfctl doctor\"), and a command or the whole machine, not -p (record --waits -a -g "
		       "dwarf)" :
		       "the recording has no call chains (record -g): it is not known where threads waited";
}

/* ---- sums ---- */

void wait_sums_add(struct wait_sums *to, const struct wait_sums *more)
{
	to->enabled += more->enabled;
	to->run += more->run;
	to->blocked += more->blocked;
	to->runnable += more->runnable;
	to->folded += more->folded;
	to->unseen += more->unseen;
	to->waits += more->waits;
	to->folded_waits += more->folded_waits;
	to->mixed |= more->mixed;
}

bool waits_counted(const struct session *s, struct wait_sums *sums)
{
	const char *text = pev_trace_info(s->trace, "waits");

	*sums = (struct wait_sums){ 0 };
	return text &&
	       sscanf(text,
		      "enabled=%" SCNu64 " run=%" SCNu64 " blocked=%" SCNu64 " runnable=%" SCNu64
		      " folded=%" SCNu64 " waits=%" SCNu64 " folded_waits=%" SCNu64,
		      &sums->enabled, &sums->run, &sums->blocked, &sums->runnable, &sums->folded,
		      &sums->waits, &sums->folded_waits) == 7;
}
