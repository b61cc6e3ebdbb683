/* SPDX-License-Identifier: GPL-2.0 */
/* Who woke a thread, by the scheduler's events of wakeups. */
#ifndef PERFCTL_WAITS_WAKER_H
#define PERFCTL_WAITS_WAKER_H

#include "session/session.h"

/**
 * struct waker - who woke others, from one place
 * @comm:  of the thread that ran
 * @chain: where it was, CHAIN_NONE: not recorded
 */
struct waker {
	uint32_t comm;
	uint32_t tid;
	uint32_t chain;
};

/**
 * struct wakers - all that a recording shows
 * @pid:   the field of the thread that is woken, by class; NULL: another event
 */
struct wakers {
	struct session *session;
	const struct pev_field **pid;
	struct waker *w;
	size_t n, cap;
	struct htab h;
};

/* Returns whether the recording has such events. */
bool wakers_init(struct wakers *w, struct session *s);
void wakers_free(struct wakers *w);
/* Returns the number of who wakes @tid in this event, from 1; 0: it is another event. */
uint32_t wakers_event(struct wakers *w, const struct pev_event *ev, uint32_t *tid);
/*
 * Appends the program, or what the processor did if no thread asked for it: "[timer]",
 * "[interrupt]". @nr: 0: "[unknown]". Functions are resolved.
 */
void wakers_name(const struct wakers *w, uint32_t nr, struct strbuf *b);

#endif
