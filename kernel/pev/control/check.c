// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what of a struct pev_attr can be wrong whatever there is to count: members without a
 * meaning, unknown bits, targets. Must not know who asks.
 */
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/pev_refuse.h>
#include "event/sources.h"
#include "record/guest.h"
#include "types.h"
#include "check.h"

/* ---- which members go with which type ---- */

/**
 * struct member - a member of struct pev_attr
 * @name:   for the explanation
 * @offset: where
 * @size:   4 or 8
 * @fd:     -1 counts as unset
 * @types:  mask of types that look at it, beside those of events
 * @events: all events look at it
 * @attrs:  PEV_ATTR_*: events look at it if their source has one of these
 */
struct member {
	const char	*name;
	u16		offset;
	u8		size;
	bool		fd;
	u32		types;
	bool		events;
	u32		attrs;
};

#define MEMBER(m, s, rest...) \
	{ .name = #m, .offset = PEV_FIELD(m), .size = (s), rest }
#define EVENTS	.events = true

static const struct member members[] = {
	MEMBER(target, sizeof(u32), EVENTS, .types = BIT(PEV_TYPE_GRANT)),
	MEMBER(flags, sizeof(u64), EVENTS, .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(sample, sizeof(u64), EVENTS),
	MEMBER(config, sizeof(u64), .types = BIT(PEV_TYPE_TABLE) | BIT(PEV_TYPE_PRODUCER) |
					     BIT(PEV_TYPE_CONTEXT) | BIT(PEV_TYPE_CRASH) |
					     BIT(PEV_TYPE_GRANT),
	       .attrs = PEV_ATTR_CONFIG),
	MEMBER(config1, sizeof(u64), .attrs = PEV_ATTR_WORDS),
	MEMBER(config2, sizeof(u64), .attrs = PEV_ATTR_WORDS),
	MEMBER(pmu, sizeof(u32), .attrs = PEV_ATTR_PMU),
	MEMBER(reserved, sizeof(u32)),
	MEMBER(name, sizeof(u64), .types = BIT(PEV_TYPE_CLIENT), .attrs = PEV_ATTR_NAME),
	MEMBER(filter, sizeof(u64), .attrs = PEV_ATTR_FILTER),
	MEMBER(period, sizeof(u64), EVENTS),
	MEMBER(channel_fd, sizeof(s32), EVENTS, .fd = true),
	MEMBER(group_fd, sizeof(s32), EVENTS, .fd = true),
	MEMBER(target_id, sizeof(s32), EVENTS, .fd = true, .types = BIT(PEV_TYPE_GRANT)),
	MEMBER(cpus_size, sizeof(u32), EVENTS),
	MEMBER(cpus, sizeof(u64), EVENTS),
	MEMBER(regs_user, sizeof(u64), EVENTS),
	MEMBER(stack_user, sizeof(u32), EVENTS),
	MEMBER(max_stack, sizeof(u32), EVENTS),
	MEMBER(ring_size, sizeof(u64), .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(packet_size, sizeof(u32), .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(watermark, sizeof(u32), .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(flush_ms, sizeof(u32), .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(clock, sizeof(u32), .types = BIT(PEV_TYPE_CHANNEL)),
	MEMBER(info, sizeof(u64), .types = BIT(PEV_TYPE_INFO)),
	MEMBER(info_size, sizeof(u32), .types = BIT(PEV_TYPE_INFO)),
};

static bool member_is_set(const struct pev_attr *attr, const struct member *m)
{
	const void *at = (const void *)attr + m->offset;

	if (m->size == sizeof(u64))
		return *(const u64 *)at;
	if (m->fd && *(const s32 *)at == -1)
		return false;
	return *(const u32 *)at;
}

static bool member_has_meaning(const struct pev_attr *attr, const struct member *m)
{
	const struct pev_source_ops *ops = pev_source_of(attr->type);

	if (ops && (m->events || m->attrs & ops->attrs))
		return true;
	return m->types & BIT(attr->type);
}

int pev_check_members(const struct pev_attr *attr, struct pev_refuse *r)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		const struct member *m = &members[i];

		if (member_is_set(attr, m) && !member_has_meaning(attr, m))
			return pev_refuse(r, EINVAL, m->offset,
					  "%s has no meaning for type %u: set it to 0",
					  m->name, attr->type);
	}
	return 0;
}

/* ---- checks of events and channels ---- */

static int check_target_guest(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (!pev_guest_known())
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
				  "PEV_TARGET_GUEST: this kernel runs no guests, or none that KVM tells of");
	if (!(pev_source_of(attr->type)->flags & PEV_F_EXCLUDE_HOST))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(target),
				  "of a guest, timers and hardware counters alone can see something: for the rest take PEV_TARGET_PROCESS");
	if (attr->flags & PEV_F_EXCLUDE_GUEST)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_GUEST leaves nothing of PEV_TARGET_GUEST: take PEV_TARGET_PROCESS");
	return 0;
}

int pev_check_target(const struct pev_attr *attr, struct pev_refuse *r)
{
	bool cpus = attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP;
	bool guest = attr->target == PEV_TARGET_GUEST;

	if (attr->target == PEV_TARGET_NONE || attr->target >= PEV_TARGET_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(target), PEV_TARGET_TASK,
					PEV_TARGET_MAX - 1,
					"an event needs a target, %u is none", attr->target);
	if (attr->cpus_size && !cpus)
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus_size),
				  "a CPU mask goes with PEV_TARGET_CPUS and PEV_TARGET_CGROUP only");
	/* longer than the machine is wide: bits of CPUs that there are not are refused */
	if (attr->cpus_size % sizeof(u64) || attr->cpus_size > PAGE_SIZE)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(cpus_size), 0, PAGE_SIZE,
					"cpus_size %u is not a multiple of 8, or more than a page",
					attr->cpus_size);
	if (attr->cpus && !attr->cpus_size)
		return pev_refuse(r, EINVAL, PEV_FIELD(cpus), "a CPU mask needs its cpus_size");
	if (attr->target == PEV_TARGET_CPUS && attr->target_id && attr->target_id != -1)
		return pev_refuse(r, EINVAL, PEV_FIELD(target_id),
				  "target_id has no meaning for PEV_TARGET_CPUS: set it to 0 or -1");
	if (attr->target_id < 0 && attr->target == PEV_TARGET_CGROUP)
		return pev_refuse(r, EBADF, PEV_FIELD(target_id),
				  "fd %d is not a cgroup v2 directory", attr->target_id);
	if (attr->target_id < 0 && attr->target != PEV_TARGET_CPUS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(target_id), 0, S32_MAX,
					"target_id %d is negative", attr->target_id);
	if ((cpus || guest) && (attr->flags & PEV_F_ENABLE_ON_EXEC))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_ENABLE_ON_EXEC waits for a task: it goes with task, process and subtree targets");
	return guest ? check_target_guest(attr, r) : 0;
}

/* Of what only some sources understand. */
static int check_source_flags(const struct pev_attr *attr, struct pev_refuse *r)
{
	u64 wrong = attr->flags & PEV_SOURCE_FLAGS & ~pev_source_of(attr->type)->flags;

	if (wrong & PEV_F_FREQ)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_FREQ is for timers and hardware counters: give a period");
	if (wrong & PEV_HARDWARE_FLAGS)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "flags 0x%llx are for hardware counters",
				  wrong & PEV_HARDWARE_FLAGS);
	if (wrong & PEV_F_TEXT)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_TEXT is for tracepoints of system calls");
	if (attr->flags & PEV_F_STRUCTS && !(attr->flags & PEV_F_TEXT))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_STRUCTS goes with PEV_F_TEXT only: set both");
	return 0;
}

static int check_trigger(const struct pev_attr *attr, struct pev_refuse *r)
{
	u64 triggers = attr->flags & PEV_TRIGGER_FLAGS;

	if (!triggers)
		return 0;
	if (!is_power_of_2(triggers))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "a trigger does one of PEV_F_START, PEV_F_STOP and PEV_F_FREEZE: open another event for another action");
	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "a trigger acts on its channel: channel_fd must name one");
	return 0;
}

int pev_check_flags(const struct pev_attr *attr, struct pev_refuse *r)
{
	u64 unknown;
	int err;

	unknown = attr->flags & ~(attr->type == PEV_TYPE_CHANNEL ? PEV_CHF_ALL : PEV_F_ALL);
	if (unknown)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "flags has bits that this kernel does not know: 0x%llx",
				  unknown);
	unknown = attr->sample & ~PEV_SAMPLE_ALL;
	if (unknown)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "sample has bits that this kernel does not know: 0x%llx",
				  unknown);
	if (!pev_source_of(attr->type))
		return 0;
	err = check_source_flags(attr, r);
	if (err)
		return err;
	if ((attr->flags & PEV_F_EXCLUDE_USER) && (attr->flags & PEV_F_EXCLUDE_KERNEL))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "excluding user and kernel mode leaves nothing");
	if (attr->channel_fd < -1)
		return pev_refuse(r, EBADF, PEV_FIELD(channel_fd),
				  "channel_fd %d: -1 means none", attr->channel_fd);
	if (attr->group_fd < -1)
		return pev_refuse(r, EBADF, PEV_FIELD(group_fd),
				  "group_fd %d: -1 means none", attr->group_fd);
	return check_trigger(attr, r);
}
