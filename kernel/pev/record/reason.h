/* SPDX-License-Identifier: GPL-2.0 */
/* Why the guest was left that a thread runs. */
#ifndef _PEV_REASON_H
#define _PEV_REASON_H

#include <linux/types.h>

/**
 * pev_reasons_begin() - remember reasons from now on
 *
 * What was noted before is forgotten: nobody has seen what became of it. No pev_reason_note()
 * is under way.
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error; pev_reasons_end() is the opposite.
 */
int pev_reasons_begin(void);
void pev_reasons_end(void);

/**
 * pev_reason_note() - the current thread has left its guest, or is about to enter it
 * @reason: see PEV_SAMPLE_EXIT; 0: it enters it, or nothing is known
 *
 * Context: The thread itself, with preemption disabled; between begin and end.
 */
void pev_reason_note(u64 reason);

/* Of the current thread, 0: none is known. Context: Any with preemption disabled, NMI included. */
u64 pev_reason_here(void);

/* Forget all. Process context; nothing is recorded any more. */
void pev_reasons_teardown(void);

#endif
