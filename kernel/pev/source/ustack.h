/* SPDX-License-Identifier: GPL-2.0 */
/* The stacks that threads owe. */
#ifndef _PEV_USTACK_H
#define _PEV_USTACK_H

/* The current thread is about to lose its memory: it tells its stack now. */
void pev_ustack_exit(void);

#endif
