// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the question which of host and guest a sample hit. Must not know which events ask, or
 * what a virtual machine is: KVM answers, as it does for perf.
 */
#include <linux/export.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include "base/hooks.h"
#include "glue/guest.h"
#include "guest.h"

struct static_key_false pev_guest_key = STATIC_KEY_FALSE_INIT;
EXPORT_SYMBOL_GPL(pev_guest_key);

PEV_KEY_HOOK(key_hook, &pev_guest_key);

int pev_guest_check(u64 flags, u64 sample, struct pev_refuse *r)
{
	bool excludes = flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST);

	if (pev_guest_hidden() && (excludes || sample & PEV_SAMPLE_GUEST))
		return pev_refuse(r, EOPNOTSUPP, excludes ? PEV_FIELD(flags) : PEV_FIELD(sample),
				  "KVM does not say on this machine whether a guest was hit");
	if (!pev_guest_known() && flags & PEV_F_EXCLUDE_HOST)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_HOST: this kernel runs no guests, there is nothing to count");
	return 0;
}

/**
 * pev_guest_init() - prepare for an event that tells guests from the host
 * @event: its flags and what it samples are set; others are left alone
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_guest_init(struct pev_event *event, struct pev_refuse *r)
{
	int err;

	if (!(event->flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST)) &&
	    !(event->sample & PEV_SAMPLE_GUEST))
		return 0;
	/* whom a counter counts is for the processor to say, see the PMU's driver */
	err = pev_guest_check(0, event->sample, r);
	if (err)
		return err;
	err = pev_hook_get(&key_hook);
	event->tells_guests = !err;
	return err;
}

/* Undo pev_guest_init(). Process context. */
void pev_guest_exit(struct pev_event *event)
{
	if (event->tells_guests)
		pev_hook_put(&key_hook);
}

/*
 * KVM's answer holds for all interrupts until the guest goes on, and so for one that hits
 * another's handler or a softirq behind it: that is the host.
 */
static unsigned int state_of_hit(enum pev_pmu_hit hit)
{
	if (hit == PEV_PMU_HIT_HOST)
		return 0;
	if (hit == PEV_PMU_HIT_GUEST)
		return pev_guest_state();
	if ((preempt_count() & (HARDIRQ_MASK | SOFTIRQ_MASK)) != pev_guest_irqs())
		return 0;
	return pev_guest_state();
}

bool __pev_guest_sample(const struct pev_event *event, struct pev_sample_in *in,
			enum pev_pmu_hit hit)
{
	unsigned int state = state_of_hit(hit);

	if (!state)
		return !(event->flags & PEV_F_EXCLUDE_HOST);
	if (event->flags & PEV_F_EXCLUDE_GUEST)
		return false;
	if (event->flags & (state & PERF_GUEST_USER ? PEV_F_EXCLUDE_USER : PEV_F_EXCLUDE_KERNEL))
		return false;
	in->guest = PEV_GUEST_CODE | (state & PERF_GUEST_USER ? PEV_GUEST_USER : 0);
	in->ip = pev_guest_ip();
	return true;
}
