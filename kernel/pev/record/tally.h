/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that count in a table: where others begin and end a record, these write its
 * payload into scratch memory, and make a key and a value of it.
 */
#ifndef _PEV_TALLY_H
#define _PEV_TALLY_H

#include <linux/compiler.h>
#include "types.h"
#include "loss.h"

struct pev_occurrence;
struct pev_sample_in;
struct pev_table_set;

int pev_tally_init(struct pev_event *event, struct pev_table_set *table,
		   bool (*find)(const void *from, const char *name, size_t len,
				struct pev_filter_field *field),
		   const void *from, struct pev_refuse *r);
int pev_tally_take(struct pev_event *event, void (*take)(const void *record));
void pev_tally_forget(struct pev_event *event);
void pev_tally_exit(struct pev_event *event);
void *pev_tally_begin(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
		      const struct pev_sample_in *in);
void *pev_tally_begin_bare(struct pev_event *event, struct pev_event_cpu *ec, u32 payload);
void pev_tally_end(void);
void pev_tally_lose(struct pev_event_cpu *ec);
void pev_tally_filter(struct pev_event_cpu *ec, u64 nr, const struct pev_occurrence *at);
bool pev_tally_needs_record(const struct pev_event *event);
u64 pev_tally_stacks(const struct pev_event *event);
unsigned int pev_tally_requests(const struct pev_event *event);

/**
 * pev_event_lose() - an occurrence finds no memory for its record, before it has one
 * @ec: its event on this CPU
 *
 * Context: Any with preemption disabled, NMI included.
 */
static __always_inline void pev_event_lose(struct pev_event_cpu *ec)
{
	pev_event_lost(ec);
	if (ec->event->tally)
		pev_tally_lose(ec);
}

#endif
