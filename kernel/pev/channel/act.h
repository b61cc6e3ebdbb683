/* SPDX-License-Identifier: GPL-2.0 */
/* What starts, stops and freezes a channel: its owner, and triggers in any context. */
#ifndef _PEV_CHANNEL_ACT_H
#define _PEV_CHANNEL_ACT_H

#include <linux/types.h>

struct pev_channel;
struct pev_ring;

void pev_channel_act_init(struct pev_channel *channel, bool stopped);
void pev_channel_act(struct pev_channel *channel, u32 action);
bool pev_channel_trigger(struct pev_channel *channel, u32 action, struct pev_ring *ring);
void pev_channel_settle(struct pev_channel *channel);
bool pev_channel_has_news(const struct pev_channel *channel);

#endif
