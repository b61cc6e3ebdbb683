/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A gate: whether the rings of a channel accept records. See the DOC block in gate.c. It knows
 * nothing of who opens and closes it, and why.
 */
#ifndef _PEV_GATE_H
#define _PEV_GATE_H

#include <linux/types.h>
#include <asm/barrier.h>
#include "ring.h"

/* Behind the bits of enum pev_state, how often they have changed. */
#define PEV_GATE_STATE		((u32)(PEV_STATE_STOPPED | PEV_STATE_FROZEN))
#define PEV_GATE_CHANGE		(PEV_GATE_STATE + 1)

/**
 * struct pev_gate - whether the rings of a channel accept records
 * @word: PEV_STATE_*, none: they do; and how often that has changed
 */
struct pev_gate {
	u32	word;
};

bool pev_gate_act(struct pev_gate *gate, u32 action, u32 *word);
void pev_ring_close(struct pev_ring *ring, u32 word);
void pev_ring_close_other(struct pev_ring *ring);
bool pev_ring_open_slow(struct pev_ring *ring);

static inline u32 pev_gate_state(const struct pev_gate *gate)
{
	return READ_ONCE(gate->word) & PEV_GATE_STATE;
}

/**
 * pev_ring_open() - does the ring accept records?
 * @ring: this CPU's ring
 *
 * A ring that is closed while its gate is open is opened.
 *
 * Context: as pev_ring_reserve().
 */
static inline bool pev_ring_open(struct pev_ring *ring)
{
	return likely(READ_ONCE(ring->limit) == ring->packet_size) || pev_ring_open_slow(ring);
}

#endif
