/* SPDX-License-Identifier: GPL-2.0 */
/* Probes at the beginning of kernel functions, by ftrace. */
#ifndef _PEV_PROBE_FUNCTION_H
#define _PEV_PROBE_FUNCTION_H

#include <linux/types.h>

struct pev_probe_event;
struct pev_refuse;

/* Watch modules go, at boot; no more, as pev goes. */
int pev_probe_function_setup(void);
void pev_probe_function_teardown(void);

/*
 * Place the probes, all or none, at once; remove them; free what they took. Process context,
 * may sleep, no locks held.
 */
int pev_probe_function_hook(struct pev_probe_event *probe, struct pev_refuse *r);
void pev_probe_function_unhook(struct pev_probe_event *probe);
void pev_probe_function_free(struct pev_probe_event *probe);

/* How often a function was reached by what a probe does itself. Any context. */
u64 pev_probe_function_missed(const struct pev_probe_event *probe);

#endif
