// SPDX-License-Identifier: GPL-2.0
/*
 * Waits by the switches of the recorded threads alone, which anybody may record of his own: when a
 * thread left its processor, whether it had to, and when it had one again. What woke it, and when, is
 * not known: it is blocked for all of a wait that it did not have to begin.
 */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct switch_class - fields of pev:switch; out is NULL of another class
 */
struct switch_class {
	const struct pev_field *out, *preempted;
};

static struct switch_class *classes(const struct waits *w)
{
	return w->private;
}

static bool find(struct waits *w)
{
	unsigned int n = w->session->n_classes;
	struct switch_class *c = xcalloc(n, sizeof(*c));
	bool some = false;

	for (unsigned int i = 0; i < n; i++) {
		const struct pev_class *cls = pev_trace_class(w->session->trace, i);

		if (strcmp(cls->name, WAITS_OWN))
			continue;
		c[i].out = pev_class_field(cls, "out");
		c[i].preempted = pev_class_field(cls, "preempted");
		some |= c[i].out != NULL;
	}
	if (some)
		w->private = c;
	else
		free(c);
	return some;
}

static void leaves(struct waits *w, struct wait_thread *t, uint32_t event, bool preempted,
		   int64_t now)
{
	w->unseen += t->phase == WAIT_BLOCKED || t->phase == WAIT_RUNNABLE;
	/* its first record: it ran since the recording knows it */
	if (t->phase == WAIT_UNSEEN && t->since == t->begin)
		t->phase = WAIT_RUNS;
	else if (t->phase != WAIT_RUNS)
		waits_unseen(w, t);
	if (t->phase == WAIT_UNSEEN)
		t->next = (struct wait){ .begin = now };
	waits_phase(w, t, preempted ? WAIT_RUNNABLE : WAIT_BLOCKED, now);
	t->next.thread = t->thread;
	t->next.event = event;
	t->next.state = preempted ? PEV_WAIT_PREEMPTED : PEV_WAIT_SLEEPING;
}

static void enters(struct waits *w, struct wait_thread *t, int cpu, int64_t now)
{
	w->unseen += t->phase == WAIT_RUNS;
	if (t->phase == WAIT_RUNS) {
		/* when it left is not known */
		t->phase = WAIT_UNSEEN;
		t->next.ran = 0;
	}
	t->next.cpu = cpu;
	waits_phase(w, t, WAIT_RUNS, now);
}

static void switches(struct waits *w, const struct session_class *cls, const struct pev_event *ev,
		     const struct switch_class *c)
{
	const struct seen *who = machine_seen(&w->session->machine, ev->pid, ev->tid);
	int64_t now = pev_event_ns(ev);
	struct wait_thread *t = waits_thread(w, &who->thread, now);

	w->switches++;
	t->thread = who->thread;
	if (pev_event_int(ev, c->out))
		leaves(w, t, cls->event, pev_event_int(ev, c->preempted), now);
	else
		enters(w, t, (int)ev->cpu, now);
}

/* A command is followed from its exec on, its threads from their fork to their exit. */
static void life(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct seen *who = machine_seen(&w->session->machine,
					      (uint32_t)pev_event_int(ev, cls->pid),
					      (uint32_t)pev_event_int(ev, cls->tid));
	int64_t now = pev_event_ns(ev);
	struct wait_thread *t = waits_thread(w, &who->thread, now);

	t->thread = who->thread;
	if (cls->kind == SESSION_EXIT) {
		waits_phase(w, t, WAIT_RUNS, now);
		waits_gone(t);
	} else if (cls->kind == SESSION_FORK) {
		waits_born(w, t, (uint32_t)pev_event_int(ev, cls->ptid), now);
	} else if (cls->kind == SESSION_EXEC && t->phase == WAIT_UNSEEN) {
		t->begin = t->since = now;
		waits_phase(w, t, WAIT_RUNS, now);
	}
}

static void event(struct waits *w, const struct session_class *cls, const struct pev_event *ev)
{
	const struct switch_class *c = &classes(w)[ev->cls->index];

	if (c->out)
		switches(w, cls, ev, c);
	else if (cls->kind == SESSION_FORK || cls->kind == SESSION_EXEC ||
		 cls->kind == SESSION_EXIT)
		life(w, cls, ev);
}

const struct waits_source waits_by_switch = {
	.find = find,
	.event = event,
	.end = waits_leave_open,
};
