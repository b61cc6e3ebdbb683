// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where events run: the tasks, CPUs and cgroups they are attached to, and
 * what happens to them at a context switch, exec and CPU hotplug. Which events
 * count a task is task_ctx.c's. Must not know what an event counts.
 *
 * Locks: pev_control (mutex) serializes attaching, detaching and switching on
 * and off. A running CPU changes its slots with interrupts off; others ask it
 * to by an interrupt.
 */
#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/pev.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>
#include "event.h"
#include "pmu.h"
#include "refuse.h"
#include "sideband.h"
#include "target.h"
#include "task_ctx.h"

/**
 * struct target_cpu - what runs on a CPU; changed by it with interrupts off
 * @ctx:    set of the current task while the hooks are in place
 * @online: events may run here
 */
struct target_cpu {
	struct pev_task_ctx	*ctx;
	bool			online;
};

DEFINE_STATIC_KEY_FALSE(pev_task_key);

static DEFINE_PER_CPU(struct target_cpu, target_cpus);
/* Events on CPUs and cgroups; written under pev_control, read under RCU. */
static LIST_HEAD(cpu_events);
static LIST_HEAD(cgroup_events);
static unsigned int hook_users;

/* ---- slots of this CPU; interrupts off ---- */

static void slot_start(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	slot->since = now;
	WRITE_ONCE(slot->running, 1);
	if (event->ops->start)
		event->ops->start(event, slot, now);
}

static void slot_stop(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	/* first, see pev_slot_times() */
	WRITE_ONCE(slot->time, slot->time + now - slot->since);
	slot->since = now;
	if (event->ops->stop)
		event->ops->stop(event, slot, now);
	WRITE_ONCE(slot->running, 0);
}

/* The processor tells whom they count: they run everywhere all the time. */
static bool is_marked(const struct pev_event *event)
{
	return event->flags & PEV_F_MARKED;
}

static bool targets_task(const struct pev_event *event)
{
	return event->target == PEV_TARGET_TASK || event->target == PEV_TARGET_PROCESS ||
	       event->target == PEV_TARGET_SUBTREE;
}

#ifdef CONFIG_CGROUPS
static bool cgroup_wants(struct pev_event *event, struct task_struct *task)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), event->cgroup);
}
#else
static bool cgroup_wants(struct pev_event *event, struct task_struct *task)
{
	return false;
}
#endif

/* Should @event count on this CPU while @task runs? */
static bool wants(struct pev_event *event, struct task_struct *task)
{
	struct target_cpu *cpu = this_cpu_ptr(&target_cpus);
	bool wanted;

	if (!READ_ONCE(event->enabled) || !cpu->online)
		return false;
	if (targets_task(event) && !is_marked(event))
		return pev_ctx_has(cpu->ctx, event);
	if (!cpumask_test_cpu(smp_processor_id(), event->cpus))
		return false;
	if (!event->cgroup)
		return true;
	rcu_read_lock();
	wanted = cgroup_wants(event, task);
	rcu_read_unlock();
	return wanted;
}

/*
 * Start or stop @event here. @now is 0 before the first of several and the same
 * for all; pev_pmu_settle() follows the last.
 */
static void slot_sync(struct pev_event *event, struct task_struct *task, u64 *now)
{
	struct pev_slot *slot = this_cpu_ptr(event->slots);
	bool wanted = wants(event, task);

	if (wanted == !!slot->running)
		return;
	if (!*now)
		*now = ktime_get_mono_fast_ns();
	if (wanted)
		slot_start(event, slot, *now);
	else
		slot_stop(event, slot, *now);
}

static void ctx_stop(struct pev_task_ctx *ctx, u64 now)
{
	unsigned int i;

	for (i = 0; i < ctx->nr; i++) {
		struct pev_event *event = READ_ONCE(ctx->events[i]);
		struct pev_slot *slot;

		if (!event || is_marked(event))
			continue;
		slot = this_cpu_ptr(event->slots);
		if (slot->running)
			slot_stop(event, slot, now);
	}
}

static void ctx_start(struct pev_task_ctx *ctx, u64 now)
{
	unsigned int i;

	for (i = 0; i < ctx->nr; i++) {
		struct pev_event *event = READ_ONCE(ctx->events[i]);
		struct pev_slot *slot;

		if (!event || is_marked(event) || !READ_ONCE(event->enabled))
			continue;
		slot = this_cpu_ptr(event->slots);
		if (!slot->running)
			slot_start(event, slot, now);
	}
}

/* From the running set to @next's. */
static void ctx_switch(struct target_cpu *cpu, struct pev_task_ctx *next)
{
	struct pev_task_ctx *prev = cpu->ctx;
	u64 now;

	if (!cpu->online)
		next = NULL;
	if (prev == next)
		return;
	now = ktime_get_mono_fast_ns();
	if (prev)
		ctx_stop(prev, now);
	cpu->ctx = next;
	if (next)
		ctx_start(next, now);
	pev_pmu_settle();
}

/* Marks follow sets: they are put right when a task is about to run. */
static void mark(struct task_struct *task, struct pev_task_ctx *ctx)
{
	if (static_branch_unlikely(&pev_mark_key))
		pev_pmu_mark(task, ctx && READ_ONCE(ctx->marked));
}

static void refresh_here(void *unused)
{
	struct pev_task_ctx *ctx = rcu_dereference_sched(current->pev);

	ctx_switch(this_cpu_ptr(&target_cpus), ctx);
	mark(current, ctx);
}

void pev_target_refresh(void)
{
	on_each_cpu(refresh_here, NULL, 1);
}

void pev_target_switch(struct pev_task_ctx *ctx)
{
	unsigned long flags;

	local_irq_save(flags);
	ctx_switch(this_cpu_ptr(&target_cpus), ctx);
	mark(current, ctx);
	local_irq_restore(flags);
}

static void forget_here(void *unused)
{
	ctx_switch(this_cpu_ptr(&target_cpus), NULL);
}

/* All events that may run on this CPU. */
static void sync_all_here(void *unused)
{
	struct pev_task_ctx *ctx = this_cpu_read(target_cpus.ctx);
	struct pev_event *event;
	unsigned int i;
	u64 now = 0;

	for (i = 0; ctx && i < ctx->nr; i++) {
		event = READ_ONCE(ctx->events[i]);
		if (event)
			slot_sync(event, current, &now);
	}
	rcu_read_lock();
	list_for_each_entry_rcu(event, &cpu_events, node)
		slot_sync(event, current, &now);
	list_for_each_entry_rcu(event, &cgroup_events, node)
		slot_sync(event, current, &now);
	rcu_read_unlock();
	pev_pmu_settle();
}

static void sync_all(struct work_struct *work)
{
	on_each_cpu(sync_all_here, NULL, 1);
}

static DECLARE_WORK(sync_all_work, sync_all);

static struct task_struct *find_task(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct task_struct *task;

	rcu_read_lock();
	task = attr->target_id ? find_task_by_vpid(attr->target_id) : current;
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

static int attach_to_task(struct pev_event *event, const struct pev_attr *attr,
			  struct pev_refuse *r)
{
	struct task_struct *task = find_task(attr, r);
	int err;

	if (IS_ERR(task))
		return PTR_ERR(task);
	/* rights must not change between the question and the act */
	err = down_read_interruptible(&task->signal->exec_update_lock);
	if (err)
		goto out_put;
	if (!event->privileged && !ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS)) {
		err = pev_refuse(r, EACCES, PEV_FIELD(target_id),
				 "task %d belongs to somebody else: CAP_PERFMON is needed",
				 attr->target_id);
		goto out_unlock;
	}
	err = pev_ctx_attach(event, task);
	if (!err)
		err = pev_refuse(r, ESRCH, PEV_FIELD(target_id),
				 "task %d has exited, or has changed to somebody you may not watch",
				 attr->target_id);
	else if (err > 0)
		err = 0;
out_unlock:
	up_read(&task->signal->exec_update_lock);
out_put:
	put_task_struct(task);
	return err;
}

int pev_target_attach(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	int err;

	lockdep_assert_held(&pev_control);

	if (event->target == PEV_TARGET_CPUS) {
		list_add_tail_rcu(&event->node, &cpu_events);
		return 0;
	}
	err = pev_target_hooks_get();
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD,
				  "the scheduler's tracepoints can't be hooked");
	if (event->target == PEV_TARGET_CGROUP) {
		list_add_tail_rcu(&event->node, &cgroup_events);
		return 0;
	}
	err = attach_to_task(event, attr, r);
	if (err) {
		pev_ctx_detach(event);
		pev_target_hooks_put();
		return err;
	}
	if (is_marked(event))
		list_add_tail_rcu(&event->node, &cpu_events);
	return 0;
}

void pev_target_detach(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);

	WRITE_ONCE(event->enabled, false);
	if (targets_task(event))
		pev_ctx_detach(event);
	if (!targets_task(event) || is_marked(event))
		list_del_rcu(&event->node);
	pev_target_sync(&event, 1);
	if (event->target != PEV_TARGET_CPUS)
		pev_target_hooks_put();
}

/* ---- the scheduler and exec ---- */

/*
 * The point of no return of an exec: events that wait for one are switched on
 * in time for the records of the new name and mappings.
 */
static void probe_prepare_exec(void *data, struct task_struct *task,
			       struct linux_binprm *bprm)
{
	struct pev_task_ctx *ctx;
	unsigned long flags;
	bool any = false;
	unsigned int i;
	u64 now = 0;

	/* what is known now to gain rights is not shown on its way there either */
	if (rcu_access_pointer(task->pev) &&
	    (bprm->secureexec || (bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP)))
		pev_ctx_drop_unprivileged(task);
	local_irq_save(flags);
	ctx = this_cpu_read(target_cpus.ctx);
	for (i = 0; ctx && i < ctx->nr; i++) {
		struct pev_event *event = READ_ONCE(ctx->events[i]);

		if (!event || !READ_ONCE(event->on_exec))
			continue;
		/* once: a later ioctl has the last word */
		WRITE_ONCE(event->on_exec, false);
		WRITE_ONCE(event->enabled, true);
		slot_sync(event, task, &now);
		any = true;
	}
	pev_pmu_settle();
	local_irq_restore(flags);
	if (any)
		schedule_work(&sync_all_work);
}

/* The exec is done, and the task's rights are those of the new program. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	if (rcu_access_pointer(task->pev) && get_dumpable(task->mm) != SUID_DUMP_USER)
		pev_ctx_drop_unprivileged(task);
	/* the new program started with fresh registers */
	local_irq_disable();
	mark(task, this_cpu_read(target_cpus.ctx));
	local_irq_enable();
}

/* After all other probes: they still belong to @prev. */
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct target_cpu *cpu = this_cpu_ptr(&target_cpus);
	struct pev_task_ctx *ctx = rcu_dereference_sched(next->pev);
	struct pev_event *event;
	u64 now = 0;

	if (cpu->ctx != ctx)
		ctx_switch(cpu, ctx);
	mark(next, ctx);
	if (list_empty(&cgroup_events))
		return;
	list_for_each_entry_rcu(event, &cgroup_events, node, rcu_read_lock_sched_held())
		slot_sync(event, next, &now);
	pev_pmu_settle();
}

static void probe_cgroup(void *data, struct cgroup *to, const char *path,
			 struct task_struct *task, bool threadgroup)
{
	if (!list_empty(&cgroup_events))
		schedule_work(&sync_all_work);
}

static void hooks_remove(void)
{
	unregister_trace_cgroup_attach_task(probe_cgroup, NULL);
	unregister_trace_sched_process_exec(probe_exec, NULL);
	unregister_trace_sched_prepare_exec(probe_prepare_exec, NULL);
	unregister_trace_sched_switch(probe_switch, NULL);
}

int pev_target_hooks_get(void)
{
	int err;

	lockdep_assert_held(&pev_control);

	if (hook_users++)
		return 0;
	err = register_trace_prio_sched_switch(probe_switch, NULL, 0);
	err = err ?: register_trace_sched_prepare_exec(probe_prepare_exec, NULL);
	err = err ?: register_trace_sched_process_exec(probe_exec, NULL);
	err = err ?: register_trace_cgroup_attach_task(probe_cgroup, NULL);
	if (err) {
		hooks_remove();
		hook_users--;
		return err;
	}
	static_branch_enable(&pev_task_key);
	return 0;
}

void pev_target_hooks_put(void)
{
	lockdep_assert_held(&pev_control);

	if (--hook_users)
		return;
	static_branch_disable(&pev_task_key);
	hooks_remove();
	tracepoint_synchronize_unregister();
	on_each_cpu(forget_here, NULL, 1);
}

/* ---- acting on events everywhere ---- */

void pev_target_each(struct task_struct *task,
		     void (*fn)(struct pev_event *event, struct task_struct *task))
{
	struct pev_task_ctx *ctx;
	struct pev_event *event;
	unsigned int i;

	rcu_read_lock();
	ctx = rcu_dereference(task->pev);
	for (i = 0; ctx && i < ctx->nr; i++) {
		event = READ_ONCE(ctx->events[i]);
		if (event && READ_ONCE(event->enabled))
			fn(event, task);
	}
	list_for_each_entry_rcu(event, &cpu_events, node)
		if (wants(event, task))
			fn(event, task);
	list_for_each_entry_rcu(event, &cgroup_events, node)
		if (wants(event, task))
			fn(event, task);
	rcu_read_unlock();
}

struct event_list {
	struct pev_event	**events;
	unsigned int		nr;
};

static void sync_here(void *data)
{
	struct event_list *list = data;
	unsigned int i;
	u64 now = 0;

	for (i = 0; i < list->nr; i++)
		slot_sync(list->events[i], current, &now);
	pev_pmu_settle();
}

void pev_target_sync(struct pev_event **events, unsigned int nr)
{
	struct event_list list = { events, nr };

	on_each_cpu(sync_here, &list, 1);
}

static void slot_fold(struct pev_event *event, struct pev_slot *slot)
{
	u64 now = ktime_get_mono_fast_ns();

	if (!slot->running)
		return;
	WRITE_ONCE(slot->time, slot->time + now - slot->since);
	slot->since = now;
	if (event->ops->fold)
		event->ops->fold(event, slot, now);
}

static void fold_here(void *data)
{
	struct pev_event *event = data;

	slot_fold(event, this_cpu_ptr(event->slots));
}

static bool runs_on(int cpu, void *data)
{
	struct pev_event *event = data;

	return READ_ONCE(per_cpu_ptr(event->slots, cpu)->running);
}

void pev_target_fold(struct pev_event *event)
{
	on_each_cpu_cond(runs_on, fold_here, event, 1);
}

static void slot_reset(struct pev_event *event, unsigned int cpu)
{
	struct pev_slot *slot = per_cpu_ptr(event->slots, cpu);

	if (event->ops->reset)
		event->ops->reset(event, slot, cpu);
	local64_set(&slot->count, 0);
	local64_set(&slot->left, 0);
	local64_set(&slot->samples, 0);
	local64_set(&slot->lost, 0);
	local64_set(&slot->filtered, 0);
	WRITE_ONCE(slot->time, 0);
	WRITE_ONCE(slot->waited, 0);
	slot->since = ktime_get_mono_fast_ns();
}

static void reset_here(void *data)
{
	struct event_list *list = data;
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		slot_fold(list->events[i], this_cpu_ptr(list->events[i]->slots));
		slot_reset(list->events[i], smp_processor_id());
	}
}

void pev_target_reset(struct pev_event **events, unsigned int nr)
{
	struct event_list list = { events, nr };
	unsigned int cpu, i;

	cpus_read_lock();
	on_each_cpu(reset_here, &list, 1);
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		for (i = 0; i < nr; i++)
			slot_reset(events[i], cpu);
	}
	cpus_read_unlock();
	/* what user space reads by itself is as of the last fold, and of all CPUs */
	for (i = 0; i < nr; i++)
		if (events[i]->flags & PEV_F_USER_PAGE)
			pev_target_fold(events[i]);
}

/* ---- CPUs and cgroups ---- */

static int copy_cpus(struct pev_event *event, const struct pev_attr *attr,
		     struct pev_refuse *r)
{
	const u64 __user *words = u64_to_user_ptr(attr->cpus);
	unsigned int i, nr = attr->cpus_size / sizeof(u64);
	u64 word;

	if (!nr) {
		event->all_cpus = true;
		cpumask_copy(event->cpus, cpu_possible_mask);
		return 0;
	}
	for (i = 0; i < nr; i++) {
		if (get_user(word, &words[i]))
			return pev_refuse(r, EFAULT, PEV_FIELD(cpus),
					  "the CPU mask can't be read");
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

int pev_target_init(struct pev_event *event, const struct pev_attr *attr,
		    struct pev_refuse *r)
{
	int err;

	if (!zalloc_cpumask_var(&event->cpus, GFP_KERNEL_ACCOUNT))
		return -ENOMEM;
	if (targets_task(event)) {
		if (is_marked(event))
			cpumask_copy(event->cpus, cpu_possible_mask);
		return 0;
	}
	err = copy_cpus(event, attr, r);
	if (err || event->target != PEV_TARGET_CGROUP)
		return err;
#ifdef CONFIG_CGROUPS
	event->cgroup = cgroup_get_from_fd(attr->target_id);
	if (IS_ERR(event->cgroup)) {
		err = PTR_ERR(event->cgroup);
		event->cgroup = NULL;
		return pev_refuse(r, -err, PEV_FIELD(target_id),
				  "fd %d is not a cgroup v2 directory", attr->target_id);
	}
	return 0;
#else
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
			  "this kernel is built without cgroups");
#endif
}

void pev_target_exit(struct pev_event *event)
{
	if (event->cgroup)
		cgroup_put(event->cgroup);
	free_cpumask_var(event->cpus);
}

static int cpu_online_here(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(target_cpus.online, true);
	if (static_branch_unlikely(&pev_task_key))
		refresh_here(NULL);
	sync_all_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int cpu_offline_here(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(target_cpus.online, false);
	ctx_switch(this_cpu_ptr(&target_cpus), NULL);
	sync_all_here(NULL);
	local_irq_restore(flags);
	return 0;
}

int __init pev_target_setup(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "pev:rings",
					pev_channels_cpu_prepare, NULL);
	if (ret < 0)
		return ret;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pev:online", cpu_online_here,
				cpu_offline_here);
	return ret < 0 ? ret : 0;
}
