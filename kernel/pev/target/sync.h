/* SPDX-License-Identifier: GPL-2.0 */
/* Telling CPUs that events have changed. */
#ifndef _PEV_SYNC_H
#define _PEV_SYNC_H

struct cpumask;
struct pev_event;

/**
 * pev_target_sync() - make running what should run, and stop the rest
 * @events: their @state has changed
 * @nr:     number of them, up to PEV_BATCH
 *
 * One interprocessor interrupt for all, to those CPUs alone where one of the targets
 * may be running.
 *
 * Context: Process context, pev_control held.
 */
void pev_target_sync(struct pev_event **events, unsigned int nr);

/* Apply new periods of these events now. Context: as pev_target_sync(). */
void pev_target_retime(struct pev_event **events, unsigned int nr);

/**
 * pev_target_fold() - bring times and counts up to now on all CPUs where @events run
 * @events: any
 * @nr:     number of them, up to PEV_BATCH
 *
 * Context: Process context; pev_control held if there are several.
 */
void pev_target_fold(struct pev_event **events, unsigned int nr);

/* Set the counters of these events to 0 on all CPUs. Context: as pev_target_sync(). */
void pev_target_reset(struct pev_event **events, unsigned int nr);

/* Start and stop here what should run or not; interrupts off. */
void pev_target_sync_here(void);
/* The same for what counts the current task alone. */
void pev_target_sync_current(void);

/**
 * pev_sync_later() - an exec switched @event on, here: let other CPUs know
 * @event: one with a task target
 *
 * Context: Any but NMI.
 */
void pev_sync_later(struct pev_event *event);

/* Cancel pev_sync_later() for an event that is about to go. pev_control held. */
void pev_sync_cancel(struct pev_event *event);

/* Wait for what is under way, now that there is no event. Process context. */
void pev_sync_teardown(void);

#endif
