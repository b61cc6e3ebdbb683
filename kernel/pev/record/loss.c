// SPDX-License-Identifier: GPL-2.0
/* Owns what is said of records that found no room. */
#include <linux/percpu.h>
#include <linux/pev_marker.h>
#include <linux/preempt.h>
#include "types.h"
#include "loss.h"

/* A loss is being told; one for each context that may interrupt the others. */
static DEFINE_PER_CPU(bool [4], telling);

/* The marker's own records may be lost, too: that is counted, and not told again. */
void pev_event_lost(struct pev_event_cpu *ec)
{
	bool *busy = &(*this_cpu_ptr(&telling))[interrupt_context_level()];

	local64_inc(&ec->lost);
	if (*busy)
		return;
	*busy = true;
	barrier();
	PEV_MARK(pev, loss, "event %s lost %llu", ec->event->name, (u64)local64_read(&ec->lost));
	barrier();
	*busy = false;
}
