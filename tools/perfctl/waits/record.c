// SPDX-License-Identifier: GPL-2.0
/*
 * Waits by the records of pev:wait, which are written when a wait ends and have all of it. What a
 * thread did between them was to run, or to wait for less than the period.
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
	return c->blocked != NULL;
}

static void free_private(struct waits *w)
{
	free(w->private);
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

static void ended(struct waits *w, const struct session_class *cls, const struct pev_event *ev,
		  const struct record_class *c)
{
	const struct seen *who = machine_seen(&w->session->machine, ev->pid, ev->tid);
	struct wait_thread *t = waits_thread(w, &who->thread, first_time(w));
	uint64_t blocked = pev_event_int(ev, c->blocked), runnable = pev_event_int(ev, c->runnable);
	int64_t now = pev_event_ns(ev), begin;

	w->switches++;
	/* a damaged record */
	if (now < 0 || blocked > (uint64_t)now || runnable > (uint64_t)now - blocked) {
		w->unseen++;
		return;
	}
	begin = now - (int64_t)(blocked + runnable);
	if (t->phase == WAIT_UNSEEN)
		t->phase = WAIT_RUNS;
	waits_phase(w, t, WAIT_BLOCKED, begin);
	t->thread = who->thread;
	t->next = (struct wait){
		.event = cls->event,
		.thread = who->thread,
		.begin = begin,
		.ran = t->next.ran,
		.blocked = blocked,
		.runnable = runnable,
		.cpu = (int)ev->cpu,
		.state = (uint32_t)pev_event_int(ev, c->state),
		.flags = (uint32_t)pev_event_int(ev, c->flags),
		.waker = waker_of(w, c, ev),
		.chain = waits_chain(w, who, ev),
	};
	/* its length is the record's, not that between two times */
	t->since = now;
	waits_phase(w, t, WAIT_RUNS, now);
}

static void life(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct seen *who;
	struct wait_thread *t;
	int64_t now = pev_event_ns(ev);

	who = machine_seen(&w->session->machine, (uint32_t)pev_event_int(ev, cls->pid),
			   (uint32_t)pev_event_int(ev, cls->tid));
	t = waits_thread(w, &who->thread, cls->kind == SESSION_FORK ? now : first_time(w));
	t->thread = who->thread;
	if (t->phase == WAIT_UNSEEN) {
		t->phase = WAIT_RUNS;
		if (cls->kind == SESSION_FORK)
			t->parent = (uint32_t)pev_event_int(ev, cls->ptid);
		/* a command is followed from its exec on */
		if (cls->kind == SESSION_EXEC)
			t->begin = t->since = now;
	}
	if (cls->kind != SESSION_EXIT)
		return;
	waits_phase(w, t, WAIT_RUNS, now);
	waits_gone(t);
}

static void event(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct record_class *c = &classes(w)[ev->cls->index];

	if (c->blocked)
		ended(w, cls, ev, c);
	else if (cls->kind == SESSION_FORK || cls->kind == SESSION_EXEC ||
		 cls->kind == SESSION_EXIT)
		life(w, cls, ev);
}

/* What others do is not in the recording: they may run, or wait. */
static void end(struct waits *w, int64_t now)
{
	for (size_t i = 0; i < w->n; i++) {
		struct wait_thread *t = &w->threads[i];

		if (t->gone)
			continue;
		t->phase = WAIT_UNSEEN;
		waits_phase(w, t, WAIT_UNSEEN, now);
	}
}

static int check(const struct waits *w, struct msg *m)
{
	(void)w;
	(void)m;
	return 0;
}

const struct waits_source waits_by_record = {
	.find = find,
	.event = event,
	.end = end,
	.check = check,
	.free = free_private,
};
