// SPDX-License-Identifier: GPL-2.0
/* Finds who woke a thread. See waker.h. */
#include "waker.h"
#include "base/text.h"

#include <stdlib.h>

/* In sched_waking the waker runs; sched_wakeup may come later, on another CPU. */
static bool is_waking(const struct pev_class *cls)
{
	return !strcmp(cls->name, "sched:sched_waking");
}

bool wakers_init(struct wakers *w, struct session *s)
{
	bool some = false;

	*w = (struct wakers){ .session = s };
	w->pid = xcalloc(s->n_classes, sizeof(*w->pid));
	for (unsigned int c = 0; c < s->n_classes; c++) {
		const struct pev_class *cls = pev_trace_class(s->trace, c);

		if (is_waking(cls))
			w->pid[c] = pev_class_field(cls, "pid");
		some |= w->pid[c] != NULL;
	}
	return some;
}

void wakers_free(struct wakers *w)
{
	free(w->pid);
	free(w->w);
	htab_free(&w->h);
	*w = (struct wakers){ 0 };
}

uint32_t wakers_event(struct wakers *w, const struct pev_event *event, uint32_t *tid)
{
	const struct pev_field *pid = w->pid ? w->pid[event->cls->index] : NULL;
	struct session *s = w->session;
	struct waker key = { .tid = event->tid }, *found;
	const struct pev_event *ev;
	const struct seen *who;

	if (!pid)
		return 0;
	*tid = (uint32_t)pev_event_int(event, pid);
	who = machine_seen(&s->machine, event->pid, event->tid);
	ev = session_unwind(s, who, event);
	key.comm = who->thread.comm;
	key.chain = stacks_chain(&s->stacks, who->space, ev->kstack, ev->kstack_len, ev->ustack,
				 ev->ustack_len);
	if (HTAB_GET(found, &w->h, hash_2u64(hash_pair(key.comm, key.tid), key.chain),
		     !memcmp(found, &key, sizeof(key)), w->w, w->n, w->cap))
		*found = key;
	return (uint32_t)(found - w->w) + 1;
}

static bool begins(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

/* What interrupts do is on top of whatever thread they met. */
static const char *of_interrupt(const char *name)
{
	static const char *const timers[] = { "hrtimer_", "__hrtimer_", "process_timeout",
					      "run_timer_", "__run_timer" };
	static const char *const interrupts[] = { "asm_sysvec_", "sysvec_", "asm_common_interrupt",
						  "common_interrupt", "handle_softirqs", "__do_softirq",
						  "irq_exit", "do_IRQ", "__do_irq" };

	return begins(name, timers, ARRAY_SIZE(timers)) ? "[timer]" :
	       begins(name, interrupts, ARRAY_SIZE(interrupts)) ? "[interrupt]" : NULL;
}

void wakers_name(const struct wakers *w, uint32_t nr, struct strbuf *b)
{
	const struct waker *waker = nr ? &w->w[nr - 1] : NULL;
	struct session *s = w->session;
	const struct chain *chain;
	const char *what = NULL;

	if (!waker) {
		strbuf_puts(b, "[unknown]");
		return;
	}
	chain = &s->stacks.chains[waker->chain];
	for (uint32_t i = 0; i < chain->n && !what; i++) {
		uint32_t frame = s->stacks.chain_frames[chain->first + i];
		struct strbuf name = { 0 };

		stacks_func_name(&s->stacks, stacks_frame_func(&s->stacks, frame), &name);
		what = of_interrupt(name.s);
		strbuf_free(&name);
	}
	/* idle threads ask for nothing */
	if (!what && !waker->tid)
		what = "[interrupt]";
	text_name(b, what ? what : machine_comm_name(&s->machine, waker->comm));
	if (!what)
		strbuf_addf(b, "/%u", waker->tid);
}
