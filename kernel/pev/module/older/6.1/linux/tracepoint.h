/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a tracepoint of the module's own that they lack, see exec.c. */
#ifndef _PEV_OLDER_LINUX_TRACEPOINT_H
#define _PEV_OLDER_LINUX_TRACEPOINT_H

#include_next <linux/tracepoint.h>

int pev_older_probe_register(struct tracepoint *tp, void *probe, void *data, int prio);
int pev_older_probe_unregister(struct tracepoint *tp, void *probe, void *data);

#ifndef PEV_OLDER
#define tracepoint_probe_register(tp, probe, data)	\
	pev_older_probe_register(tp, probe, data, TRACEPOINT_DEFAULT_PRIO)
#define tracepoint_probe_register_prio(tp, probe, data, prio)	\
	pev_older_probe_register(tp, probe, data, prio)
#define tracepoint_probe_unregister(tp, probe, data)	\
	pev_older_probe_unregister(tp, probe, data)
#endif

#endif
