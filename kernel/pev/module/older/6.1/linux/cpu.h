/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a guard that they lack. */
#ifndef _PEV_OLDER_LINUX_CPU_H
#define _PEV_OLDER_LINUX_CPU_H

#include_next <linux/cpu.h>
#include <linux/cleanup.h>

DEFINE_LOCK_GUARD_0(cpus_read_lock, cpus_read_lock(), cpus_read_unlock())

#endif
