// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a virtual processor is lent, and the calls by which its guest asks for it. Each
 * number, address and word is the guest's: it may be anything, and may change while it is read.
 * So memory of the guest's is copied once, before the lease is locked or after it was unlocked,
 * and touched in its own calls alone.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/nospec.h>
#include <linux/pev_guest.h>
#include <linux/pev_marker.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include "event/event.h"
#include "types.h"
#include "grant.h"
#include "lease.h"

/* What the host writes of the area, what it reads, and what it writes of a whole one. */
#define HOST_PART	offsetof(struct pev_guest_area, set)
#define GUEST_PART	(offsetof(struct pev_guest_area, lost) - HOST_PART)
#define LOST_PART	sizeof_field(struct pev_guest_area, lost)
#define WHOLE_PART	(sizeof(struct pev_guest_area) - HOST_PART - GUEST_PART)

/* Said once of each grant. */
enum pev_grant_said {
	SAID_REFUSED,
	SAID_THROTTLED,
};

/* ---- counters ---- */

static void switch_to(struct pev_lease *lease, u64 on)
{
	if (!lease->on && !on)
		return;
	pev_lent_switch(&lease->counters[0].lent, lease->nr, sizeof(lease->counters[0]), on);
	WRITE_ONCE(lease->on, on);
}

/* In the PMI, or as the counter stops; on the thread's CPU. */
static void overflowed(struct pev_lent *lent, bool throttled)
{
	struct pev_lease_counter *counter = container_of(lent, struct pev_lease_counter, lent);
	struct pev_lease *lease = counter->lease;

	lease->over |= BIT_ULL(counter - lease->counters);
	atomic64_inc(&lease->grant->overflows);
	if (throttled) {
		atomic64_inc(&lease->grant->throttled);
		PEV_MARK(pev, guest_throttle, "guest %d thread %d", lease->grant->nr,
			 current->pid);
	}
	if (xchg(&lease->told, 1))
		return;
	atomic64_inc(&lease->grant->nmis);
	lease->vcpu->ops->nmi(lease->vcpu);
}

static void close_counters(struct pev_lease *lease, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		pev_event_close(lease->counters[i].lent.event);
}

static int open_counter(struct pev_lease *lease, struct pev_lease_counter *counter)
{
	struct pev_request req = {
		.attr = {
			.type = PEV_TYPE_RAW,
			.target = PEV_TARGET_TASK,
			.flags = PEV_F_DISABLED | PEV_F_PINNED,
			.channel_fd = -1,
			.group_fd = -1,
		},
		.ops = &pev_lent_source,
		.kernel = true,
	};
	struct pev_refuse r = { };
	struct pev_event *event = pev_event_create(&req, &r);

	if (IS_ERR(event))
		return PTR_ERR(event);
	counter->lease = lease;
	counter->lent.overflow = overflowed;
	counter->lent.shows = lease->whole;
	pev_lent_bind(&counter->lent, event);
	return 0;
}

/* ---- leases ---- */

void pev_lease_end(struct pev_lease *lease)
{
	guard(mutex)(&lease->lock);
	close_counters(lease, lease->nr);
	lease->nr = 0;
	lease->on = 0;
	lease->known = 0;
}

static void lease_free(struct pev_lease *lease)
{
	pev_grant_remove(lease->grant, lease);
	pev_lease_end(lease);
	pev_grant_put(lease->grant);
	put_pid(lease->thread);
	kfree(lease);
}

/* Takes over the reference on @grant. */
static struct pev_lease *lease_make(struct pev_vcpu *vcpu, struct pev_guest_grant *grant, u64 area,
				    bool whole)
{
	struct pev_lease *lease = kzalloc(sizeof(*lease), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!lease) {
		pev_grant_put(grant);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&lease->lock);
	INIT_LIST_HEAD(&lease->node);
	lease->vcpu = vcpu;
	lease->grant = grant;
	lease->thread = get_task_pid(current, PIDTYPE_PID);
	lease->area = area;
	lease->whole = whole;
	lease->cpu = -1;
	for (; lease->nr < grant->counters && !err; lease->nr += !err)
		err = open_counter(lease, &lease->counters[lease->nr]);
	if (!err && !pev_grant_add(grant, lease))
		err = -ENODEV;
	if (!err)
		return lease;
	lease_free(lease);
	return ERR_PTR(err);
}

void pev_guest_end(struct pev_vcpu *vcpu)
{
	struct pev_lease *lease = vcpu->lease;

	if (!lease)
		return;
	vcpu->lease = NULL;
	lease_free(lease);
}
EXPORT_SYMBOL_GPL(pev_guest_end);

/* ---- calls ---- */

static long hello(u64 version)
{
	struct pev_guest_grant *grant;
	struct pev_pmu_code code;
	struct pev_refuse r = { };
	u64 most, lent = 0;

	if (!version || pev_lent_code(PEV_HW_INSTRUCTIONS, &code, &r))
		return -EOPNOTSUPP;
	most = min_t(u64, PEV_GUEST_COUNTERS, hweight64(pev_pmu->present));
	grant = pev_grant_find();
	if (grant) {
		lent = grant->counters;
		pev_grant_put(grant);
	}
	version = min_t(u64, version, PEV_GUEST_VERSION);
	return version | most << 8 | lent << 16 | (u64)PEV_LENT_BITS << 24;
}

/* All that the host writes. */
static int clear_area(struct pev_vcpu *vcpu, u64 area, bool whole)
{
	static const u8 zeroes[sizeof(struct pev_guest_area)];

	if (vcpu->ops->write(vcpu, area, zeroes, HOST_PART))
		return -EINVAL;
	if (whole && vcpu->ops->write(vcpu, area + HOST_PART + GUEST_PART, zeroes, WHOLE_PART))
		return -EINVAL;
	return 0;
}

static long attach(struct pev_vcpu *vcpu, u64 arg)
{
	bool whole = arg & PEV_GUEST_WHOLE;
	u64 area = arg & ~(u64)PEV_GUEST_WHOLE;
	struct pev_guest_grant *grant;
	struct pev_lease *lease;

	pev_guest_end(vcpu);
	/* it crosses no page */
	if (area & (whole ? 511 : 255))
		return -EINVAL;
	grant = pev_grant_find();
	if (!grant)
		return -ENODEV;
	if (clear_area(vcpu, area, whole)) {
		pev_grant_put(grant);
		return -EINVAL;
	}
	lease = lease_make(vcpu, grant, area, whole);
	if (IS_ERR(lease))
		return PTR_ERR(lease) == -ENOMEM || PTR_ERR(lease) == -ENODEV ? PTR_ERR(lease) :
										 -EBUSY;
	vcpu->lease = lease;
	return lease->nr;
}

static long detach(struct pev_vcpu *vcpu)
{
	if (!vcpu->lease)
		return -ENODEV;
	pev_guest_end(vcpu);
	return 0;
}

static long check(u64 word)
{
	struct pev_pmu_code code;
	struct pev_refuse r = { };

	return pev_lent_code(word, &code, &r) ? -EINVAL : max_t(u64, code.period_min, 1);
}

/* The lease is locked. Return: -ENODEV once the counters were taken back. */
static int lease_check(const struct pev_lease *lease)
{
	return lease->nr && lease->thread == task_pid(current) ? 0 : -ENODEV;
}

static u64 all_of(const struct pev_lease *lease)
{
	return GENMASK_ULL(lease->nr - 1, 0);
}

/* Return: is there anything to write to the guest? */
static long stop_locked(struct pev_lease *lease, bool nmi, struct pev_guest_area *area, int *told)
{
	int err = lease_check(lease);

	if (err)
		return err;
	*told = nmi ? xchg(&lease->told, 0) : READ_ONCE(lease->told);
	if (nmi && !*told)
		return 0;
	switch_to(lease, 0);
	area->over = lease->over;
	for (u32 i = 0; i < lease->nr; i++) {
		area->value[i] = lease->counters[i].lent.value;
		area->lost[i] = lease->counters[i].lent.lost;
		if (area->lost[i])
			area->missed |= BIT_ULL(i);
	}
	if (nmi)
		lease->over = 0;
	return 1;
}

/* Once they stood still, and again once they did not. */
static int write_lost(struct pev_vcpu *vcpu, const struct pev_guest_area *area)
{
	struct pev_lease *lease = vcpu->lease;

	if (!lease->whole || (!area->missed && !lease->lost))
		return 0;
	lease->lost = !!area->missed;
	return vcpu->ops->write(vcpu, lease->area + HOST_PART + GUEST_PART, area->lost, LOST_PART);
}

static long stop(struct pev_vcpu *vcpu, u64 arg)
{
	struct pev_lease *lease = vcpu->lease;
	struct pev_guest_area area = { };
	long changed;
	int told = 0;

	if (arg & ~(u64)PEV_GUEST_NMI)
		return -EINVAL;
	scoped_guard(mutex, &lease->lock)
		changed = stop_locked(lease, arg & PEV_GUEST_NMI, &area, &told);
	if (changed < 0)
		return changed;
	if (changed && (vcpu->ops->write(vcpu, lease->area, &area, HOST_PART) ||
			write_lost(vcpu, &area)))
		return -EFAULT;
	if (area.missed)
		atomic64_inc(&lease->grant->missed);
	return told;
}

static int set_counter(struct pev_lease *lease, unsigned int i, u64 word, u64 start)
{
	struct pev_lease_counter *counter = &lease->counters[i];
	struct pev_pmu_code code;
	struct pev_refuse r = { };

	if (!(lease->known >> i & 1) || counter->word != word) {
		if (pev_lent_code(word, &code, &r))
			return -EINVAL;
		pev_lent_event(&counter->lent, &code);
		counter->word = word;
		lease->known |= BIT_ULL(i);
	}
	pev_lent_set(&counter->lent, start);
	lease->over &= ~BIT_ULL(i);
	return 0;
}

static void find_registers(struct pev_lease *lease)
{
	if (!lease->whole)
		return;
	pev_lent_tell(&lease->counters[0].lent, lease->nr, sizeof(lease->counters[0]));
	lease->cpu = -1;
	for (u32 i = 0; i < lease->nr; i++) {
		u64 reg = pev_lent_reg(&lease->counters[i].lent) + 1;
		u64 offset = reg ? lease->counters[i].lent.offset : 0;

		lease->untold |= reg != lease->reg[i] || offset != lease->offset[i];
		lease->reg[i] = reg;
		lease->offset[i] = offset;
	}
}

static int start_counters(struct pev_lease *lease, u64 on, const struct pev_guest_area *area)
{
	int err = 0;

	if ((on | area->set) & ~all_of(lease))
		return -EINVAL;
	for (u64 left = area->set; left && !err; left &= left - 1) {
		unsigned int i = array_index_nospec(__ffs64(left), lease->nr);

		err = set_counter(lease, i, area->event[i], area->start[i]);
	}
	if (err || on & ~lease->known)
		return -EINVAL;
	for (u32 i = 0; i < lease->nr; i++)
		lease->counters[i].lent.lost = 0;
	switch_to(lease, on);
	return 0;
}

static long start_locked(struct pev_lease *lease, u64 on, const struct pev_guest_area *area)
{
	int err = lease_check(lease);

	if (err)
		return err;
	switch_to(lease, 0);
	err = start_counters(lease, on, area);
	/* some values may be new, where a guest that was refused believes the old ones */
	find_registers(lease);
	return err;
}

/* What is written are members of this thread alone. */
static int write_registers(struct pev_vcpu *vcpu)
{
	struct pev_lease *lease = vcpu->lease;
	u64 at = lease->area + offsetof(struct pev_guest_area, reg);

	if (!lease->untold)
		return 0;
	lease->untold = false;
	return vcpu->ops->write(vcpu, at, lease->reg, sizeof(lease->reg)) ?:
	       vcpu->ops->write(vcpu, at + sizeof(lease->reg), lease->offset,
				sizeof(lease->offset));
}

static long start(struct pev_vcpu *vcpu, u64 on)
{
	struct pev_lease *lease = vcpu->lease;
	struct pev_guest_area area;
	bool read = !vcpu->ops->read(vcpu, lease->area + HOST_PART, &area.set, GUEST_PART);
	long result = -EFAULT;

	if (read) {
		guard(mutex)(&lease->lock);
		result = start_locked(lease, on, &area);
	}
	if (read && (result || !write_registers(vcpu)))
		return result;
	guard(mutex)(&lease->lock);
	if (!lease_check(lease))
		switch_to(lease, 0);
	return -EFAULT;
}

static long read_value(struct pev_lease *lease, u64 counter)
{
	int err;

	guard(mutex)(&lease->lock);
	err = lease_check(lease);
	if (err)
		return err;
	if (counter >= lease->nr)
		return -EINVAL;
	counter = array_index_nospec(counter, lease->nr);
	return pev_lent_value(&lease->counters[counter].lent);
}

static long call(struct pev_vcpu *vcpu, u64 op, u64 arg)
{
	switch (op) {
	case PEV_GUEST_HELLO:
		return hello(arg);
	case PEV_GUEST_ATTACH:
		return attach(vcpu, arg);
	case PEV_GUEST_DETACH:
		return detach(vcpu);
	case PEV_GUEST_CHECK:
		return check(arg);
	}
	if (!vcpu->lease)
		return -ENODEV;
	switch (op) {
	case PEV_GUEST_STOP:
		return stop(vcpu, arg);
	case PEV_GUEST_START:
		return start(vcpu, arg);
	case PEV_GUEST_READ:
		return read_value(vcpu->lease, arg);
	}
	return -EINVAL;
}

/* ---- reads without a call ---- */

/*
 * Another thread may take the counters back meanwhile: then none of them counts here, and
 * interrupts being off, its word comes to this CPU later.
 */
bool pev_guest_shown(struct pev_vcpu *vcpu)
{
	struct pev_lease *lease = vcpu->lease;
	u64 changes;

	if (!lease || !lease->whole)
		return false;
	changes = pev_lent_changes();
	if (lease->cpu != smp_processor_id() || lease->changes != changes) {
		lease->shown = pev_lent_shown(&lease->counters[0].lent, lease->grant->counters,
					      sizeof(lease->counters[0]));
		lease->cpu = smp_processor_id();
		lease->changes = changes;
	}
	return lease->shown;
}
EXPORT_SYMBOL_GPL(pev_guest_shown);

bool pev_guest_read(struct pev_vcpu *vcpu, u32 reg, u64 *value)
{
	struct pev_lease *lease = vcpu->lease;

	if (!lease || !lease->whole)
		return false;
	guard(mutex)(&lease->lock);
	for (u32 i = 0; i < ARRAY_SIZE(lease->counters); i++) {
		struct pev_lent *lent = &lease->counters[i].lent;

		if (lease->reg[i] != (u64)reg + 1)
			continue;
		*value = lease_check(lease) ? lent->value : pev_lent_value(lent);
		*value = (*value + lease->offset[i]) & (BIT_ULL(PEV_LENT_BITS) - 1);
		return true;
	}
	return false;
}
EXPORT_SYMBOL_GPL(pev_guest_read);

/* A guest can do this at any rate: each is said once. */
static void account(struct pev_guest_grant *grant, u64 op, long result)
{
	atomic64_inc(&grant->calls);
	if (result < 0) {
		atomic64_inc(&grant->refused);
		PEV_MARK(pev, guest_refuse, "guest %d op %llu result %ld", grant->nr, op, result);
		if (!test_and_set_bit(SAID_REFUSED, &grant->said))
			pr_info("the guest of process %d asked for what counters can't do (operation %llu, error %ld)\n",
				grant->nr, op, -result);
	}
	if (atomic64_read(&grant->throttled) && !test_and_set_bit(SAID_THROTTLED, &grant->said))
		pr_info("the guest of process %d lets counters overflow too often: they stand still at times\n",
			grant->nr);
}

long pev_guest_call(struct pev_vcpu *vcpu, u64 op, u64 arg)
{
	long result = call(vcpu, op, arg);

	if (vcpu->lease)
		account(vcpu->lease->grant, op, result);
	return result;
}
EXPORT_SYMBOL_GPL(pev_guest_call);
