/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: pev-perfmon, which opens events for those who may run it. */
#ifndef PERFCTL_DOCTOR_PERFMON_H
#define PERFCTL_DOCTOR_PERFMON_H

#include "base/util.h"

/**
 * struct perfmon - the program as it is installed
 * @path:     where libpev looks for it
 * @group:    its group's name
 * @there:    it exists
 * @may_run:  you may run it
 * @perfmon:  its file has CAP_PERFMON
 * @syslog:   ... and CAP_SYSLOG, which shows where the kernel's functions are
 * @packaged: it is of the Debian package, which asks for whom it is
 */
struct perfmon {
	const char *path;
	char group[32];
	bool there;
	bool may_run;
	bool perfmon;
	bool syslog;
	bool packaged;
};

void perfmon_find(struct perfmon *p);

#endif
