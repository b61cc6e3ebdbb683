// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the calls from a task's life, by linux/pev.h, for the layers that answer them. Those
 * of linux/pev_hooks.h are defined where they are answered.
 */
#include <linux/pev.h>
#include "pmu/page.h"
#include "source/sideband.h"
#include "source/ustack.h"
#include "target/task_ctx.h"

/* Answers pev_fork(); see there for the context. */
void __pev_fork(struct task_struct *child, u64 clone_flags)
{
	pev_ctx_fork(child, clone_flags);
}

void pev_mm_init(struct mm_struct *mm)
{
	pev_pmu_page_init(mm);
}

/**
 * __pev_exit() - the current task is exiting
 * @task: current, with PF_EXITING set
 *
 * Context: Process context.
 */
void __pev_exit(struct task_struct *task)
{
	/* the last records, while the task still has its events */
	pev_ustack_exit();
	pev_sideband_exit(task);
	pev_ctx_exit(task);
}
