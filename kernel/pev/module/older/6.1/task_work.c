// SPDX-License-Identifier: GPL-2.0
/*
 * Owns work for the current task from an interrupt that can't be masked, for Linux 6.1. Such an
 * interrupt may come behind the last look at what is to be done before user mode: another one,
 * which is masked until then, follows it, and looks once more.
 */
#define PEV_OLDER
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include "module/older/6.1/task_work.h"

/* Its way back is all that is wanted of it. */
static void look_once_more(struct irq_work *work)
{
}

static DEFINE_PER_CPU(struct irq_work, look);

/* The loader of modules relocates no addresses in what each CPU has. */
int __init pev_older_task_work_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(look, cpu) = IRQ_WORK_INIT_HARD(look_once_more);
	return 0;
}

int pev_older_task_work_add(struct task_struct *task, struct callback_head *work, int mode)
{
	int err;

	if (mode != TWA_NMI_CURRENT)
		return task_work_add(task, work, mode);
	err = task_work_add(task, work, TWA_NONE);
	if (err)
		return err;
	set_tsk_thread_flag(task, TIF_NOTIFY_RESUME);
	irq_work_queue(this_cpu_ptr(&look));
	return 0;
}

void pev_older_task_work_teardown(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&look, cpu));
}
