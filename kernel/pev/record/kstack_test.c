// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of walks of the kernel's stack by rules, where there are any: what the kernel's own
 * unwinder finds in the same place is right.
 */
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <asm/irq_regs.h>
#include "kstack.h"

#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER)

#define FRAMES		48
#define DEPTH		12

/**
 * struct chains - of one place
 * @own:     by rules
 * @nr:      of them
 * @theirs:  by the kernel's unwinder
 * @nr_theirs: of these
 * @max:     frames that are asked for
 * @skip:    innermost frames that are left out
 */
struct chains {
	unsigned long	own[FRAMES];
	unsigned int	nr;
	unsigned long	theirs[FRAMES];
	unsigned int	nr_theirs;
	unsigned int	max;
	unsigned int	skip;
};

/* Both in one function, whose own frame is at two places, and is left out. */
static noinline void take(struct chains *c)
{
	unsigned long flags;

	local_irq_save(flags);
	c->nr = pev_kstack_here(c->own, c->max, 1 + c->skip);
	c->nr_theirs = stack_trace_save(c->theirs, c->max, 1 + c->skip);
	local_irq_restore(flags);
}

static noinline void take_below(struct chains *c, unsigned int depth)
{
	/* frames differ in size */
	unsigned long room[3] = { depth };

	OPTIMIZER_HIDE_VAR(depth);
	if (depth)
		take_below(c, depth - 1);
	else
		take(c);
	barrier_data(room);
}

static void are_same(struct kunit *test, const struct chains *c)
{
	KUNIT_ASSERT_EQ(test, c->nr, c->nr_theirs);
	KUNIT_EXPECT_MEMEQ(test, c->own, c->theirs, c->nr * sizeof(*c->own));
}

static bool knows(unsigned long ip)
{
	unsigned long flags;
	bool known;

	local_irq_save(flags);
	known = pev_kstack_knows(ip);
	local_irq_restore(flags);
	return known;
}

/* How many of a chain's frames have rules on this CPU */
static unsigned int nr_known(const struct chains *c)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < c->nr; i++)
		nr += knows(c->own[i]);
	return nr;
}

static struct chains *make(struct kunit *test)
{
	struct chains *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->max = FRAMES;
	return c;
}

static void same_chains(struct kunit *test)
{
	struct chains *c = make(test);

	migrate_disable();
	for (unsigned int depth = 0; depth <= DEPTH; depth++) {
		take_below(c, depth);
		are_same(test, c);
		KUNIT_EXPECT_GT(test, c->nr, depth + 3);
	}
	/* it is by rules that they were found; two may have taken each other's place */
	KUNIT_EXPECT_GT(test, nr_known(c), c->nr / 2);
	migrate_enable();
}

static void parts_of_chains(struct kunit *test)
{
	struct chains *c = make(test);

	for (c->max = 0; c->max < DEPTH; c->max++)
		for (c->skip = 0; c->skip < DEPTH + FRAMES; c->skip += 5) {
			take_below(c, DEPTH);
			are_same(test, c);
		}
}

/* Wherever in a chain it is that no rule leads on */
static void left_to_the_unwinder(struct kunit *test)
{
	struct chains *c = make(test);
	unsigned int nr, left = 0;
	unsigned long flags, ip;

	migrate_disable();
	take_below(c, DEPTH);
	nr = c->nr;
	for (unsigned int i = 0; i < nr; i++) {
		ip = c->own[i];
		local_irq_save(flags);
		pev_kstack_spoil(ip);
		local_irq_restore(flags);
		memset(c->own, 0, sizeof(c->own));
		take_below(c, DEPTH);
		are_same(test, c);
		KUNIT_EXPECT_EQ(test, c->nr, nr);
		left += !knows(ip);
	}
	KUNIT_EXPECT_GT(test, left, nr / 2);
	migrate_enable();
}

/* What a module that goes leaves behind is code of another one next. */
static void modules_come_and_go(struct kunit *test)
{
	static const unsigned long states[] = { MODULE_STATE_COMING, MODULE_STATE_GOING };
	struct chains *c = make(test);

	migrate_disable();
	for (unsigned int i = 0; i < ARRAY_SIZE(states); i++) {
		take_below(c, DEPTH);
		KUNIT_EXPECT_GT(test, nr_known(c), c->nr / 2);
		pev_kstack_module(states[i]);
		KUNIT_EXPECT_EQ(test, nr_known(c), 0);
		take_below(c, DEPTH);
		are_same(test, c);
	}
	migrate_enable();
}

/* ---- interrupts ---- */

struct interrupt {
	struct irq_work		work;
	struct chains		*chains;
};

static void on_interrupt(struct irq_work *work)
{
	take_below(container_of(work, struct interrupt, work)->chains, 2);
}

/* Its stack is another one, behind which there is that of what it interrupted. */
static void in_interrupts(struct kunit *test)
{
	struct interrupt at = {
		.work = IRQ_WORK_INIT_HARD(on_interrupt), .chains = make(test),
	};

	irq_work_queue(&at.work);
	irq_work_sync(&at.work);
	KUNIT_EXPECT_GT(test, at.chains->nr, 3);
	are_same(test, at.chains);
}

/**
 * struct sampler - interrupts this task again and again
 * @timer: does it
 * @nr:    how often
 * @wrong: chains of these that differ
 * @own:   the last one by rules
 * @theirs: by the kernel's unwinder
 */
struct sampler {
	struct hrtimer	timer;
	unsigned int	nr;
	unsigned int	wrong;
	unsigned long	own[FRAMES];
	unsigned long	theirs[FRAMES];
};

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct sampler *s = container_of(timer, struct sampler, timer);
	struct pt_regs *regs = get_irq_regs();
	unsigned int nr, nr_theirs;

	if (regs && !user_mode(regs)) {
		nr = pev_kstack_from(regs, s->own, FRAMES);
		nr_theirs = stack_trace_save_regs(regs, s->theirs, FRAMES, 0);
		s->wrong += nr != nr_theirs || memcmp(s->own, s->theirs, nr * sizeof(*s->own));
		s->nr++;
	}
	hrtimer_forward_now(timer, ns_to_ktime(50 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void of_what_is_interrupted(struct kunit *test)
{
	struct sampler *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct chains *c = make(test);

	KUNIT_ASSERT_NOT_NULL(test, s);
	hrtimer_init(&s->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	s->timer.function = on_timer;
	migrate_disable();
	hrtimer_start(&s->timer, ns_to_ktime(50 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	while (READ_ONCE(s->nr) < 200) {
		take_below(c, DEPTH);
		cond_resched();
	}
	hrtimer_cancel(&s->timer);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, s->wrong, 0);
}

static struct kunit_case kstack_cases[] = {
	KUNIT_CASE(same_chains),
	KUNIT_CASE(parts_of_chains),
	KUNIT_CASE(left_to_the_unwinder),
	KUNIT_CASE(modules_come_and_go),
	KUNIT_CASE(in_interrupts),
	KUNIT_CASE(of_what_is_interrupted),
	{}
};

static int kstack_init(struct kunit *test)
{
	return pev_kstack_get();
}

static void kstack_exit(struct kunit *test)
{
	pev_kstack_put();
}

static struct kunit_suite kstack_suite = {
	.name = "pev_kstack",
	.init = kstack_init,
	.exit = kstack_exit,
	.test_cases = kstack_cases,
};

kunit_test_suite(kstack_suite);

#endif
