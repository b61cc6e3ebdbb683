// SPDX-License-Identifier: GPL-2.0
/* Many tracepoints of system calls as two events. See calls.h. */
#include "calls.h"
#include "kernel.h"

#include <pev/engine.h>

/* Fewer are opened in the time that a filter costs */
#define LEAST_JOINED 8
#define MOST_CALLS 1024

/**
 * struct direction - the tracepoints of one end of a call
 * @exists: the kernel has a call's
 * @wanted: it is in the plan, and may be joined
 */
struct direction {
	const char *prefix;
	const char *raw;
	bool exists[MOST_CALLS];
	bool wanted[MOST_CALLS];
	unsigned int n;
};

/* Returns the number of a tracepoint's call, -1 if it is of none that is known. */
static int number(const struct direction *d, const char *name)
{
	size_t len = strlen(d->prefix);
	int nr = strncmp(name, d->prefix, len) ? -1 : pev_syscall_number(name + len);

	return nr < MOST_CALLS ? nr : -1;
}

/* Is it as it comes from a glob, without anything of its own? */
static bool is_plain(const struct planned_event *e)
{
	return e->attr.type == PEV_TYPE_TRACEPOINT && !e->filter && !e->group && !e->attr.period &&
	       !e->attr.flags && !strcmp(e->name, e->label);
}

static void look(struct direction *d, const struct event_plan *plan,
		 const struct pev_catalog *catalog)
{
	for (size_t i = 0; i < pev_catalog_count(catalog); i++) {
		const struct pev_catalog_entry *c = pev_catalog_entry(catalog, i);
		int nr = c->type == PEV_TYPE_TRACEPOINT ? number(d, c->name) : -1;

		if (nr >= 0)
			d->exists[nr] = true;
	}
	for (size_t i = 0; i < plan->n; i++) {
		int nr = is_plain(&plan->events[i]) ? number(d, plan->events[i].name) : -1;

		if (nr < 0 || d->wanted[nr])
			continue;
		d->wanted[nr] = true;
		d->n++;
	}
}

/* Writes ranges of numbers, over those that no call has; NULL: all calls are wanted. */
static char *filter_of(const struct direction *d)
{
	struct strbuf b = { 0 };
	bool all = true;

	for (unsigned int nr = 0; nr < MOST_CALLS; nr++) {
		unsigned int first = nr, last = nr;

		all &= d->wanted[nr] || !d->exists[nr];
		if (!d->wanted[nr])
			continue;
		for (; nr + 1 < MOST_CALLS && (d->wanted[nr + 1] || !d->exists[nr + 1]); nr++)
			if (d->wanted[nr + 1])
				last = nr + 1;
		strbuf_puts(&b, b.len ? "||" : "");
		if (first == last)
			strbuf_addf(&b, "id==%u", first);
		else
			strbuf_addf(&b, "(id>=%u&&id<=%u)", first, last);
	}
	if (all)
		strbuf_free(&b);
	return b.s;
}

/* Takes what is joined out of the plan. */
static void take_out(struct event_plan *plan, const struct direction *d)
{
	size_t to = 0;

	for (size_t i = 0; i < plan->n; i++) {
		struct planned_event *e = &plan->events[i];

		if (is_plain(e) && number(d, e->name) >= 0)
			planned_event_free(e);
		else
			plan->events[to++] = *e;
	}
	plan->n = to;
}

static void add_joined(struct event_plan *plan, const struct direction *d)
{
	struct planned_event *e = ARRAY_PUSH(plan->events, plan->n, plan->cap);

	e->name = xstrdup(d->raw);
	e->label = xasprintf("%s*", d->prefix);
	e->filter = filter_of(d);
	e->unit = "";
	e->scale = 1;
	pev_attr_event(&e->attr, PEV_TYPE_TRACEPOINT, 0, e->name);
	if (e->filter)
		pev_attr_filter(&e->attr, e->filter);
	e->attr.flags |= PEV_EF_CALLS;
}

static void join(struct event_plan *plan, const struct pev_catalog *catalog, const char *prefix,
		 const char *raw)
{
	struct direction d = { .prefix = prefix, .raw = raw };

	look(&d, plan, catalog);
	if (d.n < LEAST_JOINED)
		return;
	take_out(plan, &d);
	add_joined(plan, &d);
}

int calls_join(struct event_plan *plan, const struct pev_catalog *catalog, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err || !(info.event_flags & PEV_EF_CALLS))
		return err;
	join(plan, catalog, "syscalls:sys_enter_", "raw_syscalls:sys_enter");
	join(plan, catalog, "syscalls:sys_exit_", "raw_syscalls:sys_exit");
	return 0;
}
