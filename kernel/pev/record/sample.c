// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the context of a record: what it holds, how long it is, how it is
 * written. See the uapi header for the layout. Must not know what a payload is.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/perf_regs.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/uaccess.h>
#include "base/paranoid.h"
#include "channel/act.h"
#include "channel/channel.h"
#include "glue/linux.h"
#include "ring/gate.h"
#include "ring/ring.h"
#include "callchain.h"
#include "context.h"
#include "defer.h"
#include "reason.h"
#include "sample.h"
#include "tally.h"
#include "user_regs.h"

#define SAMPLE_STACKS	(PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK)
#define SAMPLE_VARYING	(SAMPLE_STACKS | PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP | \
			 PEV_SAMPLE_READ)

#ifdef CONFIG_HAVE_PERF_REGS
static bool regs_valid(u64 mask)
{
	/* the vector registers are in what only a PMU's own records bring along */
	return !(mask & pev_perf_extended_regs()) && !perf_reg_validate(mask);
}
#else
static bool regs_valid(u64 mask)
{
	return false;
}
#endif

u64 pev_sample_regs(void)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (regs_valid(1ULL << i))
			mask |= 1ULL << i;
	return mask;
}

static int check_regs(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (!(attr->sample & PEV_SAMPLE_UREGS)) {
		if (attr->regs_user)
			return pev_refuse(r, EINVAL, PEV_FIELD(regs_user),
				"regs_user has no meaning without PEV_SAMPLE_UREGS: set it to 0");
		return 0;
	}
	if (!regs_valid(attr->regs_user))
		return pev_refuse(r, EINVAL, PEV_FIELD(regs_user),
			"mask 0x%llx is empty or names registers that this machine does not have",
			attr->regs_user);
	return 0;
}

static int check_dump(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (!(attr->sample & PEV_SAMPLE_USTACK_DUMP)) {
		if (attr->stack_user)
			return pev_refuse(r, EINVAL, PEV_FIELD(stack_user),
				"stack_user has no meaning without PEV_SAMPLE_USTACK_DUMP: set it to 0");
		return 0;
	}
	if (!attr->stack_user || attr->stack_user > PEV_MAX_STACK_DUMP || attr->stack_user % 8)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(stack_user), 8,
					PEV_MAX_STACK_DUMP,
					"stack_user %u is not a multiple of 8 in the range",
					attr->stack_user);
	return 0;
}

/*
 * An opener that may not see where the kernel is gets no address of its data either, whichever
 * source has it: a fault that the kernel has taken for the task, or an interrupt that came late,
 * or for another event, too.
 */
static bool hides_addr(const struct pev_event *event)
{
	if (event->flags & (PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HOST))
		return true;
	return !event->privileged && pev_paranoid_level() >= PEV_PARANOID_KERNEL;
}

/**
 * pev_sample_init() - check what records shall carry, and prepare for it
 * @event: @sample and what goes with it are set here
 * @attr:  the user's
 * @pairs: its records are of pairs
 * @r:     says why not
 *
 * Context: Process context.
 * Return: 0 or an error.
 */
int pev_sample_init(struct pev_event *event, const struct pev_attr *attr, bool pairs,
		    struct pev_refuse *r)
{
	int err;

	if (attr->sample && attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "an event without a channel has no records to put samples in");
	if (attr->sample & PEV_SAMPLE_PAIR && !pairs)
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "PEV_SAMPLE_PAIR is for what ends pairs of a table with PEV_TABLE_F_RECORDS");
	err = check_regs(attr, r);
	err = err ?: check_dump(attr, r);
	if (err)
		return err;
	if (attr->sample & PEV_SAMPLE_COOKIE &&
	    !(attr->sample & (PEV_SAMPLE_USTACK | PEV_SAMPLE_USTACK_DUMP)))
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "PEV_SAMPLE_COOKIE has no meaning without PEV_SAMPLE_USTACK or PEV_SAMPLE_USTACK_DUMP");
	if (attr->max_stack > PEV_MAX_STACK)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(max_stack), 0, PEV_MAX_STACK,
					"max_stack %u is too much", attr->max_stack);
	if (attr->max_stack && !(attr->sample & SAMPLE_STACKS))
		return pev_refuse(r, EINVAL, PEV_FIELD(max_stack),
			"max_stack has no meaning without PEV_SAMPLE_KSTACK or PEV_SAMPLE_USTACK: set it to 0");
	event->sample = attr->sample;
	event->regs_user = attr->regs_user;
	event->stack_user = attr->stack_user;
	event->max_stack = attr->max_stack ?: PEV_MAX_STACK;
	event->varying = attr->sample & SAMPLE_VARYING;
	event->hides_addr = hides_addr(event);
	event->simple = attr->sample == PEV_SAMPLE_TID && event->pid_ns == &init_pid_ns &&
			!(event->flags & PEV_TRIGGER_FLAGS);
	event->body = 4;
	if (attr->sample & PEV_SAMPLE_PID)
		event->body += 8;
	event->body += 8 * hweight64(attr->sample & (PEV_SAMPLE_IP | PEV_SAMPLE_ADDR |
						     PEV_SAMPLE_PERIOD | PEV_SAMPLE_CPU |
						     PEV_SAMPLE_GUEST | PEV_SAMPLE_EXIT |
						     PEV_SAMPLE_COOKIE));
	if (attr->sample & PEV_SAMPLE_CONTEXT)
		event->body += PEV_CONTEXT_WORDS * sizeof(u64);
	if (event->varying & SAMPLE_STACKS) {
		err = pev_callchain_get();
		if (err)
			event->varying &= ~SAMPLE_STACKS;
	}
	return err;
}

/* An event counts for one more with so many bytes of stack, frames, values of a group. */
#define BYTES_OF_ONE	256
#define FRAMES_OF_ONE	3
#define VALUES_OF_ONE	2
/*
 * For how many it counts at least for what may be where the program has no memory: a fault of the
 * kernel takes some 600 instructions, and a call chain 200 more before its first frame.
 */
#define FAULT		6
#define CHAIN		8
/* For how many for the program's registers. */
#define REGS		3
/* For how many one counts that searches the task's others for who is to tell a stack. */
#define SEARCH		32
/* All of that so many times, where records are written for dozens of tasks at a stretch. */
#define IN_BULK		4

/**
 * pev_sample_weight() - for how many events more the records of one are to count
 * @event: is in its channel or table
 *
 * A group may still grow.
 *
 * Context: Process context.
 * Return: the number, 0 of short ones; see pev_event_weigh().
 */
u32 pev_sample_weight(const struct pev_event *event)
{
	u64 stacks = (event->varying & SAMPLE_STACKS) | pev_tally_stacks(event);
	u32 weight = 0;

	if (event->flags & PEV_F_EXCLUDE_KERNEL)
		stacks &= ~PEV_SAMPLE_KSTACK;
	weight += hweight64(stacks) * max_t(u32, event->max_stack / FRAMES_OF_ONE, CHAIN);
	if (event->varying & PEV_SAMPLE_USTACK_DUMP)
		weight += max_t(u32, event->stack_user / BYTES_OF_ONE, FAULT);
	if (event->varying & PEV_SAMPLE_UREGS)
		weight += REGS;
	if (event->varying & PEV_SAMPLE_READ)
		weight += PEV_MAX_GROUP / VALUES_OF_ONE;
	/* beside a system call a request is nothing, and all of them may have it */
	if (!event->fields)
		weight += FAULT * (pev_tally_requests(event) +
				   !!(event->sample & PEV_SAMPLE_CONTEXT));
	if (event->sample & PEV_SAMPLE_COOKIE)
		weight += SEARCH;
	return pev_event_weigh(event, event->in_bulk ? IN_BULK * weight : weight);
}

/* Undo pev_sample_init(). */
void pev_sample_exit(struct pev_event *event)
{
	if (event->varying & SAMPLE_STACKS)
		pev_callchain_put();
}

/**
 * struct parts - the variable parts of one record
 * @chain:  both call chains; NULL: not wanted, or empty
 * @regs:   user registers or NULL
 * @values: members of the group
 * @dump:   bytes of user stack wanted
 * @owed:   the user's part comes later; NULL: it is in the record
 * @bytes:  of all of it
 */
struct parts {
	struct pev_callchain	*chain;
	struct pt_regs		*regs;
	u32			values;
	u32			dump;
	struct pev_owed		*owed;
	u32			bytes;
};

/* Bytes between the user's stack pointer and the end of the address space. */
static u32 dump_size(struct pev_event *event, struct pt_regs *regs)
{
	unsigned long sp;

	if (!regs)
		return 0;
	sp = user_stack_pointer(regs);
	if (sp >= TASK_SIZE)
		return 0;
	return round_down(min_t(u64, event->stack_user, TASK_SIZE - sp), 8);
}

/*
 * Is the user's part to come later? Not if the thread itself came to the place: it may be on its
 * way to user mode, and what it owed then would send it round and round. Nor if the channel is
 * closed by then.
 */
static struct pev_owed *owed_for(struct pev_event *event, const struct pev_sample_in *in)
{
	if (in && in->owed)
		return in->owed;
	if (event->flags & PEV_CLOSING_FLAGS || in_task() || !pev_sample_is_here(event, in) ||
	    (in && in->regs && user_mode(in->regs)))
		return NULL;
	return pev_defer_here(event->channel);
}

static void measure(struct pev_event *event, const struct pev_sample_in *in,
		    struct parts *parts)
{
	u64 stacks = pev_sample_stacks(event, in, event->varying & SAMPLE_STACKS);
	bool own = pev_sample_is_here(event, in);
	struct pt_regs *regs = in ? in->regs : NULL;

	if (event->sample & PEV_SAMPLE_COOKIE)
		parts->owed = owed_for(event, in);
	if (parts->owed) {
		stacks &= ~PEV_SAMPLE_USTACK;
		own = false;
	}
	if (event->varying & SAMPLE_STACKS) {
		parts->bytes += 8;
		if (stacks) {
			parts->chain = pev_callchain_take(event, stacks, regs,
							  pev_sample_place(in),
							  in ? in->kernel : NULL);
			parts->bytes += 8 * (parts->chain->nr_kernel + parts->chain->nr_user);
		}
	}
	if (own && (event->varying & (PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP)))
		parts->regs = pev_user_regs(regs);
	if (event->varying & PEV_SAMPLE_UREGS)
		parts->bytes += 8 + (parts->regs ? 8 * hweight64(event->regs_user) : 0);
	if (event->varying & PEV_SAMPLE_READ) {
		struct pev_event *leader = READ_ONCE(event->leader), *member;

		parts->values = 1;
		list_for_each_entry_rcu(member, &leader->siblings, group_node, true)
			if (++parts->values == PEV_MAX_GROUP)
				break;
		parts->bytes += 8 + 8 * parts->values;
	}
	if (event->varying & PEV_SAMPLE_USTACK_DUMP) {
		parts->dump = dump_size(event, parts->regs);
		parts->bytes += 8 + parts->dump;
	}
}

static u64 *put_values(struct pev_event *event, u64 *to, u32 nr)
{
	struct pev_event *leader = READ_ONCE(event->leader), *member;
	u64 now = 0;

	*to++ = nr;
	*to++ = pev_event_cpu_value_at(leader, this_cpu_ptr(leader->percpu), &now);
	nr--;
	/* the group may have changed since it was measured */
	list_for_each_entry_rcu(member, &leader->siblings, group_node, true) {
		if (!nr)
			break;
		*to++ = pev_event_cpu_value_at(member, this_cpu_ptr(member->percpu), &now);
		nr--;
	}
	while (nr--)
		*to++ = 0;
	return to;
}

static u64 *put_regs(struct pev_event *event, u64 *to, struct pt_regs *regs)
{
#ifdef CONFIG_HAVE_PERF_REGS
	u64 mask = event->regs_user;

	*to++ = regs ? hweight64(mask) : 0;
	while (regs && mask) {
		*to++ = perf_reg_value(regs, __ffs64(mask));
		mask &= mask - 1;
	}
#endif
	return to;
}

/*
 * What can't be read is zero: the length was promised already. Pages that are
 * not there can't be faulted in, and in an NMI the address space may not be
 * the task's at all: copy_from_user_nofault() knows.
 */
static u64 *put_dump(u64 *to, struct pt_regs *regs, u32 bytes)
{
	unsigned long from = bytes ? user_stack_pointer(regs) : 0;
	void *at = to + 1;
	u32 left, part;

	*to = bytes;
	for (left = bytes; left; left -= part) {
		part = min_t(u32, left, PAGE_SIZE - offset_in_page(from));
		if (copy_from_user_nofault(at, (void __user *)from, part))
			break;
		at += part;
		from += part;
	}
	memset(at, 0, left);
	return at + left;
}

static u64 *put_stacks(u64 *to, const struct pev_callchain *chain)
{
	u32 *nr = (u32 *)to++;

	if (!chain) {
		nr[0] = 0;
		nr[1] = 0;
		return to;
	}
	nr[0] = chain->nr_kernel;
	nr[1] = chain->nr_user;
	memcpy(to, chain->kernel, nr[0] * sizeof(*to));
	to += nr[0];
	memcpy(to, chain->user, nr[1] * sizeof(*to));
	return to + nr[1];
}

static void put_parts(struct pev_event *event, u64 *to, const struct parts *parts)
{
	if (event->varying & SAMPLE_STACKS)
		to = put_stacks(to, parts->chain);
	if (event->varying & PEV_SAMPLE_UREGS)
		to = put_regs(event, to, parts->regs);
	if (event->varying & PEV_SAMPLE_READ)
		to = put_values(event, to, parts->values);
	if (event->varying & PEV_SAMPLE_USTACK_DUMP)
		put_dump(to, parts->regs, parts->dump);
}

static u64 sample_ip(const struct pev_event *event, const struct pev_sample_in *in)
{
	if (!in)
		return 0;
	if (in->guest)
		return in->ip;
	/* where the source is; what was excluded has no right to see it */
	if (in->ip)
		return event->flags & PEV_F_EXCLUDE_KERNEL && !in->user_ip ? 0 : in->ip;
	return in->regs ? instruction_pointer(in->regs) : 0;
}

static u64 sample_addr(const struct pev_event *event, const struct pev_sample_in *in)
{
	if (!in || (event->hides_addr && in->addr >= TASK_SIZE_MAX))
		return 0;
	return in->addr;
}

static noinline u64 *put_pair(u64 *to, const struct pev_sample_in *in)
{
	for (u32 i = 0; i < in->nr_pair; i++)
		*to++ = in->pair[i];
	return to;
}

static u64 *put_guest(const struct pev_event *event, u64 *to, const struct pev_sample_in *in)
{
	if (event->sample & PEV_SAMPLE_GUEST)
		*to++ = in ? in->guest : 0;
	if (event->sample & PEV_SAMPLE_EXIT)
		*to++ = pev_sample_is_here(event, in) ? pev_reason_here() : 0;
	return to;
}

/* Returns where the variable parts go. */
static __always_inline u64 *put_fixed(struct pev_event *event, u32 *rec,
				      const struct pev_sample_in *in)
{
	struct task_struct *task = in && in->task ? in->task : current;
	u64 *to = (u64 *)(rec + 1);

	if (likely(event->pid_ns == &init_pid_ns)) {
		rec[0] = event->sample & PEV_SAMPLE_TID ? task->pid : 0;
		if (event->sample & PEV_SAMPLE_PID)
			*to++ = task->tgid;
	} else {
		rec[0] = event->sample & PEV_SAMPLE_TID ?
			 task_pid_nr_ns(task, event->pid_ns) : 0;
		if (event->sample & PEV_SAMPLE_PID)
			*to++ = task_tgid_nr_ns(task, event->pid_ns);
	}
	if (event->sample & PEV_SAMPLE_IP)
		*to++ = sample_ip(event, in);
	if (event->sample & PEV_SAMPLE_ADDR)
		*to++ = sample_addr(event, in);
	if (event->sample & PEV_SAMPLE_PERIOD)
		*to++ = in && in->period ? in->period : READ_ONCE(event->period);
	if (event->sample & PEV_SAMPLE_CPU)
		*to++ = smp_processor_id();
	if (event->sample & (PEV_SAMPLE_GUEST | PEV_SAMPLE_EXIT))
		to = put_guest(event, to, in);
	if (event->sample & PEV_SAMPLE_CONTEXT) {
		/* of another thread it is not to be found here */
		if (likely(pev_sample_is_here(event, in)))
			pev_context_put(to);
		else
			memset(to, 0, PEV_CONTEXT_WORDS * sizeof(*to));
		to += PEV_CONTEXT_WORDS;
	}
	if (event->sample & PEV_SAMPLE_PAIR)
		to = put_pair(to, in);
	return to;
}

void *pev_sample_refused(struct pev_event_cpu *ec, const void *why)
{
	if (why == PEV_RING_CLOSED)
		local64_inc(&ec->unarmed);
	else
		pev_event_lost(ec);
	return NULL;
}

/* Begin a record of fixed size: no call chain, no registers, no stack. */
static void *begin_fixed(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
			 const struct pev_sample_in *in)
{
	u32 padded = round_up(payload, 8);
	u64 *to;
	u32 *rec;

	rec = pev_ring_reserve(ec->ring, event->id, event->body + padded);
	if (unlikely(pev_ring_refused(rec)))
		return pev_sample_refused(ec, rec);
	local64_inc(&ec->samples);
	to = put_fixed(event, rec, in);
	if (padded != payload)
		to[padded / 8 - 1] = 0;
	return to;
}

static noinline void *begin_varying(struct pev_event *event, struct pev_event_cpu *ec,
				    u32 payload, const struct pev_sample_in *in)
{
	struct parts parts = {};
	u32 padded = round_up(payload, 8);
	u64 *to = NULL;
	u32 *rec;

	/* spares the work of collecting what nothing would be written of */
	if (unlikely(!pev_ring_open(ec->ring)))
		return pev_sample_refused(ec, PEV_RING_CLOSED);
	if (unlikely(!pev_collect_begin())) {
		pev_ring_lose(ec->ring);
		pev_event_lost(ec);
		return NULL;
	}
	if (unlikely(pev_ring_refuse(ec->ring, event->body + padded))) {
		pev_event_lost(ec);
		goto out;
	}
	measure(event, in, &parts);
	rec = pev_ring_reserve(ec->ring, event->id, event->body + parts.bytes + padded);
	if (unlikely(pev_ring_refused(rec))) {
		pev_sample_refused(ec, rec);
		goto out;
	}
	local64_inc(&ec->samples);
	to = put_fixed(event, rec, in);
	if (event->sample & PEV_SAMPLE_COOKIE)
		*to++ = pev_defer_announce(parts.owed);
	put_parts(event, to, &parts);
	to = (void *)to + parts.bytes;
	if (padded != payload)
		to[padded / 8 - 1] = 0;
out:
	if (parts.chain)
		pev_callchain_drop(parts.chain);
	pev_collect_end();
	return to;
}

void *pev_sample_begin_record(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
			      const struct pev_sample_in *in)
{
	return event->varying ? begin_varying(event, ec, payload, in) :
				begin_fixed(event, ec, payload, in);
}

/* What pev_sample_begin_record() is where there is no ring. */
static void *begin_nowhere(struct pev_event *event, struct pev_event_cpu *ec)
{
	return pev_sample_refused(ec, pev_gate_state(&event->channel->gate) ? PEV_RING_CLOSED :
									      NULL);
}

/*
 * The channel is started before and closed behind the trigger's own record, which is
 * completed in a closed ring, too. It acts even if there is no room for that record.
 */
static noinline void *begin_trigger(struct pev_event *event, struct pev_event_cpu *ec,
				    u32 payload, const struct pev_sample_in *in)
{
	bool start = event->flags & PEV_F_START, acted = false;
	void *to;

	local64_inc(&ec->fired);
	if (start)
		acted = pev_channel_trigger(event->channel, PEV_ACT_START, ec->ring);
	to = ec->ring ? pev_sample_begin_record(event, ec, payload, in) : begin_nowhere(event, ec);
	if (!start)
		acted = pev_channel_trigger(event->channel,
					    event->flags & PEV_F_STOP ? PEV_ACT_STOP :
									PEV_ACT_FREEZE,
					    ec->ring);
	if (acted)
		local64_inc(&ec->acted);
	return to;
}

/**
 * pev_event_ringless() - a record is due on a CPU that its channel has no ring for
 * @event: its event, of a channel
 * @ec:    the event on this CPU
 *
 * The CPU came online when there was no memory for one.
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_event_ringless(struct pev_event *event, struct pev_event_cpu *ec)
{
	if (event->flags & PEV_TRIGGER_FLAGS)
		begin_trigger(event, ec, 0, NULL);
	else
		begin_nowhere(event, ec);
}

/**
 * pev_event_hit_ringless() - count an occurrence there towards the period
 * @event: as there
 * @ec:    as there
 * @nr:    how many at once
 *
 * Context: as there.
 */
void pev_event_hit_ringless(struct pev_event *event, struct pev_event_cpu *ec, u64 nr)
{
	if (pev_event_due(event, ec, nr))
		pev_event_ringless(event, ec);
}

/**
 * pev_sample_begin_slow() - pev_sample_begin() for all but the simplest
 * @event:   as there
 * @ec:      as there
 * @payload: as there
 * @in:      as there
 *
 * Context: as there.
 * Return: as there.
 */
void *pev_sample_begin_slow(struct pev_event *event, struct pev_event_cpu *ec,
			    u32 payload, const struct pev_sample_in *in)
{
	if (event->tally)
		return pev_tally_begin(event, ec, payload, in);
	if (unlikely(event->flags & PEV_TRIGGER_FLAGS))
		return begin_trigger(event, ec, payload, in);
	return pev_sample_begin_record(event, ec, payload, in);
}
