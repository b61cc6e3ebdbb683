/* SPDX-License-Identifier: GPL-2.0 */
/* Events of this thread by perf_event_open(2), and what they count of some work. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event_open(struct perf_event_attr *attr, int group)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, group, 0);
}

static uint64_t value(int fd)
{
	uint64_t v = 0;

	if (read(fd, &v, sizeof(v)) != sizeof(v))
		printf("# read: %s\n", strerror(errno));
	return v;
}

typedef void work_fn(uint64_t n);

static void start(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void stop(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

static uint64_t count(int fd, work_fn *work, uint64_t n)
{
	start(fd);
	work(n);
	stop(fd);
	return value(fd);
}
