// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what starts, stops and freezes a channel. The state is the gate's, see ring/gate.c.
 * Must not know which events are triggers.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/rcupdate.h>
#include "act.h"
#include "channel.h"

/* Those of CPUs that the change did not happen on. */
static void close_rings(struct pev_channel *channel)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring)
			pev_ring_close_other(ring);
	}
}

/* What it is late for has been changed again: another one is on its way, or rings open. */
static void close_others(struct irq_work *work)
{
	struct pev_channel *channel = container_of(work, struct pev_channel, close);

	if (pev_gate_state(&channel->gate))
		close_rings(channel);
	irq_work_queue(&channel->wake);
}

/**
 * pev_channel_act_init() - a new channel
 * @channel: the channel
 * @stopped: it begins so
 */
void pev_channel_act_init(struct pev_channel *channel, bool stopped)
{
	channel->gate.word = stopped ? PEV_STATE_STOPPED : 0;
	channel->close = IRQ_WORK_INIT_HARD(close_others);
}

/**
 * pev_channel_act() - the owner starts, stops, freezes or thaws the channel
 * @channel: the channel
 * @action:  enum pev_action
 *
 * Context: Process context, may sleep. Return: after the last record of a closed channel.
 */
void pev_channel_act(struct pev_channel *channel, u32 action)
{
	u32 word;

	pev_gate_act(&channel->gate, action, &word);
	pev_channel_settle(channel);
}

static atomic64_t *count_of(struct pev_channel *channel, u32 action)
{
	return action == PEV_ACT_START ? &channel->starts :
	       action == PEV_ACT_STOP ? &channel->stops : &channel->freezes;
}

/**
 * pev_channel_trigger() - a trigger acts
 * @channel: the channel
 * @action:  enum pev_action, no thaw
 * @ring:    of this CPU, or NULL
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: did it change the state?
 */
bool pev_channel_trigger(struct pev_channel *channel, u32 action, struct pev_ring *ring)
{
	u32 word;

	if (!pev_gate_act(&channel->gate, action, &word))
		return false;
	if (word & PEV_GATE_STATE && ring)
		pev_ring_close(ring, word);
	atomic64_inc(count_of(channel, action));
	irq_work_queue(&channel->close);
	return true;
}

/**
 * pev_channel_settle() - wait until nothing more is written to a closed channel
 * @channel: the channel
 *
 * Context: Process context, may sleep.
 */
void pev_channel_settle(struct pev_channel *channel)
{
	if (!pev_gate_state(&channel->gate))
		return;
	/* a trigger on another CPU may have yet to ask for the interrupt that does it */
	close_rings(channel);
	/* writers that found their ring open run with preemption disabled */
	synchronize_rcu();
}

/**
 * pev_channel_has_news() - has a trigger acted since the consumer asked?
 * @channel: the channel
 *
 * Context: Any.
 */
bool pev_channel_has_news(const struct pev_channel *channel)
{
	return READ_ONCE(channel->told) != (u64)atomic64_read(&channel->starts) +
					   (u64)atomic64_read(&channel->stops) +
					   (u64)atomic64_read(&channel->freezes);
}
