/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that record trace events, generated from the headers in trace/events. */
#ifndef _PEV_PROBES_H
#define _PEV_PROBES_H

struct trace_event_call;

/**
 * struct pev_probe_entry - a trace event that has one
 * @system: of the event
 * @name:   of the event
 * @probe:  the function
 */
struct pev_probe_entry {
	const char	*system;
	const char	*name;
	void		*probe;
};

extern struct pev_probe_entry pev_probes_begin[];
extern struct pev_probe_entry pev_probes_end[];

/* Return: the function, by the event's tracepoint; NULL: there is none. Any context. */
void *pev_probe_find(const struct trace_event_call *call);

/* Sort them, when the module is loaded. Return: 0. */
int pev_probes_setup(void);

#endif
