// SPDX-License-Identifier: GPL-2.0
/* Tests of groups of which the core counts a part and perf another, in any order. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/pev_refuse.h>
#include <linux/string.h>
#include "base/lock.h"
#include "event/event.h"
#include "fake_test.h"

static int group_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static int group_add(struct perf_event *event, int flags)
{
	return 0;
}

static void group_del(struct perf_event *event, int flags) { }

static void group_read(struct perf_event *event) { }

#define GROUP_PMU(context)						\
	.task_ctx_nr	= context,					\
	.capabilities	= PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE, \
	.event_init	= group_event_init,				\
	.add		= group_add,					\
	.del		= group_del,					\
	.start		= group_del,					\
	.stop		= group_del,					\
	.read		= group_read

/* One whose events may wait for a counter, and one whose events never do. */
static struct pmu waiting_pmu = { GROUP_PMU(perf_invalid_context) };
static struct pmu ready_pmu = { GROUP_PMU(perf_sw_context) };

static int group_suite_init(struct kunit_suite *suite)
{
	int err = perf_pmu_register(&waiting_pmu, "pevtest_waiting", -1);

	if (err)
		return err;
	err = perf_pmu_register(&ready_pmu, "pevtest_ready", -1);
	if (err)
		perf_pmu_unregister(&waiting_pmu);
	return err;
}

static void group_suite_exit(struct kunit_suite *suite)
{
	perf_pmu_unregister(&ready_pmu);
	perf_pmu_unregister(&waiting_pmu);
}

static u32 pmu_of(char kind)
{
	if (kind == 'o')
		return PEV_PMU_CORE;
	return kind == 'w' ? waiting_pmu.type : ready_pmu.type;
}

/* One more event of the group on CPU 0, opened by @ops. Return: 0 or a negative errno. */
static int join_by(struct pev_fake_rig *rig, char kind, u64 flags,
		   const struct pev_source_ops *ops, struct pev_refuse *r)
{
	u64 mask = 1;
	struct pev_request req = {
		.attr = {
			.type		= PEV_TYPE_RAW,
			.target		= PEV_TARGET_CPUS,
			.pmu		= pmu_of(kind),
			.config		= 1,
			.flags		= flags | PEV_F_DISABLED,
			.cpus_size	= sizeof(mask),
			.channel_fd	= -1,
			/* which it is was found before */
			.group_fd	= rig->nr ? 0 : -1,
		},
		.cpus = &mask,
		.leader = rig->nr ? rig->events[0] : NULL,
		.ops = ops,
	};
	struct pev_event *event = pev_event_create(&req, r);

	if (IS_ERR(event))
		return PTR_ERR(event);
	rig->events[rig->nr++] = event;
	return 0;
}

static int join(struct pev_fake_rig *rig, char kind, u64 flags, struct pev_refuse *r)
{
	return join_by(rig, kind, flags, NULL, r);
}

/* 'o': of our own; 'w', 'r': of perf's waiting and ready PMU. The last one may be refused. */
static void test_mixed(struct kunit *test)
{
	static const struct {
		const char	*kinds;
		u64		flags;
		int		error;
	} cases[] = {
		{ "ow", 0, -EINVAL },
		{ "wo", 0, -EINVAL },
		{ "ww", 0, -EINVAL },
		{ "oow", 0, -EINVAL },
		{ "row", 0, -EINVAL },
		{ "rwo", 0, -EINVAL },
		{ "wro", 0, -EINVAL },
		{ "orw", 0, -EINVAL },
		{ "ow", PEV_F_PINNED, 0 },
		{ "wo", PEV_F_PINNED, 0 },
		/* our own are together, and with what never waits, whichever comes last */
		{ "oor", 0, 0 },
		{ "oro", 0, 0 },
		{ "roo", 0, 0 },
		{ "wrr", 0, 0 },
		{ "rrw", 0, 0 },
	};
	struct pev_fake_rig *rig = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *kind = cases[i].kinds;
		struct pev_refuse r = { };
		int err;

		for (; kind[1]; kind++)
			KUNIT_ASSERT_EQ_MSG(test, join(rig, *kind, cases[i].flags, &r), 0,
					    "%s: %s", cases[i].kinds, r.text);
		err = join(rig, *kind, 0, &r);
		KUNIT_EXPECT_EQ_MSG(test, err, cases[i].error, "%s: %s", cases[i].kinds, r.text);
		if (err) {
			KUNIT_EXPECT_EQ(test, r.field, PEV_FIELD(group_fd));
			KUNIT_EXPECT_NOT_NULL(test, strstr(r.text, "PEV_F_PINNED"));
		}
		while (rig->nr)
			pev_event_close(rig->events[--rig->nr]);
	}
}

/* An event that is in the group's list, and not judged before another one has joined, too. */
static struct {
	struct pev_fake_rig		*rig;
	char				other;
	int				error;
	const struct pev_source_ops	*real;
	struct pev_source_ops		opens;
	struct pev_source_ops		waits;
} late;

static int hook_late(struct pev_event *event, struct pev_refuse *r)
{
	struct pev_refuse others = { };

	event->ops = late.real;
	late.error = join(late.rig, late.other, 0, &others);
	return late.real->hook(event, r);
}

static int open_late(struct pev_event *event, const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = pev_raw_source.open(event, attr, r);

	if (err)
		return err;
	late.real = event->ops == &pev_perf_source ? &pev_perf_source : &pev_raw_source;
	late.waits = *late.real;
	late.waits.hook = hook_late;
	event->ops = &late.waits;
	return 0;
}

/* Of two that join at the same time one is refused for the other only if that one stays. */
static void test_at_the_same_time(struct kunit *test)
{
	static const struct {
		char	leader;
		char	late;
		char	other;
		int	late_error;
		int	other_error;
	} cases[] = {
		/* refused in any case */
		{ 'o', 'w', 'o', -EINVAL, 0 },
		{ 'w', 'o', 'r', -EINVAL, 0 },
		{ 'o', 'o', 'w', 0, -EINVAL },
		/* only one can stay: the first that is judged */
		{ 'r', 'w', 'o', -EINVAL, 0 },
		{ 'r', 'o', 'w', -EINVAL, 0 },
		{ 'r', 'w', 'w', -EINVAL, 0 },
		{ 'r', 'o', 'o', 0, 0 },
	};

	late.rig = test->priv;
	late.opens = pev_raw_source;
	late.opens.open = open_late;
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pev_refuse r = { };
		int err;

		KUNIT_ASSERT_EQ_MSG(test, join(late.rig, cases[i].leader, 0, &r), 0, "%s", r.text);
		late.other = cases[i].other;
		late.error = 1;
		err = join_by(late.rig, cases[i].late, 0, &late.opens, &r);
		KUNIT_EXPECT_EQ_MSG(test, err, cases[i].late_error, "%u: %s", i, r.text);
		KUNIT_EXPECT_EQ_MSG(test, late.error, cases[i].other_error, "%u", i);
		while (late.rig->nr)
			pev_event_close(late.rig->events[--late.rig->nr]);
	}
}

/* Nor for counters that the other one wanted: there are four that count this. */
static void test_counters_at_the_same_time(struct kunit *test)
{
	struct pev_refuse r = { };

	late.rig = test->priv;
	late.opens = pev_raw_source;
	late.opens.open = open_late;
	late.other = 'o';
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ_MSG(test, join(late.rig, 'o', 0, &r), 0, "%s", r.text);
	KUNIT_EXPECT_EQ(test, join_by(late.rig, 'o', 0, &late.opens, &r), -EINVAL);
	KUNIT_EXPECT_EQ(test, late.error, 0);
}

static void switch_on(struct pev_event **events, unsigned int nr)
{
	guard(mutex)(&pev_control);
	for (unsigned int i = 0; i < nr; i++)
		WRITE_ONCE(events[i]->state, PEV_EVENT_ON);
	pev_target_sync(events, nr);
}

static u64 waited(struct pev_event *event)
{
	value(event);
	return ec_here(event)->waited;
}

/* Four others have all counters that could count the part of ours: its time says so. */
static void test_part_that_waits(struct kunit *test)
{
	struct pev_fake_rig *rig = test->priv;
	struct pev_event *own, *perfs;
	struct pev_refuse r = { };

	KUNIT_ASSERT_EQ_MSG(test, join(rig, 'o', PEV_F_PINNED, &r), 0, "%s", r.text);
	KUNIT_ASSERT_EQ_MSG(test, join(rig, 'w', 0, &r), 0, "%s", r.text);
	own = rig->events[0];
	perfs = rig->events[1];
	for (unsigned int i = 0; i < 4; i++)
		pev_fake_open(test, 1, PEV_F_PINNED, NULL);
	switch_on(rig->events + 2, 4);
	switch_on(rig->events, 2);
	for (unsigned int i = 2; i < 6; i++)
		KUNIT_EXPECT_TRUE(test, on_counter(rig->events[i]));
	KUNIT_EXPECT_FALSE(test, on_counter(own));
	fsleep(1000);
	KUNIT_EXPECT_GT(test, waited(own), 0);
	KUNIT_EXPECT_EQ(test, time_running(own), 0);
	KUNIT_EXPECT_EQ(test, waited(perfs), 0);
	KUNIT_EXPECT_GT(test, time_running(perfs), 0);
}

static struct kunit_case group_test_cases[] = {
	KUNIT_CASE(test_mixed),
	KUNIT_CASE(test_at_the_same_time),
	KUNIT_CASE(test_counters_at_the_same_time),
	KUNIT_CASE(test_part_that_waits),
	{ }
};

static struct kunit_suite group_test_suite = {
	.name		= "pev_pmu_group",
	.suite_init	= group_suite_init,
	.suite_exit	= group_suite_exit,
	.init		= pev_fake_init,
	.exit		= pev_fake_exit,
	.test_cases	= group_test_cases,
};

kunit_test_suite(group_test_suite);
