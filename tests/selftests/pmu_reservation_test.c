// SPDX-License-Identifier: GPL-2.0
/*
 * PowerPC: Linux gives the PMU to one driver at a time, and anybody with root's
 * rights the registers in /sys/devices/system/cpu. Who has it is told to who asks
 * for it, perf still reserves it after it was refused, and what others write to
 * registers does not count.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pmu_util.h"

FIXTURE(reservation) {
};

FIXTURE_SETUP(reservation)
{
#ifndef __powerpc64__
	SKIP(return, "here each counter of the PMU is reserved on its own");
#endif
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	PMU_SKIP_WITHOUT(SKIP);
	/* perf could lend them where it has them */
	ASSERT_EQ(0, pmu_choose("own"));
	pev_pin(0);
}

FIXTURE_TEARDOWN(reservation)
{
	pmu_choose("auto");
}

/* Instructions of this thread; the fd or -errno. */
static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1,
	};
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A closed event gives the PMU back when its last reference has gone. */
static int perf_open_soon(void)
{
	int fd = -EBUSY;

	for (int i = 0; i < 1000 && fd == -EBUSY; i++) {
		fd = perf_open();
		if (fd == -EBUSY)
			usleep(10000);
	}
	return fd;
}

static int pev_open_soon(void)
{
	int fd = -EBUSY;

	for (int i = 0; i < 1000 && fd == -EBUSY; i++) {
		fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
		if (fd == -EBUSY)
			usleep(10000);
	}
	return fd;
}

TEST_F(reservation, one_at_a_time)
{
	int fd, perf, other;
	uint64_t count;

	fd = pev_open_soon();
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* twice: the second found perf's count of events wrong */
	EXPECT_EQ(-EBUSY, perf_open());
	EXPECT_EQ(-EBUSY, perf_open());
	EXPECT_LT(400000, pmu_count(fd, 100000 + 400000 / PMU_ROUND));
	close(fd);

	perf = perf_open_soon();
	ASSERT_LE(0, perf);
	pmu_loop(1000000 / PMU_ROUND);
	ASSERT_EQ(sizeof(count), read(perf, &count, sizeof(count)));
	EXPECT_LE(1000000, count);

	other = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	EXPECT_EQ(-EBUSY, other);
	EXPECT_NE(NULL, strstr(pev_reason(), "perf")) TH_LOG("%s", pev_reason());
	if (other >= 0)
		close(other);
	close(perf);
	fd = pev_open_soon();
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
}

/* ---- registers in sysfs ---- */

static bool write_register(const char *name, const char *value)
{
	char path[80];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	ret = write(fd, value, strlen(value));
	close(fd);
	return ret > 0;
}

/* From the text of PEV_TYPE_PMU. */
static long incidents(const char *name)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 };
	char text[8192], line[64];
	const char *at;
	int fd = pev_open(&attr), n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	snprintf(line, sizeof(line), "incident %s ", name);
	at = strstr(text, line);
	return at ? atol(at + strlen(line)) : -1;
}

/* @value into register @name while a counter of this thread runs. */
static void disturb(struct __test_metadata *_metadata, const char *name, const char *value)
{
	long before = incidents("foreign");
	uint64_t quiet, count, again;
	int fd;

	fd = pev_open_soon();
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	quiet = pmu_count(fd, 100000);

	ioctl(fd, PEV_IOC_RESET, 0);
	pev_on(fd);
	pmu_loop(50000);
	ASSERT_TRUE(write_register(name, value));
	pmu_loop(50000);
	pev_off(fd);
	count = pev_read(fd).value;
	/* never more than there was to count; the write itself takes some, too */
	EXPECT_GT(quiet + 20000, count) TH_LOG("%s %s: %lu, not %lu", name, value, count, quiet);
	EXPECT_LT(before, incidents("foreign")) TH_LOG("%s %s", name, value);
	/* and the next is as if nothing had been */
	again = pmu_count(fd, 100000);
	EXPECT_GE(pmu_is_exact() ? 0 : quiet / 1000, labs(again - quiet))
		TH_LOG("%s %s: %lu, not %lu", name, value, again, quiet);
	close(fd);
}

TEST_F(reservation, registers_of_others)
{
	if (access("/sys/devices/system/cpu/cpu0/mmcr0", W_OK))
		SKIP(return, "the registers are not in sysfs, or for root");
	disturb(_metadata, "mmcr0", "0");
	disturb(_metadata, "mmcr0", "80000000");
	disturb(_metadata, "mmcr1", "1e1e1e1e");
	disturb(_metadata, "pmc5", "3");
}

TEST_HARNESS_MAIN
