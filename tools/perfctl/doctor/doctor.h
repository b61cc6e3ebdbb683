/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: what its parts share. */
#ifndef PERFCTL_DOCTOR_DOCTOR_H
#define PERFCTL_DOCTOR_DOCTOR_H

#include "base/util.h"

#include <pev/pev.h>

/**
 * enum finding - what is said about a thing
 */
enum finding {
	GOOD,
	NOTE,
	BAD,
};

struct doctor {
	struct pev_info info;
	unsigned int bad;
	bool color;
};

void doctor_say(struct doctor *d, enum finding f, const char *what, const char *fmt, ...)
	PRINTF(4, 5);
void doctor_remedy(const char *fmt, ...) PRINTF(1, 2);

#endif
