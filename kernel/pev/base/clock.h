/* SPDX-License-Identifier: GPL-2.0 */
/* How CLOCK_MONOTONIC is kept up with; linux/pev_clock.h reads it. */
#ifndef _PEV_BASE_CLOCK_H
#define _PEV_BASE_CLOCK_H

#include <linux/types.h>

struct pev_mono;
struct tk_read_base;

/* Process context; before it Linux's own clock is read, and after its opposite none. */
int pev_clock_setup(void);
void pev_clock_teardown(void);

/**
 * pev_mono_follow() - take over an update of Linux's
 * @mono:   changed
 * @tkr:    of the timekeeper
 * @halted: Linux's fast clock is about to stand still, or has
 *
 * Context: those who update @mono wait for each other, interrupts off.
 */
void pev_mono_follow(struct pev_mono *mono, const struct tk_read_base *tkr, bool halted);

#endif
