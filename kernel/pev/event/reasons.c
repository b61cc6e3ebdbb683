// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the two events of the kernel's own that tell why guests are left: on KVM's tracepoints
 * where a guest ends and where it goes on. They are there while events ask. What they tell is
 * kept by record/reason.c.
 *
 * The reason is in what the tracepoint would record, so that KVM need not be changed, and a
 * module does as well.
 *
 * Locks: reasons_lock, before pev_control.
 */
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "base/hooks.h"
#include "base/paranoid.h"
#include "filter/parse.h"
#include "filter/program.h"
#include "glue/trace_list.h"
#include "record/reason.h"
#include "record/tally.h"
#include "source/trace/fields.h"
#include "types.h"
#include "event.h"
#include "reasons.h"

#if defined(CONFIG_X86)
#define TOLD		true
#define SYSTEM		"kvm"
#define EXIT		"kvm_exit"
#define ENTRY		"kvm_entry"
#define FIELD_REASON	"exit_reason"
/* KVM_ISA_VMX and KVM_ISA_SVM are PEV_EXIT_VMX and PEV_EXIT_SVM */
#define FIELD_ISA	"isa"
#define ISA		PEV_EXIT_NONE
#define MODULES		"kvm_amd or kvm_intel"
#else
/* Others tell it in the same way, and are not known. */
#define TOLD		IS_ENABLED(CONFIG_PPC64)
#define SYSTEM		"kvm_hv"
#define EXIT		"kvm_guest_exit"
#define ENTRY		"kvm_guest_enter"
#define FIELD_REASON	"trap"
#define FIELD_ISA	NULL
#define ISA		PEV_EXIT_POWER
#define MODULES		"kvm_hv"
#endif

/**
 * struct number - a field of the tracepoint's record
 * @load:   how it is loaded
 * @offset: in the record
 */
struct number {
	u8	load;
	u16	offset;
};

static DEFINE_MUTEX(reasons_lock);
static unsigned int users;
static struct pev_event *exit_event;
static struct pev_event *entry_event;
static struct number reason_at, isa_at;

/* KVM may be loaded or removed at any time. */
static bool point_exists(void)
{
	struct trace_event_call *call;

	guard(pev_trace_list)();
	pev_trace_list_for_each(call) {
		const char *own = trace_event_name(call);

		if (own && !strcmp(own, EXIT) && !strcmp(call->class->system, SYSTEM))
			return true;
	}
	return false;
}

bool pev_reasons_known(void)
{
	return TOLD && point_exists();
}

/* Without a record its reason is not known. Preemption is disabled. */
static void take_exit(const void *record)
{
	u64 isa = ISA, reason;

	if (unlikely(!record)) {
		pev_reason_note(0);
		return;
	}
	if (FIELD_ISA)
		isa = pev_load_number(isa_at.load, record + isa_at.offset);
	reason = pev_load_number(reason_at.load, record + reason_at.offset);
	pev_reason_note(PEV_EXIT_WORD(isa, reason));
}

static void take_entry(const void *record)
{
	pev_reason_note(0);
}

static int find_number(const struct pev_event *event, const char *name, struct number *number)
{
	struct pev_filter_field field;

	if (!name)
		return 0;
	if (!pev_fields_find(event->fields, name, strlen(name), &field))
		return -ENOENT;
	number->load = pev_filter_load_of(&field);
	number->offset = field.offset;
	return 0;
}

static struct pev_event *open_point(const char *name, void (*take)(const void *record),
				    struct pev_refuse *r)
{
	struct pev_request req = {
		.attr = {
			.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_CPUS,
			.flags = PEV_F_DISABLED, .channel_fd = -1, .group_fd = -1,
		},
		.name = kstrdup(name, GFP_KERNEL),
		.take = take,
		.kernel = true,
	};
	struct pev_event *event = ERR_PTR(-ENOMEM);

	if (req.name)
		event = pev_event_create(&req, r);
	kfree(req.name);
	return event;
}

static int open_points(struct pev_refuse *r)
{
	int err;

	entry_event = open_point(SYSTEM ":" ENTRY, take_entry, r);
	if (IS_ERR(entry_event))
		return PTR_ERR(entry_event);
	exit_event = open_point(SYSTEM ":" EXIT, take_exit, r);
	if (IS_ERR(exit_event)) {
		pev_event_close(entry_event);
		return PTR_ERR(exit_event);
	}
	err = find_number(exit_event, FIELD_REASON, &reason_at);
	err = err ?: find_number(exit_event, FIELD_ISA, &isa_at);
	if (!err) {
		/* no reason is noted of which the end would not be seen */
		pev_event_switch_on(entry_event);
		pev_event_switch_on(exit_event);
		return 0;
	}
	pev_event_close(exit_event);
	pev_event_close(entry_event);
	return err;
}

static int begin(struct pev_refuse *r)
{
	struct pev_refuse why = { };
	int err = pev_reasons_begin();

	if (err)
		return pev_hook_refuse(err, "PEV_SAMPLE_EXIT", r);
	err = open_points(&why);
	if (!err)
		return 0;
	pev_reasons_end();
	return pev_refuse(r, -err, PEV_FIELD(sample),
			  "PEV_SAMPLE_EXIT: KVM's tracepoints can't be used: %.100s", why.text);
}

int pev_reasons_init(struct pev_event *event, struct pev_refuse *r)
{
	int err = 0;

	if (!(event->sample & PEV_SAMPLE_EXIT))
		return 0;
	if (event->flags & PEV_F_EXCLUDE_HOST)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "PEV_SAMPLE_EXIT is of what the host does for a guest: an event of guests alone has none of that");
	/* each exit of each guest takes longer */
	if (!event->privileged && pev_paranoid_level() >= 0)
		return pev_refuse(r, EACCES, PEV_FIELD(sample),
				  "PEV_SAMPLE_EXIT is told by tracepoints of KVM: CAP_PERFMON is needed (%s is %d)",
				  pev_paranoid_name(), pev_paranoid_level());
	if (!TOLD)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(sample),
				  "PEV_SAMPLE_EXIT: KVM does not say on this machine why guests are left");
	if (!pev_reasons_known())
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(sample),
				  "PEV_SAMPLE_EXIT: KVM is not loaded (%s), so that no guest runs",
				  MODULES);
	guard(mutex)(&reasons_lock);
	if (!users)
		err = begin(r);
	if (err)
		return err;
	users++;
	event->tells_reasons = true;
	return 0;
}

void pev_reasons_exit(struct pev_event *event)
{
	if (!event->tells_reasons)
		return;
	event->tells_reasons = false;
	guard(mutex)(&reasons_lock);
	if (--users)
		return;
	pev_event_close(exit_event);
	pev_event_close(entry_event);
	pev_reasons_end();
}
