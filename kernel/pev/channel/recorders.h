/* SPDX-License-Identifier: GPL-2.0 */
/* Flight recorders of which a panic prints the last records. */
#ifndef _PEV_RECORDERS_H
#define _PEV_RECORDERS_H

struct pev_channel;
struct pev_refuse;

/* Those with PEV_CHF_PANIC, and the one with PEV_CHF_PERSIST */
#define PEV_RECORDERS (PEV_MAX_PANIC + 1)

/**
 * pev_recorders_add() - let a panic find a channel
 * @channel: its clock is known; nothing is done if it has neither flag
 * @r:       says why not
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EBUSY: there are PEV_MAX_PANIC others.
 */
int pev_recorders_add(struct pev_channel *channel, struct pev_refuse *r);

/* The opposite, before its rings go; also without it. Context: Process context, may sleep. */
void pev_recorders_remove(struct pev_channel *channel);

/**
 * pev_recorder() - the channel in one of PEV_RECORDERS places
 * @nr: the place
 *
 * Context: Any, NMI included; with preemption disabled, until when it stays.
 * Return: the channel, or NULL.
 */
struct pev_channel *pev_recorder(unsigned int nr);

#endif
