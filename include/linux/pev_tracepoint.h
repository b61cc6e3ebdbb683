/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the probes that TRACE_EVENT() generates need of pev. There are some
 * 1500 of them: inline is only the test whether an event counts here now.
 */
#ifndef _LINUX_PEV_TRACEPOINT_H
#define _LINUX_PEV_TRACEPOINT_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct pev_hook - the first word of what a pev probe gets as its data
 * @running: is not 0 on the CPUs where the event counts now
 */
struct pev_hook {
	u32 __percpu	*running;
};

/**
 * struct pev_trace_record - a record that is being written
 * @entry: where the trace event goes, its common fields first, which must not
 *         be written; NULL if nothing is to be written
 * @token: for pev_trace_end()
 */
struct pev_trace_record {
	void			*entry;
	unsigned long		token;
};

/**
 * pev_trace_running() - does the event count on this CPU now?
 * @hook: the probe's data
 *
 * Context: Any with preemption disabled.
 */
static __always_inline bool pev_trace_running(const struct pev_hook *hook)
{
	return raw_cpu_read(*hook->running);
}

struct pev_trace_record pev_trace_begin(struct pev_hook *hook, u32 size, unsigned long ip);
void pev_trace_end(unsigned long token);

/* For struct trace_event_class, in trace/trace_events.h */
#ifdef CONFIG_PEV
#define _TRACE_PEV_PROTO(call, proto)					\
	static notrace void						\
	pev_probe_##call(void *__data, proto)
#define _TRACE_PEV_INIT(call)						\
	.pev_probe		= pev_probe_##call,
#else
#define _TRACE_PEV_PROTO(...)
#define _TRACE_PEV_INIT(...)
#endif

#endif
