// SPDX-License-Identifier: GPL-2.0
/*
 * A library that takes from perf_event_open(2) what Linux 5.12 and 6.0 added: build ids of
 * mappings, and the losses of each event.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define FORMAT_LOST (1U << 4)

long syscall(long nr, ...)
{
	static long (*real)(long nr, ...);
	long a[6];
	va_list ap;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open) {
		const struct perf_event_attr *attr = (const struct perf_event_attr *)a[0];

		if (attr->read_format & FORMAT_LOST || attr->build_id) {
			errno = EINVAL;
			return -1;
		}
	}
	return real(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
