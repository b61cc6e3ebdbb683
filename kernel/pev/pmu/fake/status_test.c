// SPDX-License-Identifier: GPL-2.0
/* Tests of what is told of the PMU while others wait for memory. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include "base/lock.h"
#include "base/strbuf.h"
#include "pmu/perf_kinds.h"
#include "pmu/pmu.h"
#include "pmu/status.h"

/* Looks for kinds of cores, and gets no further than the PMU here. */
static struct task_struct *looker;
static DECLARE_COMPLETION(stuck);
static DECLARE_COMPLETION(let_go);
static DECLARE_COMPLETION(looked);
static DECLARE_COMPLETION(told);

static int slow_event_init(struct perf_event *event)
{
	if (current == looker) {
		complete(&stuck);
		wait_for_completion(&let_go);
	}
	return -ENOENT;
}

static int slow_add(struct perf_event *event, int flags)
{
	return -ENOENT;
}

static void slow_del(struct perf_event *event, int flags) { }

static void slow_read(struct perf_event *event) { }

static struct pmu slow_pmu = {
	.task_ctx_nr	= perf_invalid_context,
	.event_init	= slow_event_init,
	.add		= slow_add,
	.del		= slow_del,
	.start		= slow_del,
	.stop		= slow_del,
	.read		= slow_read,
};

static int look(void *unused)
{
	pev_perf_look_for_kinds();
	/* if it has asked no PMU */
	complete(&stuck);
	complete(&looked);
	return 0;
}

static void no_more(struct pev_strbuf *text) { }

static int tell(void *unused)
{
	struct pev_pmu_status status = { .only_perf = true, .hardware = 1, .more = no_more };
	struct pev_strbuf text = { };

	pev_pmu_put_status(&text, &status);
	pev_strbuf_free(&text);
	complete(&told);
	return 0;
}

/* Others have it for a moment. */
static bool control_is_free(void)
{
	for (unsigned int i = 0; i < 100; i++) {
		if (mutex_trylock(&pev_control)) {
			mutex_unlock(&pev_control);
			return true;
		}
		msleep(20);
	}
	return false;
}

/* Until @task waits for a lock. */
static bool settles(struct task_struct *task)
{
	for (unsigned int i = 0; i < 1000; i++) {
		if (READ_ONCE(task->__state) & TASK_UNINTERRUPTIBLE)
			return true;
		msleep(20);
	}
	return false;
}

/* Who tells of kinds of cores waits for their lock with none that others open events with. */
static void test_kinds(struct kunit *test)
{
	struct task_struct *teller;
	bool waits, free;

	looker = kthread_create(look, NULL, "pev_looker");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, looker);
	teller = kthread_create(tell, NULL, "pev_teller");
	if (IS_ERR(teller))
		kthread_stop(looker);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, teller);
	get_task_struct(teller);
	wake_up_process(looker);
	wait_for_completion(&stuck);
	wake_up_process(teller);
	waits = settles(teller);
	free = control_is_free();
	complete_all(&let_go);
	wait_for_completion(&looked);
	wait_for_completion(&told);
	put_task_struct(teller);
	KUNIT_EXPECT_TRUE(test, waits);
	KUNIT_EXPECT_TRUE(test, free);
}

static int status_init(struct kunit *test)
{
	if (READ_ONCE(pev_pmu) || pev_perf_hardware())
		kunit_skip(test, "this machine has a PMU, and its kinds are known");
	reinit_completion(&stuck);
	reinit_completion(&let_go);
	reinit_completion(&looked);
	reinit_completion(&told);
	return perf_pmu_register(&slow_pmu, "pevtest_slow", -1);
}

static void status_exit(struct kunit *test)
{
	if (!slow_pmu.name)
		return;
	looker = NULL;
	perf_pmu_unregister(&slow_pmu);
	slow_pmu.name = NULL;
}

static struct kunit_case status_test_cases[] = {
	KUNIT_CASE(test_kinds),
	{ }
};

static struct kunit_suite status_test_suite = {
	.name		= "pev_pmu_status",
	.init		= status_init,
	.exit		= status_exit,
	.test_cases	= status_test_cases,
};

kunit_test_suite(status_test_suite);
