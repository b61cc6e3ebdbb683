/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of events, and the scratch memory in which an occurrence is written down before
 * its filter has decided.
 */
#ifndef _PEV_FILTER_H
#define _PEV_FILTER_H

#include <linux/pev_tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "filter/program.h"
#include "record/tally.h"

struct pev_event;
struct pev_event_cpu;
struct pev_refuse;

/**
 * struct pev_filter - a filter in use
 * @program: all that it asks. What it needs of an occurrence is reached through the filter
 *           alone, so that an exchange can't mix those of two
 * @reap:    frees it when no probe can be inside any more
 */
struct pev_filter {
	struct pev_program	*program;
	struct rcu_work		reap;
};

/*
 * Does it look at fields, or are those of what it refuses summed up? If not, it is asked
 * before there is a record.
 */
static inline bool pev_filter_needs_record(const struct pev_filter *filter,
					   const struct pev_event *event)
{
	return filter->program->end || unlikely(pev_tally_needs_record(event));
}

char *pev_filter_copy(const char __user *expr, struct pev_refuse *r);
struct pev_filter *pev_filter_make(struct pev_event *event, const char *expr,
				   struct pev_refuse *r);
void pev_filter_swap(struct pev_event *event, struct pev_filter *filter);
u32 pev_filter_weight(const struct pev_event *event, const struct pev_filter *filter);
bool pev_filter_takes_longer(const struct pev_event *event, const struct pev_filter *filter);
void pev_filter_drop(struct pev_filter *filter);
void pev_filter_free(struct pev_event *event);
bool pev_filter_passes(const struct pev_filter *filter, struct pev_event_cpu *ec, u64 nr,
		       const struct pev_occurrence *at);
bool pev_filter_allows(struct pev_event *event, struct pev_event_cpu *ec, u64 nr,
		       const struct pev_occurrence *at);
struct pev_trace_record pev_filter_begin(struct pev_filter *filter, struct pev_event_cpu *ec,
					 u32 size, unsigned long ip);
void pev_filter_end(unsigned long token);

/*
 * Tokens of records that are written into scratch memory are odd, those of
 * records in the ring are the address of their
 * struct pev_event_cpu.
 */
#define PEV_TOKEN_SCRATCH	1UL

#endif
