/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tracepoints, system calls and markers have in common: an event that
 * writes a trace event's record.
 */
#ifndef _PEV_TRACEPOINT_H
#define _PEV_TRACEPOINT_H

#include <linux/list.h>
#include <linux/pev_tracepoint.h>
#include <linux/trace_events.h>
#include "record/sample.h"
#include "filter.h"

/**
 * struct pev_trace - the private part of an event that writes trace events
 * @hook:  what the probes see
 * @event: back
 * @fixed: bytes of the fixed part of a record to clear beforehand, because it
 *         has holes that the probe does not write; 0: none
 * @tap:   what hands over the records of perf's probe; NULL: pev's own makes them
 * @node:  system call events: in the list of the call's number
 * @call:  the number
 * @side:  system call events: which of the two probes serves it
 * @write: system call events that are met on their CPUs alone: what writes a record
 * @text:  with PEV_F_TEXT, mask of arguments whose texts records have; 0: it is
 *         as without the flag
 * @words: words of the record behind the number of the call, before the texts
 * @limit: most bytes of each text
 * @structs: PEV_F_STRUCTS, too
 */
struct pev_trace {
	struct pev_hook		hook;
	struct pev_event	*event;
	u32			fixed;
	struct pev_tap		*tap;
	struct hlist_node	node;
	int			call;
	struct pev_syscall_side	*side;
	void			(*write)(void *trace, struct pt_regs *regs, long arg);
	u8			text;
	u8			words;
	u32			limit;
	bool			structs;
};

void *pev_trace_begin_slow(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
			   unsigned long ip);

/*
 * Few words at a time: what the compiler would call for this, and string
 * instructions, take longer to get going than most records take in all.
 */
static __always_inline void pev_clear_words(void *to, u32 bytes)
{
	for (u32 i = 0; i < bytes; i += sizeof(u64))
		WRITE_ONCE(*(u64 *)(to + i), 0);
}

static __always_inline void pev_copy_words(void *to, const void *from, u32 bytes)
{
	for (u32 i = 0; i < bytes; i += sizeof(u64))
		WRITE_ONCE(*(u64 *)(to + i), *(u64 *)(from + i));
}

struct pev_trace_record pev_trace_begin_gated(struct pev_trace *trace, struct pev_event_cpu *ec,
					      u32 size, unsigned long ip);

/* Count an occurrence that passed filter and rights, and reserve a record if one is due. */
static __always_inline struct pev_trace_record
pev_trace_place(struct pev_trace *trace, struct pev_event_cpu *ec, u32 size, unsigned long ip)
{
	struct pev_event *event = trace->event;
	u32 payload = size - sizeof(struct trace_entry);
	struct pev_trace_record record = { };
	void *p;

	if (!pev_event_hit(event, ec, 1))
		return record;
	if (likely(event->simple))
		p = pev_sample_begin(event, ec, payload, NULL);
	else if (event->bare)
		p = pev_tally_begin_bare(event, ec, payload);
	else
		p = pev_trace_begin_slow(event, ec, payload, ip);
	if (unlikely(!p))
		return record;
	if (unlikely(trace->fixed))
		pev_clear_words(p, trace->fixed);
	record.entry = p - sizeof(struct trace_entry);
	record.token = (unsigned long)ec;
	/* lets the compiler drop the NULL test in the inlined caller */
	if (!record.entry)
		__builtin_unreachable();
	return record;
}

/**
 * pev_trace_reserve() - an occurrence: count it, and give it room if it is due
 * @trace: its event counts on this CPU
 * @size:  of the trace event, its common fields included
 * @ip:    where it occurred
 *
 * Without a filter the entry lies in the ring. Its common fields do not: there
 * is the end of the record's context.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: where to write the fields; pev_trace_commit() must follow if @entry
 * is not NULL.
 */
static __always_inline struct pev_trace_record
pev_trace_reserve(struct pev_trace *trace, u32 size, unsigned long ip)
{
	struct pev_event_cpu *ec = this_cpu_ptr(trace->event->percpu);

	if (unlikely(READ_ONCE(trace->event->gate)))
		return pev_trace_begin_gated(trace, ec, size, ip);
	return pev_trace_place(trace, ec, size, ip);
}

/**
 * pev_trace_commit() - the fields are written
 * @token: as pev_trace_reserve() gave it
 *
 * Context: as pev_trace_reserve().
 */
static __always_inline void pev_trace_commit(unsigned long token)
{
	if (unlikely(token & PEV_TOKEN_SCRATCH))
		pev_filter_end(token);
	else
		pev_sample_end((struct pev_event_cpu *)token);
}

int pev_trace_create(struct pev_event *event, const struct pev_field *fields);
void pev_trace_destroy(struct pev_event *event);
void pev_trace_fields(struct pev_event *event, struct pev_strbuf *text);
int pev_trace_check_name(const struct pev_event *event, struct pev_refuse *r);
void pev_trace_layout(struct pev_event *event, struct pev_layout *layout);

/* No event is left. */
void pev_trace_teardown(void);

#endif
