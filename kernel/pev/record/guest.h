/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Did an interrupt hit the host or a guest, and where? Asked by sources whose samples are
 * taken by interrupts. While no event wants to know, it costs a patched branch.
 */
#ifndef _PEV_GUEST_H
#define _PEV_GUEST_H

#include <linux/jump_label.h>
#include <linux/pev_guest_hit.h>
#include <linux/pev_pmu.h>
#include "glue/guest.h"
#include "record/sample.h"
#include "types.h"

struct pev_refuse;

/* On while there are events that tell guests from the host. */
DECLARE_STATIC_KEY_FALSE(pev_guest_key);

/* Does KVM say which guest an interrupt hit? */
static inline bool pev_guest_known(void)
{
	return PEV_GUESTS_TOLD;
}

/* Do guests run of which nothing is known? */
static inline bool pev_guest_hidden(void)
{
	return IS_ENABLED(CONFIG_KVM) && !pev_guest_known();
}

/* Refuse @flags and @sample where guests run that nothing is known of, or none can. */
int pev_guest_check(u64 flags, u64 sample, struct pev_refuse *r);

int pev_guest_init(struct pev_event *event, struct pev_refuse *r);
void pev_guest_exit(struct pev_event *event);
bool __pev_guest_sample(const struct pev_event *event, struct pev_sample_in *in,
			enum pev_pmu_hit hit);

/**
 * pev_guest_sample() - tell whether a sample hit a guest
 * @event: the event
 * @in:    its @regs are those that the interrupt found; @guest and @ip are filled in if a
 *         guest was hit and @event wants to know
 * @hit:   what is known of it
 *
 * Context: NMI or hard interrupt.
 * Return: false if @event excludes what was hit.
 */
static __always_inline bool pev_guest_sample(const struct pev_event *event,
					     struct pev_sample_in *in, enum pev_pmu_hit hit)
{
	if (static_branch_unlikely(&pev_guest_key) && event->tells_guests)
		return __pev_guest_sample(event, in, hit);
	return true;
}

#endif
