/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU without hardware: counters that count when a test says so, overflow, and raise PMIs
 * at the worst of moments.
 */
#ifndef _PEV_PMU_FAKE_TEST_H
#define _PEV_PMU_FAKE_TEST_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/pev_pmu.h>
#include "pmu/counter.h"
#include "target/sync.h"
#include "types.h"

struct kunit;
struct pev_channel;

#define COUNTERS	5
#define ANY		0x0fULL		/* general counters */
#define FIXED		0x10ULL		/* counts FIXED_CODE alone */
#define FIXED_CODE	100
#define BITS		20
#define LAP		BIT_ULL(BITS)

/**
 * struct pev_fake_cpu - the counters of a CPU
 * @value:    of each
 * @config:   of each: how much it counts of each unit of work
 * @active:   counters that run
 * @overflow: counters that have wrapped
 * @frozen:   nothing counts
 * @ours:     between @cpu_start and @cpu_stop
 * @sets:     calls of @set
 * @writes:   of @write
 * @freezes:  of @freeze
 * @thaws:    of @thaw
 * @deaf:     overflows raise no PMI
 * @pmi_in_freeze: raise a PMI for these counters inside of the next freeze
 */
struct pev_fake_cpu {
	u64		value[COUNTERS];
	u64		config[COUNTERS];
	u64		active;
	u64		overflow;
	bool		frozen;
	bool		ours;
	bool		deaf;
	unsigned int	sets;
	unsigned int	writes;
	unsigned int	freezes;
	unsigned int	thaws;
	u64		pmi_in_freeze;
};

DECLARE_PER_CPU(struct pev_fake_cpu, pev_fake_cpus);

/**
 * struct pev_fake - what a test wants of it
 * @holder: who has the counters
 * @gone:   @cpu_start finds no PMU
 * @broken: counters that it finds broken
 * @words:  of the request that was encoded last
 * @regs:   that PMIs find
 * @addr:   of the data, that they tell
 * @strays: calls for a CPU that is not ours
 */
struct pev_fake {
	const char	*holder;
	bool		gone;
	u64		broken;
	u64		words[2];
	struct pt_regs	*regs;
	u64		addr;
	atomic_t	strays;
};

extern struct pev_fake pev_fake;

#define MAX_EVENTS	8

/* Events that a test has open. */
struct pev_fake_rig {
	struct pev_event	*events[MAX_EVENTS];
	unsigned int		nr;
};

/* Of a suite. All of its tests run on CPU 0. */
int pev_fake_init(struct kunit *test);
void pev_fake_exit(struct kunit *test);
struct pev_event *pev_fake_open(struct kunit *test, u64 code, u64 flags,
				struct pev_event *leader);
/* The same of one that records @sample each @period, of user registers the first. */
struct pev_event *pev_fake_sample(struct kunit *test, struct pev_channel *channel, u64 period,
				  u64 flags, u64 sample);
/* All events on or off. */
void pev_fake_switch(struct kunit *test, bool on);
/* @units of work on this CPU; the PMI comes at the end of it. */
void pev_fake_work(u64 units);
/* The same with interrupts off. */
void pev_fake_work_off(u64 units);
/* A suspend; @meanwhile is what firmware does, or NULL. */
void pev_fake_nap(void (*meanwhile)(void));

static inline struct pev_event_cpu *ec_here(struct pev_event *event)
{
	return per_cpu_ptr(event->percpu, 0);
}

static inline struct pev_hw_cpu *hw_here(struct pev_event *event)
{
	struct pev_hw_event *hw = event->private;

	return per_cpu_ptr(hw->percpu, 0);
}

static inline u64 value(struct pev_event *event)
{
	pev_target_fold(&event, 1);
	return local64_read(&ec_here(event)->count);
}

static inline u64 time_running(struct pev_event *event)
{
	return ec_here(event)->time - ec_here(event)->waited;
}

static inline bool on_counter(struct pev_event *event)
{
	return hw_here(event)->counter >= 0;
}

#endif
