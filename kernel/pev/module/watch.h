/* SPDX-License-Identifier: GPL-2.0 */
/* What glue/watch.h takes to be set up. */
#ifndef _PEV_MODULE_WATCH_H
#define _PEV_MODULE_WATCH_H

/* When the module is loaded. Return: 0 or an error. */
int pev_watch_setup(void);

/* Nothing is watched any more. */
void pev_watch_teardown(void);

#endif
