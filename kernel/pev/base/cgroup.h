/* SPDX-License-Identifier: GPL-2.0 */
/* Which cgroup a task is in. */
#ifndef _PEV_BASE_CGROUP_H
#define _PEV_BASE_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>

/* The id of @task's cgroup in the unified hierarchy; 0 without cgroups. Any context. */
static inline u64 pev_cgroup_of(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	guard(rcu)();
	return cgroup_id(task_dfl_cgroup(task));
#else
	return 0;
#endif
}

#endif
