// SPDX-License-Identifier: GPL-2.0
/* Tests of the PMU core against hardware that does not do what it should. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include "pmu/cpu.h"
#include "pmu/overflow.h"
#include "pmu/pmu.h"
#include "pmu/sample.h"
#include "fake_test.h"

/* Fold @event's counter and load what is left of its period. */
static void reload(struct pev_event *event)
{
	struct pev_hw_cpu *s = hw_here(event);

	guard(irqsave)();
	pev_pmu_update_begin();
	pev_hw_fold(s);
	pev_hw_load(s);
	pev_pmu_commit();
}

/*
 * As if @event recorded each @period. It has no ring, so there must be no sample: its overflows
 * raise no PMI.
 */
static void sample_each(struct pev_event *event, u64 period)
{
	struct pev_hw_cpu *s = hw_here(event);

	per_cpu(pev_fake_cpus, 0).deaf = true;
	s->sampling = true;
	pev_period_init(&s->period, period);
	reload(event);
}

static void sample_no_more(struct pev_event *event)
{
	hw_here(event)->sampling = false;
	reload(event);
	per_cpu(pev_fake_cpus, 0).deaf = false;
}

/* An overflow without a PMI: a second or two later the event goes on, and has lost no count. */
static void test_lost_overflow(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	u64 lost = pev_pmu_incidents(PEV_PMU_LOST);
	struct pev_event *event = pev_fake_open(test, 1, 0, NULL);
	struct pev_hw_cpu *s = hw_here(event);
	ktime_t end = ktime_add_ms(ktime_get(), 10000);
	unsigned long flags;

	pev_fake_switch(test, true);
	sample_each(event, 1000);
	KUNIT_ASSERT_EQ(test, LAP - cpu->value[s->counter], 1000);
	local_irq_save(flags);
	pev_pmu_heal_start(this_cpu_ptr(&pev_pmu_cpus));
	local_irq_restore(flags);
	pev_fake_work(1100);
	/* a lap is far, and reading does not help */
	KUNIT_EXPECT_EQ(test, value(event), 1100);
	KUNIT_EXPECT_EQ(test, LAP - cpu->value[s->counter], LAP - 100);
	while (pev_pmu_incidents(PEV_PMU_LOST) == lost && ktime_before(ktime_get(), end))
		msleep(50);
	KUNIT_EXPECT_EQ(test, pev_pmu_incidents(PEV_PMU_LOST), lost + 1);
	/* it overflows as soon as it can, and is due as it was */
	KUNIT_EXPECT_EQ(test, LAP - cpu->value[s->counter], 2);
	KUNIT_EXPECT_EQ(test, s->period.left, -100);
	sample_no_more(event);
	pev_fake_work(5);
	KUNIT_EXPECT_EQ(test, value(event), 1105);
}

/* An event that is in time is left alone. */
static void test_nothing_lost(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	u64 lost = pev_pmu_incidents(PEV_PMU_LOST);
	struct pev_event *event = pev_fake_open(test, 1, 0, NULL);
	unsigned int freezes, writes;
	ktime_t end = ktime_add_ms(ktime_get(), 10000);
	unsigned long flags;

	pev_fake_switch(test, true);
	sample_each(event, 1000);
	pev_fake_work(999);
	local_irq_save(flags);
	pev_pmu_heal_start(this_cpu_ptr(&pev_pmu_cpus));
	freezes = cpu->freezes;
	writes = cpu->writes;
	local_irq_restore(flags);
	/* until it has looked three times */
	while (READ_ONCE(cpu->freezes) < freezes + 3 && ktime_before(ktime_get(), end))
		msleep(50);
	KUNIT_EXPECT_GE(test, cpu->freezes, freezes + 3);
	KUNIT_EXPECT_EQ(test, cpu->writes, writes);
	KUNIT_EXPECT_EQ(test, pev_pmu_incidents(PEV_PMU_LOST), lost);
	sample_no_more(event);
	/* and with nothing that samples it looks no more */
	while (READ_ONCE(per_cpu(pev_pmu_cpus, 0).healing) && ktime_before(ktime_get(), end))
		msleep(50);
	KUNIT_EXPECT_FALSE(test, per_cpu(pev_pmu_cpus, 0).healing);
}

/* Distances of overflows of which the processor needs the low bits to be 0 */
static void test_period_low(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	struct pev_event *event = pev_fake_open(test, 63 << 16 | 1, 0, NULL);
	struct pev_hw_cpu *s = hw_here(event);
	u64 sum = 0;

	pev_fake_switch(test, true);
	sample_each(event, 1);
	for (u64 left = 1; left < 3000; left += 37) {
		u64 distance;

		s->period.left = left;
		reload(event);
		distance = LAP - cpu->value[s->counter];
		KUNIT_ASSERT_EQ(test, distance % 64, 0);
		KUNIT_ASSERT_GE(test, distance, left);
		KUNIT_ASSERT_LT(test, distance, left + 64);
		pev_fake_work(left);
		sum += left;
		KUNIT_ASSERT_EQ(test, value(event), sum);
	}
	sample_no_more(event);
}

/* A counter that breaks, or is broken at the start, has no event; its events have others. */
static void test_lost_counter(struct kunit *test)
{
	struct pev_event *a = pev_fake_open(test, 1, 0, NULL), *b = pev_fake_open(test, 1, 0, NULL);
	ktime_t end = ktime_add_ms(ktime_get(), 10000);
	struct pev_event *only;
	unsigned int was;

	pev_fake_switch(test, true);
	pev_fake_work(10);
	was = hw_here(a)->counter;
	preempt_disable();
	pev_pmu_lose(BIT(was));
	preempt_enable();
	while (READ_ONCE(hw_here(a)->counter) == was && ktime_before(ktime_get(), end))
		msleep(20);
	KUNIT_EXPECT_NE(test, hw_here(a)->counter, was);
	KUNIT_EXPECT_TRUE(test, on_counter(a) && on_counter(b));
	pev_fake_work(10);
	KUNIT_EXPECT_EQ(test, value(a), 20);
	KUNIT_EXPECT_EQ(test, value(b), 20);
	/* one that nothing else can count waits, and its time says so */
	only = pev_fake_open(test, 0x100 << was | 1, 0, NULL);
	pev_fake_switch(test, true);
	pev_fake_work(10);
	KUNIT_EXPECT_FALSE(test, on_counter(only));
	KUNIT_EXPECT_EQ(test, value(only), 0);
	KUNIT_EXPECT_EQ(test, time_running(only), 0);
	/* tried again after a suspend */
	pev_fake_nap(NULL);
	KUNIT_EXPECT_TRUE(test, on_counter(only));
	pev_fake.broken = BIT(was);
	pev_fake_nap(NULL);
	KUNIT_EXPECT_FALSE(test, on_counter(only));
	KUNIT_EXPECT_TRUE(test, on_counter(a) && on_counter(b));
}

/* Others let a free counter count: the next event does not take that for its own. */
static void test_foreign(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	struct pev_event *event = pev_fake_open(test, 1, 0, NULL);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		pev_fake_switch(test, true);
		pev_fake_work(5);
		pev_fake_switch(test, false);
		for (unsigned int n = 0; n < COUNTERS; n++)
			cpu->value[n] += 333;
		preempt_disable();
		pev_pmu_report(PEV_PMU_FOREIGN);
		preempt_enable();
	}
	KUNIT_EXPECT_EQ(test, value(event), 15);
}

static struct kunit_case errata_test_cases[] = {
	KUNIT_CASE_SLOW(test_lost_overflow),
	KUNIT_CASE_SLOW(test_nothing_lost),
	KUNIT_CASE(test_period_low),
	KUNIT_CASE(test_lost_counter),
	KUNIT_CASE(test_foreign),
	{ }
};

static struct kunit_suite errata_test_suite = {
	.name		= "pev_pmu_errata",
	.init		= pev_fake_init,
	.exit		= pev_fake_exit,
	.test_cases	= errata_test_cases,
};

kunit_test_suite(errata_test_suite);
