// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how the counts of events become values of a table: a list for each CPU of those that
 * run there, and how much of each count was charged. Must not know how an event counts, or
 * when tasks are switched.
 *
 * All of it is done by the CPU itself with interrupts off, and never in an NMI: what an NMI
 * adds to a count meanwhile is charged the next time.
 */
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include "base/hooks.h"
#include "table/table.h"
#include "charge.h"
#include "key.h"

DEFINE_STATIC_KEY_FALSE(pev_charge_key);

/**
 * struct here - a charged event on one CPU
 * @node:    in the CPU's list, while the event runs
 * @event:   back
 * @charged: of its count
 */
struct here {
	struct hlist_node	node;
	struct pev_event	*event;
	u64			charged;
};

/**
 * struct pev_charge - how the counts of an event become values
 * @table: the table
 * @key:   what it asks for
 * @here:  by CPU
 */
struct pev_charge {
	struct pev_table_set	*table;
	struct pev_key		key;
	struct here __percpu	*here;
};

static DEFINE_PER_CPU(struct hlist_head, counting);

/* For how many events more one counts whose row is updated at each switch, with interrupts off. */
#define WEIGHT	16

static void charge(struct here *here, struct task_struct *task)
{
	struct pev_event *event = here->event;
	const struct pev_charge *own = event->charge;
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);
	u64 value = pev_event_cpu_value(event, ec), nr = value - here->charged;
	const struct pev_key_at at = { .task = task };
	u64 words[PEV_ROW_WORDS];

	/* a clock may step back a little, and catches up */
	if ((s64)nr <= 0)
		return;
	here->charged = value;
	local64_inc(&ec->samples);
	pev_key_make(&own->key, event, &at, words);
	pev_rows_update(pev_table_rows_here(own->table), words, nr,
			pev_table_mark(own->table, nr));
}

void __pev_charge_task(struct task_struct *task)
{
	struct here *here;

	lockdep_assert_irqs_disabled();
	hlist_for_each_entry(here, this_cpu_ptr(&counting), node)
		charge(here, task);
}

/* It need not run here, and then nothing else would charge it. */
void __pev_charge_other(struct pev_event *event, struct task_struct *task)
{
	lockdep_assert_irqs_disabled();
	charge(this_cpu_ptr(event->charge->here), task);
}

/* @more: or less events that count here */
static void charging(const struct pev_event *event, int more)
{
	struct pev_rows *rows = pev_table_rows_here(event->charge->table);

	WRITE_ONCE(rows->charging, rows->charging + more);
}

void __pev_charge_start(struct pev_event *event)
{
	lockdep_assert_irqs_disabled();
	charging(event, 1);
	hlist_add_head(&this_cpu_ptr(event->charge->here)->node, this_cpu_ptr(&counting));
}

void __pev_charge_stop(struct pev_event *event)
{
	struct here *here = this_cpu_ptr(event->charge->here);

	lockdep_assert_irqs_disabled();
	charge(here, current);
	hlist_del_init(&here->node);
	charging(event, -1);
}

void __pev_charge_reset(struct pev_event *event, unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(event->charge->here, cpu)->charged, 0);
}

/* The rows of @table are about to be read: what runs here is charged until now. */
static void fold(struct pev_table_set *table)
{
	struct here *here;

	lockdep_assert_irqs_disabled();
	hlist_for_each_entry(here, this_cpu_ptr(&counting), node)
		if (here->event->charge->table == table)
			charge(here, current);
}

PEV_KEY_HOOK(key_hook, &pev_charge_key);

static int here_alloc(struct pev_event *event, struct pev_charge *own)
{
	unsigned int cpu;

	own->here = alloc_percpu_gfp(struct here, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!own->here)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(own->here, cpu)->event = event;
	return 0;
}

static int no_fields_join(struct pev_event *event, struct pev_table_set *table,
			  struct pev_refuse *r)
{
	/* such a table asks for no field */
	struct pev_key_fields none = { };
	int err = pev_key_init(&event->charge->key, event, &table->attr, &none, r);

	return err ?: pev_table_join(table, 0, 0, &event->id, r);
}

/**
 * pev_charge_init() - let the counts of an event be values of a table
 * @event: it does not run yet
 * @table: of PEV_TABLE_COUNTED
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error; pev_charge_exit() must follow in either case.
 */
int pev_charge_init(struct pev_event *event, struct pev_table_set *table,
		    struct pev_refuse *r)
{
	struct pev_charge *own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	int err;

	if (!own)
		return -ENOMEM;
	err = pev_hook_get(&key_hook);
	if (err) {
		kfree(own);
		return err;
	}
	event->charge = own;
	event->weight += WEIGHT;
	err = here_alloc(event, own);
	err = err ?: no_fields_join(event, table, r);
	if (err)
		return err;
	own->table = table;
	WRITE_ONCE(table->fold, fold);
	return 0;
}

/* Undo pev_charge_init(); @event runs nowhere any more. Process context. */
void pev_charge_exit(struct pev_event *event)
{
	struct pev_charge *own = event->charge;

	if (!own)
		return;
	event->charge = NULL;
	if (own->table)
		pev_table_put(own->table);
	free_percpu(own->here);
	kfree(own);
	pev_hook_put(&key_hook);
}
