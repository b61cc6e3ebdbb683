/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets: where an event runs. Owns the slots' @running, @time and @since.
 */
#ifndef _PEV_TARGET_H
#define _PEV_TARGET_H

struct pev_attr;
struct pev_event;
struct pev_refuse;
struct pev_task_ctx;
struct task_struct;

int __init pev_target_setup(void);

/**
 * pev_target_init() - check and look up what @attr names
 * @event: filled in: @cpus, @cgroup
 * @attr:  the user's
 * @r:     says why not
 *
 * Context: Process context.
 * Return: 0 or an error.
 */
int pev_target_init(struct pev_event *event, const struct pev_attr *attr,
		    struct pev_refuse *r);

/* Free what pev_target_init() took. */
void pev_target_exit(struct pev_event *event);

/**
 * pev_target_attach() - attach a disabled event
 * @event: from here on it runs whenever it is enabled and its target is there
 * @attr:  names the target
 * @r:     says why not
 *
 * Context: Process context, pev_control held.
 * Return: 0, -ESRCH, -EACCES, -ENOMEM.
 */
int pev_target_attach(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r);

/* Undo it; @event is disabled and runs nowhere afterwards. pev_control held. */
void pev_target_detach(struct pev_event *event);

/**
 * pev_target_sync() - make running what should run, and stop the rest
 * @events: whose @enabled changed
 * @nr:     number of them
 *
 * One interprocessor interrupt for all.
 *
 * Context: Process context, pev_control held.
 */
void pev_target_sync(struct pev_event **events, unsigned int nr);

/**
 * pev_target_each() - the enabled events that would count a task on this CPU
 * @task: any task
 * @fn:   called for each
 *
 * Context: Any with preemption disabled.
 */
void pev_target_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task));

/* Bring the slots' @time up to now on every CPU. Process context. */
void pev_target_fold(struct pev_event *event);

/* Set the slots' counters of these events to 0. pev_control held. */
void pev_target_reset(struct pev_event **events, unsigned int nr);

/* Every CPU looks again at which set its current task has. Process context. */
void pev_target_refresh(void);

/* This CPU runs on @ctx from now on; NULL: on none. */
void pev_target_switch(struct pev_task_ctx *ctx);

/*
 * Hold and release the hooks in fork, exit, exec and the scheduler.
 * pev_control held.
 */
int pev_target_hooks_get(void);
void pev_target_hooks_put(void);

#endif
