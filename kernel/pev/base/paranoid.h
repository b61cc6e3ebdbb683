/* SPDX-License-Identifier: GPL-2.0 */
/* What may be asked for without CAP_PERFMON. */
#ifndef _PEV_PARANOID_H
#define _PEV_PARANOID_H

/*
 * kernel.pev_paranoid, each level adds to the ones before:
 * -1 everything on tasks that one may trace, and all CPUs
 *  0 tracepoints and markers need CAP_PERFMON
 *  1 CPUs, the whole machine and cgroups do too
 *  2 the kernel's side of one's own tasks does too (default)
 *  3 everything does
 *  4 off: nothing is opened but queries and lists
 */
#define PEV_PARANOID_MIN	-1
#define PEV_PARANOID_TRACE	0
#define PEV_PARANOID_MACHINE	1
#define PEV_PARANOID_KERNEL	2
#define PEV_PARANOID_ALL	3
#define PEV_PARANOID_OFF	4

/**
 * pev_paranoid_level() - what needs which right
 *
 * An administrator who closes perf to users means pev, too: perf's levels up to 3 apply.
 *
 * Context: Any.
 * Return: the stricter of kernel.pev_paranoid and kernel.perf_event_paranoid.
 */
int pev_paranoid_level(void);

/* Which of them that is, for texts. */
const char *pev_paranoid_name(void);

/* At boot. Return: 0 or -ENOMEM. */
int pev_paranoid_setup(void);
void pev_paranoid_teardown(void);

#endif
