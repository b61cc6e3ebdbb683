/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that the current thread is lent for the guest that it runs: what it counts is set and
 * read from outside, and an overflow is told at once instead of becoming a record.
 */
#ifndef _PEV_PMU_LEND_H
#define _PEV_PMU_LEND_H

#include <linux/jump_label.h>
#include <linux/pev_pmu.h>
#include <linux/types.h>

struct pev_event;
struct pev_attr;
struct pev_event_cpu;
struct pev_hw_cpu;
struct pev_refuse;
struct pev_source_ops;

/* Width of a lent counter, whatever the processor's: it overflows from 2^48 - 1 to 0. */
#define PEV_LENT_BITS	48

/**
 * struct pev_lent - a lent counter
 * @event:    that counts for it, on the thread
 * @overflow: called at each overflow, on the CPU, in any context, NMI included; @throttled: from
 *            here to the next tick it stands still, because there were too many
 * @value:    while it stands still
 * @waited:   of the event on this CPU, when it began to count
 * @missed:   it stood still for a time while it was to count
 *
 * Belongs to the thread, but for the event's end.
 */
struct pev_lent {
	struct pev_event	*event;
	void			(*overflow)(struct pev_lent *lent, bool throttled);
	u64			value;
	u64			waited;
	bool			missed;
};

/* On while counters may be lent. */
DECLARE_STATIC_KEY_FALSE(pev_lent_key);

/**
 * pev_lending_begin() - counters may be lent from here on
 * @r: says why not
 *
 * What all CPUs have to do for that is done here, and not when a guest asks.
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EBUSY: others have the counters.
 */
int pev_lending_begin(struct pev_refuse *r);
/* Undo it; nothing is lent by it any more. Process context. */
void pev_lending_end(void);

/**
 * pev_lent_code() - how the processor counts an event of a guest
 * @word: the event, as in struct pev_guest_area
 * @code: filled in
 * @r:    says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error.
 */
int pev_lent_code(u64 word, struct pev_pmu_code *code, struct pev_refuse *r);

/* Events of lent counters. */
extern const struct pev_source_ops pev_lent_source;

/**
 * pev_lent_bind() - an event becomes a lent counter
 * @lent:  its @overflow is set, all else 0
 * @event: of pev_lent_source, on the current thread, switched off
 *
 * It stands still at 0, and what it counts is not set yet. Once the event was closed @overflow is
 * not called any more.
 *
 * Context: Process context.
 */
void pev_lent_bind(struct pev_lent *lent, struct pev_event *event);

/* What it counts from the next pev_lent_switch() on, and from where. It stands still. */
void pev_lent_event(struct pev_lent *lent, const struct pev_pmu_code *code);
void pev_lent_set(struct pev_lent *lent, u64 value);

/**
 * pev_lent_switch() - let counters count, or stand still
 * @lents:  each of a struct that has it as its first member
 * @nr:     number of them
 * @stride: bytes of that struct
 * @active: mask of those that count from here on; others stand still
 *
 * Context: Process context of the thread.
 */
void pev_lent_switch(struct pev_lent *lents, unsigned int nr, size_t stride, u64 active);

/* The value as of now. Process context of the thread. */
u64 pev_lent_value(struct pev_lent *lent);

/* ---- for events of this kind, see struct pev_source_ops ---- */

int pev_lent_event_open(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r);
void pev_lent_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_lent_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
/* The counter has overflowed. In the PMI. */
void pev_lent_overflow(struct pev_hw_cpu *s, bool throttled);

#endif
