/* SPDX-License-Identifier: GPL-2.0 */
/* glue/tap.h for a module, which has probes of those trace events whose headers are public. */
#ifndef _PEV_TAP_H
#define _PEV_TAP_H

#include <linux/types.h>

struct pev_tap;
struct pev_trace;
struct trace_event_call;

/* See glue/tap.h for all that follows. */
bool pev_tap_has(const struct trace_event_call *call);
struct pev_tap *pev_tap_make(struct pev_trace *trace);
void pev_tap_stop(struct pev_tap *tap);
void pev_tap_free(struct pev_tap *tap);

#endif
