/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets: where an event runs. Owns @running, @time and @since of
 * struct pev_event_cpu.
 */
#ifndef _PEV_TARGET_H
#define _PEV_TARGET_H

struct cpumask;
struct mm_struct;
struct pev_attr;
struct pev_event;
struct pev_refuse;
struct pev_request;
struct pev_task_ctx;
struct task_struct;

int __init pev_target_setup(void);

/* The opposite, when there is no event any more, and no hook. Process context. */
void pev_target_teardown(void);

/**
 * pev_target_init() - check and look up what @req names
 * @event: filled in: @cpus, @cgroup
 * @req:   the user's
 * @r:     says why not
 *
 * Context: Process context.
 * Return: 0 or an error.
 */
int pev_target_init(struct pev_event *event, const struct pev_request *req,
		    struct pev_refuse *r);

/* Free what pev_target_init() and pev_target_attach() took. */
void pev_target_exit(struct pev_event *event);

/**
 * pev_target_attach() - attach an event that is off
 * @event: runs whenever it is on and its target is there, after pev_target_connect()
 * @attr:  names the target
 * @r:     says why not
 *
 * Context: Process context, may sleep; no locks held.
 * Return: 0, -ESRCH, -EACCES, -EINTR, -ENOMEM, -ENOSPC.
 */
int pev_target_attach(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r);

/**
 * pev_target_connect() - let CPUs know an event that was attached
 * @event: may have been switched on
 *
 * One round of interrupts, to CPUs that run a task of the target.
 *
 * Context: Process context, pev_control held.
 */
void pev_target_connect(struct pev_event *event);

/**
 * pev_target_stop() - the event runs nowhere afterwards, and never again
 * @event: is PEV_EVENT_DEAD from here on
 *
 * Context: Process context, pev_control held.
 */
void pev_target_stop(struct pev_event *event);

/* Undo pev_target_attach(); @event was stopped. Process context, no locks held. */
void pev_target_detach(struct pev_event *event);

/**
 * pev_target_each() - the events that are on and would count a task on this CPU
 * @task: any task
 * @fn:   called for each
 *
 * Context: Any with preemption disabled.
 */
void pev_target_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task));

/**
 * pev_target_maps() - may a task with this memory be counted?
 * @event: attached
 * @mm:    of any process
 *
 * Context: Process context; locks of @mm may be held.
 * Return: false only if @event counts no task that has @mm.
 */
bool pev_target_maps(struct pev_event *event, struct mm_struct *mm);

/**
 * pev_target_counts() - is a process counted?
 * @event: attached, and not on single threads
 * @mm:    its memory; it may have ended
 * @pid:   of a process that had the memory, and may have ended or have another one by now
 *
 * Who else has the memory decides nothing: anybody may share his own with others, or look at that
 * of another process, so that more have it than there are threads.
 *
 * Context: as pev_target_maps().
 * Return: true if @event counts the process, if it has the memory, or the one to which the memory
 * belongs by now.
 */
bool pev_target_counts(struct pev_event *event, struct mm_struct *mm, struct pid *pid);

/**
 * pev_target_thread() - a thread that has a memory
 * @mm:  the memory; it may have ended
 * @pid: of a process that had it, which is asked first; then it is that to which it belongs by now
 *
 * Context: as pev_target_maps().
 * Return: a thread with a reference, which may end or execute another program at any time; NULL: no
 * process has the memory, or none that can be found.
 */
struct task_struct *pev_target_thread(struct mm_struct *mm, struct pid *pid);

/* Make CPUs of a mask (NULL: all) look again at their task's set. Process context. */
void pev_target_refresh(const struct cpumask *cpus);

/* Look again at the set of the task that runs here; interrupts off. */
void pev_target_refresh_here(void);
/* Make CPUs that still run on @ctx, which no task has, look again. Process context. */
void pev_target_forget(struct pev_task_ctx *ctx);

/* Get and put the hooks in fork, exit, exec and the scheduler. Process context. */
int pev_target_hooks_get(void);
void pev_target_hooks_put(void);

#endif
