/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: what works, what does not, and why. */
#ifndef PERFCTL_DOCTOR_EXAMINE_H
#define PERFCTL_DOCTOR_EXAMINE_H

#include "doctor.h"

/* Prints a line for each finding, and counts the bad ones in @d. */
void doctor_examine(struct doctor *d);
/* Says how the kernel's pev is reached, or what keeps it away: also where nothing works. */
void doctor_way(struct doctor *d);

#endif
