/* SPDX-License-Identifier: GPL-2.0 */
/* How many samples a second an event may take. */
#ifndef _PEV_RATE_H
#define _PEV_RATE_H

/* Samples that an event may take on a CPU in a second; changed at any time. */
extern unsigned int sysctl_pev_max_sample_rate;

/* At boot. Return: 0 or -ENOMEM. */
int pev_rate_setup(void);
void pev_rate_teardown(void);

#endif
