/* SPDX-License-Identifier: GPL-2.0 */
/* What wakes threads, and from where: the wakers of a recording, each with a number. */
#ifndef PERFCTL_WAITS_WAKER_H
#define PERFCTL_WAITS_WAKER_H

#include "session/session.h"

/* In place of enum pev_waker: functions say whether it was an interrupt. */
#define WAKER_BY_CHAIN PEV_WAKER_MAX

/**
 * struct waker - what woke others, from one place
 * @kind:  enum pev_waker
 * @comm:  of the thread that ran, as @pid and @tid; 0: it may not be known
 * @chain: where it was, CHAIN_NONE: not recorded
 */
struct waker {
	uint32_t kind;
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t chain;
};

struct wakers {
	struct session *session;
	struct waker *w;
	size_t n, cap;
	struct htab h;
};

void wakers_free(struct wakers *w);
/* Returns the number of a waker, from 1. */
uint32_t wakers_nr(struct wakers *w, const struct waker *key);
/*
 * Appends the program, or what the processor did if no thread asked for it: "[timer]",
 * "[interrupt]". @nr: 0: "[unknown]". @number: of the thread, too. Functions are resolved.
 */
void wakers_name(const struct wakers *w, uint32_t nr, bool number, struct strbuf *b);
/* Returns the number of the thread that woke; 0: it was an interrupt, or is not known. */
uint32_t wakers_thread(const struct wakers *w, uint32_t nr);
/* Appends the kernel's function that woke, below those that all wakers share; "" if not known. */
void wakers_place(const struct wakers *w, uint32_t nr, struct strbuf *b);

#endif
