// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what makes a process one that runs a virtual machine: it has one of KVM open. KVM may
 * be a module, which is asked only if it is there: otherwise there are no machines.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include "machine.h"

/* Return: the next open file of @task from @fd on, with a reference; NULL: no more. */
static struct file *next_file(struct task_struct *task, unsigned int *fd)
{
	guard(rcu)();
	return task_lookup_next_fdget_rcu(task, fd);
}

/**
 * pev_runs_machine() - does a process run a virtual machine?
 * @task: of the process, with a reference
 *
 * As of now: it may create one later, or close it.
 *
 * Context: Process context, may sleep.
 */
bool pev_runs_machine(struct task_struct *task)
{
	bool (*is_machine)(struct file *file) = symbol_get(file_is_kvm);
	bool found = false;
	struct file *file;

	if (!is_machine)
		return false;
	for (unsigned int fd = 0; !found; fd++) {
		file = next_file(task, &fd);
		if (!file)
			break;
		found = is_machine(file);
		fput(file);
		cond_resched();
	}
	symbol_put(file_is_kvm);
	return found;
}
