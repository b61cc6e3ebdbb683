/* SPDX-License-Identifier: GPL-2.0 */
/* What glue/watch.h has is given up for good. */
#ifndef _PEV_MODULE_WATCH_H
#define _PEV_MODULE_WATCH_H

/* Nothing is watched any more: waits until nothing of it runs. Process context. */
void pev_watch_teardown(void);

#endif
