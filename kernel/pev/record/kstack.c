// SPDX-License-Identifier: GPL-2.0
/*
 * Owns rules of the stack: how the frame of a place in the kernel's code leads to its caller's.
 * Must not know who asks for chains.
 *
 * On x86 the kernel's code has no frame pointers as a rule, and its unwinder looks each return
 * address up in tables of a million entries (ORC). What it finds depends on the address alone, so
 * that each CPU keeps what was found for some of them. A chain is walked on the stack as it is,
 * each time: what is remembered is of code, and never of a stack.
 *
 * A rule says one of four things of a return address: the caller's stack pointer is so far
 * from this one, or from the frame pointer; registers of user mode lie there, which end the
 * stack; the stack ends. Wherever anything else is the case, the kernel's unwinder walks the
 * whole chain: addresses that return to a tracer and not to the caller, code without an entry,
 * interrupts, other stacks.
 *
 * Where the kernel has frame pointers, they lead from frame to frame, and a rule says only
 * whether an address is one that a call of the kernel's returns to.
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

#ifdef pev_kernel_text

#include <asm/switch_to.h>

#ifdef pev_orc_addresses
#include <asm/orc_types.h>
#endif

#define RULE_BITS	9
/* A rule that finds its place taken has three others beside it. */
#define WAYS		4

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
 * @victim:     the way that is given away next where all are taken
 * @searched:   the walk has searched a module for an address
 * @rules:      by their address
 */
struct rules {
	unsigned int	generation;
	unsigned int	victim;
	bool		searched;
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

/* Not with the first user: clients open events under a lock that is taken under this list's. */
int pev_kstack_setup(void)
{
	int err = register_module_notifier(&module_notifier);

	notified = !err;
	return err;
}

int pev_kstack_get(void)
{
	struct rules __percpu *new;

	guard(mutex)(&rules_lock);
	if (!rules_users) {
		/* it is all users', of whom the first one might have to wait for its limit */
		new = alloc_percpu(struct rules);
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

/* A function that is returned to at its beginning is not the one that called: a tracer's. */
static bool is_call(unsigned long ip)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(ip, &size, &offset) && offset;
}

/* What a module has for its beginning is freed without a word: only what stays counts. */
static bool stays(const struct module *mod, unsigned long at)
{
	return mod && mod->state == MODULE_STATE_LIVE && within_module_core(at, mod);
}

#ifdef pev_orc_addresses

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

static const struct orc_entry *entry_of(unsigned long at)
{
	struct module *mod;

	if (pev_kernel_text(at))
		return search(pev_orc_addresses, pev_orc_entries, pev_orc_nr, at);
	mod = __module_text_address(at);
	if (!stays(mod, at))
		return NULL;
	return search(mod->arch.orc_unwind_ip, mod->arch.orc_unwind, mod->arch.num_orcs, at);
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

/* Of the instruction at @at, which was called from or interrupted. */
static void find_rule(struct rule *rule, unsigned long at)
{
	const struct orc_entry *entry = entry_of(at);

	if (!entry)
		return;
	rule->kind = kind_of(entry);
	rule->sp = entry->sp_offset;
	rule->bp = entry->bp_reg == ORC_REG_PREV_SP ? entry->bp_offset : 0;
}

#else

/* A frame begins with the caller's frame pointer and the return address. */
static void find_rule(struct rule *rule, unsigned long at)
{
	if (!pev_kernel_text(at) && !stays(__module_text_address(at), at))
		return;
	rule->kind = RULE_BP;
	rule->sp = 2 * sizeof(long);
	rule->bp = -2 * (int)sizeof(long);
}

#endif

/* What is called here may be traced, and that walk a stack, too: the rule comes last. */
static noinline void learn(struct rule *rule, unsigned long ip)
{
	struct rule new = { .ip = ip };

	if (is_call(ip)) {
		/* the call may be the last instruction of its function */
		find_rule(&new, ip - 1);
		new.hidden = in_sched_functions(ip);
	}
	*rule = new;
}

static __always_inline struct rule *rule_at(struct rules *own, unsigned long ip)
{
	return &own->rules[(ip ^ ip >> RULE_BITS) & ((1 << RULE_BITS) - 1)];
}

/* Where the rule of @ip is, or a place for it. */
static struct rule *way_of(struct rules *own, unsigned long ip)
{
	unsigned int place = rule_at(own, ip) - own->rules;
	struct rule *empty = NULL;

	for (unsigned int way = 0; way < WAYS; way++) {
		struct rule *rule = &own->rules[place ^ way];

		if (rule->ip == ip)
			return rule;
		if (!rule->ip && !empty)
			empty = rule;
	}
	return empty ?: &own->rules[place ^ own->victim++ % WAYS];
}

/*
 * What is learnt of a module's address takes a search of its symbols, 50,000 instructions: two
 * addresses of one chain must not take their place from each other, time after time, and a walk,
 * of which the scheduler may wait for the end, learns of one.
 */
static noinline const struct rule *rule_elsewhere(struct rules *own, unsigned long ip)
{
	static const struct rule none;
	struct rule *rule = way_of(own, ip);

	if (rule->ip == ip)
		return rule;
	if (!pev_kernel_text(ip)) {
		if (own->searched)
			return &none;
		own->searched = true;
	}
	learn(rule, ip);
	return rule;
}

static __always_inline const struct rule *rule_of(struct rules *own, unsigned long ip)
{
	const struct rule *rule = rule_at(own, ip);

	return likely(rule->ip == ip) ? rule : rule_elsewhere(own, ip);
}

/* For a walk. */
static struct rules *own_rules(void)
{
	struct rules __percpu *all = READ_ONCE(rules);	/* kstack:B, pairs with A */
	struct rules *own;

	lockdep_assert(irqs_disabled());
	if (unlikely(!all))
		return NULL;
	own = this_cpu_ptr(all);
	if (unlikely(own->generation != READ_ONCE(generation))) {
		memset(own->rules, 0, sizeof(own->rules));
		own->generation = READ_ONCE(generation);
	}
	own->searched = false;
	return own;
}

#if IS_ENABLED(CONFIG_PEV_KUNIT_TEST)
bool pev_kstack_knows(unsigned long ip)
{
	const struct rule *rule = way_of(own_rules(), ip);

	return rule->ip == ip && rule->kind != RULE_NONE;
}

void pev_kstack_spoil(unsigned long ip)
{
	*way_of(own_rules(), ip) = (struct rule){ .ip = ip, .kind = RULE_NONE };
}

void pev_kstack_module(unsigned long state)
{
	module_notifier.notifier_call(&module_notifier, state, NULL);
}
#endif

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

	/* with frame pointers, one that is odd leads to registers */
	if (unlikely(rule->kind > RULE_BP || sp <= walk->sp || sp % sizeof(sp) ||
		     !read_stack(walk, sp - sizeof(sp), &walk->ip)))
		return false;
	walk->sp = sp;
	return !rule->bp || likely(read_stack(walk, sp + rule->bp, &walk->bp));
}

/* Is the frame the outermost one? */
static __always_inline bool ends(const struct walk *walk, const struct rule *rule)
{
	struct pt_regs *regs = task_pt_regs(walk->task);

	return rule->kind == RULE_END ||
	       (rule->kind == RULE_REGS && walk->sp + rule->sp == (unsigned long)regs &&
		user_mode(regs)) ||
	       (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER) && walk->sp == (unsigned long)regs);
}

/*
 * Registers hold @walk, a copy: this is where most of what a chain costs is spent.
 * Return: @nr and how many more frames are in @to, or a negative value: as walk_rules().
 */
static __always_inline int walk_on(struct walk walk, struct rules *own, unsigned long *to,
				   unsigned int nr, unsigned int max, unsigned int skip, bool hide)
{
	while (nr < max) {
		const struct rule *rule = rule_of(own, walk.ip);

		if (unlikely(rule->kind == RULE_NONE))
			return -1;
		if (skip)
			skip--;
		else if (!hide || !rule->hidden)
			to[nr++] = walk.ip;
		if (!step(&walk, rule))
			return ends(&walk, rule) ? nr : -1;
	}
	return nr;
}

static bool begins_on_stack(struct walk *walk)
{
	walk->bottom = (unsigned long)task_stack_page(walk->task);
	return walk->sp - walk->bottom <= THREAD_SIZE;
}

/* Return: frames in @to, or a negative value: it needs the kernel's unwinder. */
static int walk_rules(struct walk *walk, unsigned long *to, unsigned int max, unsigned int skip,
		      bool hide)
{
	struct rules *own = own_rules();

	if (!own || !begins_on_stack(walk))
		return -1;
	return walk_on(*walk, own, to, 0, max, skip, hide);
}

/*
 * An instruction that was interrupted gets no rule of its own: there are too many. With frame
 * pointers, it may be one that makes a frame or ends it, which is the kernel's unwinder's.
 */
static int walk_regs(const struct pt_regs *regs, unsigned long *to, unsigned int max)
{
	struct walk walk = { .task = current, .ip = regs->ip, .sp = regs->sp, .bp = regs->bp };
	struct rules *own = own_rules();
	struct rule first = {};

	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER) || !own || !max || !begins_on_stack(&walk))
		return -1;
	find_rule(&first, walk.ip);
	to[0] = walk.ip;
	if (first.kind == RULE_NONE)
		return -1;
	if (!step(&walk, &first))
		return ends(&walk, &first) ? 1 : -1;
	return walk_on(walk, own, to, 1, max, 0, false);
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

unsigned int pev_kstack_from(struct pt_regs *regs, unsigned long *to, unsigned int max)
{
	int nr = walk_regs(regs, to, max);

	return likely(nr >= 0) ? nr : stack_trace_save_regs(regs, to, max, 0);
}

#else

int pev_kstack_setup(void)
{
	return 0;
}

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

unsigned int pev_kstack_from(struct pt_regs *regs, unsigned long *to, unsigned int max)
{
	return stack_trace_save_regs(regs, to, max, 0);
}

#endif
