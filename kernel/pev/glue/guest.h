/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What KVM tells of the guest that an interrupt hit: it tells perf, and on POWER pev alone. The
 * answer holds in the interrupt alone: KVM gives it from the exit that the interrupt caused until
 * it has let that in, or the guest goes on.
 */
#ifndef _PEV_GLUE_GUEST_H
#define _PEV_GLUE_GUEST_H

#include <linux/perf_event.h>
#include <linux/pev_guest_hit.h>
#include <linux/preempt.h>

#ifdef CONFIG_KVM_BOOK3S_HV_POSSIBLE
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/paca.h>

/* Processors before POWER9 KVM-HV leaves by another way, and KVM-PR is not asked. */
#define PEV_GUESTS_TOLD                              \
	(!IS_ENABLED(CONFIG_KVM_BOOK3S_PR_POSSIBLE) && \
	 cpu_has_feature(CPU_FTR_ARCH_300))

static inline unsigned int pev_guest_state(void)
{
	if (!__this_cpu_read(pev_guest_hit.left))
		return 0;
	return PERF_GUEST_ACTIVE | (__this_cpu_read(pev_guest_hit.user) ? PERF_GUEST_USER : 0);
}

static inline u64 pev_guest_ip(void)
{
	return __this_cpu_read(pev_guest_hit.ip);
}

/* Interrupts that came while they were off are replayed inside one that is entered for them. */
static inline unsigned int pev_guest_irqs(void)
{
	return local_paca->irq_happened & PACA_IRQ_REPLAYING ? 2 * HARDIRQ_OFFSET : HARDIRQ_OFFSET;
}
#else
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

/* Return: what preempt_count() has in an interrupt that hit a guest. Context: hard interrupt. */
static inline unsigned int pev_guest_irqs(void)
{
	return HARDIRQ_OFFSET;
}
#endif

#endif
