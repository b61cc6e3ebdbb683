// SPDX-License-Identifier: GPL-2.0
/*
 * Two PMUs of what all CPUs share, as those of sockets are: machines without hardware of that
 * kind can test how it is counted. Both count nanoseconds (config 0) or their readings
 * (config 1). With config 2 the driver makes the event one that samples, as AMD's IBS does, but
 * never interrupts. The driver of pevtest_socket moves its events to CPU 0 itself; pevtest_scope
 * says what it counts and leaves that to perf.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <linux/version.h>

#define TEST_SAMPLES 2
#define TEST_CONFIGS 3

static u64 now_of(const struct perf_event *event)
{
	return event->attr.config ? 0 : ktime_get_ns();
}

static void test_read(struct perf_event *event)
{
	u64 now = now_of(event);
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(event->attr.config ? 1 : now - before, &event->count);
}

static void test_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, now_of(event));
}

static void test_stop(struct perf_event *event, int flags)
{
	test_read(event);
}

static int test_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		test_start(event, flags);
	return 0;
}

static int check(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config >= TEST_CONFIGS || event->attr.sample_period || event->cpu < 0)
		return -EINVAL;
	if (event->attr.config == TEST_SAMPLES)
		event->attr.sample_period = 1000;
	return 0;
}

static int socket_init(struct perf_event *event)
{
	int err = check(event);

	if (!err)
		event->cpu = 0;
	return err;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_EVENT_ATTR_STRING(ns, test_ns, "event=0x0");
PMU_EVENT_ATTR_STRING(ns.scale, test_ns_scale, "1e-9");
PMU_EVENT_ATTR_STRING(ns.unit, test_ns_unit, "s");
PMU_EVENT_ATTR_STRING(reads, test_reads, "event=0x1");

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0\n");
}

static DEVICE_ATTR_RO(cpumask);

static struct attribute *format_attrs[] = { &format_attr_event.attr, NULL };
static struct attribute *event_attrs[] = { &test_ns.attr.attr, &test_ns_scale.attr.attr,
					   &test_ns_unit.attr.attr, &test_reads.attr.attr, NULL };
static struct attribute *cpumask_attrs[] = { &dev_attr_cpumask.attr, NULL };

static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static const struct attribute_group event_group = { .name = "events", .attrs = event_attrs };
static const struct attribute_group cpumask_group = { .attrs = cpumask_attrs };

static const struct attribute_group *socket_groups[] = { &format_group, &event_group,
							 &cpumask_group, NULL };

static struct pmu socket_pmu = { .attr_groups = socket_groups, .event_init = socket_init };
/* Before 6.12 all drivers move their events, and show where to. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static struct pmu scope_pmu = { .attr_groups = socket_groups, .event_init = socket_init };
#else
static const struct attribute_group *scope_groups[] = { &format_group, &event_group, NULL };
static struct pmu scope_pmu = {
	.attr_groups = scope_groups,
	.event_init = check,
	.scope = PERF_PMU_SCOPE_SYS_WIDE,
};
#endif

static int add_pmu(struct pmu *pmu, const char *name)
{
	pmu->module = THIS_MODULE;
	pmu->task_ctx_nr = perf_invalid_context;
	pmu->capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE;
	pmu->add = test_add;
	pmu->del = test_stop;
	pmu->start = test_start;
	pmu->stop = test_stop;
	pmu->read = test_read;
	return perf_pmu_register(pmu, name, -1);
}

static int __init test_pmu_init(void)
{
	int err = add_pmu(&socket_pmu, "pevtest_socket");

	if (err)
		return err;
	err = add_pmu(&scope_pmu, "pevtest_scope");
	if (err)
		perf_pmu_unregister(&socket_pmu);
	return err;
}

static void __exit test_pmu_exit(void)
{
	perf_pmu_unregister(&scope_pmu);
	perf_pmu_unregister(&socket_pmu);
}

module_init(test_pmu_init);
module_exit(test_pmu_exit);
MODULE_DESCRIPTION("PMUs that count what all CPUs share, for pev's tests");
MODULE_LICENSE("GPL");
