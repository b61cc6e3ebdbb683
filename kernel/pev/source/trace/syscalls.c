// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the events syscalls:sys_enter_* and sys_exit_*. They have no tracepoint
 * of their own: one probe on raw_syscalls:sys_enter and one on sys_exit serve
 * them all, by the number of the call, and write what its metadata says.
 *
 * Each call of each task comes here. Anybody may open these events on tasks of his own, as many
 * as he has descriptors, and those of raw_syscalls, too: his are found on the CPUs where they
 * run, and cost others nothing.
 *
 * Locks: the lists by number change under lists_lock and are read by the probes, with
 * preemption disabled. Those of a CPU are its own, see struct here.
 */
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>
#include "base/hooks.h"
#include "glue/linux.h"
#include "glue/trace_list.h"
#include "syscall_strings.h"
#include "syscalls.h"
#include "tracepoint.h"

/**
 * struct here - events of those who may not watch everybody, on one CPU
 * @events:  those that run there
 * @walking: the list is being walked: none leaves it, and who comes is put before all others,
 *           so that the walk meets each of them once
 * @stopped: meanwhile some were stopped, that are to leave when it is over
 *
 * Changed by the CPU itself with interrupts off.
 */
struct here {
	struct hlist_head	events;
	bool			walking;
	bool			stopped;
};

/**
 * struct pev_syscall_side - one of the two tracepoints
 * @events: of those who may watch everybody, by number of the call
 * @here:   of the others
 * @hook:   the probe on it
 */
struct pev_syscall_side {
	struct hlist_head	events[NR_syscalls];
	struct here __percpu	*here;
	struct pev_hookpoint	hook;
};

/* In place of the number of a call. */
#define NO_CALL		(-1)
#define EACH_CALL	(-2)

static DEFINE_PER_CPU(struct here, enter_here);
static DEFINE_PER_CPU(struct here, exit_here);
static struct pev_syscall_side enter_side, exit_side;
static DEFINE_MUTEX(lists_lock);

/* What the kernel's own probes write, in terms of the fields that it announces. */
struct enter_entry {
	struct trace_entry	ent;
	int			nr;
	unsigned long		args[];
};

struct exit_entry {
	struct trace_entry	ent;
	int			nr;
	long			ret;
};

/* Return: the number of this call; NO_CALL if no event can be on it alone. */
static int call_of(struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	/* 32-bit tasks: the numbers mean other calls */
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return NO_CALL;
#endif
	if (unlikely((unsigned int)nr >= NR_syscalls))
		return NO_CALL;
	return array_index_nospec(nr, NR_syscalls);
}

/* ---- events that run on this CPU ---- */

static noinline void sweep(struct here *here)
{
	struct pev_event_cpu *ec;
	struct hlist_node *next;

	guard(irqsave)();
	WRITE_ONCE(here->stopped, false);
	hlist_for_each_entry_safe(ec, next, &here->events, node)
		if (!ec->running)
			hlist_del_init_rcu(&ec->node);
}

/* Calls come from tasks alone, and don't nest: this is the only walk here. */
static noinline void walk(struct here *here, struct pt_regs *regs, long arg)
{
	int nr = call_of(regs);
	struct pev_event_cpu *ec;

	WRITE_ONCE(here->walking, true);
	barrier();	/* for interrupts, which stop and start events */
	hlist_for_each_entry_rcu(ec, &here->events, node, true) {
		struct pev_trace *trace = ec->event->private;

		if (trace->call == nr || trace->call == EACH_CALL)
			trace->write(trace, regs, arg);
	}
	barrier();	/* as above */
	WRITE_ONCE(here->walking, false);
	if (unlikely(READ_ONCE(here->stopped)))
		sweep(here);
}

static __always_inline void write_here(struct here *here, struct pt_regs *regs, long arg)
{
	if (unlikely(!hlist_empty(&here->events)))
		walk(here, regs, arg);
}

/* The word before the arguments, with its padding. */
static void put_nr(struct trace_entry *entry, int nr)
{
	u32 *word = (u32 *)(entry + 1);

	word[0] = nr;
	word[1] = 0;
}

static void record_enter(struct pev_trace *trace, struct pt_regs *regs)
{
	struct syscall_metadata *meta = trace->event->call->data;
	struct enter_entry *entry;
	struct pev_trace_record record;
	unsigned long args[6];

	record = pev_trace_begin(&trace->hook, struct_size(entry, args, meta->nb_args),
				 instruction_pointer(regs));
	entry = record.entry;
	if (!entry)
		return;
	put_nr(&entry->ent, meta->syscall_nr);
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, meta->nb_args * sizeof(args[0]));
	pev_trace_end(record.token);
}

static void write_enter(void *data, struct pt_regs *regs, long id)
{
	struct pev_trace *trace = data;

	if (!pev_trace_running(&trace->hook))
		return;
	if (unlikely(trace->text))
		pev_syscall_text_enter(trace, regs, id);
	else
		record_enter(trace, regs);
}

static void probe_enter(void *unused, struct pt_regs *regs, long id)
{
	int nr = call_of(regs);
	struct pev_trace *trace;

	if (likely(nr != NO_CALL))
		hlist_for_each_entry_rcu(trace, &enter_side.events[nr], node, true)
			write_enter(trace, regs, id);
	write_here(this_cpu_ptr(&enter_here), regs, id);
}

static void record_exit(struct pev_trace *trace, struct pt_regs *regs)
{
	struct syscall_metadata *meta = trace->event->call->data;
	struct exit_entry *entry;
	struct pev_trace_record record;

	record = pev_trace_begin(&trace->hook, sizeof(*entry), instruction_pointer(regs));
	entry = record.entry;
	if (!entry)
		return;
	put_nr(&entry->ent, meta->syscall_nr);
	entry->ret = syscall_get_return_value(current, regs);
	pev_trace_end(record.token);
}

static void record_text_exit(struct pev_trace *trace, struct pt_regs *regs, long ret)
{
	struct syscall_metadata *meta = trace->event->call->data;

	pev_syscall_text_exit(trace, regs, meta->syscall_nr, ret);
}

static void write_exit(void *data, struct pt_regs *regs, long ret)
{
	struct pev_trace *trace = data;

	if (!pev_trace_running(&trace->hook))
		return;
	if (unlikely(trace->text))
		record_text_exit(trace, regs, ret);
	else
		record_exit(trace, regs);
}

static void probe_exit(void *unused, struct pt_regs *regs, long ret)
{
	int nr = call_of(regs);
	struct pev_trace *trace;

	if (likely(nr != NO_CALL))
		hlist_for_each_entry_rcu(trace, &exit_side.events[nr], node, true)
			write_exit(trace, regs, ret);
	write_here(this_cpu_ptr(&exit_here), regs, ret);
}

/* ---- hooks ---- */

static bool is_enter(const struct pev_event *event)
{
	return pev_trace_is_enter(event->call) ||
	       !strcmp(trace_event_name(event->call), "sys_enter");
}

static int enter_place(void)
{
	return pev_tracepoint_hook(sys_enter, probe_enter);
}

static void enter_remove(void)
{
	pev_tracepoint_unhook(sys_enter, probe_enter);
}

static int exit_place(void)
{
	return pev_tracepoint_hook(sys_exit, probe_exit);
}

static void exit_remove(void)
{
	pev_tracepoint_unhook(sys_exit, probe_exit);
}

static struct pev_syscall_side enter_side = {
	.here = &enter_here,
	.hook = { .place = enter_place, .remove = enter_remove },
};

static struct pev_syscall_side exit_side = {
	.here = &exit_here,
	.hook = { .place = exit_place, .remove = exit_remove },
};

static struct pev_syscall_side *side_of(const struct pev_event *event)
{
	return is_enter(event) ? &enter_side : &exit_side;
}

/**
 * pev_syscall_serves() - is an event one of these?
 * @event: has its call
 *
 * Return: false if it is to be connected to its tracepoint.
 */
bool pev_syscall_serves(const struct pev_event *event)
{
	if (pev_trace_is_syscall(event->call))
		return true;
	return !event->privileged && !strcmp(event->call->class->system, "raw_syscalls");
}

/**
 * pev_syscall_hook() - connect an event that pev_syscall_serves()
 * @event: has its call and private part
 * @probe: what would be on the tracepoint of the system "raw_syscalls"
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_syscall_hook(struct pev_event *event, void *probe)
{
	struct pev_trace *trace = event->private;
	struct pev_syscall_side *side = side_of(event);
	struct syscall_metadata *meta;
	bool each = !pev_trace_is_syscall(event->call);
	int err;

	err = pev_hook_get(&side->hook);
	if (err)
		return err;
	meta = each ? NULL : event->call->data;
	trace->call = each ? EACH_CALL : meta->syscall_nr;
	trace->side = side;
	if (!event->privileged) {
		trace->write = each ? probe : is_enter(event) ? write_enter : write_exit;
		return 0;
	}
	guard(mutex)(&lists_lock);
	hlist_add_head_rcu(&trace->node, &side->events[trace->call]);
	return 0;
}

/**
 * pev_syscall_unhook() - undo pev_syscall_hook()
 * @event: a grace period must pass before it is freed
 *
 * Context: as pev_syscall_hook().
 */
void pev_syscall_unhook(struct pev_event *event)
{
	struct pev_trace *trace = event->private;

	if (event->privileged) {
		guard(mutex)(&lists_lock);
		hlist_del_rcu(&trace->node);
	}
	pev_hook_put(&trace->side->hook);
}

/**
 * pev_syscall_start() - an event with a @write of its own begins to count on this CPU
 * @ec: the event on this CPU
 *
 * Context: Interrupts disabled, the scheduler's included.
 */
void pev_syscall_start(struct pev_event_cpu *ec)
{
	const struct pev_trace *trace = ec->event->private;
	struct here *here = this_cpu_ptr(trace->side->here);

	/* it may have been stopped during the walk that is under way */
	if (hlist_unhashed(&ec->node))
		hlist_add_head_rcu(&ec->node, &here->events);
}

/**
 * pev_syscall_stop() - the opposite
 * @ec: the event on this CPU, which a walk may still meet until a grace period is over
 *
 * Context: as pev_syscall_start().
 */
void pev_syscall_stop(struct pev_event_cpu *ec)
{
	const struct pev_trace *trace = ec->event->private;
	struct here *here = this_cpu_ptr(trace->side->here);

	if (unlikely(READ_ONCE(here->walking)))
		WRITE_ONCE(here->stopped, true);
	else
		hlist_del_init_rcu(&ec->node);
}
