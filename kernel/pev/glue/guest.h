/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What KVM tells perf of the guest that an interrupt hit. The answer holds in the interrupt
 * alone: KVM gives it from the exit that the interrupt caused until the guest goes on.
 */
#ifndef _PEV_GLUE_GUEST_H
#define _PEV_GLUE_GUEST_H

#include <linux/perf_event.h>

/* Does KVM say which of host and guest was hit, and where? */
#define PEV_GUESTS_TOLD		IS_ENABLED(CONFIG_GUEST_PERF_EVENTS)

/* Return: PERF_GUEST_*; 0: no guest was hit. Context: NMI or hard interrupt. */
static inline unsigned int pev_guest_state(void)
{
	return perf_guest_state();
}

/* Return: where the guest was. Context: that of a pev_guest_state() that is not 0. */
static inline u64 pev_guest_ip(void)
{
	return perf_guest_get_ip();
}

#endif
