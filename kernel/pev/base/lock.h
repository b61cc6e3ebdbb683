/* SPDX-License-Identifier: GPL-2.0 */
/* The lock of the control plane. */
#ifndef _PEV_LOCK_H
#define _PEV_LOCK_H

#include <linux/mutex.h>

/*
 * Serializes changes to events' states and groups and to the lists of events; never
 * taken to count. No holder waits for memory, for user space or for a grace period with
 * it held, and what is done under it at once is bounded by PEV_BATCH. Nor does it yield: a task
 * whose group has used up its quota would go on with the next period, and all wait until then.
 */
extern struct mutex pev_control;

/* Events that one call changes before it lets others to pev_control. */
#define PEV_BATCH	1024

#endif
