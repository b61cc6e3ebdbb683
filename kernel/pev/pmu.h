/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the PMU core: pmu.c owns the hardware and the events, pmu_cpu.c the PMU
 * of each CPU, pmu_sched.c who has which of its counters and when, pmu_overflow.c
 * samples, pmu_page.c what user space reads by itself, pmu_status.c what is told
 * about all of it. Those that move counters share pmu_counter.h. For other files of
 * pev: the functions at the end.
 */
#ifndef _PEV_PMU_CORE_H
#define _PEV_PMU_CORE_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/pev_pmu.h>
#include "count.h"
#include "event.h"

struct pev_info;
struct vm_area_struct;

/**
 * struct pev_hw_slot - a hardware event on one CPU
 * @slot:      what all events have
 * @event:     back
 * @node:      in the CPU's list of those that want a counter
 * @counter:   that it has; -1: none
 * @bits:      its width
 * @last:      that it had before and would like again; -1: none
 * @sampling:  overflows make records
 * @throttled: has a counter that stands still until the next tick
 * @paged:     what it counts goes to the user page's total too
 * @raw:       the counter when it was folded last
 * @period:    progress towards the next sample
 * @since:     when it got the counter, or began to wait for one
 * @waited:    ns that it waited; @slot->waited is that as of the last fold
 * @turn:      place in the queue of those that have to take turns
 * @turn_ran:  ns that it has counted in this turn
 * @window_x:  counted in this turn
 * @windows:   sums over all turns before
 * @sampled:   time of the last sample, less the time that it did not count
 * @hits:      samples in the current tick ...
 * @tick:      ... and which that is
 * @throttles: times that it was throttled
 * @throttled_ns: and for how long
 *
 * Changed by its CPU alone, see struct pev_pmu_cpu.
 */
struct pev_hw_slot {
	struct pev_slot		*slot;
	struct pev_event	*event;
	struct list_head	node;
	s8			counter;
	s8			last;
	u8			bits;
	bool			sampling;
	bool			throttled;
	bool			paged;
	u64			raw;
	struct pev_period	period;
	u64			since;
	u64			waited;
	u64			turn;
	u64			turn_ran;
	u64			window_x;
	struct pev_windows	windows;
	u64			sampled;
	u32			hits;
	unsigned long		tick;
	u64			throttles;
	u64			throttled_ns;
};

/**
 * struct pev_hw_event - a hardware event, event->private
 * @event: back
 * @code:  how the hardware counts it
 * @slots: one for each possible CPU
 * @page:  see pmu_page.c; NULL without PEV_F_USER_PAGE
 * @total: what all CPUs counted, for @page
 * @mark:  whom it counts, of PEV_F_MARKED events
 */
struct pev_hw_event {
	struct pev_event		*event;
	struct pev_pmu_code		code;
	struct pev_hw_slot __percpu	*slots;
	struct pev_user_page		*page;
	atomic64_t			total;
	struct pid			*mark;
};

/* The machine's PMU, NULL if there is none; set once at boot (or by a test). */
extern const struct pev_pmu *pev_pmu;

extern const char * const pev_hardware_names[PEV_HW_MAX];

extern unsigned int sysctl_pev_rotate_us;
extern unsigned int sysctl_pev_max_sample_rate;

/* How to count an event, or why not. Process context. */
int pev_pmu_encode(u32 type, u64 config, u64 flags, struct pev_pmu_code *code,
		   struct pev_refuse *r);
/* Is the hardware ours at the moment? */
bool pev_pmu_is_ours(void);

#if IS_ENABLED(CONFIG_KUNIT)
int pev_pmu_suspend(void *data);
void pev_pmu_resume(void *data);
#endif

/* ---- pmu_cpu.c ---- */

void pev_pmu_cpu_init(void);
void pev_pmu_cpu_ops(const struct pev_pmu_ops *ops);
/* On the CPU, interrupts off. */
void pev_pmu_cpu_start(void);
void pev_pmu_cpu_stop(void);
void pev_pmu_slot_fold(struct pev_event *event, struct pev_slot *slot, u64 now);
void pev_pmu_slot_reset(struct pev_event *event, struct pev_slot *slot, unsigned int cpu);
/* Freeze and thaw: what @thaw has to know may have changed. Interrupts off. */
void pev_pmu_cpu_update(void);
/* Which event has @counter on @cpu, for texts; a snapshot. RCU-sched held. */
struct pev_event *pev_pmu_cpu_user(unsigned int cpu, unsigned int counter);

/* ---- pmu_sched.c ---- */

void pev_pmu_slot_start(struct pev_event *event, struct pev_slot *slot, u64 now);
void pev_pmu_slot_stop(struct pev_event *event, struct pev_slot *slot, u64 now);

/* ---- pmu_overflow.c ---- */

/* Choose the clock by which PMIs are timed; before CPUs are started. */
void pev_pmu_overflow_clock(void);
u64 pev_pmu_incidents(enum pev_pmu_incident what);

/* ---- pmu_page.c ---- */

int pev_pmu_page_make(struct pev_hw_event *hw, const struct pev_attr *attr,
		      struct pev_refuse *r);
int pev_pmu_page_map(struct pev_event *event, struct vm_area_struct *vma);
void pev_pmu_page_free(struct pev_hw_event *hw);
/* May anybody read counters in user mode? */
bool pev_pmu_readable(void);
void pev_pmu_page_update(struct pev_hw_event *hw, const struct pev_hw_slot *s);

/* ---- for the rest of pev ---- */

DECLARE_STATIC_KEY_FALSE(pev_pmu_key);
DECLARE_STATIC_KEY_FALSE(pev_mark_key);

void __pev_pmu_settle(void);

/**
 * pev_pmu_settle() - slots of this CPU were started or stopped
 *
 * Hardware events change counters once for all that @start and @stop were called
 * for. Until then the PMU stands still.
 *
 * Context: interrupts off, the same section in which they were called.
 */
static __always_inline void pev_pmu_settle(void)
{
	if (static_branch_unlikely(&pev_pmu_key))
		__pev_pmu_settle();
}

/**
 * pev_pmu_mark() - @task is to be known to PEV_F_MARKED events, or not
 * @task: current, or about to be
 * @on:   which
 *
 * Context: interrupts off.
 */
void pev_pmu_mark(struct task_struct *task, bool on);

static inline bool pev_is_hardware(const struct pev_event *event)
{
	return event->ops == &pev_pmu_source;
}

int pev_pmu_setup(void);
void pev_pmu_info(struct pev_info *info);
void pev_pmu_catalog(struct pev_text *text);
struct file *pev_pmu_file(void);
int pev_pmu_read_multiplexed(struct pev_event *event, struct pev_multiplexed __user *uarg);

#endif
