// SPDX-License-Identifier: GPL-2.0
/* Owns the calls by which sources learn of a CPU's starts, stops and switches. */
#include <linux/init.h>
#include "types.h"
#include "commit.h"

DEFINE_STATIC_KEY_FALSE(pev_commit_key);
DEFINE_STATIC_KEY_FALSE(pev_pmm_key);
DEFINE_STATIC_KEY_FALSE(pev_switch_key);
DEFINE_STATIC_KEY_FALSE(pev_arrive_key);

void pev_commit_none(void) { }
void pev_mark_none(struct task_struct *task, bool on) { }
void pev_arrive_none(void) { }

void pev_switch_none(bool preempt, struct task_struct *prev, struct task_struct *next,
		     unsigned int prev_state)
{
}

DEFINE_STATIC_CALL(pev_source_commit, pev_commit_none);
DEFINE_STATIC_CALL(pev_source_mark, pev_mark_none);
DEFINE_STATIC_CALL(pev_source_switch, pev_switch_none);
DEFINE_STATIC_CALL(pev_source_arrive, pev_arrive_none);

void __init pev_commit_setup(const struct pev_source_ops *ops)
{
	if (ops->commit)
		static_call_update(pev_source_commit, ops->commit);
	if (ops->mark)
		static_call_update(pev_source_mark, ops->mark);
	if (ops->task_switch)
		static_call_update(pev_source_switch, ops->task_switch);
	if (ops->arrive)
		static_call_update(pev_source_arrive, ops->arrive);
}
