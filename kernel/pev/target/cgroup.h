/* SPDX-License-Identifier: GPL-2.0 */
/* Events on cgroups. */
#ifndef _PEV_TARGET_CGROUP_H
#define _PEV_TARGET_CGROUP_H

#include <linux/cgroup.h>
#include <linux/pev_refuse.h>
#include "cpu.h"

/* Cgroups with events; read at a switch between tasks. */
extern unsigned int pev_cgroup_nr;

#ifdef CONFIG_CGROUPS
int pev_cgroup_init(struct pev_event *event, s32 fd, struct pev_refuse *r);
void pev_cgroup_exit(struct pev_event *event);
/* pev_control held. The list is left by list_del_rcu(). */
void pev_cgroup_attach(struct pev_event *event);
/* Is the task of this CPU in the cgroup? Of another CPU: was it at the last switch? */
bool pev_cgroup_wants(const struct pev_event *event);
bool pev_cgroup_runs(const struct pev_event *event, int cpu);
void pev_cgroup_moved(const struct task_struct *task);
/* Call @fn for events that are on and count @task here; RCU, preemption disabled. */
void pev_cgroup_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task));
void __pev_cgroup_switch(struct pev_target_cpu *cpu, struct task_struct *task);

/**
 * pev_cgroup_switch() - @task runs here now
 * @cpu:  this CPU's
 * @task: the next task
 *
 * Context: interrupts off, preemption disabled.
 */
static inline void pev_cgroup_switch(struct pev_target_cpu *cpu, struct task_struct *task)
{
	if (likely(!READ_ONCE(pev_cgroup_nr)))
		return;
	smp_store_mb(cpu->process, task->signal);	/* cgroup_moved:A, pairs with :B */
	if (cpu->cgroup != cgroup_id(task_dfl_cgroup(task)))
		__pev_cgroup_switch(cpu, task);
}

/* Wait for what is under way, now that nothing more comes. Process context. */
void pev_cgroup_teardown(void);

#else
static inline int pev_cgroup_init(struct pev_event *event, s32 fd, struct pev_refuse *r)
{
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
			  "this kernel is built without cgroups");
}

static inline void pev_cgroup_exit(struct pev_event *event) { }
static inline void pev_cgroup_attach(struct pev_event *event) { }
static inline bool pev_cgroup_wants(const struct pev_event *event) { return false; }
static inline bool pev_cgroup_runs(const struct pev_event *event, int cpu) { return false; }
static inline void pev_cgroup_moved(const struct task_struct *task) { }
static inline void pev_cgroup_each(struct task_struct *task,
				   void (*fn)(struct pev_event *event,
					      struct task_struct *task)) { }
static inline void pev_cgroup_switch(struct pev_target_cpu *cpu, struct task_struct *task) { }
static inline void __pev_cgroup_switch(struct pev_target_cpu *cpu,
				       struct task_struct *task) { }
static inline void pev_cgroup_teardown(void) { }
#endif

#endif
