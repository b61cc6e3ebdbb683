// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the events syscalls:sys_enter_* and sys_exit_*. They have no tracepoint
 * of their own: one probe on raw_syscalls:sys_enter and one on sys_exit serve
 * them all, by the number of the call, and write what its metadata says.
 *
 * Locks: the lists change under lists_lock and are read by the probes, with
 * preemption disabled.
 */
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/rculist.h>
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
 * struct side - one of the two tracepoints
 * @events: by number of the call
 * @hook:   the probe on it
 */
struct side {
	struct hlist_head	events[NR_syscalls];
	struct pev_hookpoint	hook;
};

static struct side enter_side, exit_side;
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

/* Return: the lists of this call; NULL if no event can be on it. */
static struct hlist_head *events_of(struct side *side, struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	/* 32-bit tasks: the numbers mean other calls */
	if (unlikely(arch_trace_is_compat_syscall(regs)))
		return NULL;
#endif
	if (unlikely((unsigned int)nr >= NR_syscalls))
		return NULL;
	return &side->events[array_index_nospec(nr, NR_syscalls)];
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

static void probe_enter(void *unused, struct pt_regs *regs, long id)
{
	struct hlist_head *events = events_of(&enter_side, regs);
	struct pev_trace *trace;

	if (!events)
		return;
	hlist_for_each_entry_rcu(trace, events, node, true) {
		if (!pev_trace_running(&trace->hook))
			continue;
		if (unlikely(trace->text))
			pev_syscall_text_enter(trace, regs, id);
		else
			record_enter(trace, regs);
	}
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

static void probe_exit(void *unused, struct pt_regs *regs, long ret)
{
	struct hlist_head *events = events_of(&exit_side, regs);
	struct pev_trace *trace;

	if (!events)
		return;
	hlist_for_each_entry_rcu(trace, events, node, true) {
		if (!pev_trace_running(&trace->hook))
			continue;
		if (unlikely(trace->text))
			record_text_exit(trace, regs, ret);
		else
			record_exit(trace, regs);
	}
}

static bool is_enter(const struct pev_event *event)
{
	return pev_trace_is_enter(event->call);
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

static struct side enter_side = {
	.hook = { .place = enter_place, .remove = enter_remove },
};

static struct side exit_side = {
	.hook = { .place = exit_place, .remove = exit_remove },
};

static struct side *side_of(const struct pev_event *event)
{
	return is_enter(event) ? &enter_side : &exit_side;
}

/**
 * pev_syscall_hook() - connect an event of the system "syscalls"
 * @event: has its call and private part
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_syscall_hook(struct pev_event *event)
{
	struct syscall_metadata *meta = event->call->data;
	struct pev_trace *trace = event->private;
	struct side *side = side_of(event);
	int err;

	err = pev_hook_get(&side->hook);
	if (err)
		return err;
	guard(mutex)(&lists_lock);
	hlist_add_head_rcu(&trace->node, &side->events[meta->syscall_nr]);
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

	scoped_guard(mutex, &lists_lock)
		hlist_del_rcu(&trace->node);
	pev_hook_put(&side_of(event)->hook);
}
