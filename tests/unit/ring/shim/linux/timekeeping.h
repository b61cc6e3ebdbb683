/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_TIMEKEEPING_H
#define SHIM_LINUX_TIMEKEEPING_H

/* the clocks are the test's */
unsigned long long ktime_get_mono_fast_ns(void);

#endif
