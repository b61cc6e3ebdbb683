/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: the one command that gives more. */
#ifndef PERFCTL_DOCTOR_ADVICE_H
#define PERFCTL_DOCTOR_ADVICE_H

#include "doctor.h"
#include "perfmon.h"

/**
 * struct situation - what the advice depends on
 * @can:      enum ability
 * @perfmon:  the program that opens events for others
 * @paranoid: kernel.pev_paranoid or kernel.perf_event_paranoid
 * @pev:      the engine is the kernel's own
 * @root:     commands need no sudo
 * @tracefs:  it is mounted
 */
struct situation {
	const bool *can;
	const struct perfmon *perfmon;
	int paranoid;
	bool pev;
	bool root;
	bool tracefs;
};

/**
 * struct advice - a command, and what it is good for
 * @command: empty if nothing is to be done
 * @gives:   a clause
 */
struct advice {
	char command[200];
	char gives[200];
};

/* Returns the command that gives most of what is missing. */
struct advice advise(const struct situation *s);

#endif
