/* SPDX-License-Identifier: GPL-2.0 */
/* Rings in memory that outlives the kernel: that of one channel, or of an earlier boot. */
#ifndef _PEV_PERSIST_H
#define _PEV_PERSIST_H

#include <linux/types.h>

struct pev_channel;
struct pev_refuse;
struct pev_persist_head;

void pev_persist_setup(void);

/* ---- for a channel ---- */

u64 pev_persist_ring_size(void);
int pev_persist_claim(struct pev_channel *channel, struct pev_refuse *r);
void pev_persist_release(struct pev_channel *channel);
int pev_persist_text(struct pev_channel *channel, struct pev_refuse *r);
void *pev_persist_ring(struct pev_channel *channel, unsigned int cpu, size_t state_size,
		       void **area);
void pev_persist_ring_free(struct pev_channel *channel, void *state, void *area);

/* ---- for what an earlier boot left ---- */

const struct pev_persist_head *pev_persist_enter(struct pev_refuse *r);
void pev_persist_leave(void);
int pev_persist_drop(struct pev_refuse *r);

#endif
