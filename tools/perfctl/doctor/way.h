/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: how the kernel's pev is reached, or what keeps it away. */
#ifndef PERFCTL_DOCTOR_WAY_H
#define PERFCTL_DOCTOR_WAY_H

#include "doctor.h"

/**
 * struct way - what there is of the kernel's pev
 * @way:       what pev_open() takes
 * @call:      why the system call is closed, 0: it is open
 * @device:    the same of PEV_DEVICE
 * @release:   of the running kernel
 * @other:     release of another kernel that the module is installed for, or ""
 * @settings:  the kernel has those of pev
 * @loaded:    the module is
 * @installed: the module is, for the running kernel
 * @sources:   pev-dkms has put them where dkms looks for them
 * @headers:   modules can be built for the running kernel
 * @filtered:  a seccomp profile is in force
 * @sealed:    the running kernel takes signed modules only
 * @root:      commands need no sudo
 */
struct way {
	enum pev_way way;
	int call, device;
	char release[65], other[65];
	bool settings, loaded, installed, sources, headers, filtered, sealed, root;
};

/**
 * struct way_text - what is said about that
 * @finding: of enum finding
 * @text:    a sentence
 * @remedy:  what to do, or ""
 */
struct way_text {
	enum finding finding;
	char text[300], remedy[300];
};

/* Looks below @top, "" for this machine; @w->way, call, device and root are the caller's. */
void way_look(struct way *w, const char *top);
/* What of it keeps pev away, or lets it in. */
struct way_text way_explain(const struct way *w);

#endif
