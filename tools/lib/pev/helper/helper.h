/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pev-perfmon: a program with CAP_PERFMON that opens events for those who may run it. The
 * library asks it for what the kernel refused.
 */
#ifndef _PEV_HELPER_HELPER_H
#define _PEV_HELPER_HELPER_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "helper/protocol.h"

/* Returns the path of the helper, which the caller may or may not run, or NULL if there is none. */
const char *helper_path(void);

/**
 * helper_perf_open() - perf_event_open(2) by the helper
 *
 * Return: a descriptor or -errno of the call; -ENOSYS if there is no helper that the caller
 * may run.
 */
int helper_perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
		     unsigned long flags);

/**
 * helper_read() - a file of the kernel as the helper sees it; free @text
 * @what: HELPER_KALLSYMS or HELPER_MODULES
 *
 * Return: 0 or -errno, -ENOSYS as above.
 */
int helper_read(enum helper_what what, char **text, size_t *len);

#endif /* _PEV_HELPER_HELPER_H */
