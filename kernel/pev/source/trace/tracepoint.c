// SPDX-License-Identifier: GPL-2.0
/*
 * Owns tracepoint events: finding the trace event, connecting the probe that
 * trace/pev.h generated for it, and what these probes call. Must not know the
 * fields of any trace event.
 *
 * Locks: pev_trace_list_lock() keeps the list of trace events.
 * Probes run with preemption disabled and take no lock.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "base/strbuf.h"
#include "base/work.h"
#include "glue/tap.h"
#include "glue/trace_list.h"
#include "record/sample.h"
#include "source/list.h"
#include "target/rights.h"
#include "fields.h"
#include "filter.h"
#include "syscall_strings.h"
#include "syscalls.h"
#include "tracepoint.h"

static struct pev_trace *to_trace(struct pev_event *event)
{
	return event->private;
}

/* Begin a record that needs more context than the tid. */
void *pev_trace_begin_slow(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
			   unsigned long ip)
{
	struct pev_sample_in in = { .ip = ip, .period = READ_ONCE(event->period) };

	return pev_sample_begin_slow(event, ec, payload, &in);
}

/* Kept out of line, so that filtered occurrences save no registers for it. */
static noinline struct pev_trace_record place(struct pev_trace *trace, struct pev_event_cpu *ec,
					      u32 size, unsigned long ip)
{
	return pev_trace_place(trace, ec, size, ip);
}

/**
 * pev_trace_begin_gated() - pev_trace_reserve() with a filter, or limited rights
 * @trace: as there
 * @ec:    of its event on this CPU
 * @size:  as there
 * @ip:    as there
 *
 * Context: as there.
 * Return: as there.
 */
struct pev_trace_record pev_trace_begin_gated(struct pev_trace *trace, struct pev_event_cpu *ec,
					      u32 size, unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_filter *filter = rcu_dereference_sched(event->filter);
	const struct pev_occurrence at = { .ip = ip };

	if (!pev_event_sees(event))
		return (struct pev_trace_record){ };
	if (likely(filter && pev_filter_needs_record(filter, event)))
		return pev_filter_begin(filter, ec, size, ip);
	if (filter && !pev_filter_passes(filter, ec, 1, &at))
		return (struct pev_trace_record){ };
	return place(trace, ec, size, ip);
}

/* For the probes of trace/pev.h: see pev_trace_reserve(). */
struct pev_trace_record pev_trace_begin(struct pev_hook *hook, u32 size, unsigned long ip)
{
	return pev_trace_reserve(container_of(hook, struct pev_trace, hook), size, ip);
}
EXPORT_SYMBOL_GPL(pev_trace_begin);

/* For the probes of trace/pev.h: see pev_trace_commit(). */
void pev_trace_end(unsigned long token)
{
	pev_trace_commit(token);
}
EXPORT_SYMBOL_GPL(pev_trace_end);

/**
 * pev_trace_create() - make the private part of an event
 * @event:  its @percpu is there
 * @fields: of its records; the caller keeps them
 *
 * Return: 0 or -ENOMEM.
 */
int pev_trace_create(struct pev_event *event, const struct pev_field *fields)
{
	struct pev_trace *trace;

	/* the inline test of the probes relies on this layout */
	BUILD_BUG_ON(offsetof(struct pev_event_cpu, running));
	BUILD_BUG_ON(sizeof_field(struct pev_event_cpu, running) != sizeof(u32));
	trace = kzalloc(sizeof(*trace), GFP_KERNEL_ACCOUNT);
	if (!trace)
		return -ENOMEM;
	trace->hook.running = &event->percpu->running;
	trace->event = event;
	trace->fixed = pev_fields_fixed(fields);
	event->private = trace;
	event->fields = fields;
	return 0;
}

/* Undo pev_trace_create(); no probe can be inside. */
void pev_trace_destroy(struct pev_event *event)
{
	kfree(event->private);
	event->private = NULL;
	event->fields = NULL;
}

void pev_trace_fields(struct pev_event *event, struct pev_strbuf *text)
{
	pev_fields_tsdl(event->fields, text);
	if (to_trace(event)->text)
		pev_syscall_text_fields(event, text);
}

void pev_trace_layout(struct pev_event *event, struct pev_layout *layout)
{
	if (to_trace(event)->text)
		pev_syscall_text_layout(event, layout);
	else
		pev_fields_layout(event->fields, layout);
}

/**
 * pev_trace_check_name() - is the name that the user gave one of a trace event?
 * @event: has it, or NULL
 * @r:     says what is wrong with it
 *
 * Return: 0 or -EINVAL.
 */
int pev_trace_check_name(const struct pev_event *event, struct pev_refuse *r)
{
	const char *name = event->name, *colon;

	if (!name)
		return pev_refuse(r, EINVAL, PEV_FIELD(name),
				  "an event of this type needs a name, \"system:event\"");
	colon = strchr(name, ':');
	if (colon && colon != name && colon[1])
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(name),
			  "\"%.100s\" is not of the form \"system:event\"", name);
}

/* Return: is @call recorded by perf's probe? */
static bool is_tapped(const struct trace_event_call *call)
{
	return !pev_trace_is_syscall(call) && !pev_trace_probe(call) && pev_tap_has(call);
}

/* Return: NULL if events can be opened on @call, else what it is. */
static const char *unusable(struct trace_event_call *call)
{
	if (pev_trace_is_syscall(call) || pev_trace_probe(call) || is_tapped(call))
		return NULL;
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return "no tracepoint but a dynamic event of the tracing file system";
	if (call->flags & TRACE_EVENT_FL_TRACEPOINT)
		return "a tracepoint that perf has no probe of, by which a module records it";
	return "no tracepoint but internal to the function tracer";
}

/* The list is locked. */
static struct trace_event_call *find_call(const char *name)
{
	size_t len = strcspn(name, ":");
	struct trace_event_call *call;

	pev_trace_list_for_each(call) {
		const char *system = call->class->system;
		const char *event = trace_event_name(call);

		if (event && !strcmp(event, name + len + 1) &&
		    !strncmp(system, name, len) && !system[len])
			return call;
	}
	return NULL;
}

/* Find the trace event @name, and take a reference on its module. */
static struct trace_event_call *get_call(const char *name, struct pev_refuse *r)
{
	struct trace_event_call *call;
	const char *why;

	guard(pev_trace_list)();
	call = find_call(name);
	if (!call)
		return ERR_PTR(pev_refuse(r, ENOENT, PEV_FIELD(name),
					  "there is no tracepoint \"%.100s\"", name));
	why = unusable(call);
	if (why)
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(name),
					  "\"%.100s\" is %s", name, why));
	if (!try_module_get(call->module))
		return ERR_PTR(pev_refuse(r, ENOENT, PEV_FIELD(name),
					  "the module of \"%.100s\" is being removed", name));
	return call;
}

static int set_texts(struct pev_event *event, const struct pev_attr *attr,
		     struct pev_refuse *r)
{
	if (attr->flags & PEV_F_TEXT)
		return pev_syscall_text_init(event, attr, r);
	if (attr->config)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "config has no meaning for tracepoints without PEV_F_TEXT: set it to 0");
	return 0;
}

/* The private part, and a description of the records for it. */
static int tracepoint_create(struct pev_event *event)
{
	struct pev_field *fields = pev_fields_make(event->call);
	int err;

	if (IS_ERR(fields))
		return PTR_ERR(fields);
	err = pev_trace_create(event, fields);
	if (err)
		kfree(fields);
	return err;
}

static void tracepoint_destroy(struct pev_event *event)
{
	const struct pev_field *fields = event->fields;

	pev_tap_free(to_trace(event)->tap);
	pev_trace_destroy(event);
	kfree(fields);
}

static int tracepoint_open(struct pev_event *event, const struct pev_attr *attr,
			   struct pev_refuse *r)
{
	struct trace_event_call *call;
	int err;

	err = pev_trace_check_name(event, r);
	if (err)
		return err;
	call = get_call(event->name, r);
	if (IS_ERR(call))
		return PTR_ERR(call);
	event->call = call;
	err = tracepoint_create(event);
	if (err)
		goto err_put_call;
	err = set_texts(event, attr, r);
	if (!err)
		return 0;
	tracepoint_destroy(event);
err_put_call:
	event->call = NULL;
	module_put(call->module);
	return err;
}

static void tracepoint_close(struct pev_event *event)
{
	struct trace_event_call *call = event->call;

	tracepoint_destroy(event);
	event->call = NULL;
	module_put(call->module);
}

/* Return: the probe to register at the tracepoint. */
static void *probe_of(struct pev_event *event)
{
	return to_trace(event)->text ? pev_syscall_text_probe(event) :
				       pev_trace_probe(event->call);
}

/* Is it connected by syscalls.c? What only perf has a probe of is not. */
static bool is_served(struct pev_event *event)
{
	return pev_syscall_serves(event) &&
	       (pev_trace_is_syscall(event->call) || probe_of(event));
}

static int tap(struct pev_event *event)
{
	struct pev_tap *tap = pev_tap_make(to_trace(event));

	if (IS_ERR(tap))
		return PTR_ERR(tap);
	to_trace(event)->tap = tap;
	return 0;
}

static int tracepoint_hook(struct pev_event *event, struct pev_refuse *r)
{
	struct trace_event_call *call = event->call;
	void *probe = probe_of(event);
	int err;

	if (is_served(event))
		err = pev_syscall_hook(event, probe);
	else if (probe)
		err = tracepoint_probe_register(call->tp, probe, to_trace(event));
	else
		err = tap(event);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the probe can't be connected");
	return 0;
}

static void tracepoint_unhook(struct pev_event *event)
{
	struct trace_event_call *call = event->call;

	if (is_served(event))
		pev_syscall_unhook(event);
	else if (to_trace(event)->tap)
		pev_tap_stop(to_trace(event)->tap);
	else
		tracepoint_probe_unregister(call->tp, probe_of(event), to_trace(event));
}

static void tracepoint_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	if (to_trace(event)->write)
		pev_syscall_start(ec);
}

static void tracepoint_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	if (to_trace(event)->write)
		pev_syscall_stop(ec);
}

static void tracepoint_print(struct pev_event *event, struct trace_iterator *iter)
{
	struct trace_event *trace = &event->call->event;

	iter->ent->type = trace->type;
	trace->funcs->trace(iter, 0, trace);
}

/* Trace events that are described before others get the list, which is all of Linux's. */
#define CATALOG_BATCH	16

/**
 * struct batch - some of the list, by their places in it
 * @from: the first
 * @all:  how many there were when the catalog was begun; 0: it is not
 * @text: its length then
 */
struct batch {
	unsigned int	from;
	unsigned int	all;
	size_t		text;
};

static bool is_in(const struct batch *batch, unsigned int at)
{
	return at >= batch->from && at < batch->from + CATALOG_BATCH;
}

/* Begin again if the list is another one. Return: room for fields; 0: it is at its end. */
static unsigned int batch_begin(struct batch *batch, struct pev_strbuf *text)
{
	unsigned int room = 0, all = 0, at = 0;
	struct trace_event_call *call;

	pev_trace_list_for_each(call)
		all++;
	if (batch->all != all) {
		*batch = (struct batch){ .all = all, .text = batch->all ? batch->text : text->len };
		text->len = batch->text;
	}
	pev_trace_list_for_each(call)
		if (is_in(batch, at++))
			room = max(room, pev_fields_room(call));
	return room;
}

static void catalog_call(struct trace_event_call *call, struct pev_field *fields,
			 struct pev_strbuf *text)
{
	int err = pev_fields_list(call, fields);

	if (err) {
		text->error = err;
		return;
	}
	pev_strbuf_printf(text, "tracepoint %s:%s ", call->class->system,
			  trace_event_name(call));
	pev_fields_catalog(fields, text);
	pev_strbuf_printf(text, is_tapped(call) ? "\tperf\n" : "\n");
}

/* Return: was there any? */
static bool catalog_batch(struct batch *batch, struct pev_strbuf *text)
{
	struct trace_event_call *call;
	struct pev_field *fields;
	unsigned int room, at = 0;

	guard(pev_trace_list)();
	room = batch_begin(batch, text);
	if (!room)
		return false;
	/* charged to nobody, who might have to wait for it, and all others for the list */
	fields = kcalloc(room, sizeof(*fields), GFP_KERNEL);
	if (!fields) {
		text->error = -ENOMEM;
		return false;
	}
	pev_trace_list_for_each(call)
		if (is_in(batch, at++) && !unusable(call))
			catalog_call(call, fields, text);
	kfree(fields);
	batch->from += CATALOG_BATCH;
	return true;
}

static void tracepoint_catalog(struct pev_strbuf *text)
{
	struct batch batch = { };

	while (catalog_batch(&batch, text) && !text->error)
		cond_resched();
}

static void tracepoint_info(struct pev_info *info)
{
	struct trace_event_call *call;

	guard(pev_trace_list)();
	pev_trace_list_for_each(call)
		info->nr_tracepoints += !unusable(call);
}

void __pev_teardown pev_trace_teardown(void)
{
	pev_syscall_text_teardown();
}

const struct pev_source_ops pev_tracepoint_source = {
	.type		= "tracepoint",
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_NAME | PEV_ATTR_FILTER,
	.flags		= PEV_F_TEXT | PEV_F_STRUCTS,
	.shows		= PEV_SHOWS_KERNEL_DATA,
	.unhook_late	= true,
	.open		= tracepoint_open,
	.hook		= tracepoint_hook,
	.unhook		= tracepoint_unhook,
	.close		= tracepoint_close,
	.start		= tracepoint_start,
	.stop		= tracepoint_stop,
	.fields		= pev_trace_fields,
	.layout		= pev_trace_layout,
	.print		= tracepoint_print,
	.info		= tracepoint_info,
	.catalog	= tracepoint_catalog,
};
