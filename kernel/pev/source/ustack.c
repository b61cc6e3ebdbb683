// SPDX-License-Identifier: GPL-2.0
/*
 * Owns events of PEV_TYPE_USTACK: how a thread tells the stack that it owes. Who owes what is
 * record/defer.c's.
 *
 * A thread tells it itself: on its way to user mode, or before exec and exit take its memory
 * away. What it tells is of the program that ran when the debt was made, or nothing.
 */
#include <linux/binfmts.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <trace/events/sched.h>
#include "base/hooks.h"
#include "base/strbuf.h"
#include "glue/linux.h"
#include "record/defer.h"
#include "record/payload.h"
#include "record/sample.h"
#include "source/list.h"
#include "target/rights.h"
#include "target/target.h"
#include "types.h"
#include "ustack.h"

static const struct pev_field_desc fields[] = {
	PEV_FIELD_NUMBER("xint64_t", cookie),
	PEV_FIELD_NUMBER("uint32_t", missing),
	PEV_FIELD_NUMBER("uint32_t", records),
	{ }
};

static const struct pev_payload_desc payload = {
	"ustack", sizeof(struct pev_ustack_record), fields,
};

/* the records are ABI */
static_assert(sizeof(struct pev_ustack_record) == 16);

/* ---- settling; preemption is disabled, the thread is current ---- */

static u32 what_is_missing(const struct pev_owed *owed)
{
	if (owed->exec_id != READ_ONCE(current->self_exec_id))
		return PEV_MISSING_EXEC;
	return current->mm ? PEV_MISSING_NOTHING : PEV_MISSING_MEMORY;
}

static void write(struct pev_event *event, struct pev_event_cpu *ec, const struct pev_owed *owed,
		  u32 records)
{
	struct pev_ustack_record record = {
		.cookie = owed->cookie,
		.missing = what_is_missing(owed),
		.records = records,
	};
	struct pev_sample_in in = {
		.regs = record.missing ? NULL : task_pt_regs(current),
		.elsewhere = record.missing,
	};
	void *to = pev_sample_begin(event, ec, sizeof(record), &in);

	if (!to)
		return;
	memcpy(to, &record, sizeof(record));
	pev_sample_end(ec);
}

static void tell(struct pev_owed *owed)
{
	u32 records = pev_defer_settle(owed);
	struct pev_event *event = pev_defer_event(owed->defer);
	struct pev_event_cpu *ec;

	if (!records || !event)
		return;
	ec = this_cpu_ptr(event->percpu);
	local64_inc(&ec->count);
	/* it was promised: where the event no longer counts, or may not see, it is a loss */
	if (READ_ONCE(ec->running) && pev_event_records(event, ec) && pev_event_sees(event))
		write(event, ec, owed, records);
	else
		pev_event_lost(ec);
}

/* Nobody owes anything new here: until the end, what asks finds the debt settled. */
static void on_return(struct callback_head *work)
{
	struct pev_owed *owed = container_of(work, struct pev_owed, work);

	scoped_guard(preempt)
		tell(owed);
	pev_defer_release(owed);
}

void pev_ustack_exit(void)
{
	guard(preempt)();
	pev_defer_each(tell);
}

static void probe_exec(void *data, struct task_struct *task, struct linux_binprm *bprm)
{
	pev_ustack_exit();
}

/* ---- the source ---- */

static int exec_place(void)
{
	return pev_tracepoint_hook(sched_prepare_exec, probe_exec);
}

static void exec_remove(void)
{
	pev_tracepoint_unhook(sched_prepare_exec, probe_exec);
}

static struct pev_hookpoint exec_hook = { .place = exec_place, .remove = exec_remove };

static int check(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "stacks that come later are records: they need a channel");
	if (!(attr->sample & (PEV_SAMPLE_USTACK | PEV_SAMPLE_USTACK_DUMP)))
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "which stack is to be told? Set PEV_SAMPLE_USTACK or PEV_SAMPLE_USTACK_DUMP");
	if (attr->sample & PEV_SAMPLE_COOKIE)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "PEV_SAMPLE_COOKIE is for records whose stack comes later, not for what brings it");
	if (attr->flags & (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "a stack that comes later is of neither mode: PEV_F_EXCLUDE_USER and PEV_F_EXCLUDE_KERNEL have no meaning");
	if (attr->flags & PEV_TRIGGER_FLAGS)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "a stack comes after what it belongs to: make that event the trigger");
	return 0;
}

static int ustack_open(struct pev_event *event, const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_defer *defer;
	int err = check(attr, r);

	if (err)
		return err;
	defer = pev_defer_make(attr->target != PEV_TARGET_TASK, on_return);
	event->name = kstrdup("pev:ustack", GFP_KERNEL_ACCOUNT);
	if (!defer || !event->name) {
		if (defer)
			pev_defer_free(defer);
		return -ENOMEM;
	}
	event->private = defer;
	return 0;
}

static void ustack_close(struct pev_event *event)
{
	pev_defer_free(event->private);
}

/* Exits are seen in pev_exit(), which the hooks of target.c enable. */
static int ustack_hook(struct pev_event *event, struct pev_refuse *r)
{
	int err = pev_target_hooks_get();

	if (err)
		return pev_hook_refuse(err, event->name, r);
	err = pev_hook_get(&exec_hook);
	if (err) {
		pev_target_hooks_put();
		return pev_hook_refuse(err, event->name, r);
	}
	pev_defer_attach(event->private, event);
	return 0;
}

static void ustack_unhook(struct pev_event *event)
{
	pev_defer_attach(event->private, NULL);
	pev_hook_put(&exec_hook);
	pev_target_hooks_put();
}

static void ustack_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	pev_defer_start(ec);
}

static void ustack_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	pev_defer_stop(ec);
}

/* Threads that sleep in the kernel may do so for ever: what they owe is lost. */
static long ustack_ioctl(struct pev_event *event, unsigned int cmd, unsigned long arg)
{
	struct pev_event_cpu *ec;
	u64 nr;

	if (cmd != PEV_IOC_FLUSH)
		return -ENOTTY;
	if (arg)
		return -EINVAL;
	nr = pev_defer_forgive(event->private);
	guard(preempt)();
	ec = this_cpu_ptr(event->percpu);
	local64_add(nr, &ec->count);
	local64_add(nr, &ec->lost);
	return 0;
}

static void ustack_fields(struct pev_event *event, struct pev_strbuf *text)
{
	pev_payload_tsdl(&payload, text);
}

static void ustack_layout(struct pev_event *event, struct pev_layout *layout)
{
	pev_payload_layout(&payload, layout);
}

static void ustack_catalog(struct pev_strbuf *text)
{
	pev_strbuf_printf(text, "ustack %s ", payload.name);
	pev_payload_catalog(&payload, text);
	pev_strbuf_printf(text, "\n");
}

const struct pev_source_ops pev_ustack_source = {
	.type		= "ustack",
	.periods	= PEV_PERIOD_NEVER,
	.open		= ustack_open,
	.hook		= ustack_hook,
	.unhook		= ustack_unhook,
	.close		= ustack_close,
	.start		= ustack_start,
	.stop		= ustack_stop,
	.ioctl		= ustack_ioctl,
	.fields		= ustack_fields,
	.layout		= ustack_layout,
	.catalog	= ustack_catalog,
};
