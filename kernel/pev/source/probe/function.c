// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the probes at the beginning of kernel functions: an ftrace_ops for each event, with
 * all of its functions. Must not know what is recorded.
 *
 * ftrace gives the address at which it was called: a hash finds the place by it. A function
 * that is reached by what a probe does is passed over, and counted.
 *
 * ftrace goes on to call at the addresses of a module that was removed, when another one has come
 * to lie there: the places are marked before the module goes.
 *
 * Locks: places_lock, a leaf, for the list of hooks and for places that come or are marked.
 */
#include <linux/context_tracking.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "base/work.h"
#include "types.h"
#include "function.h"
#include "place.h"
#include "probe.h"

#if defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define CAN_PROBE	1
#define SAVE_FLAGS	FTRACE_OPS_FL_SAVE_REGS

static __always_inline struct pt_regs *regs_of(struct ftrace_regs *fregs, struct pt_regs *room)
{
	return ftrace_get_regs(fregs);
}
#elif defined(CONFIG_ARM64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define CAN_PROBE	1
#define SAVE_FLAGS	0

/* ftrace saves the arguments and where the function is: fetch.c gives out no more. */
static __always_inline struct pt_regs *regs_of(struct ftrace_regs *fregs, struct pt_regs *room)
{
	return ftrace_partial_regs(fregs, memset(room, 0, sizeof(*room)));
}
#endif

#ifdef CAN_PROBE

/**
 * struct function_place - a function
 * @ip:    where ftrace is called in it; 0: the slot is free
 * @addr:  of the function; 0: the slot is free, or the function went with its module
 * @index: of the place
 */
struct function_place {
	unsigned long	ip;
	unsigned long	addr;
	u32		index;
};

/**
 * struct function_hooks - all functions of a probe
 * @node:   in the list of all
 * @ops:    what ftrace calls
 * @probe:  back; NULL: it is gone, but ftrace still calls @ops
 * @missed: functions passed over, by CPU
 * @nr:     functions
 * @bits:   of the number of @slots
 * @slots:  a hash with twice as many slots as functions, at least
 */
struct function_hooks {
	struct list_head	node;
	struct ftrace_ops	ops;
	struct pev_probe_event	*probe;
	u64 __percpu		*missed;
	u32			nr;
	u32			bits;
	struct function_place	slots[];
};

/* Return: the slot of @ip, or the free one where it would be. */
static struct function_place *slot_of(struct function_hooks *hooks, unsigned long ip)
{
	u32 mask = (1U << hooks->bits) - 1;
	u32 i = hash_long(ip, hooks->bits);

	/* half of them are free */
	while (hooks->slots[i].ip && hooks->slots[i].ip != ip)
		i = (i + 1) & mask;
	return &hooks->slots[i];
}

/* A probe is at work; one for each context that may interrupt the others. */
static DEFINE_PER_CPU(bool [4], inside);

static void notrace reached(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct function_hooks *hooks = container_of(ops, struct function_hooks, ops);
	struct pt_regs room;
	const struct pev_fetch_in in = { .regs = regs_of(fregs, &room) };
	const struct function_place *place;
	struct pev_probe_event *probe;
	unsigned long addr;
	bool *busy;

	preempt_disable_notrace();
	/* deep in the idle loop nothing may be read */
	if (unlikely(!rcu_is_watching_curr_cpu() || !in.regs))
		goto out;
	probe = READ_ONCE(hooks->probe);
	if (unlikely(!probe))
		goto out;
	busy = &(*this_cpu_ptr(&inside))[interrupt_context_level()];
	/* an interrupt that has not said yet that it is one may come in between */
	if (unlikely(READ_ONCE(*busy))) {
		this_cpu_inc(*hooks->missed);
		goto out;
	}
	WRITE_ONCE(*busy, true);
	barrier();
	place = slot_of(hooks, ip);
	addr = READ_ONCE(place->addr);
	if (likely(addr))
		pev_probe_hit(probe, place->index, addr, &in);
	barrier();
	WRITE_ONCE(*busy, false);
out:
	preempt_enable_notrace();
}

/* ---- modules go ---- */

static DEFINE_MUTEX(places_lock);
static LIST_HEAD(all_hooks);

#ifdef CONFIG_MODULES

/* Does @addr go, of a module that comes to @state? What is for its beginning alone goes then. */
static bool goes(const struct module *mod, unsigned long state, unsigned long addr)
{
	return state == MODULE_STATE_GOING ||
	       (state == MODULE_STATE_LIVE && within_module_init(addr, mod));
}

/* The notifier was called for it, or is about to be. */
static bool is_going(unsigned long addr)
{
	const struct module *mod;

	guard(preempt)();
	mod = __module_text_address(addr);
	return mod && goes(mod, READ_ONCE(mod->state), addr);
}

/* Nothing runs there any more, nor will before another module has been loaded. */
static void mark_places(struct function_hooks *hooks, const struct module *mod,
			unsigned long state)
{
	for (u32 i = 0; i < 1U << hooks->bits; i++) {
		struct function_place *place = &hooks->slots[i];

		if (within_module(place->addr, mod) && goes(mod, state, place->addr))
			WRITE_ONCE(place->addr, 0);
	}
}

static int module_changes(struct notifier_block *nb, unsigned long state, void *module)
{
	struct function_hooks *hooks;

	if (state == MODULE_STATE_COMING)
		return NOTIFY_DONE;
	guard(mutex)(&places_lock);
	list_for_each_entry(hooks, &all_hooks, node) {
		mark_places(hooks, module, state);
		cond_resched();
	}
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = module_changes };

int pev_probe_function_setup(void)
{
	return register_module_notifier(&module_notifier);
}

void __pev_teardown pev_probe_function_teardown(void)
{
	unregister_module_notifier(&module_notifier);
}

#else

static bool is_going(unsigned long addr)
{
	return false;
}

int pev_probe_function_setup(void)
{
	return 0;
}

void __pev_teardown pev_probe_function_teardown(void)
{
}

#endif

/* ---- placing them ---- */

static int refuse_place(const struct pev_probe_event *probe, u32 i, int err,
			struct pev_refuse *r)
{
	const char *name = pev_probe_name(probe, i);

	switch (err) {
	case -EOPNOTSUPP:
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s is no function that the kernel can trace; a probe of the kind PEV_PROBE_KERNEL may do",
				  name);
	case -EINVAL:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s is a function that the probe has already", name);
	default:
		return pev_probe_refuse_place(probe, i, err, r);
	}
}

static int place_one(struct pev_probe_event *probe, void *to, u32 i)
{
	struct function_hooks *hooks = to;
	struct function_place *slot;
	unsigned long addr, ip;

	guard(mutex)(&places_lock);
	/* a module's memory becomes no other one's meanwhile */
	guard(rcu)();
	addr = kallsyms_lookup_name(pev_probe_name(probe, i));
	if (!addr || is_going(addr))
		return -ENOENT;
	ip = ftrace_location(addr);
	if (!ip)
		return -EOPNOTSUPP;
	slot = slot_of(hooks, ip);
	if (slot->ip)
		return -EINVAL;
	*slot = (struct function_place){ .ip = ip, .addr = addr, .index = i };
	hooks->nr++;
	return 0;
}

/* All functions at once: the kernel's code is changed once. */
static int attach(struct function_hooks *hooks)
{
	unsigned long *ips = kvcalloc(hooks->nr, sizeof(*ips), GFP_KERNEL_ACCOUNT);
	u32 nr = 0;
	int err;

	if (!ips)
		return -ENOMEM;
	for (u32 i = 0; i < 1U << hooks->bits; i++) {
		if (hooks->slots[i].ip)
			ips[nr++] = hooks->slots[i].ip;
	}
	hooks->ops.func = reached;
	/* while it is there, kernel.ftrace_enabled can't silence it */
	hooks->ops.flags = SAVE_FLAGS | FTRACE_OPS_FL_PERMANENT;
	err = ftrace_set_filter_ips(&hooks->ops, ips, nr, 0, 1);
	err = err ?: register_ftrace_function(&hooks->ops);
	kvfree(ips);
	return err;
}

static int refuse_attach(int err, struct pev_refuse *r)
{
	switch (err) {
	case -EBUSY:
		return pev_refuse(r, EBUSY, PEV_FIELD(config),
				  "functions can't be probed while kernel.ftrace_enabled is 0");
	case -ENODEV:
		return pev_refuse(r, ENODEV, PEV_FIELD(config),
				  "functions can't be probed: the kernel has given up ftrace after an error");
	default:
		return pev_refuse(r, -err, PEV_FIELD(config),
				  "functions can't be probed: the kernel's error is %d", -err);
	}
}

/*
 * After an error ftrace changes no code any more, and refuses to let @ops go: functions call
 * it for ever. They find no probe, then.
 */
static void leave_hooks(struct function_hooks *hooks)
{
	__module_get(THIS_MODULE);
	WRITE_ONCE(hooks->probe, NULL);
	/* none is inside with the probe that it read before */
	synchronize_rcu();
}

static void free_hooks(struct function_hooks *hooks)
{
	scoped_guard(mutex, &places_lock)
		list_del(&hooks->node);
	if (hooks->ops.flags & FTRACE_OPS_FL_ENABLED) {
		leave_hooks(hooks);
		return;
	}
	ftrace_free_filter(&hooks->ops);
	free_percpu(hooks->missed);
	kvfree(hooks);
}

static struct function_hooks *make_hooks(struct pev_probe_event *probe)
{
	u32 bits = order_base_2(2 * probe->nr);
	struct function_hooks *hooks;

	hooks = kvzalloc(struct_size(hooks, slots, 1U << bits), GFP_KERNEL_ACCOUNT);
	if (!hooks)
		return NULL;
	hooks->probe = probe;
	hooks->bits = bits;
	hooks->missed = alloc_percpu_gfp(u64, GFP_KERNEL_ACCOUNT);
	if (!hooks->missed) {
		kvfree(hooks);
		return NULL;
	}
	/* before its places: no module goes unseen */
	guard(mutex)(&places_lock);
	list_add(&hooks->node, &all_hooks);
	return hooks;
}

int pev_probe_function_hook(struct pev_probe_event *probe, struct pev_refuse *r)
{
	struct function_hooks *hooks = make_hooks(probe);
	int err;

	if (!hooks)
		return -ENOMEM;
	err = pev_probe_place_all(probe, hooks, place_one, refuse_place, r);
	if (!err) {
		err = attach(hooks);
		err = err ? refuse_attach(err, r) : 0;
	}
	if (err) {
		free_hooks(hooks);
		return err;
	}
	/* pairs with pev_probe_function_missed(): a group may be read meanwhile */
	smp_store_release(&probe->hooks, hooks);
	return 0;
}

void pev_probe_function_unhook(struct pev_probe_event *probe)
{
	struct function_hooks *hooks = probe->hooks;

	/* waits until none runs; if it fails, the flags of @ops say so */
	unregister_ftrace_function(&hooks->ops);
}

void pev_probe_function_free(struct pev_probe_event *probe)
{
	free_hooks(probe->hooks);
	probe->hooks = NULL;
}

u64 pev_probe_function_missed(const struct pev_probe_event *probe)
{
	/* pairs with pev_probe_function_hook() */
	const struct function_hooks *hooks = smp_load_acquire(&probe->hooks);
	u64 missed = 0;
	int cpu;

	if (!hooks)
		return 0;
	for_each_possible_cpu(cpu)
		missed += READ_ONCE(*per_cpu_ptr(hooks->missed, cpu));
	return missed;
}

#else

int pev_probe_function_setup(void)
{
	return 0;
}

void __pev_teardown pev_probe_function_teardown(void)
{
}

int pev_probe_function_hook(struct pev_probe_event *probe, struct pev_refuse *r)
{
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
			  "this kernel was built without CONFIG_DYNAMIC_FTRACE_WITH_REGS: use probes of the kind PEV_PROBE_KERNEL");
}

void pev_probe_function_unhook(struct pev_probe_event *probe)
{
}

void pev_probe_function_free(struct pev_probe_event *probe)
{
}

u64 pev_probe_function_missed(const struct pev_probe_event *probe)
{
	return 0;
}

#endif
