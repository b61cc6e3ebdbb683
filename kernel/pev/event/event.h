/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: what is counted or recorded, on which target, into which channel.
 */
#ifndef _PEV_EVENT_H
#define _PEV_EVENT_H

struct pev_event;
struct pev_refuse;
struct pev_request;

/**
 * pev_event_create() - an event, attached to its target
 * @req: checked by the caller but for what only a source or target knows
 * @r:   says why not
 *
 * Context: Process context, may sleep.
 * Return: the event, or an ERR_PTR().
 */
struct pev_event *pev_event_create(struct pev_request *req, struct pev_refuse *r);

/**
 * pev_event_switch_on() - let an event count that was created with PEV_F_DISABLED
 * @event: the event, of which no file is known
 *
 * Context: Process context, may sleep.
 */
void pev_event_switch_on(struct pev_event *event);

/**
 * pev_event_close() - the opposite
 * @event: stops at once; its memory goes after a grace period shared with others
 */
void pev_event_close(struct pev_event *event);

/* Wait until the memory of all events closed so far is given back. */
void pev_event_reap_sync(void);

/* No event is open: wait until all are freed. Process context. */
void pev_event_teardown(void);

#endif
