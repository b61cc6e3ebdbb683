/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads owe: a record has a cookie in place of the user's stack, which the thread
 * tells on its way back to user mode. See Documentation/design/deferred.rst.
 */
#ifndef _PEV_DEFER_H
#define _PEV_DEFER_H

#include <linux/atomic.h>
#include <linux/task_work.h>
#include <linux/types.h>

struct pev_channel;
struct pev_defer;
struct pev_event;
struct pev_event_cpu;

/**
 * struct pev_owed - what one thread owes to one event of PEV_TYPE_USTACK
 * @work:    is called on the thread's way to user mode, and at its end
 * @defer:   of the event
 * @exec_id: of the thread when the debt was made: an exec changes it
 * @cookie:  unique among the records of the channel
 * @uses:    how often this piece of memory was taken; never 0 in a cookie
 * @records: with @cookie; negative: settled, forgiven, or being made
 */
struct pev_owed {
	struct callback_head	work;
	struct pev_defer	*defer;
	u64			exec_id;
	u64			cookie;
	u32			uses;
	atomic_t		records;
};

/**
 * pev_defer_make() - memory for what threads owe to an event
 * @many: of many threads at once; otherwise of a few
 * @fn:   called by the thread for each debt, in process context: to end it, see
 *        pev_defer_settle(), and to end with pev_defer_release()
 *
 * Context: Process context.
 * Return: the memory, NULL if there is none.
 */
struct pev_defer *pev_defer_make(bool many, task_work_func_t fn);

/**
 * pev_defer_attach() - say to which event threads owe
 * @defer: of pev_defer_make()
 * @event: its @private is @defer; NULL: to none any more. A grace period later nobody asks
 *
 * Context: Process context.
 */
void pev_defer_attach(struct pev_defer *defer, struct pev_event *event);

/* The event, or NULL. Context: Preemption disabled for as long as it is used. */
struct pev_event *pev_defer_event(const struct pev_defer *defer);

/**
 * pev_defer_free() - give the memory back
 * @defer: which pev_defer_attach() has detached a grace period ago
 *
 * What a thread is just about to tell keeps the memory until then: nobody waits for it.
 *
 * Context: Process context.
 */
void pev_defer_free(struct pev_defer *defer);

/* @ec's event counts on this CPU from now on, or no longer. Interrupts disabled. */
void pev_defer_start(struct pev_event_cpu *ec);
void pev_defer_stop(struct pev_event_cpu *ec);

/**
 * pev_defer_each() - call a function for what the current thread owes here
 * @fn: the function
 *
 * Context: Preemption disabled, the thread's own.
 */
void pev_defer_each(void (*fn)(struct pev_owed *owed));

/**
 * pev_defer_here() - what the current thread is to owe for a record
 * @channel: of the record
 *
 * Context: An interrupt, or NMI.
 * Return: NULL: nothing, the stack is to be taken at once; otherwise to be given to
 * pev_defer_announce() before preemption is enabled.
 */
struct pev_owed *pev_defer_here(const struct pev_channel *channel);

/**
 * pev_defer_next() - the same of a thread that this CPU is switching to
 * @event:   of PEV_TYPE_USTACK, that counts @task; NULL: one on this CPU, if there is any
 * @channel: of the record
 * @task:    the thread
 *
 * Context: sched_switch.
 * Return: as pev_defer_here().
 */
struct pev_owed *pev_defer_next(struct pev_event *event, const struct pev_channel *channel,
				struct task_struct *task);

/**
 * pev_defer_announce() - a record with the cookie is being written
 * @owed: or NULL
 *
 * One that was forgiven since pev_defer_here() is counted as lost.
 *
 * Context: As there.
 * Return: the cookie; 0: there is none.
 */
u64 pev_defer_announce(struct pev_owed *owed);

/**
 * pev_defer_settle() - end a debt, once
 * @owed: the debt
 *
 * Return: how many records have the cookie; 0: none, or others have ended it.
 */
u32 pev_defer_settle(struct pev_owed *owed);

/* The memory of a settled debt is free. By the function of pev_defer_make(), at its end. */
void pev_defer_release(struct pev_owed *owed);

/**
 * pev_defer_forgive() - end all debts
 * @defer: to whose event
 *
 * Context: Process context.
 * Return: how many had been announced.
 */
u64 pev_defer_forgive(struct pev_defer *defer);

/* Wait until nobody owes anything: no event is left. Process context. */
void pev_defer_teardown(void);

#endif
