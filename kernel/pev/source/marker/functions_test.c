// SPDX-License-Identifier: GPL-2.0
/* Tests of functions on markers: in each context, several, slow ones, while others fire. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/pev_marker.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
/* linux/nmi.h has it only with other options */
#include "asm/nmi.h"
#endif
#include "functions.h"

#define NAME	"pev_kunit:reached"

static void reach(int number)
{
	PEV_MARK(pev_kunit, reached, "number %d text %s", number, "kunit");
}

/**
 * struct seen - what a function has seen
 * @calls:   of it
 * @context: in_nmi() and the like, at the last one
 * @number:  of the marker
 * @right:   all else was as it should be
 * @delay:   ms that it takes
 * @nests:   it reaches its own marker
 */
struct seen {
	atomic_t	calls;
	u8		context;
	int		number;
	bool		right;
	unsigned int	delay;
	bool		nests;
};

static void see(void *data, const struct pev_marker_hit *hit)
{
	struct seen *seen = data;
	int number = hit->args[0];
	bool right = hit->nr == 2 && !strcmp(hit->name, NAME) && hit->ip &&
		     !strcmp((const char *)hit->args[1], "kunit");

	/* several threads may be here at once: the last one counts */
	WRITE_ONCE(seen->context, interrupt_context_level());
	WRITE_ONCE(seen->number, number);
	WRITE_ONCE(seen->right, right);
	if (seen->nests)
		reach(number + 1);
	mdelay(seen->delay);
	atomic_inc(&seen->calls);
}

/* ---- contexts ---- */

static DECLARE_COMPLETION(done);

static void reach_in_task(void)
{
	reach(-7);
}

static void softirq_reaches(struct tasklet_struct *unused)
{
	reach(-7);
	complete(&done);
}

static void reach_in_softirq(void)
{
	static DECLARE_TASKLET(tasklet, softirq_reaches);

	tasklet_schedule(&tasklet);
	wait_for_completion(&done);
	tasklet_unlock_wait(&tasklet);
}

static void irq_reaches(struct irq_work *unused)
{
	reach(-7);
	complete(&done);
}

static void reach_in_irq(void)
{
	static struct irq_work work = IRQ_WORK_INIT_HARD(irq_reaches);

	irq_work_queue(&work);
	wait_for_completion(&done);
	irq_work_sync(&work);
}

#ifdef CONFIG_X86_LOCAL_APIC
static bool nmi_due;

static int nmi_reaches(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(nmi_due))
		return NMI_DONE;
	reach(-7);
	WRITE_ONCE(nmi_due, false);
	return NMI_HANDLED;
}

/* A real one, that this CPU sends to itself. */
static void reach_in_nmi(void)
{
	if (register_nmi_handler(NMI_LOCAL, nmi_reaches, 0, "pev_kunit"))
		return;
	preempt_disable();
	WRITE_ONCE(nmi_due, true);
	__apic_send_IPI(smp_processor_id(), NMI_VECTOR);
	preempt_enable();
	for (int i = 0; i < 1000 && READ_ONCE(nmi_due); i++)
		msleep(20);
	unregister_nmi_handler(NMI_LOCAL, "pev_kunit");
}
#else
static void reach_in_nmi(void)
{
	unsigned long flags;

	local_irq_save(flags);
	nmi_enter();
	reach(-7);
	nmi_exit();
	local_irq_restore(flags);
}
#endif

static void console_reaches(struct console *console, const char *text, unsigned int len)
{
	reach(-7);
}

/* Below printk(), which holds the lock of the consoles. */
static void reach_in_printk(void)
{
	static struct console console = {
		.name = "pevkunit", .write = console_reaches,
	};

	/* both are changed below */
	console.index = -1;
	console.flags = CON_ENABLED | CON_ANYTIME;
	register_console(&console);
	/* whatever the log level is */
	pr_emerg("pev: for a marker below printk()\n");
	console_lock();
	console_unlock();
	unregister_console(&console);
}

/* Where lockdep looks after itself. */
static void reach_in_lockdep(void)
{
	unsigned long flags;

	local_irq_save(flags);
	lockdep_off();
	reach(-7);
	lockdep_on();
	local_irq_restore(flags);
}

static const struct context {
	const char	*name;
	void		(*reach)(void);
	int		level;
} contexts[] = {
	{ "task",	reach_in_task,		0 },
	{ "softirq",	reach_in_softirq,	1 },
	{ "interrupt",	reach_in_irq,		2 },
	{ "NMI",	reach_in_nmi,		3 },
	{ "printk",	reach_in_printk,		-1 },
	{ "lockdep",	reach_in_lockdep,		0 },
};

static void context_name(const struct context *context, char *name)
{
	strscpy(name, context->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(contexts, contexts, context_name);

static void functions_context(struct kunit *test)
{
	const struct context *context = test->param_value;
	struct seen seen = { };

	KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &seen), 0);
	context->reach();
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen), 0);
	KUNIT_EXPECT_GE(test, atomic_read(&seen.calls), 1);
	KUNIT_EXPECT_TRUE(test, seen.right);
	KUNIT_EXPECT_EQ(test, seen.number, -7);
	if (context->level >= 0)
		KUNIT_EXPECT_EQ(test, seen.context, context->level);
}

static void wait_until_gone(struct kunit *test, struct seen *seen)
{
	int err = -EEXIST;

	/* a worker disconnects it: until then it can't be connected again */
	for (int i = 0; i < 3000 && err == -EEXIST; i++) {
		msleep(20);
		err = pev_marker_connect(NAME, see, seen);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	pev_marker_disconnect(NAME, see, seen);
}

/* However it is reached, a function that takes long is found, and is called no more. */
static void functions_slow(struct kunit *test)
{
	const struct context *context = test->param_value;
	struct seen seen = { .delay = 2 }, quick = { };
	int calls;

	KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &quick), 0);
	KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &seen), 0);
	/* each CPU has to find it out on its own */
	for (int i = 0; i < 200 && atomic_read(&seen.calls) == atomic_read(&quick.calls); i++)
		context->reach();
	calls = atomic_read(&seen.calls);
	KUNIT_EXPECT_GE(test, calls, 1);
	KUNIT_EXPECT_LT(test, calls, 16 * (int)num_possible_cpus());
	wait_until_gone(test, &seen);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen.calls), calls);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen), -ENOENT);
	reach(1);
	KUNIT_EXPECT_EQ(test, quick.number, 1);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &quick), 0);
}

static void functions_several(struct kunit *test)
{
	struct seen seen[3] = { };

	for (int i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &seen[i]), 0);
	reach(5);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen[1]), 0);
	reach(6);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen[0]), 0);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen[2]), 0);
	reach(7);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen[0].calls), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen[1].calls), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen[2].calls), 2);
	KUNIT_EXPECT_EQ(test, seen[2].number, 6);
}

static void functions_refused(struct kunit *test)
{
	struct seen seen = { };

	KUNIT_EXPECT_EQ(test, pev_marker_connect("pev_kunit:nothing", see, &seen), -ENOENT);
	KUNIT_EXPECT_EQ(test, pev_marker_connect(NAME, NULL, &seen), -EINVAL);
	KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &seen), 0);
	KUNIT_EXPECT_EQ(test, pev_marker_connect(NAME, see, &seen), -EEXIST);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen), 0);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen), -ENOENT);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect("pev_kunit:nothing", see, &seen), -ENOENT);
}

static void functions_nest(struct kunit *test)
{
	struct seen seen = { .nests = true };

	KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, &seen), 0);
	reach(1);
	reach(2);
	KUNIT_EXPECT_EQ(test, pev_marker_disconnect(NAME, see, &seen), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen.calls), 2);
	KUNIT_EXPECT_EQ(test, seen.number, 2);
}

static int reaches_always(void *unused)
{
	while (!kthread_should_stop()) {
		reach(3);
		cond_resched();
	}
	return 0;
}

/* What is disconnected is not running: its data can go. */
static void functions_race(struct kunit *test)
{
	struct task_struct *task[2];

	for (int i = 0; i < 2; i++) {
		task[i] = kthread_run(reaches_always, NULL, "pev_kunit");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
	}
	for (int i = 0; i < 10; i++) {
		struct seen *seen = kzalloc(sizeof(*seen), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, seen);
		KUNIT_ASSERT_EQ(test, pev_marker_connect(NAME, see, seen), 0);
		for (int k = 0; k < 3000 && !atomic_read(&seen->calls); k++)
			msleep(20);
		KUNIT_EXPECT_NE(test, atomic_read(&seen->calls), 0);
		pev_marker_disconnect(NAME, see, seen);
		kfree(seen);
	}
	for (int i = 0; i < 2; i++)
		kthread_stop(task[i]);
}

static struct kunit_case functions_cases[] = {
	KUNIT_CASE_PARAM(functions_context, contexts_gen_params),
	KUNIT_CASE_PARAM(functions_slow, contexts_gen_params),
	KUNIT_CASE(functions_several),
	KUNIT_CASE(functions_refused),
	KUNIT_CASE(functions_nest),
	KUNIT_CASE(functions_race),
	{}
};

static struct kunit_suite functions_suite = {
	.name		= "pev_functions",
	.test_cases	= functions_cases,
};

kunit_test_suite(functions_suite);

MODULE_DESCRIPTION("Tests of functions on pev's markers");
MODULE_LICENSE("GPL");
