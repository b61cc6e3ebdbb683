// SPDX-License-Identifier: GPL-2.0
/*
 * Waits by the scheduler's events, of all CPUs: a thread's return to a processor is in the record
 * of the one that leaves it. As exact as the times of the records; what is lost makes time of
 * which nothing is known, never a wait that was none.
 */
#include "waits.h"
#include "base/text.h"
#include "event/target.h"
#include "session/sched.h"

#include <errno.h>
#include <stdlib.h>

#define HOW "record with \"perfctl record --off-cpu -- COMMAND\""

/**
 * struct sched_class - what an event class of the recording is
 * @pid: of one that wakes a thread
 */
struct sched_class {
	enum { OTHER, SWITCH, WAKING, WAKEUP } kind;
	struct sched_fields fields;
	const struct pev_field *pid;
};

/**
 * struct sched_waits - waits.private
 * @wakeups: it is seen when a waker is done
 */
struct sched_waits {
	struct sched_class *classes;
	bool wakeups;
};

static struct sched_waits *of(const struct waits *w)
{
	return w->private;
}

static bool look_up(struct sched_class *c, const struct pev_class *cls)
{
	if (sched_is_switch(cls, &c->fields)) {
		c->kind = SWITCH;
		return true;
	}
	c->pid = pev_class_field(cls, "pid");
	if (c->pid && !strcmp(cls->name, WAITS_WAKING))
		c->kind = WAKING;
	else if (c->pid && !strcmp(cls->name, WAITS_WAKEUP))
		c->kind = WAKEUP;
	return false;
}

static void free_classes(struct waits *w)
{
	free(of(w)->classes);
}

static bool find(struct waits *w)
{
	unsigned int n = w->session->n_classes;
	struct sched_waits *s = xcalloc(1, sizeof(*s));
	bool some = false, waking = false;

	s->classes = xcalloc(n, sizeof(*s->classes));
	w->private = s;
	for (unsigned int c = 0; c < n; c++) {
		some |= look_up(&s->classes[c], pev_trace_class(w->session->trace, c));
		/* in sched_waking the waker runs; sched_wakeup may come later, on another CPU */
		waking |= s->classes[c].kind == WAKING;
		s->wakeups |= s->classes[c].kind == WAKEUP;
	}
	if (some) {
		w->names_wakers = waking;
	} else {
		free_classes(w);
		free(s);
		w->private = NULL;
	}
	return some;
}

/* Decodes the kernel's bits, but those of one that has ended. */
static uint32_t state_of(uint64_t bits)
{
	static const struct {
		uint64_t bit;
		uint32_t state;
	} states[] = {
		{ 0x1, PEV_WAIT_SLEEPING }, { 0x2, PEV_WAIT_DISK },  { 0x4, PEV_WAIT_STOPPED },
		{ 0x8, PEV_WAIT_TRACED },   { 0x40, PEV_WAIT_DISK }, { 0x80, PEV_WAIT_IDLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (bits & states[i].bit)
			return states[i].state;
	return PEV_WAIT_PREEMPTED;
}

static void leaves(struct waits *w, const struct session_class *cls, const struct pev_event *ev,
		   const struct sched_fields *f, int64_t now)
{
	const struct seen *who = sched_prev(&w->session->machine, ev, f);
	struct wait_thread *t = waits_thread(w, &who->thread, now);
	enum sched_state state = sched_state(ev, f);
	bool woken = t->early && state == SCHED_BLOCKED;

	w->unseen += t->phase == WAIT_BLOCKED || t->phase == WAIT_RUNNABLE;
	/* it was not seen to come back: when that was is not known */
	if (t->phase != WAIT_RUNS)
		waits_unseen(w, t);
	if (state == SCHED_DEAD) {
		waits_phase(w, t, WAIT_RUNS, now);
		waits_gone(t);
		return;
	}
	if (t->phase == WAIT_UNSEEN)
		t->next = (struct wait){ .begin = now };
	waits_phase(w, t, state == SCHED_BLOCKED && !woken ? WAIT_BLOCKED : WAIT_RUNNABLE, now);
	t->thread = t->next.thread = who->thread;
	t->next.event = cls->event;
	t->next.state = state_of(pev_event_int(ev, f->prev_state));
	t->next.waker = woken ? t->next.waker : 0;
	t->next.chain = waits_chain(w, who, ev);
	t->early &= state != SCHED_BLOCKED;
}

static void enters(struct waits *w, const struct pev_event *ev, uint32_t tid, int64_t now)
{
	const struct seen *who = machine_seen(&w->session->machine, 0, tid);
	struct wait_thread *t = waits_thread(w, &who->thread, now);

	w->unseen += t->phase == WAIT_RUNS;
	if (t->phase == WAIT_RUNS) {
		/* when it left is not known */
		t->phase = WAIT_UNSEEN;
		t->next.ran = 0;
	}
	t->next.cpu = (int)ev->cpu;
	waits_phase(w, t, WAIT_RUNS, now);
}

static void switches(struct waits *w, const struct session_class *cls, const struct pev_event *ev,
		     const struct sched_fields *f)
{
	int64_t now = pev_event_ns(ev);
	uint32_t next = (uint32_t)pev_event_int(ev, f->next_pid);

	w->switches++;
	if (next)
		enters(w, ev, next, now);
	if (pev_event_int(ev, f->prev_pid))
		leaves(w, cls, ev, f, now);
}

static uint32_t waker_of(struct waits *w, const struct pev_event *ev)
{
	const struct seen *who = machine_seen(&w->session->machine, ev->pid, ev->tid);
	struct waker key = {
		.kind = WAKER_BY_CHAIN,
		.comm = who->thread.comm,
		.pid = who->thread.pid,
		.tid = ev->tid,
		.chain = waits_chain(w, who, ev),
	};

	return wakers_nr(&w->wakers, &key);
}

/*
 * The first to wake a thread. It may not have left its CPU yet: it does so before the wake-up is
 * complete, and was woken by this, or after it, and is yet to be woken.
 */
static void wakes(struct waits *w, const struct pev_event *ev, uint32_t tid)
{
	const struct seen *who = machine_seen(&w->session->machine, 0, tid);
	int64_t now = pev_event_ns(ev);
	struct wait_thread *t = waits_thread(w, &who->thread, now);

	if (t->phase == WAIT_RUNS) {
		t->early = of(w)->wakeups;
		t->next.waker = t->early ? waker_of(w, ev) : 0;
	} else if (t->phase == WAIT_BLOCKED) {
		waits_phase(w, t, WAIT_RUNNABLE, now);
		t->next.waker = waker_of(w, ev);
	}
}

static void forks(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct seen *who = machine_seen(&w->session->machine,
					      (uint32_t)pev_event_int(ev, cls->pid),
					      (uint32_t)pev_event_int(ev, cls->tid));
	int64_t now = pev_event_ns(ev);

	waits_born(w, waits_thread(w, &who->thread, now), (uint32_t)pev_event_int(ev, cls->ptid),
		   now);
}

static void event(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct sched_class *c = &of(w)->classes[ev->cls->index];
	const struct seen *who;

	if (c->kind == SWITCH) {
		switches(w, cls, ev, &c->fields);
	} else if (c->kind == WAKING) {
		wakes(w, ev, (uint32_t)pev_event_int(ev, c->pid));
	} else if (c->kind == WAKEUP) {
		who = machine_seen(&w->session->machine, 0, (uint32_t)pev_event_int(ev, c->pid));
		waits_thread(w, &who->thread, pev_event_ns(ev))->early = false;
	} else if (cls->kind == SESSION_FORK) {
		forks(w, cls, ev);
	}
}

/*
 * Refuses recordings that only show one side: times would be of nothing. perf leaves out a
 * switch of a whole CPU now and then without counting it, which is no reason.
 */
static int check(const struct waits *w, struct msg *m)
{
	const struct pev_trace *t = w->session->trace;
	const char *target = pev_trace_info(t, "target");
	char a[32], b[32], safe[256];

	if (!w->switches)
		return msg_set(m, -EBADMSG, "%s has no " WAITS_SWITCH "; " HOW, pev_trace_path(t));
	if (w->unseen * 100 <= w->switches || pev_trace_lost(t) ||
	    (target && !strcmp(target, TARGET_MACHINE)))
		return 0;
	return msg_set(m, -EBADMSG,
		       "%s: %s of %s switches show a thread leave that is not seen to "
		       "come back, as that is a record of what was there before: this needs the "
		       "switches of all threads, and the recording is of %s; " HOW,
		       pev_trace_path(t), text_count(a, w->unseen), text_count(b, w->switches),
		       target ? text_safe(safe, sizeof(safe), target) : "some");
}

const struct waits_source waits_by_sched = {
	.find = find,
	.event = event,
	.end = waits_leave_open,
	.check = check,
	.free = free_classes,
};
