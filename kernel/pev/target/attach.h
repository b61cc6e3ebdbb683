/* SPDX-License-Identifier: GPL-2.0 */
/* Attaching events to tasks. */
#ifndef _PEV_ATTACH_H
#define _PEV_ATTACH_H

struct pev_event;
struct pev_refuse;
struct task_struct;

/**
 * pev_attach() - let @event count tasks
 * @event: its @target says which of @top, its process and descendants
 * @top:   a task
 * @r:     says why not
 *
 * All tasks that are meant when the call returns have @event in their sets, and all that
 * they have created since they were first met. CPUs of @event->moved do not know yet.
 *
 * Context: Process context, may sleep; no locks held.
 * Return: 0, -ESRCH if there was none to attach to, -EINTR for a fatal signal,
 * -ENOMEM, -ENOSPC; after an error some may be attached.
 */
int pev_attach(struct pev_event *event, struct task_struct *top, struct pev_refuse *r);

#endif
