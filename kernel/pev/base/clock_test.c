// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of CLOCK_MONOTONIC by the counter: it is Linux's, to the ns, and Linux's own is read
 * whenever it can't be.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/clocksource.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/pev_clock.h>
#include <linux/sched.h>
#include <linux/timekeeper_internal.h>
#include "base/clock.h"

/* Updates that change the rate move the clock by less. */
#define SLACK_NS	1000

/* Return: is it within what Linux showed before and after? */
static bool between(u64 before, u64 now, u64 after)
{
	return (s64)(now - before) >= -SLACK_NS && (s64)(after - now) >= -SLACK_NS;
}

static void is_the_clock_of_linux(struct kunit *test)
{
	u64 end = ktime_get_ns() + 200 * NSEC_PER_MSEC;
	unsigned long wrong = 0, nr = 0;

	/* ticks come meanwhile, and with them updates */
	while (ktime_get_ns() < end) {
		for (unsigned int i = 0; i < 1000; i++, nr++) {
			u64 before = ktime_get_mono_fast_ns(), now = pev_now_ns();

			wrong += !between(before, now, ktime_get_mono_fast_ns());
		}
		cond_resched();
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "of %lu", nr);
}

#ifdef pev_mono_cycles

static struct clocksource made_up = {
	.name			= "made-up",
	.mask			= CLOCKSOURCE_MASK(64),
	.max_cycles		= 1ULL << 40,
	.vdso_clock_mode	= PEV_MONO_MODE,
};

/* Far from what Linux shows: what is read tells who was asked. */
#define FAR_NS		BIT_ULL(60)

/* A reading of the counter that was made now is worth FAR_NS. */
static struct tk_read_base far(void)
{
	return (struct tk_read_base) {
		.clock = &made_up, .mask = made_up.mask, .mult = 3 << 10, .shift = 12,
		.cycle_last = pev_mono_cycles(), .xtime_nsec = 5ULL << 12, .base = FAR_NS - 5,
	};
}

/* Return: was Linux asked? */
static bool asks_linux(const struct pev_mono *mono)
{
	u64 before = ktime_get_mono_fast_ns(), now = pev_mono_read(mono);

	return between(before, now, ktime_get_mono_fast_ns());
}

static void follows_updates(struct kunit *test)
{
	struct tk_read_base tkr = far();
	struct pev_mono mono = {};
	u64 cycles, ns, least, most;

	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_EQ(test, mono.seq.sequence & 1, 0);
	cycles = pev_mono_cycles();
	ns = pev_mono_read(&mono);
	/* three quarters of a ns each */
	least = FAR_NS + (cycles - tkr.cycle_last) * 3 / 4;
	most = FAR_NS + (pev_mono_cycles() - tkr.cycle_last) * 3 / 4;
	KUNIT_EXPECT_GE(test, ns, least);
	KUNIT_EXPECT_LE(test, ns, most);

	/* what is summed up is rounded, not its parts */
	tkr.xtime_nsec = (5ULL << 12) + 4095;
	pev_mono_follow(&mono, &tkr, false);
	cycles = pev_mono_cycles();
	ns = pev_mono_read(&mono);
	least = tkr.base + (((cycles - tkr.cycle_last) * tkr.mult + tkr.xtime_nsec) >> 12);
	cycles = pev_mono_cycles();
	most = tkr.base + (((cycles - tkr.cycle_last) * tkr.mult + tkr.xtime_nsec) >> 12);
	KUNIT_EXPECT_GE(test, ns, least);
	KUNIT_EXPECT_LE(test, ns, most);
}

static void asks_linux_by_other_counters(struct kunit *test)
{
	struct tk_read_base tkr = far();
	struct clocksource other = made_up;
	struct pev_mono mono = {};

	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_FALSE(test, asks_linux(&mono));

	other.vdso_clock_mode = VDSO_CLOCKMODE_NONE;
	tkr.clock = &other;
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));

	tkr.clock = &made_up;
	tkr.mask = CLOCKSOURCE_MASK(32);
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));

	tkr.mask = CLOCKSOURCE_MASK(64);
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_FALSE(test, asks_linux(&mono));
}

static void asks_linux_while_halted(struct kunit *test)
{
	struct tk_read_base tkr = far();
	struct pev_mono mono = {};

	pev_mono_follow(&mono, &tkr, true);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_FALSE(test, asks_linux(&mono));
	pev_mono_follow(&mono, &tkr, true);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
}

/* As an NMI finds it in the middle of an update. */
static void asks_linux_during_updates(struct kunit *test)
{
	struct tk_read_base tkr = far();
	struct pev_mono mono = {};

	pev_mono_follow(&mono, &tkr, false);
	raw_write_seqcount_begin(&mono.seq);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
	raw_write_seqcount_end(&mono.seq);
	KUNIT_EXPECT_FALSE(test, asks_linux(&mono));
}

static void asks_linux_beyond_the_product(struct kunit *test)
{
	struct tk_read_base tkr = far();
	struct pev_mono mono = {};

	/* long ago */
	tkr.cycle_last -= made_up.max_cycles + 1;
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
	/* the counter of the CPU that made the update is ahead */
	tkr.cycle_last = pev_mono_cycles() + (1ULL << 48);
	pev_mono_follow(&mono, &tkr, false);
	KUNIT_EXPECT_TRUE(test, asks_linux(&mono));
}

/* In interrupts, and so also on the CPU that makes the updates. */
struct steps {
	struct hrtimer	timer;
	u64		last;
	unsigned int	nr;
	unsigned int	wrong;
};

static enum hrtimer_restart step(struct hrtimer *timer)
{
	struct steps *s = container_of(timer, struct steps, timer);
	u64 before = ktime_get_mono_fast_ns(), now = pev_now_ns();

	s->wrong += !between(before, now, ktime_get_mono_fast_ns()) ||
		    (s64)(now - s->last) < -SLACK_NS;
	s->last = now;
	WRITE_ONCE(s->nr, s->nr + 1);
	hrtimer_forward_now(timer, ns_to_ktime(50 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void goes_on_in_interrupts(struct kunit *test)
{
	struct steps *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	s->timer.function = step;
	hrtimer_start(&s->timer, ns_to_ktime(50 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
	while (READ_ONCE(s->nr) < 1000)
		cond_resched();
	hrtimer_cancel(&s->timer);
	KUNIT_EXPECT_EQ(test, s->wrong, 0);
}

#endif

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(is_the_clock_of_linux),
#ifdef pev_mono_cycles
	KUNIT_CASE(follows_updates),
	KUNIT_CASE(asks_linux_by_other_counters),
	KUNIT_CASE(asks_linux_while_halted),
	KUNIT_CASE(asks_linux_during_updates),
	KUNIT_CASE(asks_linux_beyond_the_product),
	KUNIT_CASE(goes_on_in_interrupts),
#endif
	{}
};

static struct kunit_suite clock_suite = {
	.name = "pev_clock",
	.test_cases = clock_cases,
};

kunit_test_suite(clock_suite);
