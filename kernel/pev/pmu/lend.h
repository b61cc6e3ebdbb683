/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that the current thread is lent for the guest that it runs: what it counts is set and
 * read from outside, and an overflow is told at once instead of becoming a record.
 */
#ifndef _PEV_PMU_LEND_H
#define _PEV_PMU_LEND_H

#include <linux/pev_guest.h>
#include <linux/pev_pmu.h>
#include <linux/types.h>

struct pev_event;
struct pev_attr;
struct pev_event_cpu;
struct pev_hw_cpu;
struct pev_pmu_cpu;
struct pev_refuse;
struct pev_source_ops;

/* Width of a lent counter, whatever the processor's: it overflows from 2^48 - 1 to 0. */
#define PEV_LENT_BITS	48

/**
 * struct pev_lent - a lent counter
 * @event:    that counts for it, on the thread
 * @overflow: called at each overflow, on the CPU, in any context, NMI included; @throttled: from
 *            here to the next tick it stands still, because there were too many
 * @shows:    the guest can be told where it is
 * @value:    while it stands still
 * @waited:   of the event on this CPU, when it began to count
 * @lost:     ns for which it stood still while it was to count
 * @counter:  in which the guest was told that it is; -1: none
 * @offset:   what the guest was told that the counter has more than @value
 *
 * Belongs to the thread, but for the event's end.
 */
struct pev_lent {
	struct pev_event	*event;
	void			(*overflow)(struct pev_lent *lent, bool throttled);
	bool			shows;
	u64			value;
	u64			waited;
	u64			lost;
	int			counter;
	u64			offset;
};

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
/* Nothing is lent by it any more. Process context. */
void pev_lending_end(void);
/* ... and no guest may be about to be left that could read counters. Process context. */
void pev_lending_forget(void);

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
 * @lent:  its @overflow and @shows are set, all else 0
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

/**
 * pev_lent_tell() - where is each counter from here on?
 * @lents:  as for pev_lent_switch()
 * @nr:     likewise
 * @stride: likewise
 *
 * @counter and @offset are set again. While it has that counter of the processor's with that offset
 * it can be read there, and it gets it again if it can be had.
 *
 * Context: Process context of the thread.
 */
void pev_lent_tell(struct pev_lent *lents, unsigned int nr, size_t stride);

/**
 * pev_lent_shown() - is all that could be read here what was told, or 0?
 * @lents:  as for pev_lent_switch()
 * @nr:     likewise
 * @stride: likewise
 *
 * Context: On the CPU, interrupts off, no PMI can come.
 */
bool pev_lent_shown(struct pev_lent *lents, unsigned int nr, size_t stride);

/* A number that changes when what pev_lent_shown() says does, on this CPU. The same context. */
u64 pev_lent_changes(void);

/* The number by which an instruction reads where it was told that it is; -1: nowhere. */
static inline int pev_lent_reg(const struct pev_lent *lent)
{
	return lent->counter < 0 ? -1 : pev_pmu->counters[lent->counter].user;
}

/* ---- for events of this kind, see struct pev_source_ops ---- */

int pev_lent_event_open(struct pev_event *event, const struct pev_attr *attr,
			struct pev_refuse *r);
void pev_lent_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
void pev_lent_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now);
/* It has got a counter, which was loaded. In an update. */
void pev_lent_attach(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s);
/* The counter has overflowed. In the PMI. */
void pev_lent_overflow(struct pev_hw_cpu *s, bool throttled);

#endif
