// SPDX-License-Identifier: GPL-2.0
/*
 * What of the backend needs a kernel: the reservation, task state, and interrupts
 * that are soft-masked. The rest is tested on other machines, by
 * tests/unit/pmu-ppc. Nothing of pev uses the PMU while these tests run.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/hardirq.h>
#include "power.h"
#include "regs.h"

static const struct pev_pmu_ops *ops;

static int pmu_init(struct kunit *test)
{
	if (!pev_pmu)
		kunit_skip(test, "this processor's PMU is not known");
	ops = pev_pmu->ops;
	if (ops->holder(0))
		kunit_skip(test, "the PMU is in use");
	return 0;
}

static void other_handler(struct pt_regs *regs)
{
}

static void reservation(struct kunit *test)
{
	struct pev_refuse r = { };

	KUNIT_ASSERT_EQ(test, 0, ops->reserve(&r));
	KUNIT_EXPECT_NULL(test, ops->holder(0));
	KUNIT_EXPECT_EQ(test, -EBUSY, reserve_pmc_hardware(other_handler));
	ops->release();

	KUNIT_ASSERT_EQ(test, 0, reserve_pmc_hardware(other_handler));
	KUNIT_EXPECT_NOT_NULL(test, ops->holder(0));
	KUNIT_EXPECT_EQ(test, -EBUSY, ops->reserve(&r));
	KUNIT_EXPECT_EQ(test, EBUSY, (int)r.error);
	release_pmc_hardware();
	KUNIT_EXPECT_NULL(test, ops->holder(0));
}

static void holder_is_perf(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr), .disabled = 1, .pinned = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (IS_ERR(event))
		kunit_skip(test, "perf does not have this PMU");
	KUNIT_EXPECT_STREQ(test, "perf", ops->holder(0));
	perf_event_release_kernel(event);
	KUNIT_EXPECT_NULL(test, ops->holder(0));
}

static void marks(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct pt_regs regs = { .msr = MSR_PR | MSR_EE };

	KUNIT_ASSERT_NOT_NULL(test, task);
	/* a kernel thread has no user state */
	ops->grant(PEV_PMU_GRANT_MARK, task, NULL, true);
	task->thread.regs = &regs;
	ops->grant(PEV_PMU_GRANT_MARK, task, NULL, true);
	KUNIT_EXPECT_EQ(test, MSR_PR | MSR_EE | MSR_PMM, regs.msr);
	ops->grant(PEV_PMU_GRANT_MARK, task, NULL, true);
	KUNIT_EXPECT_EQ(test, MSR_PR | MSR_EE | MSR_PMM, regs.msr);
	ops->grant(PEV_PMU_GRANT_MARK, task, NULL, false);
	KUNIT_EXPECT_EQ(test, MSR_PR | MSR_EE, regs.msr);
}

/* Instructions of the kernel on PMC5, which overflows after @left of them. */
static void overflow_in(unsigned int left)
{
	ops->freeze();
	ops->set(4, 0x500fa | CFG_IDLE_TOO);
	ops->write(4, (PMC_VALUE + 1) - left);
	ops->thaw(PMC_SET(5), false);
}

static void spin(unsigned int n)
{
	while (n--)
		barrier();
}

static unsigned int pmis(void)
{
	return __this_cpu_read(irq_stat.pmu_irqs);
}

/* It interrupts code that has interrupts disabled. */
static void pmi_is_an_nmi(struct kunit *test)
{
	struct pev_refuse r = { };
	unsigned int before;
	unsigned long flags;
	u64 value;

	KUNIT_ASSERT_EQ(test, 0, ops->reserve(&r));
	local_irq_save(flags);
	ops->cpu_start();
	before = pmis();
	overflow_in(1000);
	spin(10000);
	before = pmis() - before;
	value = ops->read(4);
	ops->cpu_stop();
	local_irq_restore(flags);
	ops->release();
	if (!before)
		kunit_skip(test, "this machine has no performance monitor interrupt");
	KUNIT_EXPECT_EQ(test, 1, before);
	/* frozen at the overflow, and not thawed */
	KUNIT_EXPECT_GT(test, 100, value);
}

/* Kept while it is soft-masked; forgotten with what it was about. */
static void pending_pmi(struct kunit *test)
{
	bool kept, kept_after_write;
	struct pev_refuse r = { };
	unsigned int before;
	unsigned long flags;

	KUNIT_ASSERT_EQ(test, 0, ops->reserve(&r));
	powerpc_local_irq_pmu_save(flags);
	ops->cpu_start();
	before = pmis();
	overflow_in(1000);
	spin(10000);
	kept = pmi_irq_pending();
	ops->freeze();
	ops->write(4, 0);
	ops->thaw(PMC_SET(5), false);
	kept_after_write = pmi_irq_pending();
	powerpc_local_irq_pmu_restore(flags);
	before = pmis() - before;
	local_irq_save(flags);
	ops->cpu_stop();
	local_irq_restore(flags);
	ops->release();
	if (!kept)
		kunit_skip(test, "this machine has no performance monitor interrupt");
	KUNIT_EXPECT_FALSE(test, kept_after_write);
	KUNIT_EXPECT_EQ(test, 0, before);
}

static struct kunit_case pmu_cases[] = {
	KUNIT_CASE(reservation),
	KUNIT_CASE(holder_is_perf),
	KUNIT_CASE(marks),
	KUNIT_CASE(pmi_is_an_nmi),
	KUNIT_CASE(pending_pmi),
	{}
};

static struct kunit_suite pmu_suite = {
	.name = "pev_pmu_powerpc",
	.init = pmu_init,
	.test_cases = pmu_cases,
};

kunit_test_suite(pmu_suite);
