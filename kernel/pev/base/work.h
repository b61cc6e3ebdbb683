/* SPDX-License-Identifier: GPL-2.0 */
/* Where what has become unused is freed, after a grace period. */
#ifndef _PEV_WORK_H
#define _PEV_WORK_H

#include <linux/workqueue.h>

/* Undoes a setup: when the module goes, or can't be set up. Built in, it is discarded. */
#ifdef MODULE
#define __pev_teardown
#else
#define __pev_teardown	__exit
#endif

/* For queue_rcu_work() only. */
extern struct workqueue_struct *pev_reap_wq;

/* At boot. Return: 0 or -ENOMEM. */
int pev_work_setup(void);

/* Wait for all that is queued, now that nothing more is. */
void pev_work_teardown(void);

#endif
