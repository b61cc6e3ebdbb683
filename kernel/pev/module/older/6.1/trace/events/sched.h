/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a tracepoint that they lack is the module's own, see exec.c. */
#include_next <trace/events/sched.h>

#ifndef _PEV_OLDER_TRACE_EVENTS_SCHED_H
#define _PEV_OLDER_TRACE_EVENTS_SCHED_H

struct linux_binprm;

DECLARE_TRACE(sched_prepare_exec,
	      TP_PROTO(struct task_struct *task, struct linux_binprm *bprm),
	      TP_ARGS(task, bprm));

#endif
