// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the calls from a task's life that more than one layer answers. The other hooks of
 * linux/pev.h and linux/pev_hooks.h are defined where they are answered.
 */
#include <linux/pev.h>
#include "source/sideband.h"
#include "target/task_ctx.h"

/**
 * __pev_exit() - the current task is exiting
 * @task: current, with PF_EXITING set
 *
 * Context: Process context.
 */
void __pev_exit(struct task_struct *task)
{
	/* the last record, while the task still has its events */
	pev_sideband_exit(task);
	pev_ctx_exit(task);
}
