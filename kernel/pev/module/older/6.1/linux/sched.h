/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: threads of the kernel that are made from user mode are io_uring's. */
#ifndef _PEV_OLDER_LINUX_SCHED_H
#define _PEV_OLDER_LINUX_SCHED_H

#include_next <linux/sched.h>

#define PF_USER_WORKER	PF_IO_WORKER

#endif
