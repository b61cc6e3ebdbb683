/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: times, with their types. */
#ifndef _PEV_OLDER_LINUX_TIMEKEEPING_H
#define _PEV_OLDER_LINUX_TIMEKEEPING_H

#include <linux/ktime.h>
#include_next <linux/timekeeping.h>

#endif
