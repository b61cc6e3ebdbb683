/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: work for a task from an interrupt that can't be masked. */
#ifndef _PEV_OLDER_LINUX_TASK_WORK_H
#define _PEV_OLDER_LINUX_TASK_WORK_H

#include_next <linux/task_work.h>

/* They need no memory. */
#define TWAF_NO_ALLOC		0
#define TWA_NMI_CURRENT		128

int pev_older_task_work_add(struct task_struct *task, struct callback_head *work, int mode);

#ifndef PEV_OLDER
#define task_work_add(task, work, mode)	pev_older_task_work_add(task, work, mode)
#endif

#endif
