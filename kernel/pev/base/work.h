/* SPDX-License-Identifier: GPL-2.0 */
/* Where pev works later: what it frees after a grace period, and all else. */
#ifndef _PEV_WORK_H
#define _PEV_WORK_H

#include <linux/workqueue.h>

/* Undoes a setup: when the module goes, or can't be set up. Built in, it is discarded. */
#ifdef MODULE
#define __pev_teardown
#else
#define __pev_teardown	__exit
#endif

/*
 * All work is queued here, but for what may be queued before pev is set up: the queue goes
 * before the module does, and waits for what runs.
 */
extern struct workqueue_struct *pev_wq;

/* At boot. Return: 0 or -ENOMEM. */
int pev_work_setup(void);

/* Wait for all that is queued, or will be after a grace period, and for what that queues. */
void pev_work_drain(void);

/* Nothing is queued any more. */
void pev_work_teardown(void);

#endif
