/* SPDX-License-Identifier: GPL-2.0 */
/* Control of events, alone or through a group or channel. */
#ifndef _PEV_CONTROL_H
#define _PEV_CONTROL_H

struct pev_channel;
struct pev_event;

/*
 * An ioctl() that changes events: all of a channel, or one event and perhaps its group.
 * Process context. Return: -ENOTTY for another command.
 */
long pev_control_channel(struct pev_channel *channel, unsigned int cmd, unsigned long arg);
long pev_control_event(struct pev_event *event, unsigned int cmd, unsigned long arg);

#endif
