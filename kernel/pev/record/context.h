/* SPDX-License-Identifier: GPL-2.0 */
/* Which request a thread works for, as it says itself. */
#ifndef _PEV_CONTEXT_H
#define _PEV_CONTEXT_H

#include <linux/types.h>

struct pev_refuse;

/* Words in a record: the trace's id, and the span's. */
#define PEV_CONTEXT_WORDS	3

/**
 * pev_context_attach() - remember where the current thread says for which request it works
 * @at: address of its pointer to the record, see struct pev_thread_context; 0: nowhere
 * @r:  says why not
 *
 * It is forgotten when the thread ends or its process begins another program.
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_context_attach(u64 at, struct pev_refuse *r);

/**
 * pev_context_put() - what the current thread says
 * @to: PEV_CONTEXT_WORDS of them; zeros if it says nothing, or it can't be read here
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_context_put(u64 *to);

/* Forget all. Process context; no thread attaches, and nothing is recorded, any more. */
void pev_context_teardown(void);

#endif
