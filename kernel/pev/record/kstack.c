// SPDX-License-Identifier: GPL-2.0
/*
 * Owns rules of the stack: how the frame of a place in the kernel's code leads to its caller's.
 * Must not know who asks for chains.
 *
 * On x86 the kernel's code has no frame pointers, and its unwinder looks each return address
 * up in tables of a million entries (ORC). What it finds depends on the address alone, so that
 * each CPU keeps what was found for some of them. A chain is walked on the stack as it is, each
 * time: what is remembered is of code, and never of a stack.
 *
 * A rule says one of four things of a return address: the caller's stack pointer is so far
 * from this one, or from the frame pointer; registers of user mode lie there, which end the
 * stack; the stack ends. Wherever anything else is the case, the kernel's unwinder walks the
 * whole chain: addresses that return to a tracer and not to the caller, code without an entry,
 * interrupts, other stacks.
 *
 * Code of modules comes and goes: rules of before are forgotten. A module's code runs only
 * after its notifiers were called, so that a walk that meets its address on a stack has a new
 * generation, too.
 *
 * Locks: rules_lock of the memory. The rules are their CPU's own, with interrupts off.
 */
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/debug.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include "base/work.h"
#include "glue/linux.h"
#include "kstack.h"

#ifdef CONFIG_UNWINDER_ORC

#include <asm/orc_types.h>
#include <asm/switch_to.h>

#define RULE_BITS	9

enum rule_kind {
	RULE_NONE,	/* the kernel's unwinder knows */
	RULE_SP,	/* the caller's stack pointer is at a distance from this one */
	RULE_BP,	/* ... from the frame pointer */
	RULE_REGS,	/* registers are at a distance from the stack pointer */
	RULE_END,	/* the outermost frame */
};

/**
 * struct rule - of one return address
 * @ip:     the address; 0: there is no rule here
 * @sp:     distance to the caller's stack pointer
 * @bp:     from there to the caller's frame pointer; 0: it is in its register
 * @kind:   enum rule_kind
 * @hidden: of the scheduler
 */
struct rule {
	unsigned long	ip;
	s16		sp;
	s16		bp;
	u8		kind;
	bool		hidden;
};

/**
 * struct rules - of one CPU
 * @generation: of all code, when the first one was found
 * @rules:      by their address
 */
struct rules {
	unsigned int	generation;
	struct rule	rules[1 << RULE_BITS];
};

static DEFINE_MUTEX(rules_lock);
static struct rules __percpu *rules;
static unsigned int rules_users;
static bool notified;
static unsigned int generation;

static int on_module(struct notifier_block *nb, unsigned long state, void *module)
{
	WRITE_ONCE(generation, generation + 1);
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = on_module };

int pev_kstack_get(void)
{
	struct rules __percpu *new;
	int err;

	guard(mutex)(&rules_lock);
	if (!notified) {
		err = register_module_notifier(&module_notifier);
		if (err)
			return err;
		notified = true;
	}
	if (!rules_users) {
		new = alloc_percpu_gfp(struct rules, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!new)
			return -ENOMEM;
		/* kstack:A, pairs with B: it is zeroed before a walk finds it */
		smp_store_release(&rules, new);
	}
	rules_users++;
	return 0;
}

/* The grace period is the caller's alone: who opens an event meanwhile gets memory of its own. */
void pev_kstack_put(void)
{
	struct rules __percpu *old;

	scoped_guard(mutex, &rules_lock) {
		if (--rules_users)
			return;
		old = rules;
		WRITE_ONCE(rules, NULL);
	}
	synchronize_rcu();	/* walks have interrupts off */
	free_percpu(old);
}

void __pev_teardown pev_kstack_teardown(void)
{
	if (notified)
		unregister_module_notifier(&module_notifier);
}

/* ---- rules ---- */

/* The last entry at or before @at; each of the @nr addresses is relative to its own place. */
static const struct orc_entry *search(const int *addresses, const struct orc_entry *entries,
				      unsigned int nr, unsigned long at)
{
	unsigned int low = 0, high = nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if ((unsigned long)&addresses[mid] + addresses[mid] <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &entries[low - 1] : NULL;
}

/* What a module has for its beginning is freed without a word: only what stays counts. */
static const struct orc_entry *entry_of(unsigned long at)
{
	struct module *mod;

	if (pev_kernel_text(at))
		return search(pev_orc_addresses, pev_orc_entries, pev_orc_nr, at);
	mod = __module_text_address(at);
	if (!mod || mod->state != MODULE_STATE_LIVE || !within_module_core(at, mod))
		return NULL;
	return search(mod->arch.orc_unwind_ip, mod->arch.orc_unwind, mod->arch.num_orcs, at);
}

/* A function that is returned to at its beginning is not the one that called: a tracer's. */
static bool is_call(unsigned long ip)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(ip, &size, &offset) && offset;
}

static enum rule_kind kind_of(const struct orc_entry *entry)
{
	/* whether the next frame was interrupted is of no interest where there is none */
	if (entry->type == ORC_TYPE_END_OF_STACK)
		return RULE_END;
	if (entry->type == ORC_TYPE_REGS && entry->sp_reg == ORC_REG_SP)
		return RULE_REGS;
	if (entry->type != ORC_TYPE_CALL || entry->signal)
		return RULE_NONE;
	if (entry->bp_reg != ORC_REG_UNDEFINED &&
	    (entry->bp_reg != ORC_REG_PREV_SP || !entry->bp_offset))
		return RULE_NONE;
	if (entry->sp_reg == ORC_REG_BP)
		return RULE_BP;
	return entry->sp_reg == ORC_REG_SP ? RULE_SP : RULE_NONE;
}

static noinline void learn(struct rule *rule, unsigned long ip)
{
	/* the call may be the last instruction of its function */
	const struct orc_entry *entry = is_call(ip) ? entry_of(ip - 1) : NULL;

	*rule = (struct rule){ .ip = ip };
	if (!entry)
		return;
	rule->kind = kind_of(entry);
	rule->sp = entry->sp_offset;
	rule->bp = entry->bp_reg == ORC_REG_PREV_SP ? entry->bp_offset : 0;
	rule->hidden = in_sched_functions(ip);
}

static __always_inline const struct rule *rule_of(struct rules *own, unsigned long ip)
{
	struct rule *rule = &own->rules[(ip ^ ip >> RULE_BITS) & ((1 << RULE_BITS) - 1)];

	if (unlikely(rule->ip != ip))
		learn(rule, ip);
	return rule;
}

static struct rules *own_rules(void)
{
	struct rules __percpu *all = READ_ONCE(rules);	/* kstack:B, pairs with A */
	struct rules *own;

	lockdep_assert_irqs_disabled();
	if (unlikely(!all))
		return NULL;
	own = this_cpu_ptr(all);
	if (unlikely(own->generation != READ_ONCE(generation))) {
		memset(own->rules, 0, sizeof(own->rules));
		own->generation = READ_ONCE(generation);
	}
	return own;
}

/* ---- walks ---- */

/**
 * struct walk - where a walk is
 * @task:   of the stack
 * @bottom: the stack's lowest address
 * @ip:     return address of the frame
 * @sp:     stack pointer behind that address
 * @bp:     frame pointer, or what is in its register
 */
struct walk {
	struct task_struct	*task;
	unsigned long		bottom;
	unsigned long		ip;
	unsigned long		sp;
	unsigned long		bp;
};

/* The stack may hold what KASAN knows to be no variable's. */
static __always_inline bool read_stack(const struct walk *walk, unsigned long at,
				       unsigned long *value)
{
	if (unlikely(at - walk->bottom > THREAD_SIZE - sizeof(*value)))
		return false;
	*value = READ_ONCE_NOCHECK(*(unsigned long *)at);
	return true;
}

/* Return: false if the rule does not lead on. */
static __always_inline bool step(struct walk *walk, const struct rule *rule)
{
	unsigned long sp = (rule->kind == RULE_SP ? walk->sp : walk->bp) + rule->sp;

	if (unlikely(rule->kind > RULE_BP || sp <= walk->sp ||
		     !read_stack(walk, sp - sizeof(sp), &walk->ip)))
		return false;
	walk->sp = sp;
	return !rule->bp || likely(read_stack(walk, sp + rule->bp, &walk->bp));
}

/* Is the frame the outermost one? */
static bool ends(const struct walk *walk, const struct rule *rule)
{
	struct pt_regs *regs = task_pt_regs(walk->task);

	return rule->kind == RULE_END ||
	       (rule->kind == RULE_REGS && walk->sp + rule->sp == (unsigned long)regs &&
		user_mode(regs));
}

/* Return: frames in @to, or a negative value: it needs the kernel's unwinder. */
static int walk_rules(struct walk *walk, unsigned long *to, unsigned int max, unsigned int skip,
		      bool hide)
{
	struct rules *own = own_rules();
	unsigned int nr = 0;

	walk->bottom = (unsigned long)task_stack_page(walk->task);
	if (!own || walk->sp - walk->bottom > THREAD_SIZE)
		return -1;
	while (nr < max) {
		const struct rule *rule = rule_of(own, walk->ip);

		if (unlikely(rule->kind == RULE_NONE))
			return -1;
		if (skip)
			skip--;
		else if (!hide || !rule->hidden)
			to[nr++] = walk->ip;
		if (!step(walk, rule))
			return ends(walk, rule) ? nr : -1;
	}
	return nr;
}

unsigned int pev_kstack_of(struct task_struct *task, unsigned long *to, unsigned int max)
{
	struct inactive_task_frame *frame = (void *)task->thread.sp;
	struct walk walk = {
		.task = task,
		.ip = READ_ONCE_NOCHECK(frame->ret_addr),
		.sp = (unsigned long)(frame + 1),
		.bp = READ_ONCE_NOCHECK(frame->bp),
	};
	int nr = walk_rules(&walk, to, max, 0, true);

	return likely(nr >= 0) ? nr : stack_trace_save_tsk(task, to, max, 0);
}

/* This function has a frame pointer: its own frame begins with what it saved and the return. */
noinline unsigned int pev_kstack_here(unsigned long *to, unsigned int max, unsigned int skip)
{
	unsigned long *frame = __builtin_frame_address(0);
	struct walk walk = {
		.task = current,
		.ip = READ_ONCE_NOCHECK(frame[1]),
		.sp = (unsigned long)(frame + 2),
		.bp = READ_ONCE_NOCHECK(frame[0]),
	};
	int nr = walk_rules(&walk, to, max, skip, false);

	if (unlikely(nr < 0)) {
		/* this function's frame is one more */
		nr = stack_trace_save(to, max, skip + 1);
		barrier();	/* no jump instead of a call */
	}
	return nr;
}

#else

int pev_kstack_get(void)
{
	return 0;
}

void pev_kstack_put(void)
{
}

void __pev_teardown pev_kstack_teardown(void)
{
}

unsigned int pev_kstack_of(struct task_struct *task, unsigned long *to, unsigned int max)
{
	return stack_trace_save_tsk(task, to, max, 0);
}

noinline unsigned int pev_kstack_here(unsigned long *to, unsigned int max, unsigned int skip)
{
	unsigned int nr = stack_trace_save(to, max, skip + 1);

	barrier();	/* no jump instead of a call */
	return nr;
}

#endif
