// SPDX-License-Identifier: GPL-2.0
/*
 * Waits by the records of pev:wait, which are written when a wait ends and have all of it, and when
 * the thread or the recording does. What a thread did between them was to run, or to wait for less
 * than the period: they say how much of each.
 */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct record_class - fields of pev:wait; blocked is NULL of another class
 */
struct record_class {
	const struct pev_field *blocked, *runnable, *state, *waker, *flags, *frames, *stack;
	const struct pev_field *waker_pid, *waker_tid, *waker_comm;
	const struct pev_field *enabled, *run, *folded;
};

static struct record_class *classes(const struct waits *w)
{
	return w->private;
}

static bool look_up(struct record_class *c, const struct pev_class *cls)
{
	if (strcmp(cls->name, WAITS_RECORD))
		return false;
	c->blocked = pev_class_field(cls, "blocked");
	c->runnable = pev_class_field(cls, "runnable");
	c->state = pev_class_field(cls, "state");
	c->waker = pev_class_field(cls, "waker");
	c->flags = pev_class_field(cls, "flags");
	c->frames = pev_class_field(cls, "frames");
	c->stack = pev_class_field(cls, "stack");
	if (c->stack && c->stack->size != sizeof(uint64_t))
		c->stack = NULL;
	c->waker_pid = pev_class_field(cls, "waker_pid");
	c->waker_tid = pev_class_field(cls, "waker_tid");
	c->waker_comm = pev_class_field(cls, "waker_comm");
	c->run = pev_class_field(cls, "run");
	c->folded = pev_class_field(cls, "folded");
	/* NULL: it does without all three */
	c->enabled = c->run && c->folded ? pev_class_field(cls, "enabled") : NULL;
	return c->blocked != NULL;
}

static bool find(struct waits *w)
{
	unsigned int n = w->session->n_classes;
	struct record_class *c = xcalloc(n, sizeof(*c));
	bool some = false;

	for (unsigned int i = 0; i < n; i++) {
		const struct pev_class *cls = pev_trace_class(w->session->trace, i);

		if (!look_up(&c[i], cls))
			continue;
		some = true;
		w->period = cls->period;
		w->tells |= c[i].enabled != NULL;
	}
	if (some) {
		w->private = c;
		w->names_wakers = true;
	} else {
		free(c);
	}
	return some;
}

/* Returns the chain of the waker, innermost frame first. */
static uint32_t waker_chain(struct waits *w, const struct record_class *c,
			    const struct pev_event *ev)
{
	uint64_t stack[PEV_WAKER_FRAMES], frames = pev_event_int(ev, c->frames);
	const void *at;
	size_t n;

	at = c->stack ? pev_event_locate(ev, c->stack, &n) : NULL;
	if (!at || !frames)
		return CHAIN_NONE;
	n = min_u64(min_u64(frames, n), ARRAY_SIZE(stack));
	memcpy(stack, at, n * sizeof(*stack));
	return stacks_chain(&w->session->stacks, NULL, stack, (uint32_t)n, NULL, 0);
}

static uint32_t waker_of(struct waits *w, const struct record_class *c, const struct pev_event *ev)
{
	struct waker key = {
		.kind = (uint32_t)pev_event_int(ev, c->waker),
		.pid = (uint32_t)pev_event_int(ev, c->waker_pid),
		.tid = (uint32_t)pev_event_int(ev, c->waker_tid),
	};
	char name[32];

	if (key.kind == PEV_WAKER_NONE || key.kind >= PEV_WAKER_MAX)
		return 0;
	pev_event_copy_text(ev, c->waker_comm, name, sizeof(name));
	if (*name)
		key.comm = strtab_id(&w->session->machine.comms, name);
	key.chain = waker_chain(w, c, ev);
	return wakers_nr(&w->wakers, &key);
}

/* Where it begins if no fork was seen: it was there before. */
static int64_t first_time(const struct waits *w)
{
	return pev_trace_begin_ns(w->session->trace);
}

/* @wait ended at @now, or was open then: before, the thread ran. */
static void hand_on(struct waits *w, struct wait_thread *t, const struct wait *wait, int64_t now)
{
	uint64_t ran;

	if (t->phase == WAIT_UNSEEN)
		t->phase = WAIT_RUNS;
	waits_phase(w, t, WAIT_BLOCKED, wait->begin);
	ran = t->next.ran;
	t->thread = wait->thread;
	t->next = *wait;
	t->next.ran = ran;
	/* its length is the record's, not that between two times */
	t->since = now;
	waits_phase(w, t, WAIT_RUNS, now);
}

/* Nothing was lost, but before its first wait here the thread had others: they are not of this. */
static void find_base(const struct waits *w, struct wait_told *told, const struct wait *wait)
{
	const struct wait_sums *s = &told->sums;
	uint64_t known = s->run + s->folded + wait->blocked + wait->runnable;

	if (known >= s->enabled || pev_trace_lost(w->session->trace))
		return;
	told->base.enabled = s->enabled - wait->blocked - wait->runnable;
	told->base.run = s->run;
	told->base.folded = s->folded;
}

/* A wait that ended just before the sums were asked for may be written after them. */
static void take_sums(const struct waits *w, struct wait_told *told, const struct record_class *c,
		      const struct pev_event *ev, const struct wait *wait)
{
	uint64_t enabled = pev_event_int(ev, c->enabled);

	if (!wait->open) {
		told->sums.blocked += wait->blocked;
		told->sums.runnable += wait->runnable;
	}
	if (told->some && enabled < told->sums.enabled)
		return;
	/* the event was off since: no time has passed */
	told->whole = wait->open || (told->whole && enabled == told->sums.enabled);
	told->sums.enabled = enabled;
	told->sums.run = pev_event_int(ev, c->run);
	told->sums.folded = pev_event_int(ev, c->folded);
	told->open = wait->open ? *wait : (struct wait){ 0 };
	if (!told->some)
		find_base(w, told, wait);
	told->some = true;
}

/* The thread ends, or the recording may. */
static void summed_up(struct waits *w, struct wait_thread *t, const struct wait *wait, int64_t now)
{
	if (wait->flags & PEV_WAIT_ENDED) {
		waits_phase(w, t, WAIT_RUNS, now);
		waits_gone(t);
	} else if (t->phase == WAIT_UNSEEN) {
		t->phase = WAIT_RUNS;
	}
}

static void told(struct waits *w, const struct session_class *cls, const struct pev_event *ev,
		 const struct record_class *c)
{
	const struct seen *who = machine_seen(&w->session->machine, ev->pid, ev->tid);
	struct wait_thread *t = waits_thread(w, &who->thread, first_time(w));
	uint32_t flags = (uint32_t)pev_event_int(ev, c->flags);
	struct wait wait = {
		.event = cls->event,
		.thread = who->thread,
		.blocked = pev_event_int(ev, c->blocked),
		.runnable = pev_event_int(ev, c->runnable),
		.cpu = (int)ev->cpu,
		.state = (uint32_t)pev_event_int(ev, c->state),
		.flags = flags,
		.open = flags & PEV_WAIT_OPEN,
	};
	int64_t now = pev_event_ns(ev);

	w->switches++;
	/* a damaged record */
	if (now < 0 || wait.blocked > (uint64_t)now ||
	    wait.runnable > (uint64_t)now - wait.blocked) {
		w->unseen++;
		return;
	}
	wait.begin = now - (int64_t)(wait.blocked + wait.runnable);
	wait.end = now;
	if (c->enabled)
		take_sums(w, &t->told, c, ev, &wait);
	if (wait.open) {
		summed_up(w, t, &wait, now);
		return;
	}
	wait.waker = waker_of(w, c, ev);
	wait.chain = waits_chain(w, who, ev);
	hand_on(w, t, &wait, now);
}

/* Its number is given out once more: the record of its end was lost. */
static struct wait_thread *begin_thread(struct waits *w, const struct thread *thread, int64_t now)
{
	struct wait_thread *t = waits_thread(w, thread, now);

	if (!t->exited)
		return t;
	waits_gone(t);
	return waits_thread(w, thread, now);
}

static void life(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct seen *who;
	struct wait_thread *t;
	int64_t now = pev_event_ns(ev);

	/* an exec is told with the number that comes after it, by the thread that has its old one */
	who = machine_seen(&w->session->machine, (uint32_t)pev_event_int(ev, cls->pid),
			   cls->kind == SESSION_EXEC ? ev->tid :
						       (uint32_t)pev_event_int(ev, cls->tid));
	if (cls->kind == SESSION_FORK)
		t = begin_thread(w, &who->thread, now);
	else
		t = waits_thread(w, &who->thread, first_time(w));
	t->thread = who->thread;
	if (t->phase == WAIT_UNSEEN) {
		t->phase = WAIT_RUNS;
		if (cls->kind == SESSION_FORK)
			t->parent = (uint32_t)pev_event_int(ev, cls->ptid);
		/* a command is followed from its exec on */
		if (cls->kind == SESSION_EXEC)
			t->begin = t->since = now;
	}
	/* the first thread of the process has yet to end */
	if (cls->kind == SESSION_EXEC && who->thread.tid != who->thread.pid && !t->becomes) {
		t->becomes = who->thread.pid;
		w->heirs++;
	}
	if (cls->kind != SESSION_EXIT)
		return;
	waits_phase(w, t, WAIT_RUNS, now);
	/* its own last record comes behind that */
	if (w->tells)
		t->exited = true;
	else
		waits_gone(t);
}

static void event(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct record_class *c = &classes(w)[ev->cls->index];

	if (c->blocked)
		told(w, cls, ev, c);
	else if (cls->kind == SESSION_FORK || cls->kind == SESSION_EXEC ||
		 cls->kind == SESSION_EXIT)
		life(w, cls, ev);
}

/* What others do is in the recording only as far as it was asked for at its end. */
static void end(struct waits *w, int64_t now)
{
	for (size_t i = 0; i < w->n; i++) {
		struct wait_thread *t = &w->threads[i];
		const struct wait open = t->told.open;

		if (t->exited)
			waits_gone(t);
		if (t->gone)
			continue;
		if (open.blocked || open.runnable)
			hand_on(w, t, &open, open.end);
		t->phase = WAIT_UNSEEN;
		waits_phase(w, t, WAIT_UNSEEN, now);
	}
}

const struct waits_source waits_by_record = {
	.find = find,
	.event = event,
	.end = end,
};
