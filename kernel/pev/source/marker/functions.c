// SPDX-License-Identifier: GPL-2.0
/*
 * Owns functions on markers: calling them, and finding those that take long. Which marker
 * has which is marker.c's.
 *
 * A function that is called takes no lock here: the array is read under preemption
 * disabled, and what is measured belongs to a CPU. A slow one is passed over from then on,
 * and disconnected by a worker, which an irq_work wakes: that may be queued in an NMI.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pev_clock.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "base/work.h"
#include "types.h"
#include "functions.h"

/* Of so many calls is the mean taken. */
#define CALLS_SHIFT	4

/* An interrupt, or the host of a virtual machine, may hold up a call: no one counts more. */
#define LIMIT_TIMES	4

/**
 * struct function_cpu - a function on a CPU
 * @mean:   time of the last calls, in ticks
 * @inside: it runs; one for each context that may interrupt the others
 */
struct function_cpu {
	u64	mean;
	bool	inside[4];
};

/**
 * struct pev_function - a function on a marker
 * @fn:   the function
 * @data: for it
 * @cpu:  what is known of it on each CPU
 * @slow: mean time of the calls when it was too long, in ticks; 0: never
 * @node: in a list of those to free
 * @name: of the marker
 */
struct pev_function {
	pev_marker_fn			fn;
	void				*data;
	struct function_cpu __percpu	*cpu;
	u64				slow;
	struct list_head		node;
	char				name[];
};

static struct pev_trace_clock trace_clock;
static u64 limit_ticks;
static void (*slow_found)(void);

static void worker(struct work_struct *unused)
{
	slow_found();
}

static DECLARE_WORK(work, worker);

static void wake_worker(struct irq_work *unused)
{
	schedule_work(&work);
}

static struct irq_work wake = IRQ_WORK_INIT(wake_worker);

/* ---- a marker fires ---- */

static void measure(struct pev_function *function, struct function_cpu *cpu, u64 ticks)
{
	u64 mean = READ_ONCE(cpu->mean);

	/* an interrupt in between whose call is not counted does no harm */
	mean += min(ticks, LIMIT_TIMES * limit_ticks) >> CALLS_SHIFT;
	mean -= mean >> CALLS_SHIFT;
	WRITE_ONCE(cpu->mean, mean);
	if (likely(mean <= limit_ticks))
		return;
	WRITE_ONCE(function->slow, mean);
	/* the worker sees @slow: queueing is a full barrier */
	irq_work_queue(&wake);
}

static void call(struct pev_function *function, const struct pev_marker_hit *hit)
{
	struct function_cpu *cpu = this_cpu_ptr(function->cpu);
	bool *inside = &cpu->inside[interrupt_context_level()];
	u64 begin;

	/* what a function does may reach its own marker */
	if (unlikely(*inside || READ_ONCE(function->slow)))
		return;
	*inside = true;
	barrier();
	begin = pev_clock_read(trace_clock.type);
	function->fn(function->data, hit);
	measure(function, cpu, pev_elapsed(begin, pev_clock_read(trace_clock.type)));
	barrier();
	*inside = false;
}

void pev_functions_call(const struct pev_functions *all, const struct pev_marker_hit *hit)
{
	for (unsigned int i = 0; i < all->nr; i++)
		call(all->functions[i], hit);
}

/* ---- which are called ---- */

static void free_function(struct pev_function *function)
{
	free_percpu(function->cpu);
	kfree(function);
}

static struct pev_function *make_function(const char *name, pev_marker_fn fn, void *data)
{
	size_t size = strlen(name) + 1;
	struct pev_function *function;

	function = kzalloc(struct_size(function, name, size), GFP_KERNEL);
	if (!function)
		return NULL;
	memcpy(function->name, name, size);
	function->fn = fn;
	function->data = data;
	function->cpu = alloc_percpu(struct function_cpu);
	if (function->cpu)
		return function;
	free_function(function);
	return NULL;
}

static bool goes(const struct pev_function *function, const struct pev_function_choice *choice)
{
	if (choice->fn && function->fn == choice->fn && function->data == choice->data)
		return true;
	if (choice->mod && within_module((unsigned long)function->fn, choice->mod))
		return true;
	return choice->slow && READ_ONCE(function->slow);
}

static void leave(struct pev_function *function, const char *why, struct list_head *gone)
{
	if (why)
		pr_warn("%pS is disconnected from marker %s: %s\n", function->fn,
			function->name, why);
	list_add_tail(&function->node, gone);
}

static bool is_there(const struct pev_functions *all, const struct pev_function_choice *choice)
{
	for (unsigned int i = 0; all && i < all->nr; i++) {
		if (goes(all->functions[i], choice))
			return true;
	}
	return false;
}

static void choose_clock(void)
{
	/* it can't fail: any clock will do */
	pev_clock_init(&trace_clock, PEV_CLOCK_DEFAULT);
	limit_ticks = mul_u64_u64_div_u64(PEV_FUNCTION_LIMIT_NS, trace_clock.freq, NSEC_PER_SEC);
}

struct pev_functions *pev_functions_with(const struct pev_functions *old, const char *name,
					 pev_marker_fn fn, void *data)
{
	const struct pev_function_choice same = { .fn = fn, .data = data };
	unsigned int nr = old ? old->nr : 0;
	struct pev_function *function;
	struct pev_functions *new;

	if (is_there(old, &same))
		return ERR_PTR(-EEXIST);
	if (!limit_ticks)
		choose_clock();
	new = kzalloc(struct_size(new, functions, nr + 1), GFP_KERNEL);
	function = make_function(name, fn, data);
	if (!new || !function) {
		kfree(new);
		if (function)
			free_function(function);
		return ERR_PTR(-ENOMEM);
	}
	if (nr)
		memcpy(new->functions, old->functions, nr * sizeof(*new->functions));
	new->functions[nr] = function;
	new->nr = nr + 1;
	return new;
}

struct pev_functions *pev_functions_without(struct pev_functions *old,
					    const struct pev_function_choice *choice,
					    struct list_head *gone)
{
	struct pev_functions *new;

	if (!is_there(old, choice))
		return old;
	/* disconnecting must not fail */
	new = kzalloc(struct_size(new, functions, old->nr), GFP_KERNEL | __GFP_NOFAIL);
	for (unsigned int i = 0; i < old->nr; i++) {
		struct pev_function *function = old->functions[i];

		if (goes(function, choice))
			leave(function, choice->why, gone);
		else
			new->functions[new->nr++] = function;
	}
	if (new->nr)
		return new;
	kfree(new);
	return NULL;
}

void pev_functions_free(struct list_head *gone)
{
	struct pev_function *function, *next;

	if (list_empty(gone))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(function, next, gone, node)
		free_function(function);
}

void pev_functions_setup(void (*found)(void))
{
	slow_found = found;
}

void __pev_teardown pev_functions_teardown(void)
{
	irq_work_sync(&wake);
	flush_work(&work);
}
