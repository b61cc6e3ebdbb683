// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the calls from a task's life, which a module has by tracing functions that are called
 * where the patched kernel calls pev.
 *
 * Fork: attach_pid() for PIDTYPE_PID is called for each new task, in the section of
 * tasklist_lock that links it, after the last thing that may fail, and nowhere else. The
 * tracepoint task_newtask comes later: a walk over the tasks may then have been at the child.
 *
 * Exit: exit_mm_release() is called for each task between PF_EXITING and the end of its
 * address space, which says whether the task may be seen. sched_process_exit comes later.
 *
 * Function tracing can't be switched off by sysctl once this was in use.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <uapi/linux/sched.h>
#include "glue/linux.h"
#include "source/sideband.h"
#include "source/ustack.h"
#include "target/task_ctx.h"
#include "resolve.h"
#include "task.h"
#include "task_set.h"
#include "traced.h"

static void notrace trace_attach_pid(unsigned long ip, unsigned long parent,
				     struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	struct task_struct *child = (void *)ftrace_regs_get_argument(regs, 0);
	enum pid_type type = ftrace_regs_get_argument(regs, 1);

	if (type == PIDTYPE_PID && child != current)
		pev_ctx_fork(child, same_thread_group(child, current) ? CLONE_THREAD : 0);
}

static void notrace trace_exit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *regs)
{
	struct task_struct *task = (void *)ftrace_regs_get_argument(regs, 0);

	if (task != current)
		return;
	/* the last records, while the task still has its events */
	pev_ustack_exit();
	pev_sideband_exit(task);
	pev_ctx_exit(task);
}

static struct pev_traced forks = {
	.ops = { .func = trace_attach_pid, .flags = PEV_TRACED_FLAGS },
	.nothing = pev_nothing,
};

static struct pev_traced exits = {
	.ops = { .func = trace_exit, .flags = PEV_TRACED_FLAGS },
	.nothing = pev_nothing,
};

/* What gets a set also gives it back: exits come first, and go last. */
int pev_task_trace(void)
{
	int err = pev_traced_on(&exits, pev_address_of_exit_mm_release());

	if (err)
		return err;
	err = pev_traced_on(&forks, pev_address_of_attach_pid());
	if (err)
		pev_traced_off(&exits);
	return err;
}

/* Of tasks that lived longer than their events; one may be about to drop its set itself. */
static void drop_sets(void)
{
	struct pev_task_ctx *set;
	unsigned int bucket = 0;
	bool more;

	do {
		raw_spin_lock(&pev_ctx_lock);
		more = pev_task_set_take_any(&bucket, &set);
		raw_spin_unlock(&pev_ctx_lock);
		pev_ctx_put_many(set, 1);
		cond_resched();
	} while (more);
}

void pev_task_untrace(void)
{
	/* forks go on to hand sets down: they stay, and exits take them back */
	if (!pev_traced_off(&forks))
		return;
	/* a fork on its way holds it for writing, and may yet give its child a set */
	read_lock(&pev_tasklist_lock);
	read_unlock(&pev_tasklist_lock);
	pev_traced_off(&exits);
	drop_sets();
}

void pev_task_teardown(void)
{
	pev_traced_teardown(&forks);
	pev_traced_teardown(&exits);
	drop_sets();
}
