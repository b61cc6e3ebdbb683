/* SPDX-License-Identifier: GPL-2.0 */
/* What time it is; now_*() by the clock that is never set. */
#ifndef PERFCTL_BASE_CLOCK_H
#define PERFCTL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline int64_t now_ms(void)
{
	return (int64_t)(now_ns() / 1000000);
}

static inline double now_s(void)
{
	return (double)now_ns() / 1e9;
}

#endif
