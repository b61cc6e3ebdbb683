// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the PMU core against a backend without hardware: counters that count
 * when a test says so, overflow, and raise PMIs at the worst of moments.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <linux/rculist.h>
#include "base/lock.h"
#include "event/event.h"
#include "target/sync.h"
#include "target/target.h"
#include "types.h"
#include "pmu.h"

#define COUNTERS	5
#define ANY		0x0fULL		/* general counters */
#define FIXED		0x10ULL		/* counts FIXED_CODE alone */
#define FIXED_CODE	100
#define BITS		20
#define LAP		BIT_ULL(BITS)

/**
 * struct fake_cpu - the counters of a CPU
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
 * @pmi_in_freeze: raise a PMI for these counters inside of the next freeze
 */
struct fake_cpu {
	u64		value[COUNTERS];
	u64		config[COUNTERS];
	u64		active;
	u64		overflow;
	bool		frozen;
	bool		ours;
	unsigned int	sets;
	unsigned int	writes;
	unsigned int	freezes;
	unsigned int	thaws;
	u64		pmi_in_freeze;
};

static DEFINE_PER_CPU(struct fake_cpu, fake_cpus);
static const char *fake_holder_name;
static bool fake_gone;			/* @cpu_start finds no PMU */
static u64 fake_words[2];		/* of the request that was encoded last */
static atomic_t fake_strays;		/* calls for a CPU that is not ours */

/* The CPU in a call that may only come while its registers are the core's. */
static struct fake_cpu *fake_here(void)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

	if (!cpu->ours)
		atomic_inc(&fake_strays);
	return cpu;
}

static int fake_encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		       struct pev_refuse *r)
{
	if (req->type != PEV_TYPE_RAW)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config), "the fake has no such event");
	fake_words[0] = req->config1;
	fake_words[1] = req->config2;
	code->period_min = 2;
	if (req->config == FIXED_CODE) {
		code->alt[0].counters = FIXED;
		code->alt[0].config = 1;
		return 0;
	}
	/* the code's second byte picks the counters */
	code->alt[0].counters = req->config >> 8 & ANY ?: ANY;
	code->alt[0].config = req->config & 0xff;
	return 0;
}

static int fake_reserve(struct pev_refuse *r)
{
	if (fake_holder_name)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD, "%s has the counters",
				  fake_holder_name);
	return 0;
}

static void fake_release(void) { }

static const char *fake_holder(unsigned int counter)
{
	return fake_holder_name;
}

static int fake_cpu_start(void)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

	if (fake_gone)
		return -ENODEV;
	memset(cpu, 0, sizeof(*cpu));
	cpu->frozen = true;
	cpu->ours = true;
	/* what another owner left behind */
	for (unsigned int i = 0; i < COUNTERS; i++)
		cpu->value[i] = 0xabcde;
	return 0;
}

static void fake_cpu_stop(void)
{
	fake_here()->ours = false;
}

static void fake_freeze(void)
{
	struct fake_cpu *cpu = fake_here();
	struct pev_pmu_sample sample = { };
	u64 pmi = cpu->pmi_in_freeze;

	cpu->frozen = true;
	cpu->freezes++;
	cpu->pmi_in_freeze = 0;
	if (pmi)
		pev_pmu_overflow(pmi, &sample);
}

static void fake_thaw(u64 active, bool user)
{
	struct fake_cpu *cpu = fake_here();

	cpu->active = active;
	cpu->frozen = false;
	cpu->thaws++;
}

static void fake_set(unsigned int counter, u64 config)
{
	struct fake_cpu *cpu = fake_here();

	WARN_ON_ONCE(!cpu->frozen);
	cpu->config[counter] = config;
	cpu->sets++;
}

static u64 fake_read(unsigned int counter)
{
	return fake_here()->value[counter];
}

static void fake_write(unsigned int counter, u64 value)
{
	struct fake_cpu *cpu = fake_here();

	WARN_ON_ONCE(!cpu->frozen);
	cpu->value[counter] = value & (LAP - 1);
	cpu->overflow &= ~BIT_ULL(counter);
	cpu->writes++;
}

static void fake_grant(enum pev_pmu_grant what, struct task_struct *task,
		       struct mm_struct *mm, bool on)
{
}

static const struct pev_pmu_ops fake_ops = {
	.encode		= fake_encode,
	.reserve	= fake_reserve,
	.release	= fake_release,
	.holder		= fake_holder,
	.cpu_start	= fake_cpu_start,
	.cpu_stop	= fake_cpu_stop,
	.freeze		= fake_freeze,
	.thaw		= fake_thaw,
	.set		= fake_set,
	.read		= fake_read,
	.write		= fake_write,
	.grant		= fake_grant,
};

static const struct pev_pmu_counter fake_counters[PEV_PMU_MAX_COUNTERS] = {
	{ "general0", BITS, -1 }, { "general1", BITS, -1 }, { "general2", BITS, -1 },
	{ "general3", BITS, -1 }, { "fixed", BITS, -1 },
};

static const struct pev_pmu fake_pmu = {
	.name		= "fake",
	.ops		= &fake_ops,
	.present	= ANY | FIXED,
	.counters	= fake_counters,
	.config1	= 0xff,
	.config2	= BIT_ULL(63),
};

/* @units of work on this CPU; the PMI comes at the end of it. Interrupts off. */
static void fake_work(u64 units)
{
	struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);
	struct pev_pmu_sample sample = { };
	u64 overflow;

	if (cpu->frozen)
		return;
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (!(cpu->active & BIT_ULL(i)))
			continue;
		cpu->value[i] += units * cpu->config[i];
		if (cpu->value[i] >= LAP)
			cpu->overflow |= BIT_ULL(i);
		cpu->value[i] &= LAP - 1;
	}
	overflow = cpu->overflow;
	cpu->overflow = 0;
	if (overflow) {
		cpu->frozen = true;
		pev_pmu_overflow(overflow, &sample);
	}
}

/* ---- help ---- */

#define MAX_EVENTS	8

struct rig {
	struct pev_event	*events[MAX_EVENTS];
	unsigned int		nr;
};

static int pmu_test_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	fake_holder_name = NULL;
	fake_gone = false;
	atomic_set(&fake_strays, 0);
	if (pev_pmu_register(&fake_pmu))
		kunit_skip(test, "this machine has a PMU of its own");
	test->priv = rig;
	return 0;
}

static void pmu_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	while (rig->nr)
		pev_event_close(rig->events[--rig->nr]);
	pev_event_reap_sync();
	pev_pmu_unregister(&fake_pmu);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake_strays), 0);
}

static struct pev_event *open(struct kunit *test, u64 code, u64 flags,
			      struct pev_event *leader)
{
	struct rig *rig = test->priv;
	struct pev_request req = {
		.attr = {
			.type		= PEV_TYPE_RAW,
			.target		= PEV_TARGET_CPUS,
			.config		= code,
			.flags		= flags | PEV_F_DISABLED,
			.channel_fd	= -1,
			.group_fd	= -1,
		},
	};
	struct pev_refuse r = { };
	struct pev_event *event = pev_event_create(&req, &r);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%s", r.text);
	rig->events[rig->nr++] = event;
	if (leader) {
		/* what join_group() does with an fd */
		mutex_lock(&pev_control);
		event->leader = leader;
		list_add_tail_rcu(&event->group_node, &leader->siblings);
		mutex_unlock(&pev_control);
	}
	return event;
}

/* The three words of a code, and the number of the PMU */
static void test_words(struct kunit *test)
{
	struct rig *rig = test->priv;
	static const struct {
		u64	config1, config2;
		u32	pmu;
		int	error;
		u32	field;
	} cases[] = {
		{ 0, 0, 0, 0, 0 },
		{ 0xa5, 0, 0, 0, 0 },
		{ 0xff, BIT_ULL(63), 0, 0, 0 },
		{ 0x100, 0, 0, -EINVAL, PEV_FIELD(config1) },
		{ BIT_ULL(63), 0, 0, -EINVAL, PEV_FIELD(config1) },
		{ 0, 1, 0, -EINVAL, PEV_FIELD(config2) },
		{ 0, BIT_ULL(63) | BIT_ULL(62), 0, -EINVAL, PEV_FIELD(config2) },
		{ 0, 0, 1, -ENODEV, PEV_FIELD(pmu) },
		{ 0, 0, ~0U, -ENODEV, PEV_FIELD(pmu) },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pev_request req = {
			.attr = {
				.type		= PEV_TYPE_RAW,
				.target		= PEV_TARGET_CPUS,
				.config		= 1,
				.config1	= cases[i].config1,
				.config2	= cases[i].config2,
				.pmu		= cases[i].pmu,
				.flags		= PEV_F_DISABLED,
				.channel_fd	= -1,
				.group_fd	= -1,
			},
		};
		struct pev_refuse r = { };
		struct pev_event *event = pev_event_create(&req, &r);

		KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(event), cases[i].error);
		if (cases[i].error) {
			KUNIT_EXPECT_EQ(test, r.field, cases[i].field);
			continue;
		}
		rig->events[rig->nr++] = event;
		KUNIT_EXPECT_EQ(test, fake_words[0], req.attr.config1);
		KUNIT_EXPECT_EQ(test, fake_words[1], req.attr.config2);
	}
	KUNIT_EXPECT_STREQ(test, rig->events[0]->name, "r1");
	KUNIT_EXPECT_STREQ(test, rig->events[1]->name, "r1/config1=0xa5,config2=0x0/");
}

static void switch_all(struct kunit *test, bool on)
{
	struct rig *rig = test->priv;

	mutex_lock(&pev_control);
	for (unsigned int i = 0; i < rig->nr; i++)
		WRITE_ONCE(rig->events[i]->state, on ? PEV_EVENT_ON : PEV_EVENT_OFF);
	pev_target_sync(rig->events, rig->nr);
	mutex_unlock(&pev_control);
}

static void work(u64 units)
{
	unsigned long flags;

	local_irq_save(flags);
	fake_work(units);
	local_irq_restore(flags);
}

static struct pev_event_cpu *ec_here(struct pev_event *event)
{
	return per_cpu_ptr(event->percpu, 0);
}

static struct pev_hw_cpu *hw_here(struct pev_event *event)
{
	struct pev_hw_event *hw = event->private;

	return per_cpu_ptr(hw->percpu, 0);
}

static u64 value(struct pev_event *event)
{
	pev_target_fold(&event, 1);
	return local64_read(&ec_here(event)->count);
}

static u64 time_running(struct pev_event *event)
{
	return ec_here(event)->time - ec_here(event)->waited;
}

/* ---- tests; all run on CPU 0 ---- */

static void test_counts(struct kunit *test)
{
	struct pev_event *two = open(test, 2, 0, NULL);
	struct pev_event *three = open(test, 3, 0, NULL);
	u64 sum = 0;

	switch_all(test, true);
	for (unsigned int i = 0; i < 100; i++) {
		/* laps are longer than a fold and end with a PMI */
		work(12345 + i);
		sum += 12345 + i;
		if (i % 7 == 0)
			KUNIT_ASSERT_EQ(test, value(two), 2 * sum);
	}
	KUNIT_EXPECT_EQ(test, value(two), 2 * sum);
	KUNIT_EXPECT_EQ(test, value(three), 3 * sum);
	KUNIT_EXPECT_EQ(test, ec_here(two)->time, time_running(two));
	KUNIT_EXPECT_NE(test, hw_here(two)->counter, hw_here(three)->counter);

	switch_all(test, false);
	work(1000);
	KUNIT_EXPECT_EQ(test, value(two), 2 * sum);
}

/* What only counts gives up and takes counters without a register being written. */
static void test_switch_is_free(struct kunit *test)
{
	struct fake_cpu *cpu = per_cpu_ptr(&fake_cpus, 0);
	struct pev_event *event = open(test, 1, 0, NULL);
	unsigned int sets, writes;

	switch_all(test, true);
	work(5);
	sets = cpu->sets;
	writes = cpu->writes;
	for (unsigned int i = 0; i < 10; i++) {
		switch_all(test, false);
		work(1000);
		switch_all(test, true);
		work(5);
	}
	KUNIT_EXPECT_EQ(test, value(event), 55);
	KUNIT_EXPECT_EQ(test, cpu->sets, sets);
	KUNIT_EXPECT_EQ(test, cpu->writes, writes);
}

/* A PMI in an update leaves the PMU to it: nothing is lost, nothing stands still. */
static void test_pmi_in_update(struct kunit *test)
{
	struct fake_cpu *cpu = per_cpu_ptr(&fake_cpus, 0);
	struct pev_event *stays = open(test, 1, 0, NULL);
	u64 sum = 0;

	switch_all(test, true);
	for (unsigned int i = 0; i < 20; i++) {
		struct pev_event *comes = open(test, 1, 0, NULL);
		struct rig *rig = test->priv;

		work(777);
		cpu->pmi_in_freeze = BIT_ULL(hw_here(stays)->counter);
		switch_all(test, true);
		KUNIT_EXPECT_EQ(test, cpu->pmi_in_freeze, 0);
		KUNIT_EXPECT_FALSE(test, cpu->frozen);
		work(777);
		sum += 2 * 777;
		KUNIT_EXPECT_EQ(test, value(stays), sum);
		KUNIT_EXPECT_EQ(test, value(comes), 777);
		cpu->pmi_in_freeze = cpu->active;
		pev_event_close(rig->events[--rig->nr]);
	}
}

static bool on_counter(struct pev_event *event)
{
	return hw_here(event)->counter >= 0;
}

/* The PMU is given to groups as a whole, in turns that all of them get. */
static void test_turns(struct kunit *test)
{
	struct pev_event *events[MAX_EVENTS];
	ktime_t end = ktime_add_ms(ktime_get(), 200);
	unsigned int i, torn = 0;

	events[0] = open(test, 1, 0, NULL);
	events[1] = open(test, 2, 0, events[0]);
	events[2] = open(test, 3, 0, events[0]);
	events[3] = open(test, 4, 0, NULL);
	events[4] = open(test, 5, 0, events[3]);
	events[5] = open(test, 6, 0, NULL);
	events[6] = open(test, FIXED_CODE, 0, NULL);
	switch_all(test, true);
	while (ktime_before(ktime_get(), end)) {
		unsigned long flags;

		local_irq_save(flags);
		fake_work(10);
		torn += on_counter(events[0]) != on_counter(events[1]) ||
			on_counter(events[0]) != on_counter(events[2]) ||
			on_counter(events[3]) != on_counter(events[4]);
		local_irq_restore(flags);
	}
	KUNIT_EXPECT_EQ(test, torn, 0);
	for (i = 0; i < 7; i++) {
		u64 count = value(events[i]), ran = time_running(events[i]);

		KUNIT_EXPECT_GT(test, count, 0);
		KUNIT_EXPECT_GT(test, ran, ec_here(events[i])->time / 4);
		KUNIT_EXPECT_LE(test, ran, ec_here(events[i])->time);
	}
	/* its counter is its own */
	KUNIT_EXPECT_EQ(test, ec_here(events[6])->waited, 0);
	KUNIT_EXPECT_GT(test, hw_here(events[0])->windows.nr, 10);
	KUNIT_EXPECT_EQ(test, value(events[1]), 2 * value(events[0]));
	KUNIT_EXPECT_EQ(test, value(events[2]), 3 * value(events[0]));
}

/* Pinned events never wait; an exclusive group is alone. */
static void test_pinned_and_exclusive(struct kunit *test)
{
	struct pev_event *flexible[4], *pinned, *exclusive;
	ktime_t end = ktime_add_ms(ktime_get(), 100);
	unsigned int i, shared = 0;

	for (i = 0; i < 4; i++)
		flexible[i] = open(test, 1, 0, NULL);
	pinned = open(test, 7 | 1 << 8, PEV_F_PINNED, NULL);
	exclusive = open(test, FIXED_CODE, PEV_F_EXCLUSIVE, NULL);
	switch_all(test, true);
	while (ktime_before(ktime_get(), end)) {
		unsigned long flags;

		local_irq_save(flags);
		fake_work(1);
		shared += on_counter(exclusive) && (on_counter(pinned) || on_counter(flexible[0]));
		local_irq_restore(flags);
	}
	KUNIT_EXPECT_EQ(test, shared, 0);
	value(pinned);
	KUNIT_EXPECT_EQ(test, ec_here(pinned)->waited, 0);
	KUNIT_EXPECT_EQ(test, hw_here(pinned)->last, -1);
	for (i = 0; i < 4; i++) {
		value(flexible[i]);
		KUNIT_EXPECT_GT(test, time_running(flexible[i]), 0);
	}
	/* nothing can be next to it, and the pinned one never leaves */
	value(exclusive);
	KUNIT_EXPECT_EQ(test, time_running(exclusive), 0);
}

/* Values and times start afresh, windows and all. */
static void test_reset(struct kunit *test)
{
	struct pev_event *event = open(test, 9, 0, NULL);
	struct rig *rig = test->priv;

	switch_all(test, true);
	work(100);
	mutex_lock(&pev_control);
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	work(10);
	KUNIT_EXPECT_EQ(test, value(event), 90);
	KUNIT_EXPECT_EQ(test, ec_here(event)->waited, 0);
	KUNIT_EXPECT_EQ(test, hw_here(event)->windows.nr, 0);
}

/* A window that began before a reset is of the time after it, as its count is. */
static void test_reset_in_a_window(struct kunit *test)
{
	struct pev_event *event = open(test, 9, 0, NULL);
	struct rig *rig = test->priv;
	u64 reset;

	switch_all(test, true);
	work(100);
	mdelay(20);
	mutex_lock(&pev_control);
	reset = ktime_get_mono_fast_ns();
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	work(10);
	switch_all(test, false);
	KUNIT_EXPECT_EQ(test, hw_here(event)->slice_x, 90);
	KUNIT_EXPECT_LE(test, hw_here(event)->slice_ran, ktime_get_mono_fast_ns() - reset);
}

static void nap(void (*meanwhile)(void))
{
	unsigned long flags;

	/* as syscore_suspend() and syscore_resume() are called */
	local_irq_save(flags);
	pev_pmu_suspend(NULL);
	if (meanwhile)
		meanwhile();
	pev_pmu_resume(NULL);
	local_irq_restore(flags);
}

static void firmware_works(void)
{
	fake_work(5000);
	mdelay(5);
}

/* Registers are lost in a suspend; values are not, nor is a time in it counted. */
static void test_suspend(struct kunit *test)
{
	struct pev_event *two = open(test, 2, 0, NULL);
	struct pev_event *all[6] = { two };
	u64 ran;

	switch_all(test, true);
	work(100);
	nap(firmware_works);
	KUNIT_EXPECT_TRUE(test, per_cpu(fake_cpus, 0).ours);
	work(10);
	KUNIT_EXPECT_EQ(test, value(two), 220);
	KUNIT_EXPECT_GE(test, ec_here(two)->waited, 5 * NSEC_PER_MSEC);
	ran = time_running(two);
	mdelay(1);
	value(two);
	KUNIT_EXPECT_GE(test, time_running(two), ran + NSEC_PER_MSEC);

	/* those that are multiplexed go on with it */
	for (unsigned int i = 1; i < ARRAY_SIZE(all); i++)
		all[i] = open(test, i, 0, NULL);
	switch_all(test, true);
	nap(firmware_works);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		ktime_t end = ktime_add_ms(ktime_get(), 2000);
		u64 before = value(all[i]);

		while (value(all[i]) == before && ktime_before(ktime_get(), end))
			work(1);
		KUNIT_EXPECT_NE(test, value(all[i]), before);
	}
}

static void pmu_vanishes(void)
{
	fake_gone = true;
}

/*
 * A machine that wakes up elsewhere, without counters: what was counted stays, the
 * time of counting is over, and nothing touches what is not there.
 */
static void test_vanished(struct kunit *test)
{
	struct pev_event *event = open(test, 3, 0, NULL), *late;
	struct rig *rig = test->priv;
	u64 ran, all;

	switch_all(test, true);
	work(100);
	KUNIT_EXPECT_EQ(test, value(event), 300);
	nap(pmu_vanishes);
	KUNIT_EXPECT_FALSE(test, per_cpu(fake_cpus, 0).ours);
	value(event);
	ran = time_running(event);
	all = ec_here(event)->time;
	work(100);
	mdelay(2);
	KUNIT_EXPECT_EQ(test, value(event), 300);
	KUNIT_EXPECT_EQ(test, time_running(event), ran);
	KUNIT_EXPECT_GE(test, ec_here(event)->time, all + 2 * NSEC_PER_MSEC);

	/* switched, opened, reset and closed as ever, to no effect */
	switch_all(test, false);
	late = open(test, 1, 0, event);
	switch_all(test, true);
	work(100);
	KUNIT_EXPECT_EQ(test, value(late), 0);
	KUNIT_EXPECT_EQ(test, time_running(late), 0);
	mutex_lock(&pev_control);
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	KUNIT_EXPECT_EQ(test, value(event), 0);
	pev_event_close(rig->events[--rig->nr]);
	nap(NULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake_strays), 0);

	/* and back where there are some */
	fake_gone = false;
	nap(NULL);
	work(7);
	KUNIT_EXPECT_EQ(test, value(event), 21);
}

static void test_held(struct kunit *test)
{
	struct pev_request req = {
		.attr = {
			.type = PEV_TYPE_RAW, .target = PEV_TARGET_CPUS, .config = 1,
			.channel_fd = -1, .group_fd = -1,
		},
	};
	struct pev_refuse r = { };

	fake_holder_name = "another driver";
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pev_event_create(&req, &r)), -EBUSY);
	KUNIT_EXPECT_STREQ(test, r.text, "another driver has the counters");
	fake_holder_name = NULL;
	open(test, 1, 0, NULL);
	KUNIT_EXPECT_TRUE(test, per_cpu(fake_cpus, 0).ours);
}

static struct kunit_case pmu_test_cases[] = {
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_words),
	KUNIT_CASE(test_switch_is_free),
	KUNIT_CASE(test_pmi_in_update),
	KUNIT_CASE(test_turns),
	KUNIT_CASE(test_pinned_and_exclusive),
	KUNIT_CASE(test_reset),
	KUNIT_CASE(test_reset_in_a_window),
	KUNIT_CASE(test_suspend),
	KUNIT_CASE(test_vanished),
	KUNIT_CASE(test_held),
	{ }
};

static struct kunit_suite pmu_test_suite = {
	.name		= "pev_pmu",
	.init		= pmu_test_init,
	.exit		= pmu_test_exit,
	.test_cases	= pmu_test_cases,
};

kunit_test_suite(pmu_test_suite);
