/* SPDX-License-Identifier: GPL-2.0 */
/* What linux/task_work.h here begins, and what is left of it; nothing on 6.12. */
#ifndef _PEV_OLDER_TASK_WORK_H
#define _PEV_OLDER_TASK_WORK_H

#ifdef PEV_LINUX_6_1
int pev_older_task_work_setup(void);

/* Wait for the interrupts that were asked for. Process context. */
void pev_older_task_work_teardown(void);
#else
static inline int pev_older_task_work_setup(void)
{
	return 0;
}

static inline void pev_older_task_work_teardown(void)
{
}
#endif

#endif
