/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What follows when events were started and stopped on a CPU: the source that only took
 * notes makes them true, and tasks get the mark of PEV_F_MARKED; and the source that follows
 * switches themselves. Called at each switch between tasks, so each is a patched branch and a
 * patched call.
 */
#ifndef _PEV_COMMIT_H
#define _PEV_COMMIT_H

#include <linux/jump_label.h>
#include <linux/static_call.h>
#include <linux/types.h>

struct pev_source_ops;
struct task_struct;

void pev_commit_none(void);
void pev_mark_none(struct task_struct *task, bool on);
void pev_switch_none(bool preempt, struct task_struct *prev, struct task_struct *next,
		     unsigned int prev_state);
void pev_arrive_none(void);

/* On while events have something to commit, count marked tasks, or follow switches. */
DECLARE_STATIC_KEY_FALSE(pev_commit_key);
DECLARE_STATIC_KEY_FALSE(pev_pmm_key);
DECLARE_STATIC_KEY_FALSE(pev_switch_key);
/* On while a source has to see each task before it runs. */
DECLARE_STATIC_KEY_FALSE(pev_arrive_key);

DECLARE_STATIC_CALL(pev_source_commit, pev_commit_none);
DECLARE_STATIC_CALL(pev_source_mark, pev_mark_none);
DECLARE_STATIC_CALL(pev_source_switch, pev_switch_none);
DECLARE_STATIC_CALL(pev_source_arrive, pev_arrive_none);

/**
 * pev_target_commit() - events of this CPU were started, stopped or got other periods
 *
 * Hardware events change counters once for all that @start and @stop were called
 * for. Until then the PMU stands still.
 *
 * Context: interrupts off, the same section in which they were called.
 */
static __always_inline void pev_target_commit(void)
{
	if (static_branch_unlikely(&pev_commit_key))
		static_call(pev_source_commit)();
}

/* Direct the calls to @commit, @mark, @task_switch and @arrive of @ops, if it has them. At boot. */
void pev_commit_setup(const struct pev_source_ops *ops);

#endif
