/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: what its parts share. */
#ifndef PERFCTL_DOCTOR_DOCTOR_H
#define PERFCTL_DOCTOR_DOCTOR_H

#include "perfmon.h"
#include "base/json.h"

#include <pev/pev.h>

/**
 * enum finding - what is said about a thing
 */
enum finding {
	GOOD,
	NOTE,
	BAD,
};

/**
 * enum ability - what people want to do; each was tried
 * @CAN_OWN:         samples of one's own programs
 * @CAN_KERNEL:      ... and of the kernel that works for them
 * @CAN_MACHINE:     whole CPUs
 * @CAN_TRACEPOINTS: events of the kernel, and system calls with them
 * @CAN_COUNTERS:    the processor's counters
 */
enum ability {
	CAN_OWN,
	CAN_KERNEL,
	CAN_MACHINE,
	CAN_TRACEPOINTS,
	CAN_COUNTERS,
	NR_ABILITIES,
};

/**
 * struct doctor - an examination
 * @out:   where findings are printed
 * @info:  what the kernel says it can do
 * @perfmon: opens events for those who may run it
 * @bad:   number of bad findings
 * @can:   what worked when it was tried
 * @color: for a terminal
 * @json:  where findings are written instead; NULL: they are printed
 * @open:  a finding in @json is not closed, as it may get a remedy
 */
struct doctor {
	FILE *out;
	struct pev_info info;
	struct perfmon perfmon;
	unsigned int bad;
	bool can[NR_ABILITIES];
	bool color;
	struct json *json;
	bool open;
};

void doctor_say(struct doctor *d, enum finding f, const char *what, const char *fmt, ...)
	PRINTF(4, 5);
void doctor_remedy(struct doctor *d, const char *fmt, ...) PRINTF(2, 3);
/* After the last finding. */
void doctor_end(struct doctor *d);

#endif
