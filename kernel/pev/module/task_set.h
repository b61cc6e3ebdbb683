/* SPDX-License-Identifier: GPL-2.0 */
/* The hash of tasks that have a set, beside what glue/task_set.h offers of it. */
#ifndef _PEV_MODULE_TASK_SET_H
#define _PEV_MODULE_TASK_SET_H

struct pev_task_ctx;

/**
 * pev_task_set_take_any() - take the set of any task away from it
 * @bucket: where to look first, 0 at first; receives where to go on
 * @set:    receives it, with the task's reference, or NULL: none was found in this stretch
 *
 * Context: Process context, pev_ctx_lock held; no set is given to a task meanwhile.
 * Return: false if no task has one any more.
 */
bool pev_task_set_take_any(unsigned int *bucket, struct pev_task_ctx **set);

/* As the module is loaded. Return: 0 or -ENOMEM. */
int pev_task_set_setup(void);

/* Free the reserve. Process context; the hash is empty. */
void pev_task_set_teardown(void);

#endif
