// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the filters of events: setting them, asking them, and what an occurrence is
 * that waits for their answer. The language is filter/parse.c's.
 *
 * Locks: pev_control serializes changes; probes read the filter under preemption
 * disabled, so a grace period of RCU separates old and new.
 */
#include <linux/align.h>
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include "base/work.h"
#include "filter/parse.h"
#include "record/sample.h"
#include "record/scratch.h"
#include "target/rights.h"
#include "fields.h"
#include "filter.h"
#include "tracepoint.h"

/**
 * struct scratch - an occurrence that waits for its filter
 * @program: what its filter asks
 * @ec:      its event on this CPU
 * @at:      itself
 * @frame:   bytes of all of this on the stack
 * @entry:   struct trace_entry and the fields
 */
struct scratch {
	const struct pev_program	*program;
	struct pev_event_cpu		*ec;
	struct pev_occurrence		at;
	u32				frame;
	u8				entry[] __aligned(PEV_SCRATCH_ALIGN);
};

static __always_inline void scratch_clear(struct scratch *s)
{
	u64 *end = (void *)s + s->frame;

	BUILD_BUG_ON(sizeof(*s) % PEV_SCRATCH_ALIGN);
	for (u64 *p = (u64 *)s->entry; p < end; p += 4) {
		WRITE_ONCE(p[0], 0);
		WRITE_ONCE(p[1], 0);
		WRITE_ONCE(p[2], 0);
		WRITE_ONCE(p[3], 0);
	}
}

static __always_inline void refused(struct pev_event_cpu *ec, u64 nr,
				    const struct pev_occurrence *at)
{
	local64_add(nr, &ec->filtered);
	if (unlikely(ec->event->tally))
		pev_tally_filter(ec, nr, at);
}

/**
 * pev_filter_begin() - memory for an occurrence that a filter will judge
 * @filter: looks at fields
 * @ec:     its event on this CPU
 * @size:   of the trace event, its common fields included
 * @ip:     where it occurred
 *
 * An occurrence that finds no memory passes unasked and is lost: that takes a
 * record of many KiB or interrupts that nest in one.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: see struct pev_trace_record.
 */
struct pev_trace_record pev_filter_begin(struct pev_filter *filter, struct pev_event_cpu *ec,
					 u32 size, unsigned long ip)
{
	struct pev_trace_record record = { };
	struct scratch *s;
	u32 frame;

	frame = ALIGN(sizeof(*s) + size, PEV_SCRATCH_ALIGN);
	s = pev_scratch_get(frame);
	if (unlikely(!s)) {
		if (pev_event_hit(ec->event, ec, 1))
			pev_event_lose(ec);
		return record;
	}
	s->program = filter->program;
	s->ec = ec;
	s->at.record = s->entry;
	s->at.ip = ip;
	s->at.task = NULL;
	s->at.size = size;
	s->frame = frame;
	/* clear what the probe may not write: it is old data of another event */
	scratch_clear(s);
	record.entry = s->entry;
	record.token = (unsigned long)s | PEV_TOKEN_SCRATCH;
	return record;
}

/* Kept out of line, so that refused occurrences save no registers for it. */
static noinline void scratch_submit(struct scratch *s)
{
	struct pev_event *event = s->ec->event;
	struct pev_sample_in in = { .ip = s->at.ip, .period = READ_ONCE(event->period) };
	u32 payload = s->at.size - sizeof(struct trace_entry);
	void *p;

	if (!pev_event_hit(event, s->ec, 1))
		return;
	p = pev_sample_begin(event, s->ec, payload, &in);
	if (!p)
		return;
	/* source and destination are whole words long */
	pev_copy_words(p, s->entry + sizeof(struct trace_entry), payload);
	pev_sample_end(s->ec);
}

/**
 * pev_filter_end() - ask the filter, and record or count as filtered
 * @token: as pev_filter_begin() gave it
 *
 * Context: as pev_filter_begin().
 */
void pev_filter_end(unsigned long token)
{
	struct scratch *s = (void *)(token & ~PEV_TOKEN_SCRATCH);

	if (pev_program_passes(s->program, &s->at))
		scratch_submit(s);
	else
		refused(s->ec, 1, &s->at);
	pev_scratch_put(s->frame);
}

/**
 * pev_filter_passes() - ask a filter, and count what it refuses
 * @filter: the filter
 * @ec:     its event on this CPU
 * @nr:     occurrences at once
 * @at:     they; its record, if the event has fields, begins with the common ones
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: true if they pass.
 */
bool pev_filter_passes(const struct pev_filter *filter, struct pev_event_cpu *ec, u64 nr,
		       const struct pev_occurrence *at)
{
	if (pev_program_passes(filter->program, at))
		return true;
	refused(ec, nr, at);
	return false;
}

/**
 * pev_filter_allows() - may occurrences be counted, their fields being in memory?
 * @event: has a gate: a filter, or an opener with limited rights
 * @ec:    the event on this CPU
 * @nr:    as for pev_filter_passes()
 * @at:    as for pev_filter_passes()
 *
 * Context: as pev_filter_passes().
 * Return: false if the filter refused them, which was counted, or the opener may not
 * see them.
 */
bool pev_filter_allows(struct pev_event *event, struct pev_event_cpu *ec, u64 nr,
		       const struct pev_occurrence *at)
{
	struct pev_filter *filter;

	if (!pev_event_sees_task(event, at->task ?: current))
		return false;
	filter = rcu_dereference_sched(event->filter);
	return !filter || pev_filter_passes(filter, ec, nr, at);
}

/*
 * Steps of a filter for which an event counts for one more, where it is asked with interrupts off,
 * and so many are free: what occurs there counts for some already.
 */
#define STEPS_OF_ONE	6
#define STEPS_FREE	24
/* The steps of one where they are of one's own system calls: interrupts come, no lock is held. */
#define STEPS_OF_ONE_CALL	512
/* A step is as many where a filter is asked for dozens of tasks at a stretch. */
#define IN_BULK		10

/**
 * pev_filter_weight() - for how many events a filter is to count
 * @event:  that is to have it
 * @filter: the filter
 *
 * Context: Process context.
 * Return: the number; 0 of one that is short.
 */
u32 pev_filter_weight(const struct pev_event *event, const struct pev_filter *filter)
{
	u32 steps = filter->program->steps;

	if (event->fields)
		return steps / STEPS_OF_ONE_CALL;
	if (event->in_bulk)
		return DIV_ROUND_UP(IN_BULK * steps, STEPS_OF_ONE);
	return steps > STEPS_FREE ? DIV_ROUND_UP(steps - STEPS_FREE, STEPS_OF_ONE) : 0;
}

/**
 * pev_filter_drop() - free a filter that no event has, or had
 * @filter: the filter or NULL
 *
 * Context: Process context.
 */
void pev_filter_drop(struct pev_filter *filter)
{
	if (!filter)
		return;
	kvfree(filter->program);
	kfree(filter);
}

static void filter_reap(struct work_struct *work)
{
	pev_filter_drop(container_of(to_rcu_work(work), struct pev_filter, reap));
}

/* ---- making and setting them ---- */

/**
 * pev_filter_copy() - an expression from user space
 * @expr: the user's
 * @r:    says what is wrong with it
 *
 * Context: Process context, may sleep for as long as the user likes; no locks held.
 * Return: a copy to be freed, or an ERR_PTR(): -EFAULT, -EINVAL, -ENOMEM.
 */
char *pev_filter_copy(const char __user *expr, struct pev_refuse *r)
{
	char *copy = strndup_user(expr, PEV_MAX_FILTER);

	if (IS_ERR(copy))
		pev_refuse(r, -PTR_ERR(copy), PEV_FIELD(filter),
			   "the filter can't be read or is longer than %d bytes",
			   PEV_MAX_FILTER - 1);
	return copy;
}

static int refuse_filter(struct pev_refuse *r, int err, const char *expr,
			 const struct pev_filter_mistake *why)
{
	unsigned int from = why->pos > 60 ? why->pos - 60 : 0;

	if (err == -ENOMEM)
		return pev_refuse(r, ENOMEM, PEV_FIELD(filter), "no memory for the filter");
	return pev_refuse(r, -err, PEV_FIELD(filter),
			  "the filter is wrong near character %u: %s: \"%.*s <here> %.60s\"",
			  why->pos, why->text, (int)(why->pos - from), expr + from,
			  expr + why->pos);
}

/* The descriptor may have been passed by a task with other rights. */
static bool has_all_rights(const struct pev_event *event)
{
	return event->privileged && perfmon_capable();
}

/**
 * pev_filter_takes_longer() - may a filter take longer than the event was opened for?
 * @event:  that is to have it
 * @filter: the filter
 *
 * Context: Process context, of who sets it.
 * Return: true if he may not have it.
 */
bool pev_filter_takes_longer(const struct pev_event *event, const struct pev_filter *filter)
{
	return pev_filter_weight(event, filter) > event->filter_weight && !has_all_rights(event);
}

/*
 * A trace event is somewhere in the kernel; others are where the program is, if they leave the
 * kernel out.
 */
static bool shows_ip(const struct pev_event *event)
{
	return (!event->fields && event->flags & PEV_F_EXCLUDE_KERNEL) || has_all_rights(event);
}

static struct pev_program *parse(struct pev_event *event, const char *expr, struct pev_refuse *r)
{
	const struct pev_filter_scope scope = {
		.find = event->ops->find ?: pev_fields_find,
		.from = event->ops->find ? event->private : event->fields,
		.pid_ns = event->pid_ns,
		.no_ip = !shows_ip(event),
	};
	struct pev_filter_mistake why;
	struct pev_program *program;

	program = pev_filter_parse(expr, &scope, &why);
	if (IS_ERR(program))
		refuse_filter(r, PTR_ERR(program), expr, &why);
	return program;
}

static struct pev_filter *filter_create(struct pev_event *event, const char *expr,
					struct pev_refuse *r)
{
	struct pev_filter *filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	struct pev_program *program;

	if (!filter || pev_scratch_alloc()) {
		kfree(filter);
		return ERR_PTR(refuse_filter(r, -ENOMEM, expr, NULL));
	}
	program = parse(event, expr, r);
	if (IS_ERR(program)) {
		kfree(filter);
		return ERR_CAST(program);
	}
	filter->program = program;
	return filter;
}

/**
 * pev_filter_make() - a filter for an event
 * @event: describes the fields
 * @expr:  the expression
 * @r:     says why not
 *
 * Context: Process context, may sleep; no locks held.
 * Return: the filter, for pev_filter_swap() or pev_filter_drop(), or an ERR_PTR():
 * -EACCES, -EINVAL, -ENOMEM, -EOPNOTSUPP.
 */
struct pev_filter *pev_filter_make(struct pev_event *event, const char *expr,
				   struct pev_refuse *r)
{
	if (!(event->ops->attrs & PEV_ATTR_FILTER))
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
					  "%s can't be filtered", event->name));
	if (event->counts_time)
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
					  "%s counts time, which can't be filtered", event->name));
	if (!expr[strspn(expr, " \t\n")])
		return ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(filter),
					  "the filter is empty; to have none, pass no filter"));
	return filter_create(event, expr, r);
}

/**
 * pev_filter_swap() - give an event a filter, another one or none
 * @event:  may be counting
 * @filter: the new filter, or NULL; the old one is freed later
 *
 * Context: Process context; pev_control held unless @event is not visible yet.
 */
void pev_filter_swap(struct pev_event *event, struct pev_filter *filter)
{
	u32 gate = event->gate & ~PEV_GATE_FILTER;

	filter = rcu_replace_pointer(event->filter, filter, true);
	WRITE_ONCE(event->gate, rcu_access_pointer(event->filter) ? gate | PEV_GATE_FILTER : gate);
	if (!filter)
		return;
	INIT_RCU_WORK(&filter->reap, filter_reap);
	queue_rcu_work(pev_wq, &filter->reap);
}

/**
 * pev_filter_free() - the event goes
 * @event: no probe can be inside
 */
void pev_filter_free(struct pev_event *event)
{
	pev_filter_drop(rcu_dereference_protected(event->filter, true));
	RCU_INIT_POINTER(event->filter, NULL);
}
