// SPDX-License-Identifier: GPL-2.0
/*
 * Owns counters that are lent to guests: an event on the thread that runs the guest's processor,
 * switched on and off by that thread alone. The processor itself counts in the guest only, so
 * nothing is switched where guests begin and end. Must not know what a guest is told.
 *
 * The value is one of the counter on all CPUs, not a sum of theirs: it goes with the thread.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "target/sync.h"
#include "lend.h"
#include "counter.h"
#include "cpu.h"
#include "sched.h"

/* Of a counter: as many occurrences as it has values. */
#define LAP	((s64)BIT_ULL(PEV_LENT_BITS))

#define WORD	(PEV_GUEST_EVENT_CODE | PEV_GUEST_RAW | PEV_GUEST_NO_USER | PEV_GUEST_NO_KERNEL)

DEFINE_STATIC_KEY_FALSE(pev_lent_key);
EXPORT_SYMBOL_GPL(pev_lent_key);

int pev_lent_code(u64 word, struct pev_pmu_code *code, struct pev_refuse *r)
{
	struct pev_pmu_request req = {
		.type = word & PEV_GUEST_RAW ? PEV_TYPE_RAW : PEV_TYPE_HARDWARE,
		.config = word & PEV_GUEST_EVENT_CODE,
		.flags = PEV_F_EXCLUDE_HOST,
	};

	memset(code, 0, sizeof(*code));
	if (word & ~WORD)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the event has bits without a meaning");
	if (word & PEV_GUEST_NO_USER && word & PEV_GUEST_NO_KERNEL)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "an event that leaves out both modes counts nothing");
	if (req.type == PEV_TYPE_HARDWARE && req.config >= PEV_HW_MAX)
		return pev_refuse(r, EINVAL, PEV_FIELD(config), "there is no such event");
	if (word & PEV_GUEST_NO_USER)
		req.flags |= PEV_F_EXCLUDE_USER;
	if (word & PEV_GUEST_NO_KERNEL)
		req.flags |= PEV_F_EXCLUDE_KERNEL;
	return pev_pmu_encode(&req, code, r);
}

/* ---- the event ---- */

static struct pev_lent *lent_of(const struct pev_event *event)
{
	return pev_hw_of(event)->lent;
}

int pev_lent_event_open(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r)
{
	struct pev_hw_event *hw = kzalloc(sizeof(*hw), GFP_KERNEL_ACCOUNT);
	int err;

	if (!hw)
		return -ENOMEM;
	hw->event = event;
	event->private = hw;
	event->name = kstrdup("guest", GFP_KERNEL_ACCOUNT);
	/* stands for any other, when it is looked for a counter that could count it */
	err = event->name ? pev_lent_code(PEV_HW_INSTRUCTIONS, &hw->code, r) : -ENOMEM;
	err = err ?: pev_hw_slots_make(hw);
	if (err)
		event->ops->close(event);
	return err;
}

void pev_lent_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_lent *lent = lent_of(event);

	pev_pmu_event_start(event, ec, now);
	/* before it gets a counter, which is loaded with this */
	s->sampling = true;
	pev_period_init(&s->period, LAP);
	s->period.left = LAP - lent->value;
	lent->waited = s->waited;
	if (lent->counter >= 0)
		s->last = lent->counter;
}

/* What is left to the overflow says how far it has come. */
static u64 value_of(const struct pev_hw_cpu *s)
{
	return -s->period.left & (LAP - 1);
}

/*
 * The guest goes on to read it where it was told to, if the counter can be loaded like that: not
 * so that it overflows too late, nor at once.
 */
void pev_lent_attach(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s)
{
	struct pev_lent *lent = lent_of(s->event);
	u64 raw = (value_of(s) + lent->offset) & (LAP - 1), left = LAP - raw;

	if (!lent->shows)
		return;
	cpu->shown |= BIT_ULL(s->counter);
	if (lent->counter != s->counter || raw == s->raw || (s64)left > s->period.left ||
	    left > pev_count_reach(PEV_LENT_BITS) ||
	    left < max_t(u64, pev_hw_of(s->event)->code.period_min, 16))
		return;
	s->raw = raw;
	static_call(pev_hw_write)(s->counter, raw);
}

static void overflow(struct pev_lent *lent, struct pev_hw_cpu *s, bool throttled)
{
	s->period.left += LAP;
	s->period.since = 0;
	lent->overflow(lent, throttled);
}

void pev_lent_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_hw_cpu *s = pev_hw_here(event);
	struct pev_lent *lent = lent_of(event);

	pev_pmu_event_stop(event, ec, now);
	/* its PMI finds nothing any more */
	if (s->period.left <= 0)
		overflow(lent, s, false);
	lent->value = value_of(s);
	lent->lost += s->waited - lent->waited;
}

void pev_lent_overflow(struct pev_hw_cpu *s, bool throttled)
{
	overflow(lent_of(s->event), s, throttled);
}

/* ---- the counter ---- */

int pev_lending_begin(struct pev_refuse *r)
{
	int err = pev_pmu_hold(r);

	if (!err)
		static_branch_inc(&pev_lent_key);
	return err;
}

void pev_lending_end(void)
{
	pev_pmu_unhold();
}

void pev_lending_forget(void)
{
	static_branch_dec(&pev_lent_key);
}

void pev_lent_bind(struct pev_lent *lent, struct pev_event *event)
{
	lent->event = event;
	lent->counter = -1;
	lent->shows &= !!pev_pmu->ops->alone;
	pev_hw_of(event)->lent = lent;
}

void pev_lent_event(struct pev_lent *lent, const struct pev_pmu_code *code)
{
	pev_hw_of(lent->event)->code = *code;
}

void pev_lent_set(struct pev_lent *lent, u64 value)
{
	lent->value = value & (LAP - 1);
}

void pev_lent_switch(struct pev_lent *lents, unsigned int nr, size_t stride, u64 active)
{
	guard(irqsave)();
	for (unsigned int i = 0; i < nr; i++) {
		struct pev_lent *lent = (void *)lents + i * stride;

		WRITE_ONCE(lent->event->state,
			   active >> i & 1 ? PEV_EVENT_ON : PEV_EVENT_OFF);
	}
	pev_target_sync_current();
}

u64 pev_lent_value(struct pev_lent *lent)
{
	struct pev_event *event = lent->event;

	guard(irqsave)();
	if (!this_cpu_ptr(event->percpu)->running)
		return lent->value;
	pev_pmu_event_fold(event, this_cpu_ptr(event->percpu), 0);
	return value_of(pev_hw_here(event));
}

/* ---- where it is ---- */

/* Can an instruction in the guest read @counter as if it was the lent one? */
static bool can_show(const struct pev_hw_cpu *s)
{
	return pev_hw_counts(s) && s->bits == PEV_LENT_BITS &&
	       pev_pmu->counters[s->counter].user >= 0;
}

/* What the counter has more than the value: it changes when the counter is loaded. */
static u64 offset_of(const struct pev_hw_cpu *s)
{
	return (s->raw - value_of(s)) & (LAP - 1);
}

static void tell(struct pev_lent *lent)
{
	const struct pev_hw_cpu *s = pev_hw_here(lent->event);

	lent->counter = -1;
	if (!lent->shows || !this_cpu_ptr(lent->event->percpu)->running || !can_show(s))
		return;
	lent->offset = offset_of(s);
	lent->counter = s->counter;
}

void pev_lent_tell(struct pev_lent *lents, unsigned int nr, size_t stride)
{
	struct pev_pmu_cpu *cpu;
	u64 changes;

	guard(irqsave)();
	cpu = this_cpu_ptr(&pev_pmu_cpus);
	do {
		changes = READ_ONCE(cpu->changes);
		for (unsigned int i = 0; i < nr; i++)
			tell((void *)lents + i * stride);
		barrier();	/* a PMI that changed what was looked at is seen here */
	} while (changes != READ_ONCE(cpu->changes));
}

bool pev_lent_shown(struct pev_lent *lents, unsigned int nr, size_t stride)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	unsigned int told = 0;

	/* the events are no one's to look at here, but for those that count */
	for (unsigned int i = 0; i < nr; i++) {
		const struct pev_lent *lent = (void *)lents + i * stride;

		told += lent->counter >= 0;
	}
	if (!told || !cpu->up || told != hweight64(cpu->active))
		return false;
	for (u64 left = cpu->active; left; left &= left - 1) {
		const struct pev_hw_cpu *s = cpu->on[__ffs64(left)];
		const struct pev_lent *lent = lent_of(s->event);

		if ((uintptr_t)lent - (uintptr_t)lents >= nr * stride ||
		    lent->counter != s->counter || lent->offset != offset_of(s))
			return false;
	}
	return pev_pmu->ops->alone(cpu->active);
}

u64 pev_lent_changes(void)
{
	return this_cpu_ptr(&pev_pmu_cpus)->changes;
}
