/* SPDX-License-Identifier: GPL-2.0 */
/* Waits: threads that do not run. */
#ifndef _PEV_WAIT_H
#define _PEV_WAIT_H

/* No event is left, and no hook: finish what is under way. Process context. */
void pev_wait_teardown(void);

#endif
