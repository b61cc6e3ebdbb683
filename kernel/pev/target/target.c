// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where events run: the tasks, CPUs and cgroups they are attached to, and
 * what happens to them at a context switch, exec and CPU hotplug. Which events
 * count a task is task_ctx.c's, who is told of changes sync.c's. Must not know what
 * an event counts.
 *
 * Locks: pev_control for the list of events on CPUs. A running CPU changes what it
 * counts with interrupts off; others ask it to by an interrupt.
 */
#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/pev_refuse.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "base/hooks.h"
#include "base/lock.h"
#include "base/task.h"
#include "base/turn.h"
#include "base/work.h"
#include "channel/channel.h"
#include "glue/linux.h"
#include "glue/task_set.h"
#include "glue/watch.h"
#include "record/charge.h"
#include "types.h"
#include "attach.h"
#include "cgroup.h"
#include "commit.h"
#include "cpu.h"
#include "machine.h"
#include "sync.h"
#include "target.h"
#include "task_ctx.h"

/* see target/cpu.h */
DEFINE_PER_CPU(struct pev_target_cpu, pev_target_cpus);
LIST_HEAD(pev_cpu_events);

/* ---- events on this CPU; interrupts off ---- */

static void ctx_stop(struct pev_task_ctx *ctx, u64 now)
{
	struct pev_event *event;

	pev_ctx_for_each(event, ctx) {
		struct pev_event_cpu *ec;

		if (pev_is_marked(event))
			continue;
		ec = this_cpu_ptr(event->percpu);
		if (ec->running)
			pev_event_cpu_stop(event, ec, now);
	}
}

static void ctx_start(struct pev_task_ctx *ctx, u64 now)
{
	struct pev_event *event;

	pev_ctx_for_each(event, ctx) {
		struct pev_event_cpu *ec;

		if (!pev_event_is_on(event) || pev_is_marked(event))
			continue;
		ec = this_cpu_ptr(event->percpu);
		if (!ec->running)
			pev_event_cpu_start(event, ec, now);
	}
}

/* Stop the events of the running set and start those of @next. */
static void ctx_switch(struct pev_target_cpu *cpu, struct pev_task_ctx *next)
{
	struct pev_task_ctx *prev = cpu->ctx;
	u64 now;

	if (!cpu->online)
		next = NULL;
	if (prev == next)
		return;
	now = pev_now_ns();
	if (prev)
		ctx_stop(prev, now);
	WRITE_ONCE(cpu->ctx, next);
	if (next) {
		smp_mb();	/* pev_sync:B, pairs with pev_sync:A in sync.c */
		ctx_start(next, now);
	}
	pev_target_commit();
}

/* A task's mark is updated when it is switched in. */
static __always_inline void mark(struct task_struct *task, struct pev_task_ctx *ctx)
{
	if (static_branch_unlikely(&pev_pmm_key))
		static_call(pev_source_mark)(task, ctx && READ_ONCE(ctx->marked));
}

void pev_target_refresh_here(void)
{
	struct pev_task_ctx *ctx = pev_task_set(current);

	ctx_switch(this_cpu_ptr(&pev_target_cpus), ctx);
	mark(current, ctx);
}

static void refresh_here(void *unused)
{
	pev_target_refresh_here();
}

void pev_target_refresh(const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus ?: cpu_online_mask, refresh_here, NULL, true);
}

static bool runs_on_ctx(int cpu, void *ctx)
{
	return READ_ONCE(per_cpu(pev_target_cpus.ctx, cpu)) == ctx;
}

void pev_target_forget(struct pev_task_ctx *ctx)
{
	on_each_cpu_cond(runs_on_ctx, refresh_here, ctx, true);
}

/* ---- attaching ---- */

static struct task_struct *find_task(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct task_struct *task;

	rcu_read_lock();
	task = attr->target_id ? pid_task(find_vpid(attr->target_id), PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task) {
		pev_refuse(r, ESRCH, PEV_FIELD(target_id), "there is no task %d",
			   attr->target_id);
		return ERR_PTR(-ESRCH);
	}
	return task;
}

/*
 * Ask for permission here only to refuse with a clear sentence. What protects the task is
 * the check of rights.c when something occurs: it may exec at any time.
 */
static int attach_to_task(struct pev_event *event, const struct pev_attr *attr,
			  struct pev_refuse *r)
{
	enum pid_type type = event->target == PEV_TARGET_TASK ? PIDTYPE_PID : PIDTYPE_TGID;
	struct task_struct *task = find_task(attr, r);
	int err;

	if (IS_ERR(task))
		return PTR_ERR(task);
	if (!event->privileged && !ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS)) {
		err = pev_refuse(r, EACCES, PEV_FIELD(target_id),
				 "task %d belongs to another user: CAP_PERFMON is needed",
				 attr->target_id);
	} else if (event->target == PEV_TARGET_GUEST && !pev_runs_machine(task)) {
		err = pev_refuse(r, EINVAL, PEV_FIELD(target_id),
				 "process %d runs no virtual machine of KVM",
				 attr->target_id);
	} else {
		event->top = get_task_pid(task, type);
		err = pev_attach(event, task, r);
	}
	put_task_struct(task);
	return err;
}

static void list_event(struct pev_event *event)
{
	struct pev_turn *turn = event->kernel ? NULL : pev_turn_wait();

	scoped_guard(mutex, &pev_control) {
		if (event->target == PEV_TARGET_CGROUP)
			pev_cgroup_attach(event);
		else
			list_add_tail_rcu(&event->node, &pev_cpu_events);
	}
	pev_turn_end(turn);
}

static struct pev_hookpoint cgroup_hook, rename_hook;

/* Does it matter to the event which task runs? */
static bool needs_hooks(const struct pev_event *event)
{
	return event->target != PEV_TARGET_CPUS || event->charge;
}

static void hooks_put(const struct pev_event *event)
{
	if (event->charge)
		pev_hook_put(&rename_hook);
	if (event->target == PEV_TARGET_CGROUP)
		pev_hook_put(&cgroup_hook);
	if (needs_hooks(event))
		pev_target_hooks_put();
}

static int hooks_get(const struct pev_event *event)
{
	int err;

	if (!needs_hooks(event))
		return 0;
	err = pev_target_hooks_get();
	if (err)
		return err;
	if (event->target == PEV_TARGET_CGROUP)
		err = pev_hook_get(&cgroup_hook);
	if (err)
		goto err_tasks;
	if (event->charge)
		err = pev_hook_get(&rename_hook);
	if (!err)
		return 0;
	if (event->target == PEV_TARGET_CGROUP)
		pev_hook_put(&cgroup_hook);
err_tasks:
	pev_target_hooks_put();
	return err;
}

/* It may have been attached to a part. */
static void give_up(struct pev_event *event)
{
	struct pev_turn *turn = event->kernel ? NULL : pev_turn_wait();

	scoped_guard(mutex, &pev_control)
		pev_target_stop(event);
	pev_turn_end(turn);
	pev_ctx_detach(event);
}

int pev_target_attach(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	int err;

	err = hooks_get(event);
	if (err)
		return pev_hook_refuse(err, "tasks", r);
	if (pev_targets_task(event)) {
		err = attach_to_task(event, attr, r);
		if (err) {
			give_up(event);
			hooks_put(event);
			return err;
		}
	}
	if (!pev_targets_task(event) || pev_is_marked(event))
		list_event(event);
	return 0;
}

void pev_target_connect(struct pev_event *event)
{
	if (pev_event_is_on(event))
		pev_target_sync(&event, 1);
	else
		pev_target_refresh(event->moved);
	/* not by those who sync after an exec: the attach may still be adding CPUs then */
	cpumask_clear(event->moved);
}

void pev_target_stop(struct pev_event *event)
{
	WRITE_ONCE(event->state, PEV_EVENT_DEAD);
	pev_target_sync(&event, 1);
	/* any exec that saw the event alive has been interrupted or has ended */
	pev_sync_cancel(event);
}

void pev_target_detach(struct pev_event *event)
{
	if (pev_targets_task(event))
		pev_ctx_detach(event);
	if (!pev_targets_task(event) || pev_is_marked(event)) {
		mutex_lock(&pev_control);
		list_del_rcu(&event->node);
		mutex_unlock(&pev_control);
	}
	hooks_put(event);
}

/* ---- the scheduler and exec ---- */

/* The exec comes by @event. */
static void exec_meets(struct pev_event *event, u64 *now)
{
	/* only once: a later ioctl() or close() wins */
	if (READ_ONCE(event->state) != PEV_EVENT_WAITS ||
	    cmpxchg(&event->state, PEV_EVENT_WAITS, PEV_EVENT_ON) != PEV_EVENT_WAITS)
		return;
	pev_event_switched(event);
	if (!pev_is_marked(event))
		pev_event_cpu_sync(event, this_cpu_read(pev_target_cpus.online), now);
	pev_sync_later(event);
}

/* Events that an exec meets with interrupts off at a stretch; more if a group's would be parted. */
#define EXEC_STRETCH	256

/**
 * struct exec_walk - events that an exec meets
 * @set:   they are in, which the CPU has
 * @rest:  of them, behind @event
 * @event: the next one; NULL: all are met
 */
struct exec_walk {
	struct pev_task_ctx	*set;
	struct pev_ctx_iter	rest;
	struct pev_event	*event;
};

static void exec_begin(struct exec_walk *w)
{
	w->set = this_cpu_read(pev_target_cpus.ctx);
	w->rest = pev_ctx_begin(w->set);
	w->event = pev_ctx_next(&w->rest);
}

static void exec_stretch(struct exec_walk *w)
{
	unsigned int met = 0;
	u64 now = 0;

	guard(irqsave)();
	/* what is in no set of this CPU's any more would be started, and never stopped */
	if (w->set != this_cpu_read(pev_target_cpus.ctx))
		exec_begin(w);
	while (w->event) {
		struct pev_event *leader = READ_ONCE(w->event->leader);

		exec_meets(w->event, &now);
		w->event = pev_ctx_next(&w->rest);
		if (++met >= EXEC_STRETCH && w->event && READ_ONCE(w->event->leader) != leader)
			break;
	}
	pev_target_commit();
}

/*
 * The point of no return of an exec: events that wait for one are switched on
 * in time for the records of the new name and mappings.
 *
 * Between two stretches a call that changes events may interrupt this CPU, which makes true what
 * they are by then. No event is missed: what is attached meanwhile is in a set with all others,
 * and the walk begins again in that one.
 */
static void probe_prepare_exec(void *data, struct task_struct *task,
			       struct linux_binprm *bprm)
{
	struct exec_walk walk;

	guard(preempt)();
	/* until now it had another name */
	scoped_guard(irqsave)
		pev_charge_task(current);
	exec_begin(&walk);
	while (walk.event)
		exec_stretch(&walk);
}

/* The exec is done: the task has the credentials of the new program. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	/* pev_ctx:C, pairs with pev_ctx:B: attach.c sees another program, or we see the set */
	smp_mb();
	if (pev_task_set_value(task))
		pev_ctx_drop_unprivileged(task, bprm->secureexec ||
					  get_dumpable(task->mm) != SUID_DUMP_USER);
	/* exec reset the registers, and with them the mark */
	local_irq_disable();
	mark(task, this_cpu_read(pev_target_cpus.ctx));
	local_irq_enable();
}

/* Runs after all other probes: what they record still belongs to @prev. */
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct pev_target_cpu *cpu;
	struct pev_task_ctx *ctx;

	/* a call from here costs less than a second function at the tracepoint */
	if (static_branch_unlikely(&pev_switch_key))
		static_call(pev_source_switch)(preempt, prev, next, prev_state);
	pev_charge_task(prev);
	/* what is found out before the calls would be kept for all of them */
	cpu = this_cpu_ptr(&pev_target_cpus);
	ctx = pev_task_set(next);
	if (cpu->ctx != ctx)
		ctx_switch(cpu, ctx);
	mark(next, ctx);
	pev_cgroup_switch(cpu, next);
	if (static_branch_unlikely(&pev_arrive_key))
		static_call(pev_source_arrive)();
}

/*
 * The name follows with the task's lock held. Of another thread nothing can be charged from here:
 * it may run on another CPU, which is not to be waited for under that lock.
 */
static void probe_rename(void *data, struct task_struct *task, const char *comm)
{
	if (task != current)
		return;
	guard(irqsave)();
	pev_charge_task(task);
}

static void probe_cgroup(void *data, struct cgroup *to, const char *path,
			 struct task_struct *task, bool threadgroup)
{
	pev_cgroup_moved(task);
}

static bool has_ctx(int cpu, void *unused)
{
	return READ_ONCE(per_cpu(pev_target_cpus.ctx, cpu));
}

static void forget_here(void *unused)
{
	ctx_switch(this_cpu_ptr(&pev_target_cpus), NULL);
}

/*
 * No event is on a task any more. A CPU that took a set a moment ago and is not told runs
 * nothing on it, and rechecks when the set is freed.
 */
static void hooks_remove(void)
{
	pev_unwatch_tasks();
	pev_tracepoint_unhook(sched_process_exec, probe_exec);
	pev_tracepoint_unhook(sched_prepare_exec, probe_prepare_exec);
	pev_tracepoint_unhook(sched_switch, probe_switch);
	on_each_cpu_cond(has_ctx, forget_here, NULL, true);
}

static int hooks_place(void)
{
	int err;

	err = pev_tracepoint_hook_last(sched_switch, probe_switch);
	if (err)
		return err;
	err = pev_tracepoint_hook(sched_prepare_exec, probe_prepare_exec);
	if (err)
		goto err_switch;
	err = pev_tracepoint_hook(sched_process_exec, probe_exec);
	if (err)
		goto err_prepare;
	err = pev_watch_tasks();
	if (!err)
		return 0;
	pev_tracepoint_unhook(sched_process_exec, probe_exec);
err_prepare:
	pev_tracepoint_unhook(sched_prepare_exec, probe_prepare_exec);
err_switch:
	pev_tracepoint_unhook(sched_switch, probe_switch);
	return err;
}

static struct pev_hookpoint task_hooks = { .place = hooks_place, .remove = hooks_remove };

static int cgroup_place(void)
{
	return pev_tracepoint_hook(cgroup_attach_task, probe_cgroup);
}

static void cgroup_remove(void)
{
	pev_tracepoint_unhook(cgroup_attach_task, probe_cgroup);
}

/* Apart: for this tracepoint Linux makes a path, with interrupts off, whatever its depth. */
static struct pev_hookpoint cgroup_hook = { .place = cgroup_place, .remove = cgroup_remove };

static int rename_place(void)
{
	return pev_tracepoint_hook(task_rename, probe_rename);
}

static void rename_remove(void)
{
	pev_tracepoint_unhook(task_rename, probe_rename);
}

/* Apart: only events whose counts are charged to names ask. */
static struct pev_hookpoint rename_hook = { .place = rename_place, .remove = rename_remove };

int pev_target_hooks_get(void)
{
	return pev_hook_get(&task_hooks);
}

void pev_target_hooks_put(void)
{
	pev_hook_put(&task_hooks);
}

void pev_target_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task))
{
	struct pev_event *event;

	rcu_read_lock();
	pev_ctx_for_each_by_others(event, pev_task_set(task))
		if (pev_event_is_on(event))
			fn(event, task);
	list_for_each_entry_rcu(event, &pev_cpu_events, node)
		if (this_cpu_ptr(event->percpu)->running)
			fn(event, task);
	pev_cgroup_each(task, fn);
	rcu_read_unlock();
}

static bool counts(struct pev_event *event, struct task_struct *task)
{
	return pev_ctx_has(pev_task_set(task), event);
}

#ifdef CONFIG_MEMCG
/* Tasks that share memory without being threads of one process: any of them may count. */
static bool owner_counts(struct pev_event *event, struct mm_struct *mm)
{
	struct task_struct *owner = rcu_dereference(mm->owner);
	struct task_struct *thread;

	if (!owner || atomic_read(&mm->mm_users) > get_nr_threads(owner) + 1)
		return true;
	if (event->target != PEV_TARGET_TASK)
		return counts(event, owner);
	for_each_thread(owner, thread)
		if (counts(event, thread))
			return true;
	return false;
}
#else
static bool owner_counts(struct pev_event *event, struct mm_struct *mm)
{
	return true;
}
#endif

bool pev_target_maps(struct pev_event *event, struct mm_struct *mm)
{
	if (!pev_targets_task(event))
		return true;
	guard(rcu)();
	return (current->mm == mm && counts(event, current)) || owner_counts(event, mm);
}

/* Threads that exit which are passed over to find one that goes on. */
#define EXITING_MAX	1024

/*
 * A thread of @process that goes on with @mm: one that exits has lost its set before the others
 * do, and a process that executes another program has another memory. A user may hold up as many
 * exits as he likes, and others wait for the lock with which this is asked: a process with so
 * many has no such thread.
 */
static struct task_struct *thread_with(struct mm_struct *mm, struct task_struct *process)
{
	unsigned int left = EXITING_MAX;
	struct task_struct *thread;

	for_each_thread(process, thread) {
		if (!pev_task_is_exiting(thread))
			return READ_ONCE(thread->mm) == mm ? thread : NULL;
		if (!--left)
			break;
	}
	return NULL;
}

static struct task_struct *thread_of(struct mm_struct *mm, struct pid *pid)
{
	struct task_struct *process = pid_task(pid, PIDTYPE_TGID);

	return process ? thread_with(mm, process) : NULL;
}

#ifdef CONFIG_MEMCG
static struct task_struct *thread_of_owner(struct mm_struct *mm)
{
	struct task_struct *owner = rcu_dereference(mm->owner);

	return owner ? thread_with(mm, owner) : NULL;
}
#else
static struct task_struct *thread_of_owner(struct mm_struct *mm)
{
	return NULL;
}
#endif

bool pev_target_counts(struct pev_event *event, struct mm_struct *mm, struct pid *pid)
{
	struct task_struct *thread;

	if (!pev_targets_task(event))
		return true;
	guard(rcu)();
	if (current->mm == mm && counts(event, current))
		return true;
	thread = thread_of(mm, pid);
	if (thread && counts(event, thread))
		return true;
	thread = thread_of_owner(mm);
	return thread && counts(event, thread);
}

struct task_struct *pev_target_thread(struct mm_struct *mm, struct pid *pid)
{
	struct task_struct *thread;

	guard(rcu)();
	thread = thread_of(mm, pid) ?: thread_of_owner(mm);
	return thread ? get_task_struct(thread) : NULL;
}

/* ---- CPUs ---- */

static int ask_cpus(struct pev_event *event, const struct pev_request *req,
		    struct pev_refuse *r)
{
	unsigned int i, nr = req->attr.cpus_size / sizeof(u64);

	if (!nr) {
		cpumask_copy(event->cpus, cpu_possible_mask);
		return 0;
	}
	for (i = 0; i < nr; i++) {
		u64 word = req->cpus[i];

		while (word) {
			unsigned int cpu = i * 64 + __ffs64(word);

			word &= word - 1;
			if (cpu >= nr_cpu_ids || !cpu_online(cpu))
				return pev_refuse(r, ENODEV, PEV_FIELD(cpus),
						  "CPU %u is not online", cpu);
			cpumask_set_cpu(cpu, event->cpus);
		}
	}
	if (cpumask_empty(event->cpus))
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus), "the CPU mask is empty");
	return 0;
}

/* What many CPUs share is counted on one of them. */
static int set_cpus(struct pev_event *event, const struct pev_request *req,
		    struct pev_refuse *r)
{
	const struct cpumask *where = event->ops->where ? event->ops->where(event) : NULL;
	int err = ask_cpus(event, req, r);

	if (err || !where || cpumask_and(event->cpus, event->cpus, where))
		return err;
	return pev_refuse(r, EINVAL, PEV_FIELD(cpus),
			  "%s counts on CPUs %*pbl alone, those of one kind of core or one for each socket or device, none of which was asked for",
			  event->name, cpumask_pr_args(where));
}

int pev_target_init(struct pev_event *event, const struct pev_request *req,
		    struct pev_refuse *r)
{
	int err;

	if (!zalloc_cpumask_var(&event->cpus, GFP_KERNEL_ACCOUNT) ||
	    !zalloc_cpumask_var(&event->moved, GFP_KERNEL_ACCOUNT))
		return -ENOMEM;
	if (pev_targets_task(event)) {
		if (pev_is_marked(event))
			cpumask_copy(event->cpus, cpu_possible_mask);
		return 0;
	}
	err = set_cpus(event, req, r);
	if (!err && event->target == PEV_TARGET_CGROUP)
		err = pev_cgroup_init(event, req->attr.target_id, r);
	return err;
}

void pev_target_exit(struct pev_event *event)
{
	pev_cgroup_exit(event);
	put_pid(event->top);
	free_cpumask_var(event->cpus);
	free_cpumask_var(event->moved);
}

static int cpu_online_here(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(pev_target_cpus.online, true);
	if (pev_watches_tasks())
		pev_target_refresh_here();
	__pev_cgroup_switch(this_cpu_ptr(&pev_target_cpus), current);
	pev_target_sync_here();
	local_irq_restore(flags);
	return 0;
}

static int cpu_offline_here(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(pev_target_cpus.online, false);
	ctx_switch(this_cpu_ptr(&pev_target_cpus), NULL);
	__pev_cgroup_switch(this_cpu_ptr(&pev_target_cpus), current);
	pev_target_sync_here();
	local_irq_restore(flags);
	return 0;
}

static int rings_state, online_state;

int __init pev_target_setup(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "pev:rings",
					pev_channels_cpu_prepare, NULL);
	if (ret < 0)
		return ret;
	rings_state = ret;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pev:online", cpu_online_here,
				cpu_offline_here);
	if (ret < 0) {
		cpuhp_remove_state_nocalls(rings_state);
		return ret;
	}
	online_state = ret;
	return 0;
}

void __pev_teardown pev_target_teardown(void)
{
	pev_sync_teardown();
	pev_cgroup_teardown();
	pev_ctx_teardown();
	cpuhp_remove_state(online_state);
	cpuhp_remove_state_nocalls(rings_state);
}
