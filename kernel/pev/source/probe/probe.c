// SPDX-License-Identifier: GPL-2.0
/*
 * Owns probe events: rights, records, and what they tell of themselves. Where probes are
 * placed is kernel.c's, function.c's and user.c's, what they read fetch.c's.
 *
 * Loads of a probe read what the opener names: all of the kernel's memory, or that of each
 * process in the target. A breakpoint in a file costs all that map it. Both are therefore
 * for openers with CAP_PERFMON at each level of kernel.pev_paranoid.
 */
#include <linux/capability.h>
#include <linux/init.h>
#include <linux/perf_event.h>
#include <linux/pev_refuse.h>
#include <linux/security.h>
#include <linux/slab.h>
#include "base/strbuf.h"
#include "glue/linux.h"
#include "record/sample.h"
#include "record/scratch.h"
#include "source/list.h"
#include "source/trace/filter.h"
#include "target/rights.h"
#include "types.h"
#include "copy.h"
#include "function.h"
#include "kernel.h"
#include "probe.h"
#include "user.h"

static struct pev_probe_event *to_probe(struct pev_event *event)
{
	return event->private;
}

static bool in_file(const struct pev_probe_event *probe)
{
	return pev_probe_in_file(probe->fetches.kind);
}

/* ---- a place is reached ---- */

/* All fields are numbers: they are written where they belong. */
static void record_numbers(struct pev_probe_event *probe, struct pev_event_cpu *ec, u32 place,
			   const struct pev_sample_in *sample, const struct pev_fetch_in *in)
{
	void *to = pev_sample_begin(probe->event, ec, probe->fetches.fixed, sample);

	if (!to)
		return;
	pev_fetch_run(&probe->fetches, place, in, to);
	pev_sample_end(ec);
}

static void record_copy(struct pev_event_cpu *ec, const void *from, u32 size,
			const struct pev_sample_in *sample)
{
	void *to = pev_sample_begin(ec->event, ec, size, sample);

	if (!to)
		return;
	/* both are whole words long */
	memcpy(to, from, ALIGN(size, sizeof(u64)));
	pev_sample_end(ec);
}

/* Does the occurrence pass, and is a record due? */
static bool passes(struct pev_event *event, struct pev_event_cpu *ec,
		   const struct pev_filter *filter, const struct pev_occurrence *at)
{
	return pev_filter_passes(filter, ec, 1, at) && pev_event_hit(event, ec, 1);
}

/* What is read has to be looked at, or measured, before there can be a record. */
static void record_by_scratch(struct pev_probe_event *probe, struct pev_event_cpu *ec, u32 place,
			      const struct pev_sample_in *sample, const struct pev_fetch_in *in,
			      const struct pev_filter *filter)
{
	u32 frame = ALIGN(probe->fetches.most, PEV_SCRATCH_ALIGN), size;
	struct pev_event *event = probe->event;
	void *buf = pev_scratch_get(frame);
	struct pev_occurrence at = { .ip = sample->ip };

	if (unlikely(!buf)) {
		if (!filter || pev_event_hit(event, ec, 1))
			pev_event_lose(ec);
		return;
	}
	size = pev_fetch_run(&probe->fetches, place, in, buf);
	at.record = buf - PEV_FETCH_BASE;
	at.size = size + PEV_FETCH_BASE;
	if (!filter || passes(event, ec, filter, &at))
		record_copy(ec, buf, size, sample);
	pev_scratch_put(frame);
}

void pev_probe_hit(struct pev_probe_event *probe, u32 place, unsigned long ip,
		   const struct pev_fetch_in *in)
{
	struct pev_event *event = probe->event;
	struct pev_event_cpu *ec = pev_event_running(event);
	const struct pev_sample_in sample = {
		.regs = in->regs, .ip = ip, .user_ip = in_file(probe),
		.period = READ_ONCE(event->period),
	};
	const struct pev_occurrence at = { .ip = ip };
	const struct pev_filter *filter;

	if (!ec || !pev_event_sees(event))
		return;
	filter = rcu_dereference_sched(event->filter);
	if (filter && pev_filter_needs_record(filter, event)) {
		record_by_scratch(probe, ec, place, &sample, in, filter);
		return;
	}
	if (filter ? !passes(event, ec, filter, &at) : !pev_event_hit(event, ec, 1))
		return;
	if (probe->fetches.most == ALIGN(probe->fetches.fixed, sizeof(u64)))
		record_numbers(probe, ec, place, &sample, in);
	else
		record_by_scratch(probe, ec, place, &sample, in, NULL);
}

/* ---- the kinds ---- */

/**
 * struct way - how the places of a kind are probed
 * @hook:   place them, all or none
 * @unhook: begin to remove them; pev_source_ops.quiesce is called later
 * @free:   what @hook took; nothing of it runs any more
 * @missed: occurrences that the kernel could not report; NULL: there are none
 */
struct way {
	int	(*hook)(struct pev_probe_event *probe, struct pev_refuse *r);
	void	(*unhook)(struct pev_probe_event *probe);
	void	(*free)(struct pev_probe_event *probe);
	u64	(*missed)(const struct pev_probe_event *probe);
};

#define IN_KERNEL	{ pev_probe_kernel_hook, pev_probe_kernel_unhook, \
			  pev_probe_kernel_free, pev_probe_kernel_missed }
#define IN_FILE		{ pev_probe_user_hook, pev_probe_user_unhook, pev_probe_user_free, NULL }
#define AT_FUNCTION	{ pev_probe_function_hook, pev_probe_function_unhook, \
			  pev_probe_function_free, pev_probe_function_missed }

static const struct way ways[PEV_PROBE_MAX] = {
	[PEV_PROBE_KERNEL]		= IN_KERNEL,
	[PEV_PROBE_KERNEL_RETURN]	= IN_KERNEL,
	[PEV_PROBE_USER]		= IN_FILE,
	[PEV_PROBE_USER_RETURN]		= IN_FILE,
	[PEV_PROBE_FUNCTION]		= AT_FUNCTION,
};

static const struct way *way_of(const struct pev_probe_event *probe)
{
	return &ways[probe->fetches.kind];
}

/* ---- opening ---- */

/*
 * Linux on POWER gives a function whose registers ftrace saved r13 back, too, which has the address
 * of the CPU's own data: of another CPU, once the task was moved. patches/linux-6.12/0014 mends it.
 */
#if defined(MODULE) && defined(CONFIG_PPC64) && defined(CONFIG_PREEMPTION)
#define LOSES_CPU	true
#else
#define LOSES_CPU	false
#endif

static int check_kernel(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err;

	if (attr->flags & PEV_F_EXCLUDE_KERNEL)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "a probe in the kernel without PEV_F_EXCLUDE_KERNEL: that leaves nothing");
	if (LOSES_CPU)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "a preemptible kernel of POWER breaks when its functions are traced: one with pev's patches can be probed");
	err = pev_security_perf(PERF_SECURITY_KERNEL);
	err = err ?: pev_security_perf(PERF_SECURITY_TRACEPOINT);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the security module refuses");
	err = security_locked_down(LOCKDOWN_KPROBES);
	err = err ?: security_locked_down(LOCKDOWN_PERF);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD,
				  "the kernel is locked down: it can't be probed");
	return 0;
}

static int check_rights(const struct pev_probe_event *probe, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	if (!in_file(probe))
		return check_kernel(attr, r);
	if (attr->flags & PEV_F_EXCLUDE_USER)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "a probe in a file without PEV_F_EXCLUDE_USER: that leaves nothing");
	return 0;
}

static int check_name(const struct pev_event *event, struct pev_refuse *r)
{
	if (event->name && pev_is_label(event->name))
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(name),
			  "a probe needs a name, of printable ASCII characters without blanks, quotes and backslashes");
}

static void probe_close(struct pev_event *event)
{
	if (to_probe(event)->hooks)
		way_of(to_probe(event))->free(to_probe(event));
	pev_probe_free(to_probe(event));
	kfree(event->private);
	event->private = NULL;
}

static int probe_open(struct pev_event *event, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	struct pev_probe_event *probe;
	int err = check_name(event, r);

	if (err)
		return err;
	if (!event->privileged)
		return pev_refuse(r, EACCES, PEV_FIELD(type),
				  "probes need CAP_PERFMON at every level of kernel.pev_paranoid");
	probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);
	if (!probe)
		return -ENOMEM;
	probe->event = event;
	event->private = probe;
	err = pev_probe_copy(probe, attr->config, r);
	err = err ?: check_rights(probe, attr, r);
	err = err ?: pev_scratch_alloc();
	if (err)
		probe_close(event);
	return err;
}

static int probe_hook(struct pev_event *event, struct pev_refuse *r)
{
	return way_of(to_probe(event))->hook(to_probe(event), r);
}

static void probe_unhook(struct pev_event *event)
{
	way_of(to_probe(event))->unhook(to_probe(event));
}

static void probe_quiesce(void)
{
	pev_probe_kernel_quiesce();
	pev_probe_user_quiesce();
}

/* ---- what the event tells ---- */

/* Return: all misses of the probe so far. */
static u64 missed_ever(struct pev_event *event)
{
	const struct way *way = way_of(to_probe(event));

	return way->missed ? way->missed(to_probe(event)) : 0;
}

static u64 probe_missed(struct pev_event *event)
{
	return missed_ever(event) - READ_ONCE(to_probe(event)->forgotten);
}

static void probe_reset(struct pev_event *event)
{
	WRITE_ONCE(to_probe(event)->forgotten, missed_ever(event));
}

static void probe_fields(struct pev_event *event, struct pev_strbuf *text)
{
	struct pev_probe_event *probe = to_probe(event);

	pev_strbuf_printf(text, "\t\tenum : uint16_t {\n");
	for (u32 i = 0; i < probe->nr; i++) {
		u64 offset = in_file(probe) ? 0 : probe->places[i].offset;

		pev_strbuf_printf(text, "\t\t\t\"%s", pev_probe_name(probe, i));
		if (offset)
			pev_strbuf_printf(text, "+0x%llx", offset);
		pev_strbuf_printf(text, "\" = %u,\n", i);
	}
	pev_strbuf_printf(text, "\t\t} place;\n");
	pev_fetch_tsdl(&probe->fetches, text);
}

static void probe_layout(struct pev_event *event, struct pev_layout *layout)
{
	pev_fetch_layout(&to_probe(event)->fetches, layout);
}

static bool probe_find(const void *private, const char *name, size_t len,
		       struct pev_filter_field *field)
{
	const struct pev_probe_event *probe = private;

	return pev_fetch_find(&probe->fetches, name, len, field);
}

const struct pev_source_ops pev_probe_source = {
	.type		= "probe",
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_NAME | PEV_ATTR_FILTER,
	.unhook_late	= true,
	.setup		= pev_probe_function_setup,
	.teardown	= __exit_p(pev_probe_function_teardown),
	.open		= probe_open,
	.hook		= probe_hook,
	.unhook		= probe_unhook,
	.quiesce		= probe_quiesce,
	.close		= probe_close,
	.reset_all	= probe_reset,
	.missed		= probe_missed,
	.fields		= probe_fields,
	.layout		= probe_layout,
	.find		= probe_find,
};
