/* SPDX-License-Identifier: GPL-2.0 */
/* What is learned of a task's life by tracing functions. */
#ifndef _PEV_MODULE_TASK_H
#define _PEV_MODULE_TASK_H

/* Learn of forks and exits. Process context. Return: 0 or an error. */
int pev_task_trace(void);

/* The opposite: no task has a set afterwards. Process context. */
void pev_task_untrace(void);

/* Before the module goes: waits until nothing of it runs. */
void pev_task_teardown(void);

#endif
