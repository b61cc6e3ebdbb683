// SPDX-License-Identifier: GPL-2.0
/*
 * Owns tracepoint events: finding the trace event, connecting the probe that
 * trace/pev.h generated for it, and what these probes call. Must not know the
 * fields of any trace event.
 *
 * Locks: pev_control, then event_mutex, which keeps the list of trace events.
 * Probes run with preemption disabled and take no lock.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/tracepoint.h>
#include "../trace/trace.h"
#include "catalog.h"
#include "fields.h"
#include "filter.h"
#include "refuse.h"
#include "sample.h"
#include "syscall_text.h"
#include "tracepoint.h"

static struct pev_trace *to_trace(struct pev_event *event)
{
	return event->private;
}

/* An occurrence that needs more than its tid and its fields. */
void *pev_trace_begin_slow(struct pev_event *event, struct pev_slot *slot, u32 payload,
			   unsigned long ip)
{
	struct pev_sample_in in = { .ip = ip, .period = READ_ONCE(event->period) };

	return pev_sample_begin(event, slot, payload, &in);
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
 * @event: its slots exist
 * @call:  describes its records
 *
 * Return: 0 or -ENOMEM.
 */
int pev_trace_create(struct pev_event *event, struct trace_event_call *call)
{
	struct pev_trace *trace;

	/* what the inline test of the probes relies on */
	BUILD_BUG_ON(offsetof(struct pev_slot, running));
	BUILD_BUG_ON(sizeof_field(struct pev_slot, running) != sizeof(u32));
	trace = kzalloc(sizeof(*trace), GFP_KERNEL_ACCOUNT);
	if (!trace)
		return -ENOMEM;
	trace->hook.running = &event->slots->running;
	trace->event = event;
	trace->fixed = pev_fields_fixed(call);
	event->private = trace;
	event->call = call;
	return 0;
}

/* The opposite, filter included; no probe can be inside. */
void pev_trace_destroy(struct pev_event *event)
{
	pev_filter_free(event);
	kfree(event->private);
	event->private = NULL;
	event->call = NULL;
}

void pev_trace_fields(struct pev_event *event, struct pev_text *text)
{
	pev_fields_tsdl(event->call, text);
	if (to_trace(event)->text)
		pev_syscall_text_fields(event, text);
}

/**
 * pev_trace_name() - the name that the user gave
 * @attr: has its address
 * @r:    says what is wrong with it
 *
 * Return: a copy to be freed, or an ERR_PTR().
 */
char *pev_trace_name(const struct pev_attr *attr, struct pev_refuse *r)
{
	char *name, *colon;
	int err;

	if (!attr->name)
		return ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(name),
					  "an event of this type needs a name, \"system:event\""));
	name = strndup_user(u64_to_user_ptr(attr->name), PEV_MAX_NAME);
	if (IS_ERR(name)) {
		err = PTR_ERR(name);
		if (err == -EINVAL)
			pev_refuse_range(r, EINVAL, PEV_FIELD(name), 1, PEV_MAX_NAME,
					 "the name is too long in bytes");
		else
			pev_refuse(r, -err, PEV_FIELD(name), "the name can't be read");
		return ERR_PTR(err);
	}
	colon = strchr(name, ':');
	if (colon && colon != name && colon[1])
		return name;
	err = pev_refuse(r, EINVAL, PEV_FIELD(name),
			 "\"%.100s\" is not of the form \"system:event\"", name);
	kfree(name);
	return ERR_PTR(err);
}

/* NULL if events can be opened on @call, or what it is instead. */
static const char *unusable(struct trace_event_call *call)
{
	if (is_syscall_trace_event(call) || call->class->pev_probe)
		return NULL;
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return "a dynamic event of the tracing file system";
	return "internal to the function tracer";
}

static struct trace_event_call *find_call(const char *name)
{
	size_t len = strcspn(name, ":");
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		const char *system = call->class->system;
		const char *event = trace_event_name(call);

		if (event && !strcmp(event, name + len + 1) &&
		    !strncmp(system, name, len) && !system[len])
			return call;
	}
	return NULL;
}

/* The trace event @name, its module held. */
static struct trace_event_call *get_call(const char *name, struct pev_refuse *r)
{
	struct trace_event_call *call;
	const char *why;

	guard(mutex)(&event_mutex);
	call = find_call(name);
	if (!call)
		return ERR_PTR(pev_refuse(r, ENOENT, PEV_FIELD(name),
					  "there is no tracepoint \"%.100s\"", name));
	why = unusable(call);
	if (why)
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(name),
					  "\"%.100s\" is no tracepoint but %s", name, why));
	if (!trace_event_try_get_ref(call))
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

static int tracepoint_open(struct pev_event *event, const struct pev_attr *attr,
			   struct pev_refuse *r)
{
	struct trace_event_call *call;
	char *name;
	int err;

	name = pev_trace_name(attr, r);
	if (IS_ERR(name))
		return PTR_ERR(name);
	call = get_call(name, r);
	if (IS_ERR(call)) {
		err = PTR_ERR(call);
		goto err_free_name;
	}
	err = pev_trace_create(event, call);
	if (err)
		goto err_put_call;
	err = set_texts(event, attr, r);
	if (err)
		goto err_destroy;
	event->name = name;
	return 0;

err_destroy:
	pev_trace_destroy(event);
err_put_call:
	trace_event_put_ref(call);
err_free_name:
	kfree(name);
	return err;
}

static void tracepoint_close(struct pev_event *event)
{
	struct trace_event_call *call = event->call;

	pev_trace_destroy(event);
	trace_event_put_ref(call);
}

/* What to connect to a tracepoint that has a probe for each event. */
static void *probe_of(struct pev_event *event)
{
	return to_trace(event)->text ? pev_syscall_text_probe(event) :
				       event->call->class->pev_probe;
}

static int tracepoint_hook(struct pev_event *event, struct pev_refuse *r)
{
	struct trace_event_call *call = event->call;
	int err;

	if (is_syscall_trace_event(call))
		err = pev_syscall_hook(event);
	else
		err = tracepoint_probe_register(call->tp, probe_of(event), to_trace(event));
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the probe can't be connected");
	return 0;
}

static void tracepoint_unhook(struct pev_event *event)
{
	struct trace_event_call *call = event->call;

	if (is_syscall_trace_event(call))
		pev_syscall_unhook(event);
	else
		tracepoint_probe_unregister(call->tp, probe_of(event), to_trace(event));
}

const struct pev_source_ops pev_tracepoint_source = {
	.type	= "tracepoint",
	.open	= tracepoint_open,
	.hook	= tracepoint_hook,
	.unhook	= tracepoint_unhook,
	.close	= tracepoint_close,
	.filter	= pev_filter_set,
	.fields	= pev_trace_fields,
};

void pev_tracepoint_catalog(struct pev_text *text)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (unusable(call))
			continue;
		pev_text_printf(text, "tracepoint %s:%s ", call->class->system,
				trace_event_name(call));
		pev_fields_catalog(call, text);
		pev_text_printf(text, "\n");
	}
}

u32 pev_tracepoint_count(void)
{
	struct trace_event_call *call;
	u32 nr = 0;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list)
		nr += !unusable(call);
	return nr;
}
