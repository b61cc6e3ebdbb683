/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Encoding of a record's context. Sources call pev_sample_begin(), fill in the
 * payload in place, and call pev_sample_end().
 */
#ifndef _PEV_SAMPLE_H
#define _PEV_SAMPLE_H

#include <linux/sched.h>
#include "record/callchain.h"
#include "record/loss.h"
#include "record/tally.h"
#include "ring/ring.h"
#include "types.h"

struct pev_owed;
struct pt_regs;

/**
 * struct pev_sample_in - what only the source knows of a sample
 * @regs:   registers at the event; NULL: those of the caller's context matter
 *          only for call chains, which then start at the source
 * @ip:     instruction pointer; 0: from @regs
 * @user_ip: @ip is one of user mode
 * @addr:   data address or 0
 * @period: occurrences or ns that this record stands for; 0: the event's period
 * @task:   the task it is about; NULL: the current task
 * @guest:  PEV_GUEST_*: it hit a guest, at @ip. There is no call chain
 * @elsewhere: what runs here has nothing to do with it, even if @task does
 * @place:  where the kernel's call chain begins without @regs; 0: at @ip
 * @nr_pair: of @pair
 * @pair:   words of PEV_SAMPLE_PAIR
 * @kernel: the kernel's call chain of @task; NULL: it is that of what runs here
 * @owed:   what @task owes for the record, see defer.h; NULL: it is to be found out
 */
struct pev_sample_in {
	struct pt_regs	*regs;
	u64		ip;
	bool		user_ip;
	u64		addr;
	u64		period;
	struct task_struct *task;
	u32		guest;
	bool		elsewhere;
	u64		place;
	u32		nr_pair;
	const u64	*pair;
	const struct pev_frames *kernel;
	struct pev_owed	*owed;
};

/*
 * May stacks and registers of what runs here be shown? It may be another task than the one
 * that it is about, or a guest.
 */
static inline bool pev_sample_is_here(const struct pev_event *event,
				      const struct pev_sample_in *in)
{
	if (event->flags & PEV_F_EXCLUDE_HOST)
		return false;
	return !in || ((!in->task || in->task == current) && !in->guest && !in->elsewhere);
}

/* Where call chains begin that have no registers to begin with. */
static inline u64 pev_sample_place(const struct pev_sample_in *in)
{
	return in ? in->place ?: in->ip : 0;
}

/* Return: of @stacks, PEV_SAMPLE_KSTACK and _USTACK, those that there are. */
static inline u64 pev_sample_stacks(const struct pev_event *event, const struct pev_sample_in *in,
				    u64 stacks)
{
	if (pev_sample_is_here(event, in))
		return stacks;
	return in && in->kernel ? stacks & PEV_SAMPLE_KSTACK : 0;
}

int pev_sample_init(struct pev_event *event, const struct pev_attr *attr, bool pairs,
		    struct pev_refuse *r);
void pev_sample_exit(struct pev_event *event);
u32 pev_sample_weight(const struct pev_event *event);
/* Registers that PEV_SAMPLE_UREGS accepts here. */
u64 pev_sample_regs(void);
void *pev_sample_begin_slow(struct pev_event *event, struct pev_event_cpu *ec,
			    u32 payload, const struct pev_sample_in *in);

/* Counts what pev_ring_reserve() refused. Return: NULL */
void *pev_sample_refused(struct pev_event_cpu *ec, const void *why);

/* pev_sample_begin() of an event without regard to its table, if it has one. */
void *pev_sample_begin_record(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
			      const struct pev_sample_in *in);

/**
 * pev_sample_begin_simple() - pev_sample_begin() where the caller saw that @event is simple
 * @event:   as there
 * @ec:      as there
 * @payload: as there
 *
 * Context: as there.
 * Return: as there.
 */
static __always_inline void *pev_sample_begin_simple(struct pev_event *event,
						     struct pev_event_cpu *ec, u32 payload)
{
	u32 body = 4 + ((payload + 7) & ~7U);
	u32 *rec;

	rec = pev_ring_reserve(ec->ring, event->id, body);
	if (unlikely(pev_ring_refused(rec)))
		return pev_sample_refused(ec, rec);
	local64_inc(&ec->samples);
	rec[0] = current->pid;
	/* what the payload does not fill is zeroed, not left over */
	if (payload & 7)
		*(u64 *)((u8 *)rec + body - 8) = 0;
	return rec + 1;
}

/**
 * pev_sample_begin() - reserve a record and write its header and context
 * @event:   the event
 * @ec:      the event on this CPU, where it runs and has a ring or a table
 * @payload: bytes of payload, any number
 * @in:      see struct pev_sample_in; NULL: nothing is known
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: where the payload goes, aligned to 8 bytes, to be filled in full and
 * ended by pev_sample_end(); NULL if it was lost or the channel is closed, which was counted.
 */
static __always_inline void *pev_sample_begin(struct pev_event *event,
					      struct pev_event_cpu *ec, u32 payload,
					      const struct pev_sample_in *in)
{
	if (unlikely(!event->simple || (in && in->task)))
		return pev_sample_begin_slow(event, ec, payload, in);
	return pev_sample_begin_simple(event, ec, payload);
}

/**
 * pev_sample_end() - the payload is complete
 * @ec:   as given to pev_sample_begin()
 */
static __always_inline void pev_sample_end(struct pev_event_cpu *ec)
{
	if (unlikely(!ec->ring))
		pev_tally_end();
	else
		pev_ring_commit(ec->ring);
}

#endif
