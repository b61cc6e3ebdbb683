/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters, in the kernel's own trace event syntax, and the scratch memory in
 * which an occurrence is written down before its filter has decided.
 */
#ifndef _PEV_FILTER_H
#define _PEV_FILTER_H

#include <linux/pev_tracepoint.h>
#include <linux/types.h>

struct pev_event;
struct pev_filter;
struct pev_refuse;
struct pev_event_cpu;
struct pev_trace;

char *pev_filter_copy(const char __user *expr, struct pev_refuse *r);
struct pev_filter *pev_filter_make(struct pev_event *event, const char *expr,
				   struct pev_refuse *r);
void pev_filter_swap(struct pev_event *event, struct pev_filter *filter);
void pev_filter_drop(struct pev_filter *filter);
void pev_filter_free(struct pev_event *event);
struct pev_trace_record pev_filter_begin(struct pev_trace *trace, struct pev_filter *filter,
					 struct pev_event_cpu *ec, u32 size, unsigned long ip);
void pev_filter_end(unsigned long token);
bool pev_filter_allows(struct pev_trace *trace, struct pev_event_cpu *ec, void *entry);

const char *pev_filter_needs_rights(struct pev_event *event, const char *expr);

/*
 * Tokens of records that are written into scratch memory are odd, those of
 * records in the ring are the address of their
 * struct pev_event_cpu.
 */
#define PEV_TOKEN_SCRATCH	1UL

/**
 * pev_filter_explain() - take the parser's report apart
 * @report: "expression\n   ^\nparse_error: reason\n"; cut into pieces
 * @pos:    characters of the expression before the mistake, about
 *
 * Return: the reason, inside of @report; NULL if there is none.
 */
char *pev_filter_explain(char *report, unsigned int *pos);

#endif
