/* SPDX-License-Identifier: GPL-2.0 */
/* A core, as small as can be, that drives the backend; and what the cases share. */
#ifndef CORE_H
#define CORE_H

#include <linux/pev_pmu.h>
#include <stdlib.h>
#include <linux/pev_refuse.h>
#include "model.h"

#define CHECK(cond) do {							\
	if (!(cond)) {								\
		printf("# %s:%d: %s\n", __func__, __LINE__, #cond);		\
		failed = 1;							\
	}									\
} while (0)
#define CHECK_EQ(a, b) do {							\
	long long a_ = (a), b_ = (b);						\
	if (a_ != b_) {								\
		printf("# %s:%d: %s is %lld (%#llx), not %s, %lld\n", __func__,	\
		       __LINE__, #a, a_, a_, #b, b_);				\
		failed = 1;							\
	}									\
} while (0)

/**
 * struct mini - an event on a counter
 * @period: of samples, 0: only counts
 * @left:   to the next
 * @low:    bits that are 0 in what it takes to the overflow
 * @raw:    counter when it was folded last
 * @count:  all that was counted
 * @samples: taken
 */
struct mini {
	s64	period, left;
	u64 low, raw, count;
	int	samples;
};

/**
 * struct test_case - one of a list that an empty one ends
 * @name: what holds
 * @run:  tries it, in a process of its own
 * @each: for each kind of PMU
 */
struct test_case {
	const char	*name;
	void		(*run)(void);
	bool		each;
};

extern const struct test_case count_cases[], pmi_cases[], owner_cases[], encode_cases[],
	errata_cases[];

/* The kind of PMU that is being tested. */
extern const struct test_kind { bool amd; int version; const char *name; } kinds[8];
extern int kind;

extern const struct pev_pmu *pmu;
extern int failed;

extern struct mini mini[PEV_PMU_MAX_COUNTERS];
/* What the backend has said of user mode, and how often. */
extern struct reads {
	bool allowed, all;
	int changes;
} reads;
extern u64 active, lost; /* counters that run; that the backend has given up */
extern int incidents[PEV_PMU_INCIDENTS], overflows;
extern int soon;	/* counter that is to overflow on the way out of a PMI; -1: none */

#define for_each(i, set) \
	for (u64 s_ = (set); s_ && ((i) = __builtin_ctzll(s_), true); s_ &= s_ - 1)

/* The core's part: take over what was counted, load the next period, change who counts. */
void fold(int i);
/* Where what only counts starts. */
u64 fresh(int i);
void load(int i);
void update_begin(void);
void update_end(bool user);
/* Count @what on @counter; in an update. */
void attach(int counter, u64 what, s64 period, u64 flags);
int encode(u32 type, u64 config, u64 flags, struct pev_pmu_code *code, struct pev_refuse *r);

/* Describe a processor, let the backend find it, take it, and leave it. */
void intel(int version);
void amd(int version);
void make_kind(void);
void boot(void);
void up(void);
/* And let counter 0 count instructions; @period 0: without samples */
void up_with(s64 period);
/* And let counters 0 and 1 do so, of which those in @run run, and a user may read or not. */
void up_with_two(s64 first, s64 second, u64 run, bool user);
/* Let none of them run. */
void stop_all(void);
void down(void);

#endif
