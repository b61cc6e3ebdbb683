// SPDX-License-Identifier: GPL-2.0
/* What wakes threads. See waker.h. */
#include "waker.h"
#include "base/text.h"
#include "profile/rows.h"

#include <stdlib.h>

void wakers_free(struct wakers *w)
{
	free(w->w);
	htab_free(&w->h);
	*w = (struct wakers){ 0 };
}

uint32_t wakers_nr(struct wakers *w, const struct waker *key)
{
	uint32_t hash = hash_2u64(hash_pair(key->comm, key->tid), hash_pair(key->kind, key->chain));
	struct waker *found;

	if (HTAB_GET(found, &w->h, hash, !memcmp(found, key, sizeof(*key)), w->w, w->n, w->cap))
		*found = *key;
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

static void frame_name(struct stacks *s, const struct chain *c, uint32_t i, struct strbuf *b)
{
	strbuf_reset(b);
	stacks_func_name(s, stacks_frame_func(s, s->chain_frames[c->first + i]), b);
}

static const char *interrupt_in(struct stacks *s, uint32_t nr)
{
	const struct chain *c = &s->chains[nr];
	struct strbuf name = { 0 };
	const char *what = NULL;

	for (uint32_t i = 0; i < c->n && !what; i++) {
		frame_name(s, c, i, &name);
		what = of_interrupt(name.s);
	}
	strbuf_free(&name);
	return what;
}

/* Returns what stands in place of a thread, NULL if there is one. */
static const char *no_thread(const struct wakers *w, const struct waker *waker)
{
	const char *found;

	if (waker->kind == PEV_WAKER_NONE || waker->kind == PEV_WAKER_UNSEEN)
		return "[unknown]";
	if (waker->kind == PEV_WAKER_THREAD || waker->kind == PEV_WAKER_KTHREAD)
		return waker->tid		       ? NULL :
		       waker->kind == PEV_WAKER_THREAD ? "[a thread]" :
							 "[the kernel]";
	found = interrupt_in(&w->session->stacks, waker->chain);
	if (found)
		return found;
	/* idle threads ask for nothing */
	return waker->kind == WAKER_BY_CHAIN && waker->tid ? NULL : "[interrupt]";
}

uint32_t wakers_thread(const struct wakers *w, uint32_t nr)
{
	const struct waker *waker = nr ? &w->w[nr - 1] : NULL;

	return waker && !no_thread(w, waker) ? waker->tid : 0;
}

void wakers_name(const struct wakers *w, uint32_t nr, bool number, struct strbuf *b)
{
	const struct waker *waker = nr ? &w->w[nr - 1] : NULL;
	const char *what = waker ? no_thread(w, waker) : "[unknown]";

	text_name(b, what ? what : machine_comm_name(&w->session->machine, waker->comm));
	if (!what && number)
		strbuf_addf(b, "/%u", waker->tid);
}

/* What all wake-ups go through says nothing about this one. */
static bool is_shared(const char *name)
{
	return globs_match(
		"try_to_wake_up,wake_up_process,wake_up_state,wake_up_q,__wake_up*,"
		"default_wake_function,autoremove_wake_function,woken_wake_function,"
		"ttwu_*,swake_up*,complete,complete_all,complete_with_flags,"
		"wake_page_function,wake_bit_function,ep_poll_callback,ep_autoremove_wake_function,pollwake",
		name);
}

void wakers_place(const struct wakers *w, uint32_t nr, struct strbuf *b)
{
	struct stacks *s = &w->session->stacks;
	const struct chain *c = nr ? &s->chains[w->w[nr - 1].chain] : NULL;
	struct strbuf name = { 0 };

	for (uint32_t i = 0; c && i < c->n; i++) {
		frame_name(s, c, i, &name);
		if (!is_shared(name.s)) {
			strbuf_puts(b, name.s);
			break;
		}
	}
	strbuf_free(&name);
}
