// SPDX-License-Identifier: GPL-2.0
/* Tests of the PMU core against a backend without hardware. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/pev_refuse.h>
#include <linux/sizes.h>
#include "base/lock.h"
#include "channel/channel.h"
#include "event/event.h"
#include "pmu/lend.h"
#include "pmu/pmu.h"
#include "ring/ring.h"
#include "target/sync.h"
#include "target/target.h"
#include "fake_test.h"

/* The three words of a code, and the number of the PMU */
static void test_words(struct kunit *test)
{
	struct pev_fake_rig *rig = test->priv;
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
		/* a number of perf's that is no PMU, and one that nobody has */
		{ 0, 0, 1, -EINVAL, PEV_FIELD(pmu) },
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
		KUNIT_EXPECT_EQ(test, pev_fake.words[0], req.attr.config1);
		KUNIT_EXPECT_EQ(test, pev_fake.words[1], req.attr.config2);
	}
	KUNIT_EXPECT_STREQ(test, rig->events[0]->name, "r1");
	KUNIT_EXPECT_STREQ(test, rig->events[1]->name, "r1/config1=0xa5,config2=0x0/");
}

static void test_counts(struct kunit *test)
{
	struct pev_event *two = pev_fake_open(test, 2, 0, NULL);
	struct pev_event *three = pev_fake_open(test, 3, 0, NULL);
	u64 sum = 0;

	pev_fake_switch(test, true);
	for (unsigned int i = 0; i < 100; i++) {
		/* laps are longer than a fold and end with a PMI */
		pev_fake_work(12345 + i);
		sum += 12345 + i;
		if (i % 7 == 0)
			KUNIT_ASSERT_EQ(test, value(two), 2 * sum);
	}
	KUNIT_EXPECT_EQ(test, value(two), 2 * sum);
	KUNIT_EXPECT_EQ(test, value(three), 3 * sum);
	KUNIT_EXPECT_EQ(test, ec_here(two)->time, time_running(two));
	KUNIT_EXPECT_NE(test, hw_here(two)->counter, hw_here(three)->counter);

	pev_fake_switch(test, false);
	pev_fake_work(1000);
	KUNIT_EXPECT_EQ(test, value(two), 2 * sum);
}

/* What only counts gives up and takes counters without a register being written. */
static void test_switch_is_free(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	struct pev_event *event = pev_fake_open(test, 1, 0, NULL);
	unsigned int sets, writes;

	pev_fake_switch(test, true);
	pev_fake_work(5);
	sets = cpu->sets;
	writes = cpu->writes;
	for (unsigned int i = 0; i < 10; i++) {
		pev_fake_switch(test, false);
		pev_fake_work(1000);
		pev_fake_switch(test, true);
		pev_fake_work(5);
	}
	KUNIT_EXPECT_EQ(test, value(event), 55);
	KUNIT_EXPECT_EQ(test, cpu->sets, sets);
	KUNIT_EXPECT_EQ(test, cpu->writes, writes);
}

/*
 * Unless user mode may read counters: where one starts tells nothing of the event that had it
 * before, and what counts already when that becomes so is no exception.
 */
static void test_readable(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	const u64 fresh = BIT_ULL(BITS - 3);
	struct pev_fake_rig *rig = test->priv;
	/* of counter 0 alone */
	const u64 code = 1 | 1 << 8;
	struct pev_event *event;

	/* without one the PMU is given back, and all begins at 0 */
	pev_fake_open(test, FIXED_CODE, 0, NULL);
	pev_fake_open(test, code, 0, NULL);
	pev_fake_switch(test, true);
	pev_fake_work(700);
	pev_event_close(rig->events[--rig->nr]);
	event = pev_fake_open(test, code, 0, NULL);
	pev_fake_switch(test, true);
	pev_fake_work(70);
	KUNIT_EXPECT_EQ(test, cpu->value[0], fresh + 770);

	pev_pmu_reads_by_all(true);
	KUNIT_EXPECT_EQ(test, cpu->value[0], fresh);
	pev_fake_work(7);
	KUNIT_EXPECT_EQ(test, cpu->value[0], fresh + 7);
	KUNIT_EXPECT_EQ(test, value(event), 77);

	pev_event_close(rig->events[--rig->nr]);
	event = pev_fake_open(test, code, 0, NULL);
	pev_fake_switch(test, true);
	KUNIT_EXPECT_EQ(test, cpu->value[0], fresh);
	pev_fake_work(5);
	KUNIT_EXPECT_EQ(test, value(event), 5);
	pev_pmu_reads_by_all(false);
}

/* A PMI in an update leaves the PMU to it: nothing is lost, nothing stands still. */
static void test_pmi_in_update(struct kunit *test)
{
	struct pev_fake_cpu *cpu = per_cpu_ptr(&pev_fake_cpus, 0);
	struct pev_event *stays = pev_fake_open(test, 1, 0, NULL);
	u64 sum = 0;

	pev_fake_switch(test, true);
	for (unsigned int i = 0; i < 20; i++) {
		struct pev_event *comes = pev_fake_open(test, 1, 0, NULL);
		struct pev_fake_rig *rig = test->priv;

		pev_fake_work(777);
		cpu->pmi_in_freeze = BIT_ULL(hw_here(stays)->counter);
		pev_fake_switch(test, true);
		KUNIT_EXPECT_EQ(test, cpu->pmi_in_freeze, 0);
		KUNIT_EXPECT_FALSE(test, cpu->frozen);
		pev_fake_work(777);
		sum += 2 * 777;
		KUNIT_EXPECT_EQ(test, value(stays), sum);
		KUNIT_EXPECT_EQ(test, value(comes), 777);
		cpu->pmi_in_freeze = cpu->active;
		pev_event_close(rig->events[--rig->nr]);
	}
}

/* The PMU is given to groups as a whole, in turns that all of them get. */
static void test_turns(struct kunit *test)
{
	struct pev_event *events[MAX_EVENTS];
	ktime_t end = ktime_add_ms(ktime_get(), 200);
	unsigned int i, torn = 0;

	events[0] = pev_fake_open(test, 1, 0, NULL);
	events[1] = pev_fake_open(test, 2, 0, events[0]);
	events[2] = pev_fake_open(test, 3, 0, events[0]);
	events[3] = pev_fake_open(test, 4, 0, NULL);
	events[4] = pev_fake_open(test, 5, 0, events[3]);
	events[5] = pev_fake_open(test, 6, 0, NULL);
	events[6] = pev_fake_open(test, FIXED_CODE, 0, NULL);
	pev_fake_switch(test, true);
	while (ktime_before(ktime_get(), end)) {
		unsigned long flags;

		local_irq_save(flags);
		pev_fake_work_off(10);
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
		flexible[i] = pev_fake_open(test, 1, 0, NULL);
	pinned = pev_fake_open(test, 7 | 1 << 8, PEV_F_PINNED, NULL);
	exclusive = pev_fake_open(test, FIXED_CODE, PEV_F_EXCLUSIVE, NULL);
	pev_fake_switch(test, true);
	while (ktime_before(ktime_get(), end)) {
		unsigned long flags;

		local_irq_save(flags);
		pev_fake_work_off(1);
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
	struct pev_event *event = pev_fake_open(test, 9, 0, NULL);
	struct pev_fake_rig *rig = test->priv;

	pev_fake_switch(test, true);
	pev_fake_work(100);
	mutex_lock(&pev_control);
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	pev_fake_work(10);
	KUNIT_EXPECT_EQ(test, value(event), 90);
	KUNIT_EXPECT_EQ(test, ec_here(event)->waited, 0);
	KUNIT_EXPECT_EQ(test, hw_here(event)->windows.nr, 0);
}

/* A window that began before a reset is of the time after it, as its count is. */
static void test_reset_in_a_window(struct kunit *test)
{
	struct pev_event *event = pev_fake_open(test, 9, 0, NULL);
	struct pev_fake_rig *rig = test->priv;
	u64 reset;

	pev_fake_switch(test, true);
	pev_fake_work(100);
	mdelay(20);
	mutex_lock(&pev_control);
	reset = pev_now_ns();
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	pev_fake_work(10);
	pev_fake_switch(test, false);
	KUNIT_EXPECT_EQ(test, hw_here(event)->slice_x, 90);
	KUNIT_EXPECT_LE(test, hw_here(event)->slice_ran, pev_now_ns() - reset);
}

static void firmware_works(void)
{
	pev_fake_work_off(5000);
	mdelay(5);
}

/* Registers are lost in a suspend; values are not, nor is a time in it counted. */
static void test_suspend(struct kunit *test)
{
	struct pev_event *two = pev_fake_open(test, 2, 0, NULL);
	struct pev_event *all[6] = { two };
	u64 ran;

	pev_fake_switch(test, true);
	pev_fake_work(100);
	pev_fake_nap(firmware_works);
	KUNIT_EXPECT_TRUE(test, per_cpu(pev_fake_cpus, 0).ours);
	pev_fake_work(10);
	KUNIT_EXPECT_EQ(test, value(two), 220);
	KUNIT_EXPECT_GE(test, ec_here(two)->waited, 5 * NSEC_PER_MSEC);
	ran = time_running(two);
	mdelay(1);
	value(two);
	KUNIT_EXPECT_GE(test, time_running(two), ran + NSEC_PER_MSEC);

	/* those that are multiplexed go on with it */
	for (unsigned int i = 1; i < ARRAY_SIZE(all); i++)
		all[i] = pev_fake_open(test, i, 0, NULL);
	pev_fake_switch(test, true);
	pev_fake_nap(firmware_works);
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++) {
		ktime_t end = ktime_add_ms(ktime_get(), 2000);
		u64 before = value(all[i]);

		while (value(all[i]) == before && ktime_before(ktime_get(), end))
			pev_fake_work(1);
		KUNIT_EXPECT_NE(test, value(all[i]), before);
	}
}

static void pmu_vanishes(void)
{
	pev_fake.gone = true;
}

/*
 * A machine that wakes up elsewhere, without counters: what was counted stays, the
 * time of counting is over, and nothing touches what is not there.
 */
static void test_vanished(struct kunit *test)
{
	struct pev_event *event = pev_fake_open(test, 3, 0, NULL), *late;
	struct pev_fake_rig *rig = test->priv;
	u64 ran, all;

	pev_fake_switch(test, true);
	pev_fake_work(100);
	KUNIT_EXPECT_EQ(test, value(event), 300);
	pev_fake_nap(pmu_vanishes);
	KUNIT_EXPECT_FALSE(test, per_cpu(pev_fake_cpus, 0).ours);
	value(event);
	ran = time_running(event);
	all = ec_here(event)->time;
	pev_fake_work(100);
	mdelay(2);
	KUNIT_EXPECT_EQ(test, value(event), 300);
	KUNIT_EXPECT_EQ(test, time_running(event), ran);
	KUNIT_EXPECT_GE(test, ec_here(event)->time, all + 2 * NSEC_PER_MSEC);

	/* switched, opened, reset and closed as ever, to no effect */
	pev_fake_switch(test, false);
	late = pev_fake_open(test, 1, 0, event);
	pev_fake_switch(test, true);
	pev_fake_work(100);
	KUNIT_EXPECT_EQ(test, value(late), 0);
	KUNIT_EXPECT_EQ(test, time_running(late), 0);
	mutex_lock(&pev_control);
	pev_target_reset(rig->events, rig->nr);
	mutex_unlock(&pev_control);
	KUNIT_EXPECT_EQ(test, value(event), 0);
	pev_event_close(rig->events[--rig->nr]);
	pev_fake_nap(NULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&pev_fake.strays), 0);

	/* and back where there are some */
	pev_fake.gone = false;
	pev_fake_nap(NULL);
	pev_fake_work(7);
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

	pev_fake.holder = "another driver";
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pev_event_create(&req, &r)), -EBUSY);
	KUNIT_EXPECT_STREQ(test, r.text, "another driver has the counters");
	pev_fake.holder = NULL;
	pev_fake_open(test, 1, 0, NULL);
	/* where nothing has counted yet the registers are left alone */
	KUNIT_EXPECT_FALSE(test, per_cpu(pev_fake_cpus, 0).ours);
	pev_fake_switch(test, true);
	KUNIT_EXPECT_TRUE(test, per_cpu(pev_fake_cpus, 0).ours);
}

/*
 * What a lent counter that has got one goes on from: where its guest was told that it is, unless
 * it would overflow too late then. One that is overdue has no time left, not all there is.
 */
static void test_lent(struct kunit *test)
{
	static const struct {
		s64	left;
		u64	offset;
		bool	goes_on;
	} cases[] = {
		{ 1000000, 500000, true },
		{ 1000000, -500000ULL, false },
		{ 1000000, 999999, false },
		{ -5, -100000ULL, false },
		{ S64_MIN, -100000ULL, false },
	};
	const u64 lap = BIT_ULL(PEV_LENT_BITS);
	struct pev_event *event = pev_fake_open(test, 1, 0, NULL);
	struct pev_hw_event *hw = event->private;
	struct pev_hw_cpu *s = hw_here(event);
	struct pev_lent lent = { .event = event, .shows = true };

	pev_fake_switch(test, true);
	KUNIT_ASSERT_TRUE(test, on_counter(event));
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 was, raw, want;

		scoped_guard(irqsave) {
			struct pev_pmu_cpu *cpu = pev_pmu_update_begin();

			pev_hw_fold(s);
			was = s->raw;
			lent.counter = s->counter;
			lent.offset = cases[i].offset;
			s->period.left = cases[i].left;
			hw->lent = &lent;
			pev_lent_attach(cpu, s);
			raw = s->raw;
			hw->lent = NULL;
			cpu->shown = 0;
			pev_hw_load(s);
			pev_pmu_commit();
		}
		want = was;
		if (cases[i].goes_on)
			want = (cases[i].offset - cases[i].left) & (lap - 1);
		KUNIT_EXPECT_EQ_MSG(test, raw, want, "case %u", i);
	}
}

/* The context of the first record in this CPU's ring, behind the thread. */
static const u64 *first_context(const struct pev_channel *channel)
{
	const struct pev_ring *ring = channel->rings[0];

	return (const u64 *)(ring->data + sizeof(struct pev_packet) + 2 * sizeof(u32));
}

/*
 * One PMI may tell of two events, of which one leaves the kernel out: what is known of the other
 * is not in its record.
 */
static void test_addresses(struct kunit *test)
{
	static const struct {
		u64	flags;
		bool	of_kernel;
		bool	shown;
	} kinds[] = {
		{ 0, false, true },
		{ 0, true, true },
		{ PEV_F_EXCLUDE_KERNEL, false, true },
		{ PEV_F_EXCLUDE_KERNEL, true, false },
	};
	const struct pev_channel_desc desc = { .ring_size = SZ_16K };
	struct pt_regs regs = { };

	pev_fake.regs = &regs;
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct pev_fake_rig *rig = test->priv;
		struct pev_refuse r = { };
		struct pev_channel *channel = pev_channel_create(&desc, &r);
		struct pev_event *event;

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, channel);
		event = pev_fake_sample(test, channel, 1000, kinds[i].flags, PEV_SAMPLE_ADDR);
		pev_fake.addr = kinds[i].of_kernel ? (unsigned long)event : PAGE_SIZE;
		pev_fake_switch(test, true);
		pev_fake_work(1000);
		KUNIT_EXPECT_EQ(test, local64_read(&ec_here(event)->samples), 1);
		KUNIT_EXPECT_EQ_MSG(test, *first_context(channel),
				    kinds[i].shown ? pev_fake.addr : 0, "kind %u", i);
		pev_event_close(rig->events[--rig->nr]);
		pev_channel_put(channel);
	}
	pev_fake.regs = NULL;
}

#ifdef CONFIG_X86_64
/*
 * With an exact address, perf's registers are those of an interrupt that has hit the kernel, and
 * say that they are the program's. This thread has no program.
 */
static void test_exact_address(struct kunit *test)
{
	const struct pev_channel_desc desc = { .ring_size = SZ_16K };
	struct pt_regs regs = { .cs = __USER_CS, .ip = 0x1234, .ax = (unsigned long)&regs };
	struct pev_fake_rig *rig = test->priv;
	struct pev_refuse r = { };
	struct pev_channel *channel = pev_channel_create(&desc, &r);
	struct pev_event *event;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, channel);
	event = pev_fake_sample(test, channel, 1000, PEV_F_EXCLUDE_KERNEL,
				PEV_SAMPLE_IP | PEV_SAMPLE_UREGS);
	((struct pev_hw_event *)event->private)->perf.precise = 2;
	pev_fake.regs = &regs;
	pev_fake_switch(test, true);
	pev_fake_work(1000);
	KUNIT_EXPECT_EQ(test, local64_read(&ec_here(event)->samples), 1);
	KUNIT_EXPECT_EQ(test, first_context(channel)[0], regs.ip);
	KUNIT_EXPECT_EQ(test, first_context(channel)[1], 0);
	pev_fake.regs = NULL;
	pev_event_close(rig->events[--rig->nr]);
	pev_channel_put(channel);
}
#endif

static struct kunit_case pmu_test_cases[] = {
	KUNIT_CASE(test_counts),
	KUNIT_CASE(test_words),
	KUNIT_CASE(test_switch_is_free),
	KUNIT_CASE(test_readable),
	KUNIT_CASE(test_pmi_in_update),
	KUNIT_CASE(test_turns),
	KUNIT_CASE(test_pinned_and_exclusive),
	KUNIT_CASE(test_reset),
	KUNIT_CASE(test_reset_in_a_window),
	KUNIT_CASE(test_suspend),
	KUNIT_CASE(test_vanished),
	KUNIT_CASE(test_held),
	KUNIT_CASE(test_lent),
	KUNIT_CASE(test_addresses),
#ifdef CONFIG_X86_64
	KUNIT_CASE(test_exact_address),
#endif
	{ }
};

static struct kunit_suite pmu_test_suite = {
	.name		= "pev_pmu",
	.init		= pev_fake_init,
	.exit		= pev_fake_exit,
	.test_cases	= pmu_test_cases,
};

kunit_test_suite(pmu_test_suite);
