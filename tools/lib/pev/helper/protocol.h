/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What libpev and pev-perfmon say to each other: a packet for each question, a packet for
 * each answer, descriptors beside both.
 */
#ifndef _PEV_HELPER_PROTOCOL_H
#define _PEV_HELPER_PROTOCOL_H

#include <stdint.h>

/**
 * enum helper_what - what is asked for
 * @HELPER_OPEN:     perf_event_open(2)
 * @HELPER_KALLSYMS: /proc/kallsyms, to be read
 * @HELPER_MODULES:  /proc/modules, to be read
 */
enum helper_what {
	HELPER_OPEN,
	HELPER_KALLSYMS,
	HELPER_MODULES,
};

/* Bytes of a struct perf_event_attr that are passed on; the kernel's own limit is a page. */
#define HELPER_ATTR_MAX	1024

/**
 * struct helper_question - with the descriptors of the cgroup and the group, in this order
 * @what:   enum helper_what
 * @flags:  of perf_event_open(2): PERF_FLAG_PID_CGROUP or 0
 * @pid:    a thread, or -1: all; not 0
 * @cpu:    or -1
 * @group:  1: there is a leader's descriptor
 * @size:   bytes of @attr that are used
 */
struct helper_question {
	uint32_t	what;
	uint32_t	flags;
	int32_t		pid;
	int32_t		cpu;
	uint32_t	group;
	uint32_t	size;
	uint8_t		attr[HELPER_ATTR_MAX];
};

/**
 * struct helper_answer - with a descriptor if it worked
 * @error: errno or 0
 */
struct helper_answer {
	int32_t		error;
};

#endif /* _PEV_HELPER_PROTOCOL_H */
