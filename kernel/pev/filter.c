// SPDX-License-Identifier: GPL-2.0
/*
 * Owns filters: setting them, asking them, and the memory in which an
 * occurrence waits for their answer. The language is the kernel's trace event
 * filter; nothing of it is known here.
 *
 * Locks: pev_control serializes changes; probes read the filter under
 * preemption disabled, so a grace period of RCU separates old and new.
 */
#include <linux/align.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../trace/trace.h"
#include "filter.h"
#include "refuse.h"
#include "sample.h"
#include "tracepoint.h"

/*
 * An occurrence is written here, its filter asked, and only then is room
 * reserved in a ring. Writers on a CPU nest and end in the opposite order, so
 * each CPU has a stack.
 */
#define SCRATCH_SIZE		16384U

/**
 * struct scratch - an occurrence that waits for its filter
 * @event: whose
 * @slot:  on this CPU
 * @ip:    where it occurred
 * @size:  bytes of @entry
 * @frame: bytes of all of this on the stack
 * @entry: struct trace_entry and the fields
 */
struct scratch {
	struct pev_event	*event;
	struct pev_slot		*slot;
	unsigned long		ip;
	u32			size;
	u32			frame;
	u8			entry[] __aligned(8);
};

/* @used is changed by its CPU alone, at any nesting. */
struct scratch_stack {
	u8	*buf;
	u32	used;
};

static DEFINE_PER_CPU(struct scratch_stack, scratch_stacks);

/*
 * The first filter brings the memory, and it stays: probes of other filters
 * may be inside of it at any time.
 */
static int scratch_alloc(void)
{
	unsigned int cpu;

	lockdep_assert_held(&pev_control);
	for_each_possible_cpu(cpu) {
		struct scratch_stack *stack = per_cpu_ptr(&scratch_stacks, cpu);
		u8 *buf;

		if (stack->buf)
			continue;
		buf = kmalloc_node(SCRATCH_SIZE, GFP_KERNEL, cpu_to_node(cpu));
		if (!buf)
			return -ENOMEM;
		WRITE_ONCE(stack->buf, buf);
	}
	return 0;
}

/* A frame and its head are multiples of this. */
#define SCRATCH_ALIGN		(4 * sizeof(u64))

static __always_inline void scratch_clear(struct scratch *s)
{
	u64 *end = (void *)s + s->frame;

	BUILD_BUG_ON(sizeof(*s) % SCRATCH_ALIGN);
	for (u64 *p = (u64 *)s->entry; p < end; p += 4) {
		WRITE_ONCE(p[0], 0);
		WRITE_ONCE(p[1], 0);
		WRITE_ONCE(p[2], 0);
		WRITE_ONCE(p[3], 0);
	}
}

static __always_inline struct scratch *scratch_get(u32 frame)
{
	u32 end = this_cpu_add_return(scratch_stacks.used, frame);

	if (likely(end <= SCRATCH_SIZE))
		return (void *)this_cpu_read(scratch_stacks.buf) + end - frame;
	this_cpu_sub(scratch_stacks.used, frame);
	return NULL;
}

/**
 * pev_filter_begin() - memory for an occurrence that a filter will judge
 * @trace: of an event that has a filter
 * @slot:  its slot on this CPU
 * @size:  of the trace event, its common fields included
 * @ip:    where it occurred
 *
 * An occurrence that finds no memory passes unasked and is lost: that takes a
 * record of many KiB or interrupts that nest in one.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: see struct pev_trace_record.
 */
struct pev_trace_record pev_filter_begin(struct pev_trace *trace, struct pev_slot *slot,
					 u32 size, unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_trace_record record = { };
	struct scratch *s;
	u32 frame;

	frame = ALIGN(sizeof(*s) + size, SCRATCH_ALIGN);
	s = scratch_get(frame);
	if (unlikely(!s)) {
		if (pev_slot_hit(event, slot, 1))
			local64_inc(&slot->lost);
		return record;
	}
	s->event = event;
	s->slot = slot;
	s->ip = ip;
	s->size = size;
	s->frame = frame;
	/* what a probe leaves out must not be another consumer's data */
	scratch_clear(s);
	if (unlikely(trace->common))
		tracing_generic_entry_update((void *)s->entry, event->call->event.type,
					     tracing_gen_ctx_dec());
	record.entry = s->entry;
	record.token = (unsigned long)s | PEV_TOKEN_SCRATCH;
	return record;
}

static void scratch_submit(struct scratch *s)
{
	struct pev_sample_in in = { .ip = s->ip, .period = s->event->period };
	u32 payload = s->size - sizeof(struct trace_entry);
	void *p;

	if (!pev_slot_hit(s->event, s->slot, 1))
		return;
	p = pev_sample_begin(s->event, s->slot, payload, &in);
	if (!p)
		return;
	/* both ends are a whole number of words */
	pev_copy_words(p, s->entry + sizeof(struct trace_entry), payload);
	pev_sample_end(s->slot);
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
	struct event_filter *filter = rcu_dereference_sched(s->event->filter);

	if (!filter || filter_match_preds(filter, s->entry))
		scratch_submit(s);
	else
		local64_inc(&s->slot->filtered);
	this_cpu_sub(scratch_stacks.used, s->frame);
}

/**
 * pev_filter_allows() - ask the filter about fields that lie ready
 * @trace: of an event that may have a filter
 * @slot:  its slot on this CPU
 * @entry: the trace event; room for its common fields, then its fields
 *
 * Context: Any with preemption disabled.
 * Return: false if it was refused, which was counted.
 */
bool pev_filter_allows(struct pev_trace *trace, struct pev_slot *slot, void *entry)
{
	struct pev_event *event = trace->event;
	struct event_filter *filter = rcu_dereference_sched(event->filter);

	if (likely(!filter))
		return true;
	if (unlikely(trace->common))
		tracing_generic_entry_update(entry, event->call->event.type,
					     tracing_gen_ctx_dec());
	if (filter_match_preds(filter, entry))
		return true;
	local64_inc(&slot->filtered);
	return false;
}

char *pev_filter_explain(char *report, unsigned int *pos)
{
	char *caret, *reason;

	*pos = 0;
	strsep(&report, "\n");
	caret = strsep(&report, "\n");
	if (!caret || !report)
		return NULL;
	reason = strstr(report, "parse_error: ");
	if (!reason)
		return NULL;
	*pos = strspn(caret, " ");
	reason += strlen("parse_error: ");
	reason[strcspn(reason, "\n")] = '\0';
	return reason;
}

/* @filter holds the parser's report in place of its expression. */
static int refuse_filter(struct pev_refuse *r, int err, const char *expr,
			 struct event_filter *filter)
{
	unsigned int pos, from;
	char *reason = NULL;

	if (err == -ENOMEM)
		return pev_refuse(r, ENOMEM, PEV_FIELD(filter), "no memory for the filter");
	if (filter && filter->filter_string)
		reason = pev_filter_explain(filter->filter_string, &pos);
	if (!reason)
		return pev_refuse(r, EINVAL, PEV_FIELD(filter),
				  "the filter can't be parsed: \"%.100s\"", expr);
	pos = min_t(size_t, pos, strlen(expr));
	from = pos > 60 ? pos - 60 : 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(filter),
			  "the filter is wrong near character %u: %s: \"%.*s <here> %.60s\"",
			  pos, reason, (int)(pos - from), expr + from, expr + pos);
}

static int filter_create(struct pev_event *event, const char *expr,
			 struct event_filter **filter, struct pev_refuse *r)
{
	char *copy __free(kfree) = NULL;
	int err;

	if (!expr[strspn(expr, " \t\n")])
		return pev_refuse(r, EINVAL, PEV_FIELD(filter),
				  "the filter is empty; to have none, pass no filter");
	copy = kstrdup(expr, GFP_KERNEL);
	if (!copy || scratch_alloc())
		return refuse_filter(r, -ENOMEM, expr, NULL);
	scoped_guard(mutex, &event_mutex)
		err = create_event_filter(NULL, event->call, copy, true, filter);
	if (!err)
		return 0;
	err = refuse_filter(r, err, expr, *filter);
	free_event_filter(*filter);
	return err;
}

/**
 * pev_filter_set() - give an event a filter, another one or none
 * @event: may be counting
 * @expr:  the expression; NULL: no filter
 * @r:     says why not; the event then keeps the filter that it has
 *
 * Context: Process context, may sleep, pev_control held.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int pev_filter_set(struct pev_event *event, const char *expr, struct pev_refuse *r)
{
	struct pev_trace *trace = event->private;
	struct event_filter *filter = NULL;
	int err;

	lockdep_assert_held(&pev_control);
	if (expr) {
		err = filter_create(event, expr, &filter, r);
		if (err)
			return err;
		/* for good: the old filter may need them still */
		if (strstr(expr, "common_"))
			WRITE_ONCE(trace->common, true);
	}
	filter = rcu_replace_pointer(event->filter, filter,
				     lockdep_is_held(&pev_control));
	if (filter) {
		synchronize_rcu();
		free_event_filter(filter);
	}
	return 0;
}

/**
 * pev_filter_free() - the event goes
 * @event: no probe can be inside
 */
void pev_filter_free(struct pev_event *event)
{
	struct event_filter *filter = rcu_dereference_protected(event->filter, true);

	RCU_INIT_POINTER(event->filter, NULL);
	free_event_filter(filter);
}
