/* SPDX-License-Identifier: GPL-2.0 */
/* perf's limits of interrupts, which emulated PMUs must not meet. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# %s: %s\n", path, strerror(errno));
	close(fd);
}

/* Interrupts look slow in an emulator: never throttle them. */
static void never_throttle(void)
{
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}
