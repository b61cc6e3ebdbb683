/* SPDX-License-Identifier: LGPL-2.1-only */
#ifndef _PEV_TRACE_INFO_H
#define _PEV_TRACE_INFO_H

struct pev_trace;

/* Reads info/record, if it is there. Returns 0 or -ENOMEM. */
int trace_open_info(struct pev_trace *trace);
/* Reads it again; what it said before stays in memory, as a caller may be reading it. */
int trace_new_info(struct pev_trace *trace);

#endif /* _PEV_TRACE_INFO_H */
