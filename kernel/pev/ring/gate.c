// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the gate of a channel's rings. Must not know who opens and closes it, or why.
 */

/**
 * DOC: the gate
 *
 * The state of all rings is one word. Writers don't look at it, but at the limit of their
 * ring, which they have to look at anyway: the size of a packet, or, in a closed ring, a
 * number smaller than any record's end.
 *
 * A CPU that closes the gate changes the word, closes its own ring, and lets the others
 * be closed by an interrupt. A ring is opened by its own CPU alone, when a writer finds it
 * closed and the word says that it need not be.
 *
 * ==========  ============================  =====  ===========================
 * label       closing                       pairs  opening
 * ==========  ============================  =====  ===========================
 * K           word, then limit              L      limit, then word
 * ==========  ============================  =====  ===========================
 *
 * Both are full barriers: a CPU that writes the one and then reads the other sees what
 * another one wrote that did it the other way round, or is seen.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include "gate.h"

/*
 * Limits of closed rings: no record ends before its packet's header does. Those below LIMITS are
 * by their own CPU, which never sets the same one twice while it interrupts a writer.
 */
#define LIMITS		64U
#define LIMIT_OTHER	LIMITS

static_assert(sizeof(struct pev_packet) > LIMIT_OTHER);

/* Return: the state that follows; the same if there is nothing to do. */
static u32 next_state(u32 state, u32 action)
{
	switch (action) {
	case PEV_ACT_START:
		return state & ~(u32)PEV_STATE_STOPPED;
	case PEV_ACT_STOP:
		return state | PEV_STATE_STOPPED;
	case PEV_ACT_FREEZE:
		return state ? : (u32)PEV_STATE_FROZEN;
	case PEV_ACT_THAW:
		return state & ~(u32)PEV_STATE_FROZEN;
	default:
		return state;
	}
}

/**
 * pev_gate_act() - change the state
 * @gate:   the gate
 * @action: enum pev_action
 * @word:   gets the state and the count of changes as they are then
 *
 * Rings are closed by the caller, if it is that which changed.
 *
 * Context: Any, NMI included.
 * Return: did it change?
 */
bool pev_gate_act(struct pev_gate *gate, u32 action, u32 *word)
{
	u32 old = READ_ONCE(gate->word), next;

	do {
		next = next_state(old & PEV_GATE_STATE, action);
		*word = old;
		if (next == (old & PEV_GATE_STATE))
			return false;
		next |= (old & ~PEV_GATE_STATE) + PEV_GATE_CHANGE;
	} while (!try_cmpxchg(&gate->word, &old, next));
	*word = next;
	return true;
}

/**
 * pev_ring_close() - let this CPU's ring accept no records
 * @ring: the ring
 * @word: from pev_gate_act()
 *
 * Context: as pev_ring_reserve().
 */
void pev_ring_close(struct pev_ring *ring, u32 word)
{
	/* no writer that was interrupted opens it: see pev_ring_open_slow() */
	WRITE_ONCE(ring->limit, word / PEV_GATE_CHANGE % LIMITS);
}

/**
 * pev_ring_close_other() - let any CPU's ring accept no records
 * @ring: the ring, whose gate is closed; if it is not any more, writers open the ring
 *
 * Context: Any with preemption disabled.
 */
void pev_ring_close_other(struct pev_ring *ring)
{
	u32 open = ring->packet_size;

	smp_mb();	/* pev_gate:K, pairs with pev_gate:L in pev_ring_open_slow() */
	(void)try_cmpxchg(&ring->limit, &open, LIMIT_OTHER);
}

/**
 * pev_ring_open_slow() - open a ring, unless its gate is closed
 * @ring: this CPU's ring, which is closed
 *
 * Context: as pev_ring_reserve().
 * Return: does it accept records?
 */
bool pev_ring_open_slow(struct pev_ring *ring)
{
	/* before the word, which was written before the ring was closed */
	u32 word, limit = smp_load_acquire(&ring->limit);

	while (limit != ring->packet_size) {
		if (pev_gate_state(ring->gate))
			return false;
		/* fails if what interrupted this closed the ring */
		if (try_cmpxchg(&ring->limit, &limit, ring->packet_size))
			break;
	}
	smp_mb();	/* pev_gate:L, pairs with pev_gate:K in pev_ring_close_other() */
	word = READ_ONCE(ring->gate->word);
	if (likely(!(word & PEV_GATE_STATE)))
		return true;
	pev_ring_close(ring, word);
	return false;
}
