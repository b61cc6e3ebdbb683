// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the question whether the opener of an event may see a task, as it is asked
 * when something occurs. An event is attached once, and a task that it counts may
 * gain rights at any time: an answer that is found at the record, from the
 * credentials and the memory that the task has then, is one that no exec, however
 * slow, can outrun. Hooks in exec take events off later; they save work, no more.
 *
 * The rules are those of ptrace_may_access() with PTRACE_MODE_READ_REALCREDS, less
 * the security module: that was asked when the event was attached, and can't be asked
 * where interrupts are off; and less what is deep in namespaces within namespaces.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/coredump.h>
#include <linux/security.h>
#include "rights.h"

/**
 * pev_rights_init() - remember the opener of @event
 * @event: its @target and @privileged are set
 *
 * Events on CPUs and cgroups are for those who may see everybody; see check_paranoid().
 *
 * Context: Process context, of the opener.
 */
void pev_rights_init(struct pev_event *event)
{
	/* each reference that is taken clears the same flag of the credentials */
	event->cred = data_race(get_current_cred());
	event->self = get_task_pid(current, PIDTYPE_TGID);
	event->self_exec_id = READ_ONCE(current->self_exec_id);
	if (!event->privileged && pev_targets_task(event))
		event->gate |= PEV_GATE_RIGHTS;
}

/* Undo pev_rights_init(). */
void pev_rights_exit(struct pev_event *event)
{
	put_pid(event->self);
	put_cred(event->cred);
}

/*
 * Namespaces below the opener's into which he sees. Linux looks at each in between, and allows 32
 * of them; here an interrupt may ask so for hundreds of events.
 */
#define MOST_LEVELS	4

static bool has_cap(const struct cred *by, struct user_namespace *ns)
{
	return ns->level <= by->user_ns->level + MOST_LEVELS &&
	       !cap_capable(by, ns, CAP_SYS_PTRACE, CAP_OPT_NOAUDIT);
}

static bool same_ids(const struct cred *by, const struct cred *task)
{
	return uid_eq(by->uid, task->euid) && uid_eq(by->uid, task->suid) &&
	       uid_eq(by->uid, task->uid) && gid_eq(by->gid, task->egid) &&
	       gid_eq(by->gid, task->sgid) && gid_eq(by->gid, task->gid);
}

/* A process may see itself until it executes another program. */
static bool is_self(const struct pev_event *event, struct task_struct *task)
{
	return task_tgid(task) == event->self &&
	       READ_ONCE(task->self_exec_id) == event->self_exec_id;
}

static bool creds_allow(const struct cred *by, const struct cred *task)
{
	bool cap = has_cap(by, task->user_ns);

	if (cap)
		return true;
	return same_ids(by, task) && by->user_ns == task->user_ns &&
	       cap_issubset(task->cap_permitted, by->cap_permitted);
}

/**
 * pev_rights_allow() - may the opener of @event see @task as it is now?
 * @event: of an opener who may not see everybody
 * @task:  another than current is judged by its credentials alone: what is recorded
 *         of it then is not its memory
 *
 * commit_creds() makes the memory undumpable before it publishes credentials that
 * are more than those before, and exec does for a program that may not be read. Both
 * happen in the task that this interrupts or runs in, so there is nothing in between.
 *
 * Context: Any, NMI included.
 */
bool pev_rights_allow(const struct pev_event *event, struct task_struct *task)
{
	struct mm_struct *mm;

	guard(rcu)();
	if (is_self(event, task))
		return true;
	if (!creds_allow(event->cred, __task_cred(task)))
		return false;
	if (task != current)
		return true;
	mm = task->mm;
	return !mm || get_dumpable(mm) == SUID_DUMP_USER ||
	       has_cap(event->cred, mm->user_ns);
}

/**
 * pev_rights_allow_mm() - may the opener of @event see what a process has written?
 * @event: of an opener who may not see everybody, which has found the process
 * @mm:    its memory; it may have ended
 *
 * What was judged when the event found the process holds until the process gains rights,
 * which makes its memory undumpable.
 *
 * Context: Any.
 */
bool pev_rights_allow_mm(const struct pev_event *event, struct mm_struct *mm)
{
	return get_dumpable(mm) == SUID_DUMP_USER || has_cap(event->cred, mm->user_ns);
}
