// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how kernel code writes records into its channels, in any context. Takes no locks.
 */
#include <linux/export.h>
#include <linux/pev_channel.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include "record/sample.h"
#include "ring/ring.h"
#include "types.h"
#include "misuse.h"
#include "object.h"

static noinline void *refuse_record(struct pev_client_event *ce, enum misuse what)
{
	guard(preempt_notrace)();
	local64_inc(&this_cpu_ptr(ce->event->percpu)->lost);
	pev_client_misused(ce->client, what);
	return NULL;
}

void *pev_client_reserve(struct pev_client_event *ce, u32 size)
{
	struct pev_event_cpu *ec;

	if (unlikely(preemptible()))
		return refuse_record(ce, MISUSE_PREEMPTIBLE);
	/* less wraps */
	if (unlikely(size - ce->least > PEV_MAX_PACKET))
		return refuse_record(ce, MISUSE_SIZE);
	ec = this_cpu_ptr(ce->event->percpu);
	if (likely(ec->ring))
		return pev_sample_begin(ce->event, ec, size, NULL);
	local64_inc(&ec->lost);
	return NULL;
}
EXPORT_SYMBOL_GPL(pev_client_reserve);

void pev_client_commit(struct pev_client_event *ce)
{
	struct pev_event_cpu *ec = this_cpu_ptr(ce->event->percpu);

	if (unlikely(!ec->ring || local_read(&ec->ring->nest) <= 0))
		pev_client_misused(ce->client, MISUSE_UNRESERVED);
	else
		pev_ring_commit(ec->ring);
}
EXPORT_SYMBOL_GPL(pev_client_commit);

bool pev_client_write(struct pev_client_event *ce, const void *data, u32 size)
{
	void *to;

	guard(preempt_notrace)();
	to = pev_client_reserve(ce, size);
	if (!to)
		return false;
	memcpy(to, data, size);
	pev_client_commit(ce);
	return true;
}
EXPORT_SYMBOL_GPL(pev_client_write);

struct pev_client_stat pev_client_stat(struct pev_client_event *ce)
{
	struct pev_client_stat stat = {};
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pev_event_cpu *ec = per_cpu_ptr(ce->event->percpu, cpu);

		stat.written += local64_read(&ec->samples);
		stat.lost += local64_read(&ec->lost);
	}
	return stat;
}
EXPORT_SYMBOL_GPL(pev_client_stat);
