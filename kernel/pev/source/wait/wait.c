// SPDX-License-Identifier: GPL-2.0
/*
 * Owns wait events: what the scheduler tells of threads, and the records of waits that took
 * long enough. How time is counted is thread.c's.
 *
 * A record has the stacks of the thread that waited. The kernel's is walked while the thread
 * is being switched to, once for all of its events, but its memory is not there yet: so a
 * record of what is there is written by an interrupt that this CPU sends to itself, which
 * comes when the scheduler lets interrupts in, in the thread and before it does anything
 * else. Should it come late, the record is written when the thread leaves the CPU again, and
 * says so. If all that it needs of the thread is a stack that may come later, it is written at
 * once.
 *
 * Locks: those of threads. What waits for the interrupt is its CPU's own, with interrupts
 * off.
 */
#include <linux/irq_work.h>
#include <linux/pev_clock.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/sched.h>
#include "base/hooks.h"
#include "base/strbuf.h"
#include "base/work.h"
#include "filter/parse.h"
#include "glue/linux.h"
#include "glue/task_set.h"
#include "record/defer.h"
#include "record/kstack.h"
#include "record/payload.h"
#include "record/sample.h"
#include "source/list.h"
#include "target/commit.h"
#include "target/rights.h"
#include "target/task_ctx.h"
#include "types.h"
#include "change.h"
#include "thread.h"

/* What PEV_TYPE_TABLE counts offsets from: 8 bytes before the payload, as in trace events. */
#define FIELD_BASE	8

/**
 * struct wait_cpu - a wait event on one CPU
 * @node:    in the CPU's list of those that wait for the interrupt; unhashed: it does not
 * @event:   the event
 * @task:    whose wait it was; only compared
 * @record:  that is to be written
 */
struct wait_cpu {
	struct hlist_node	node;
	struct pev_event	*event;
	struct task_struct	*task;
	struct pev_wait_record	record;
};

/**
 * struct wait_event - event->private
 * @threads: that it counts
 * @percpu:  one for each possible CPU
 */
struct wait_event {
	struct wait_threads		threads;
	struct wait_cpu __percpu	*percpu;
};

/* The payload; what has no PEV_SAMPLE_KSTACK ends before the stack. */
static const struct pev_field_desc fields[] = {
	PEV_FIELD_NUMBER("uint64_t", blocked),
	PEV_FIELD_NUMBER("uint64_t", runnable),
	PEV_FIELD_NUMBER("uint32_t", state),
	PEV_FIELD_NUMBER("uint32_t", waker),
	PEV_FIELD_NUMBER("uint32_t", flags),
	PEV_FIELD_NUMBER("uint32_t", frames),
	PEV_FIELD_NUMBER("uint32_t", waker_pid),
	PEV_FIELD_NUMBER("uint32_t", waker_tid),
	PEV_FIELD_ARRAY("text_t", waker_comm, TASK_COMM_LEN),
	PEV_FIELD_NUMBER("uint64_t", enabled),
	PEV_FIELD_NUMBER("uint64_t", run),
	PEV_FIELD_NUMBER("uint64_t", folded),
	{ }
};

static const struct pev_field_desc stack_fields[] = {
	PEV_FIELD_NUMBER("uint64_t", blocked),
	PEV_FIELD_NUMBER("uint64_t", runnable),
	PEV_FIELD_NUMBER("uint32_t", state),
	PEV_FIELD_NUMBER("uint32_t", waker),
	PEV_FIELD_NUMBER("uint32_t", flags),
	PEV_FIELD_NUMBER("uint32_t", frames),
	PEV_FIELD_NUMBER("uint32_t", waker_pid),
	PEV_FIELD_NUMBER("uint32_t", waker_tid),
	PEV_FIELD_ARRAY("text_t", waker_comm, TASK_COMM_LEN),
	PEV_FIELD_NUMBER("uint64_t", enabled),
	PEV_FIELD_NUMBER("uint64_t", run),
	PEV_FIELD_NUMBER("uint64_t", folded),
	PEV_FIELD_ARRAY("xint64_t", stack, PEV_WAKER_FRAMES),
	{ }
};

static const struct pev_payload_desc payloads[] = {
	{ "wait", offsetof(struct pev_wait_record, stack), fields },
	{ "wait", sizeof(struct pev_wait_record), stack_fields },
};

/* the records are ABI */
static_assert(sizeof_field(struct pev_wait_record, waker_comm) == TASK_COMM_LEN);
static_assert(offsetof(struct pev_wait_record, stack) == 80);

static const struct pev_payload_desc *payload_of(const struct pev_event *event)
{
	return &payloads[!!(event->sample & PEV_SAMPLE_KSTACK)];
}

static struct wait_event *wait_of(const struct pev_event *event)
{
	return event->private;
}

static bool is_closed(const struct pev_event *event)
{
	return READ_ONCE(event->state) == PEV_EVENT_DEAD;
}

/* ---- records; interrupts are off ---- */

/* What a record can only have from the thread itself. */
#define OWN_SAMPLES	(PEV_SAMPLE_USTACK | PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP | \
			 PEV_SAMPLE_CONTEXT)

/* Where the thread was in the kernel that this CPU has switched to last, if an event asked. */
static DEFINE_PER_CPU(struct pev_frames, sleeper);

static bool wants_frames(const struct pev_event *event)
{
	return (event->sample & PEV_SAMPLE_KSTACK || pev_tally_stacks(event)) &&
	       !(event->flags & PEV_F_EXCLUDE_KERNEL);
}

static void write(struct pev_event *event, struct task_struct *task,
		  const struct pev_wait_record *record, struct pev_owed *owed)
{
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);
	struct pev_sample_in in = {
		.period = record->blocked + record->runnable,
		.task = task == current ? NULL : task,
		.elsewhere = record->flags & PEV_WAIT_OPEN,
		.owed = owed,
	};
	u32 size = payload_of(event)->size;
	void *to;

	local64_inc(&ec->count);
	if (!pev_event_places(event, ec))
		return;
	if (!in.elsewhere && wants_frames(event))
		in.kernel = this_cpu_ptr(&sleeper);
	to = pev_sample_begin(event, ec, size, &in);
	if (!to)
		return;
	memcpy(to, record, size);
	pev_sample_end(ec);
}

/* Tables count waits, not what is summed up; what was never on has nothing to tell. */
static void write_open(struct pev_event *event, struct task_struct *task,
		       struct pev_wait_record *record)
{
	if (record->enabled && this_cpu_ptr(event->percpu)->ring && !is_closed(event) &&
	    pev_event_sees_task(event, task))
		write(event, task, record, NULL);
}

static DEFINE_PER_CPU(struct hlist_head, pending);

/* The current task is the one that waited. */
static void write_pending(struct wait_cpu *w, u32 flags)
{
	hlist_del_init(&w->node);
	w->record.flags |= flags;
	if (pev_event_sees(w->event))
		write(w->event, current, &w->record, NULL);
}

static void write_all(u32 flags)
{
	struct hlist_head *head = this_cpu_ptr(&pending);

	while (!hlist_empty(head))
		write_pending(hlist_entry(head->first, struct wait_cpu, node), flags);
}

static void on_interrupt(struct irq_work *work)
{
	unsigned long flags;

	local_irq_save(flags);
	write_all(0);
	local_irq_restore(flags);
}

static DEFINE_PER_CPU(struct irq_work, interrupt);

/* The loader of modules relocates no addresses in what each CPU has. */
static int wait_setup(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu)
		per_cpu(interrupt, cpu) = IRQ_WORK_INIT_HARD(on_interrupt);
	err = wait_thread_setup();
	if (err)
		return err;
	err = pev_kstack_setup();
	if (err)
		wait_thread_teardown();
	return err;
}

/* ---- the scheduler; interrupts are off ---- */

/*
 * A task's first thread, or NULL. Few tasks have one, and the set of the others says so: what they
 * cost does not depend on how many threads of others are in the hash.
 */
static __always_inline struct wait_thread *first_of(const struct task_struct *task)
{
	return pev_ctx_follows(pev_task_set(task)) ? wait_thread_first(task) : NULL;
}

/* @t is the task's first thread, as for enter_cpu(). */
static void leave_cpu(struct wait_thread *t, struct task_struct *task, u64 clock, bool preempted,
		      unsigned int state)
{
	/* a signal that was there before, or a waker that was faster, has set it back */
	bool blocks = !preempted && state && READ_ONCE(task->__state) != TASK_RUNNING;
	u32 why = blocks ? wait_state_of(state) : PEV_WAIT_PREEMPTED;
	u32 flags = blocks && task->in_iowait ? PEV_WAIT_IO : 0;

	for (; t; t = wait_thread_next(t))
		wait_thread_out(t, clock, why, flags, blocks);
}

/* The event to which @task, which this CPU is switching to, is to tell its stack; or NULL. */
static struct pev_event *teller(const struct pev_event *event, struct task_struct *task)
{
	struct pev_event *other;

	pev_ctx_for_each(other, pev_task_set(task))
		if (other->ops == &pev_ustack_source && other->channel == event->channel &&
		    pev_event_is_on(other))
			return other;
	return NULL;
}

/* Return: can the record be written now, and does @owed say what it needs of the thread? */
static bool can_write(const struct pev_event *event, struct task_struct *task,
		      struct pev_owed **owed)
{
	*owed = NULL;
	if (pev_tally_stacks(event))
		return false;
	if (!(event->sample & OWN_SAMPLES))
		return true;
	if (!(event->sample & PEV_SAMPLE_COOKIE) || event->sample & PEV_SAMPLE_CONTEXT ||
	    event->flags & PEV_CLOSING_FLAGS)
		return false;
	*owed = pev_defer_next(teller(event, task), event->channel, task);
	return *owed;
}

static void enter_cpu(struct wait_thread *t, struct task_struct *task, u64 clock)
{
	struct pev_frames *frames = this_cpu_ptr(&sleeper);
	bool walked = false;

	for (; t; t = wait_thread_next(t)) {
		struct pev_event *event = t->event;
		/* its last record was written, see task_switch() */
		struct wait_cpu *w = this_cpu_ptr(wait_of(event)->percpu);
		struct pev_owed *owed;

		/* one that took its time while the event was on may end while it is off */
		if (!wait_thread_in(t, clock, &w->record) || is_closed(event) ||
		    !pev_event_sees_task(event, task))
			continue;
		if (!walked && wants_frames(event)) {
			frames->nr = pev_kstack_of(task, frames->at, PEV_MAX_STACK);
			walked = true;
		}
		if (can_write(event, task, &owed)) {
			write(event, task, &w->record, owed);
			continue;
		}
		w->task = task;
		hlist_add_head(&w->node, this_cpu_ptr(&pending));
		irq_work_queue(this_cpu_ptr(&interrupt));
	}
}

static void task_switch(bool preempt, struct task_struct *prev, struct task_struct *next,
			unsigned int prev_state)
{
	struct wait_thread *leaves = first_of(prev), *enters = first_of(next);
	u64 clock;

	/* the interrupt has not come */
	if (unlikely(this_cpu_read(pending.first)))
		write_all(PEV_WAIT_LATE);
	if (!leaves && !enters)
		return;
	clock = pev_now_ns();
	if (leaves)
		leave_cpu(leaves, prev, clock, preempt, prev_state);
	if (enters)
		enter_cpu(enters, next, clock);
}

static __always_inline void waking(struct task_struct *task)
{
	struct wait_thread *t = first_of(task);
	u64 clock;

	if (!t)
		return;
	clock = pev_now_ns();
	for (; t; t = wait_thread_next(t))
		wait_thread_waking(t, clock);
}

static noinline void waking_itself(void)
{
	guard(irqsave)();
	waking(current);
}

/* A task that wakes itself does so with no lock held, and perhaps with interrupts on. */
static void probe_waking(void *data, struct task_struct *task)
{
	if (likely(task != current))
		waking(task);
	else
		waking_itself();
}

static void probe_wakeup(void *data, struct task_struct *task)
{
	/* the same wake-up has set it before, if it did, and so is seen to have done so */
	if (likely(!atomic_read(&wait_early)))
		return;
	guard(irqsave)();
	for (struct wait_thread *t = first_of(task); t; t = wait_thread_next(t))
		if (READ_ONCE(t->early))
			wait_thread_woken(t);
}

static void hooks_remove(void)
{
	static_branch_disable(&pev_switch_key);
	pev_tracepoint_unhook(sched_waking, probe_waking);
	pev_tracepoint_unhook(sched_wakeup, probe_wakeup);
}

static int hooks_place(void)
{
	int err = pev_tracepoint_hook(sched_wakeup, probe_wakeup);

	if (err)
		return err;
	err = pev_tracepoint_hook(sched_waking, probe_waking);
	if (err) {
		pev_tracepoint_unhook(sched_wakeup, probe_wakeup);
		return err;
	}
	static_branch_enable(&pev_switch_key);
	return 0;
}

/* Placed before threads are attached, so that no change of theirs is missed. */
static struct pev_hookpoint wait_hooks = { .place = hooks_place, .remove = hooks_remove };

/* ---- the source ---- */

static int check(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
				  "waits are those of threads: the target must be a task, a process or a subtree");
	if (attr->flags & PEV_F_EXCLUDE_USER)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "a wait is not of user or kernel mode: PEV_F_EXCLUDE_USER has no meaning");
	return 0;
}

static int wait_alloc(struct pev_event *event)
{
	struct wait_event *wait = kzalloc(sizeof(*wait), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;

	if (!wait)
		return -ENOMEM;
	wait->percpu = alloc_percpu_gfp(struct wait_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	event->name = kstrdup("pev:wait", GFP_KERNEL_ACCOUNT);
	if (!wait->percpu || !event->name) {
		free_percpu(wait->percpu);
		kfree(wait);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(wait->percpu, cpu)->event = event;
	wait_threads_init(&wait->threads);
	event->private = wait;
	return 0;
}

static void wait_free(struct pev_event *event)
{
	struct wait_event *wait = wait_of(event);

	wait_threads_free(&wait->threads);
	free_percpu(wait->percpu);
	kfree(wait);
}

static int wait_open(struct pev_event *event, const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = check(attr, r);

	err = err ?: pev_kstack_get();
	if (err)
		return err;
	err = wait_alloc(event);
	if (err)
		goto err_put_kstack;
	err = pev_hook_get(&wait_hooks);
	if (!err)
		return 0;
	err = pev_hook_refuse(err, event->name, r);
	wait_free(event);
err_put_kstack:
	pev_kstack_put();
	return err;
}

static void sync_interrupts(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&interrupt, cpu));
}

/*
 * Of other events' threads, the scheduler tells still. Not when it is reaped: until then it would
 * take time at each switch, and count for nothing.
 */
static void wait_unhook(struct pev_event *event)
{
	wait_threads_hide(&wait_of(event)->threads);
}

/*
 * An event that was attached and then refused was never connected: the grace period behind it was
 * over before its threads are hidden.
 */
static void hide_refused(struct pev_event *event)
{
	struct wait_event *wait = wait_of(event);

	if (wait->threads.hidden || list_empty(&wait->threads.list))
		return;
	wait_threads_hide(&wait->threads);
	synchronize_rcu();
}

/* What is pending after the event's last grace period is with an interrupt under way. */
static void wait_close(struct pev_event *event)
{
	hide_refused(event);
	pev_hook_put(&wait_hooks);
	sync_interrupts();
	wait_free(event);
	pev_kstack_put();
}

/* Finish what is under way. */
static void __pev_teardown wait_teardown(void)
{
	sync_interrupts();
	wait_thread_teardown();
	pev_kstack_teardown();
}

/*
 * A record of a wait that has ended is written before the event is off; in the switch to the
 * thread a moment later, by the interrupt that is still to come: what leaves the CPU then is
 * another one.
 */
static void wait_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct wait_cpu *w = this_cpu_ptr(wait_of(event)->percpu);

	if (unlikely(!hlist_unhashed(&w->node)) && w->task == current)
		write_pending(w, PEV_WAIT_LATE);
}

static void wait_prepare(struct pev_event *event, unsigned int nr)
{
	wait_thread_prepare(nr);
}

static void wait_follow(struct pev_event *event, struct task_struct *task, bool fresh)
{
	wait_thread_follow(event, &wait_of(event)->threads, task, fresh);
}

static void wait_leave(struct pev_event *event, struct task_struct *task)
{
	struct pev_wait_record record;

	if (!wait_thread_leave(event, task, &record))
		return;
	guard(irqsave)();
	write_open(event, task, &record);
}

static void wait_switched(struct pev_event *event)
{
	wait_threads_switch(&wait_of(event)->threads, event);
}

static void wait_reset(struct pev_event *event)
{
	wait_threads_reset(&wait_of(event)->threads);
}

static void wait_more(struct pev_event *event, void *to)
{
	wait_threads_sum(&wait_of(event)->threads, READ_ONCE(event->period), to);
}

static long wait_ioctl(struct pev_event *event, unsigned int cmd, unsigned long arg)
{
	if (cmd != PEV_IOC_FLUSH)
		return -ENOTTY;
	if (arg)
		return -EINVAL;
	return wait_threads_flush(&wait_of(event)->threads, write_open);
}

static void wait_fields(struct pev_event *event, struct pev_strbuf *text)
{
	pev_payload_tsdl(payload_of(event), text);
}

static void wait_layout(struct pev_event *event, struct pev_layout *layout)
{
	pev_payload_layout(payload_of(event), layout);
}

/* For tables: the numbers, with which the payload begins. */
static bool wait_find(const void *private, const char *name, size_t len,
		      struct pev_filter_field *found)
{
	u16 offset = FIELD_BASE;

	for (const struct pev_field_desc *field = fields; !field->nr; field++) {
		u16 size = strcmp(field->type, "uint64_t") ? sizeof(u32) : sizeof(u64);

		if (strlen(field->name) == len && !memcmp(field->name, name, len)) {
			*found = (struct pev_filter_field) {
				.kind = PEV_FILTER_NUMBER, .offset = offset, .size = size,
			};
			return true;
		}
		offset += size;
	}
	return false;
}

static void wait_catalog(struct pev_strbuf *text)
{
	pev_strbuf_printf(text, "wait %s ", payloads[0].name);
	pev_payload_catalog(&payloads[0], text);
	pev_strbuf_printf(text, "\n");
}

const struct pev_source_ops pev_wait_source = {
	.type		= "wait",
	.periods	= PEV_PERIOD_LEAST,
	.weight		= 16,
	.setup		= wait_setup,
	.teardown	= __exit_p(wait_teardown),
	.open		= wait_open,
	.unhook		= wait_unhook,
	.close		= wait_close,
	.stop		= wait_stop,
	.reset_all	= wait_reset,
	.task_switch	= task_switch,
	.prepare	= wait_prepare,
	.follow		= wait_follow,
	.leave		= wait_leave,
	.switched	= wait_switched,
	.more_size	= sizeof(struct pev_waits),
	.more		= wait_more,
	.ioctl		= wait_ioctl,
	.fields		= wait_fields,
	.layout		= wait_layout,
	.find		= wait_find,
	.catalog	= wait_catalog,
};
