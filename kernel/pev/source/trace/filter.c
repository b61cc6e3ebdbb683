// SPDX-License-Identifier: GPL-2.0
/*
 * Owns filters: setting them, asking them, and the memory in which an
 * occurrence waits for their answer. The language is the kernel's trace event
 * filter; all that is known of it here is which predicates read memory that is
 * not the event's.
 *
 * Locks: pev_control serializes changes, scratch_lock the making of scratch memory;
 * probes read the filter under preemption disabled, so a grace period of RCU separates
 * old and new.
 */
#include <linux/align.h>
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "glue/trace_internal.h"
#include "record/sample.h"
#include "target/rights.h"
#include "filter.h"
#include "tracepoint.h"

/**
 * struct pev_filter - a filter in use
 * @judge:  the kernel's
 * @common: it looks at the common fields of a trace event
 * @reap:   frees it when no probe can be inside any more
 * @charge: charged for @judge, because the kernel's own allocations are not
 * @bytes:  estimate of the memory of @judge
 */
struct pev_filter {
	struct event_filter	*judge;
	bool			common;
	struct rcu_work		reap;
	struct obj_cgroup	*charge;
	size_t			bytes;
};

/*
 * An occurrence is written here, its filter asked, and only then is room
 * reserved in a ring. Writers on a CPU nest and end in the opposite order, so
 * each CPU has a stack.
 */
#define SCRATCH_SIZE		16384U

/**
 * struct scratch - an occurrence that waits for its filter
 * @filter: that it waits for
 * @ec:    of its event on this CPU
 * @ip:    where it occurred
 * @size:  bytes of @entry
 * @frame: bytes of all of this on the stack
 * @entry: struct trace_entry and the fields
 */
struct scratch {
	struct pev_filter	*filter;
	struct pev_event_cpu	*ec;
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
static DEFINE_MUTEX(scratch_lock);

/*
 * The first filter brings the memory, and it stays: probes of other filters
 * may be inside of it at any time.
 */
static int scratch_alloc(void)
{
	unsigned int cpu;

	guard(mutex)(&scratch_lock);
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
 * @trace: of an event
 * @filter: its filter
 * @ec:    the event on this CPU
 * @size:  of the trace event, its common fields included
 * @ip:    where it occurred
 *
 * An occurrence that finds no memory passes unasked and is lost: that takes a
 * record of many KiB or interrupts that nest in one.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: see struct pev_trace_record.
 */
struct pev_trace_record pev_filter_begin(struct pev_trace *trace, struct pev_filter *filter,
					 struct pev_event_cpu *ec, u32 size, unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_trace_record record = { };
	struct scratch *s;
	u32 frame;

	frame = ALIGN(sizeof(*s) + size, SCRATCH_ALIGN);
	s = scratch_get(frame);
	if (unlikely(!s)) {
		if (pev_event_hit(event, ec, 1))
			local64_inc(&ec->lost);
		return record;
	}
	s->filter = filter;
	s->ec = ec;
	s->ip = ip;
	s->size = size;
	s->frame = frame;
	/* clear what the probe may not write: it is old data of another event */
	scratch_clear(s);
	if (unlikely(filter->common))
		tracing_generic_entry_update((void *)s->entry, event->call->event.type,
					     tracing_gen_ctx_dec());
	record.entry = s->entry;
	record.token = (unsigned long)s | PEV_TOKEN_SCRATCH;
	return record;
}

/* Kept out of line, so that refused occurrences save no registers for it. */
static noinline void scratch_submit(struct scratch *s)
{
	struct pev_event *event = s->ec->event;
	struct pev_sample_in in = { .ip = s->ip, .period = READ_ONCE(event->period) };
	u32 payload = s->size - sizeof(struct trace_entry);
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

	if (filter_match_preds(s->filter->judge, s->entry))
		scratch_submit(s);
	else
		local64_inc(&s->ec->filtered);
	this_cpu_sub(scratch_stacks.used, s->frame);
}

/**
 * pev_filter_allows() - may an occurrence be recorded, its fields being in memory?
 * @trace: of an event that may have a filter
 * @ec:    the event on this CPU
 * @entry: the trace event; room for its common fields, then its fields
 *
 * Context: Any with preemption disabled.
 * Return: false if the filter refused it, which was counted, or the opener may not
 * see it.
 */
bool pev_filter_allows(struct pev_trace *trace, struct pev_event_cpu *ec, void *entry)
{
	struct pev_event *event = trace->event;
	struct pev_filter *filter;

	if (likely(!READ_ONCE(event->gate)))
		return true;
	if (!pev_event_sees(event))
		return false;
	filter = rcu_dereference_sched(event->filter);
	if (!filter)
		return true;
	if (unlikely(filter->common))
		tracing_generic_entry_update(entry, event->call->event.type,
					     tracing_gen_ctx_dec());
	if (filter_match_preds(filter->judge, entry))
		return true;
	local64_inc(&ec->filtered);
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

/* Would a predicate on @field follow a pointer that the event holds? */
static bool reads_pointer(struct pev_event *event, const char *field, size_t len,
			  const char *suffix)
{
	char name[64];
	struct ftrace_event_field *f;

	/* longer names than this exist in no event */
	if (len >= sizeof(name))
		return true;
	memcpy(name, field, len);
	name[len] = '\0';
	f = trace_find_event_field(event->call, name);
	return f && f->filter_type == FILTER_PTR_STRING && !str_has_prefix(suffix, ".ustring");
}

/**
 * pev_filter_needs_rights() - does a filter look at more than the event's fields?
 * @event: has a trace event
 * @expr:  the expression
 *
 * A string compared with a field that is a pointer is read by the kernel, wherever the
 * pointer points, and the caller of the system call chooses that. ".function" tells
 * where the kernel's functions lie. Quotes only begin values, and end with the same
 * quote; an expression where it is otherwise is refused by the parser.
 *
 * Context: Process context.
 * Return: what of it needs CAP_PERFMON, or NULL.
 */
const char *pev_filter_needs_rights(struct pev_event *event, const char *expr)
{
	const char *p = expr;
	size_t len;

	while (*p) {
		if (*p == '"' || *p == '\'') {
			p = strchr(p + 1, *p);
			if (!p)
				return NULL;
			p++;
			continue;
		}
		if (str_has_prefix(p, ".function"))
			return ".function, which shows where functions lie";
		for (len = 0; isalnum(p[len]) || p[len] == '_'; len++)
			;
		if (len && reads_pointer(event, p, len, p + len))
			return "a string behind a pointer (use .ustring for one of the program)";
		p += len ?: 1;
	}
	return NULL;
}

static int check_rights(struct pev_event *event, const char *expr, struct pev_refuse *r)
{
	const char *what;

	/* the descriptor may have been passed by a task with other rights */
	if (event->privileged && perfmon_capable())
		return 0;
	what = pev_filter_needs_rights(event, expr);
	if (!what)
		return 0;
	return pev_refuse(r, EACCES, PEV_FIELD(filter),
			  "CAP_PERFMON is needed, by who opens %s and who sets its filter, for %s",
			  event->name, what);
}

/* ---- the memory of filters ---- */

#ifdef CONFIG_MEMCG
/* Estimated memory of the kernel's filter for each byte of an expression. */
#define BYTES_A_BYTE	12

static int charge(struct pev_filter *filter, const char *expr)
{
	size_t bytes = strlen(expr) * BYTES_A_BYTE;

	filter->charge = get_obj_cgroup_from_current();
	if (!filter->charge)
		return 0;
	if (obj_cgroup_charge(filter->charge, GFP_KERNEL, bytes))
		return -ENOMEM;
	filter->bytes = bytes;
	return 0;
}

static void uncharge(struct pev_filter *filter)
{
	if (!filter->charge)
		return;
	obj_cgroup_uncharge(filter->charge, filter->bytes);
	obj_cgroup_put(filter->charge);
}
#else
static int charge(struct pev_filter *filter, const char *expr)
{
	return 0;
}

static void uncharge(struct pev_filter *filter)
{
}
#endif

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
	free_event_filter(filter->judge);
	uncharge(filter);
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

static int filter_parse(struct pev_filter *filter, struct pev_event *event, const char *expr,
			struct pev_refuse *r)
{
	char *copy __free(kfree) = kstrdup(expr, GFP_KERNEL);
	int err;

	if (!copy || scratch_alloc() || charge(filter, expr))
		return refuse_filter(r, -ENOMEM, expr, NULL);
	scoped_guard(mutex, &event_mutex)
		err = create_event_filter(NULL, event->call, copy, true, &filter->judge);
	return err ? refuse_filter(r, err, expr, filter->judge) : 0;
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
	struct pev_filter *filter;
	int err;

	if (!(event->ops->attrs & PEV_ATTR_FILTER))
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(filter),
					  "%s has no fields to filter on", event->name));
	if (!expr[strspn(expr, " \t\n")])
		return ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(filter),
					  "the filter is empty; to have none, pass no filter"));
	err = check_rights(event, expr, r);
	if (err)
		return ERR_PTR(err);
	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	err = filter_parse(filter, event, expr, r);
	if (err) {
		pev_filter_drop(filter);
		return ERR_PTR(err);
	}
	filter->common = strstr(expr, "common_");
	return filter;
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

	/* what it needs of an occurrence is reached through it alone */
	filter = rcu_replace_pointer(event->filter, filter, true);
	WRITE_ONCE(event->gate, rcu_access_pointer(event->filter) ? gate | PEV_GATE_FILTER : gate);
	if (!filter)
		return;
	INIT_RCU_WORK(&filter->reap, filter_reap);
	queue_rcu_work(system_wq, &filter->reap);
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
