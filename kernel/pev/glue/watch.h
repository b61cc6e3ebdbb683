/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Linux tells pev of by calls of its own, because it has no tracepoint for it: forks
 * and exits, page faults, mappings. Each call is made while pev watches, and is answered
 * where its name is defined.
 *
 * All functions but one sleep, and all that begin return 0 or an error, as struct
 * pev_hookpoint wants it: -EBUSY where functions are traced and that is switched off.
 */
#ifndef _PEV_WATCH_H
#define _PEV_WATCH_H

#include <linux/types.h>

/* __pev_fork(), and __pev_exit() also for tasks without a set */
int pev_watch_tasks(void);
void pev_unwatch_tasks(void);

/* Context: Any. */
bool pev_watches_tasks(void);

/* __pev_software() */
int pev_watch_faults(void);
void pev_unwatch_faults(void);

/* __pev_mmap() */
int pev_watch_mmaps(void);
void pev_unwatch_mmaps(void);

#endif
