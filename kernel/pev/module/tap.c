// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how trace events are recorded that pev has no probe of: perf has one for each, which
 * Linux made. It writes the trace event into a buffer of perf's, and calls a handler, by
 * which it is copied. What perf drops as it comes inside of another one is not seen.
 */
#include <linux/perf_event.h>
#include <linux/pev_tracepoint.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include "base/perf.h"
#include "glue/tap.h"
#include "record/layout.h"
#include "source/trace/fields.h"
#include "source/trace/tracepoint.h"

/**
 * struct pev_tap - an event that perf writes the occurrences for
 * @perf:    its events
 * @trace:   the event
 * @layout:  of the payload
 * @lengths: for it
 */
struct pev_tap {
	struct pev_perf		perf;
	struct pev_trace	*trace;
	struct pev_layout	layout;
	u16			lengths[];
};

bool pev_tap_has(const struct trace_event_call *call)
{
	return (call->flags & TRACE_EVENT_FL_TRACEPOINT) &&
	       !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->class->perf_probe;
}

/* Return: bytes of the trace event, which perf has rounded up to @size; 0: they can't be. */
static u32 length_of(const struct pev_tap *tap, const void *entry, u32 size)
{
	const struct pev_layout *layout = &tap->layout;
	u32 length = sizeof(struct trace_entry) + layout->payload;

	if (length > size)
		return 0;
	for (unsigned int i = 0; i < layout->nr; i++)
		length += *(u16 *)(entry + sizeof(struct trace_entry) + layout->lengths[i]);
	return length <= size ? length : 0;
}

/* Field by field: what is between them was of another record once. */
static void copy(const struct pev_tap *tap, void *to, const void *from, u32 length)
{
	u32 fixed = sizeof(struct trace_entry) + tap->layout.payload;
	const struct pev_field *field;

	for (field = tap->trace->event->fields; field->name; field++)
		memcpy(to + field->offset, from + field->offset, field->size);
	memcpy(to + fixed, from + fixed, length - fixed);
}

static void on_occurrence(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	const struct pev_tap *tap = event->overflow_handler_context;
	struct pev_hook *hook = &tap->trace->hook;
	struct pev_trace_record record;
	u32 length;

	if (!pev_trace_running(hook) || !(data->sample_flags & PERF_SAMPLE_RAW))
		return;
	length = length_of(tap, data->raw->frag.data, data->raw->frag.size);
	if (!length)
		return;
	record = pev_trace_begin(hook, length, instruction_pointer(regs));
	if (!record.entry)
		return;
	copy(tap, record.entry, data->raw->frag.data, length);
	pev_trace_end(record.token);
}

/* It stays on its CPU whatever the task that runs there brings along: it is pinned. */
struct pev_tap *pev_tap_make(struct pev_trace *trace)
{
	struct pev_event *event = trace->event;
	struct pev_layout size = { };
	struct pev_tap *tap;
	int err;

	pev_fields_layout(event->fields, &size);
	tap = kzalloc(struct_size(tap, lengths, size.nr), GFP_KERNEL_ACCOUNT);
	if (!tap)
		return ERR_PTR(-ENOMEM);
	tap->trace = trace;
	tap->layout.lengths = tap->lengths;
	tap->layout.room = size.nr;
	pev_fields_layout(event->fields, &tap->layout);
	tap->perf = (struct pev_perf){
		.attr = {
			.type = PERF_TYPE_TRACEPOINT, .config = event->call->event.type,
			.size = sizeof(tap->perf.attr), .sample_period = 1,
			.sample_type = PERF_SAMPLE_RAW, .pinned = 1,
		},
		.handler = on_occurrence,
		.context = tap,
	};
	err = pev_perf_open(&tap->perf);
	if (!err)
		return tap;
	/* those of the first CPUs may have been called, and others be on the tracepoint still */
	tracepoint_synchronize_unregister();
	kfree(tap);
	return ERR_PTR(err);
}

void pev_tap_stop(struct pev_tap *tap)
{
	pev_perf_close(&tap->perf);
}

void pev_tap_free(struct pev_tap *tap)
{
	kfree(tap);
}
