// SPDX-License-Identifier: GPL-2.0
/* Tests of what a thread is taken for that is attached in the midst of anything. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/pev_clock.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "types.h"
#include "change.h"
#include "thread.h"

/* Longer than the clock's steps. */
#define WHILE_US 10

/**
 * struct rig - an event, and a task of which the scheduler knows nothing
 * @event:   counts @task
 * @threads: of @event
 * @task:    only what tells of its phase is there; its size is the processor's
 */
struct rig {
	struct pev_event	event;
	struct wait_threads	threads;
	struct task_struct	task;
};

static void begin(struct rig *rig)
{
	memset(&rig->threads, 0, sizeof(rig->threads));
	wait_threads_init(&rig->threads);
	wait_threads_switch(&rig->threads, &rig->event);
}

static int thread_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig->event.state = PEV_EVENT_ON;
	rig->event.pid_ns = &init_pid_ns;
	begin(rig);
	test->priv = rig;
	return 0;
}

/* The event follows no more threads. */
static void drop(struct rig *rig)
{
	wait_threads_hide(&rig->threads);
	synchronize_rcu();
	wait_threads_free(&rig->threads);
}

static void thread_exit(struct kunit *test)
{
	if (test->priv)
		drop(test->priv);
}

static struct wait_thread *attach(struct rig *rig)
{
	wait_thread_prepare(1);
	wait_thread_follow(&rig->event, &rig->threads, &rig->task, false);
	return list_first_entry_or_null(&rig->threads.list, struct wait_thread, of_event);
}

static void set_task(struct rig *rig, unsigned int state, int on_rq, int on_cpu, bool delayed)
{
	rig->task.__state = state;
	rig->task.on_rq = on_rq;
	rig->task.on_cpu = on_cpu;
	rig->task.se.sched_delayed = delayed;
}

static void test_guess(struct kunit *test)
{
	static const struct {
		const char	*name;
		unsigned int	state;
		int		on_rq, on_cpu;
		bool		delayed;
		u8		phase;
		u32		why;
	} cases[] = {
		{ "runs", TASK_RUNNING, 1, 1, false, WAIT_RUNS, 0 },
		{ "about to sleep", TASK_INTERRUPTIBLE, 1, 1, false, WAIT_RUNS, 0 },
		{ "waits for a CPU", TASK_RUNNING, 1, 0, false, WAIT_RUNNABLE,
		  PEV_WAIT_PREEMPTED },
		{ "preempted before it slept", TASK_INTERRUPTIBLE, 1, 0, false, WAIT_RUNNABLE,
		  PEV_WAIT_PREEMPTED },
		{ "being woken", TASK_WAKING, 0, 0, false, WAIT_RUNNABLE, PEV_WAIT_PREEMPTED },
		{ "woken on its way", TASK_WAKING, 0, 1, false, WAIT_RUNNABLE,
		  PEV_WAIT_PREEMPTED },
		{ "being made", TASK_NEW, 0, 0, false, WAIT_RUNNABLE, PEV_WAIT_NEW },
		{ "sleeps", TASK_INTERRUPTIBLE, 0, 0, false, WAIT_BLOCKED, PEV_WAIT_SLEEPING },
		{ "sleeps in a queue", TASK_UNINTERRUPTIBLE, 1, 0, true, WAIT_BLOCKED,
		  PEV_WAIT_DISK },
		{ "being switched out", TASK_INTERRUPTIBLE, 0, 1, false, WAIT_BLOCKED,
		  PEV_WAIT_SLEEPING },
		{ "the same in a queue", TASK_UNINTERRUPTIBLE, 1, 1, true, WAIT_BLOCKED,
		  PEV_WAIT_DISK },
	};
	struct rig *rig = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wait_thread *t;

		set_task(rig, cases[i].state, cases[i].on_rq, cases[i].on_cpu, cases[i].delayed);
		t = attach(rig);
		KUNIT_ASSERT_NOT_NULL(test, t);
		KUNIT_EXPECT_EQ_MSG(test, t->phase, cases[i].phase, "%s", cases[i].name);
		KUNIT_EXPECT_EQ_MSG(test, t->record.state, cases[i].why, "%s", cases[i].name);
		drop(rig);
		begin(rig);
	}
}

/* What the scheduler tells of @t. Return: was there a record? */
static bool wake(struct wait_thread *t, struct pev_wait_record *record)
{
	guard(irqsave)();
	wait_thread_waking(t, pev_now_ns());
	udelay(WHILE_US);
	wait_thread_woken(t);
	return wait_thread_in(t, pev_now_ns(), record);
}

/* It was taken for one that runs, and went to sleep before it could be told of. */
static void test_missed(struct kunit *test)
{
	struct pev_wait_record record = { };
	struct rig *rig = test->priv;
	struct wait_thread *t;

	set_task(rig, TASK_RUNNING, 1, 1, false);
	t = attach(rig);
	KUNIT_ASSERT_NOT_NULL(test, t);
	set_task(rig, TASK_INTERRUPTIBLE, 0, 0, false);
	rig->task.in_iowait = 1;
	udelay(WHILE_US);
	KUNIT_ASSERT_TRUE(test, wake(t, &record));
	KUNIT_EXPECT_EQ(test, record.state, PEV_WAIT_SLEEPING);
	KUNIT_EXPECT_EQ(test, record.flags, PEV_WAIT_IO);
	KUNIT_EXPECT_GE(test, record.blocked, WHILE_US * NSEC_PER_USEC / 2);
	KUNIT_EXPECT_GE(test, record.runnable, WHILE_US * NSEC_PER_USEC / 2);
	KUNIT_EXPECT_NE(test, record.waker, PEV_WAKER_NONE);
	KUNIT_EXPECT_EQ(test, record.waker_tid, current->pid);
}

/* One that is woken before it has left its CPU has not slept. */
static void test_early(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct wait_thread *t;

	set_task(rig, TASK_INTERRUPTIBLE, 1, 1, false);
	t = attach(rig);
	KUNIT_ASSERT_NOT_NULL(test, t);
	scoped_guard(irqsave)
		wait_thread_waking(t, pev_now_ns());
	KUNIT_EXPECT_EQ(test, t->phase, WAIT_RUNS);
	KUNIT_EXPECT_TRUE(test, t->early);
	scoped_guard(irqsave)
		wait_thread_woken(t);
	KUNIT_EXPECT_FALSE(test, t->early);
}

static struct kunit_case thread_test_cases[] = {
	KUNIT_CASE(test_guess),
	KUNIT_CASE(test_missed),
	KUNIT_CASE(test_early),
	{ }
};

static struct kunit_suite thread_test_suite = {
	.name		= "pev_wait_thread",
	.init		= thread_init,
	.exit		= thread_exit,
	.test_cases	= thread_test_cases,
};

kunit_test_suite(thread_test_suite);
