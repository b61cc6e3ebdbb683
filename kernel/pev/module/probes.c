// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the table of probes, by trace event: between two objects that are linked before and
 * behind all that were generated.
 */
#include <linux/bsearch.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include "probes.h"

static int compare(const void *a, const void *b)
{
	const struct pev_probe_entry *x = a, *y = b;

	return strcmp(x->system, y->system) ?: strcmp(x->name, y->name);
}

/* A module that was built elsewhere may have an event of Linux's name with other arguments. */
static bool is_foreign(const struct module *owner)
{
	return owner && owner != THIS_MODULE && test_bit(TAINT_OOT_MODULE, &owner->taints);
}

void *pev_probe_find(const struct trace_event_call *call)
{
	struct pev_probe_entry key = { .system = call->class->system };
	const struct pev_probe_entry *entry;

	/* events of tracefs have names and no tracepoint */
	if (!(call->flags & TRACE_EVENT_FL_TRACEPOINT) || is_foreign(call->module))
		return NULL;
	key.name = call->tp->name;
	entry = bsearch(&key, pev_probes_begin, pev_probes_end - pev_probes_begin,
			sizeof(key), compare);
	return entry ? entry->probe : NULL;
}

int __init pev_probes_setup(void)
{
	sort(pev_probes_begin, pev_probes_end - pev_probes_begin, sizeof(*pev_probes_begin),
	     compare, NULL);
	return 0;
}
