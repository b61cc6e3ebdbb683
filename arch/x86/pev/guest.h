/* SPDX-License-Identifier: GPL-2.0 */
/* Counters that the host of a virtual machine lends. */
#ifndef _X86_PEV_GUEST_H
#define _X86_PEV_GUEST_H

#ifdef CONFIG_KVM_GUEST
/* Register what the host lends as the machine's PMU. Return: 0, or -ENODEV if it lends nothing. */
int x86_pev_guest_init(void);
#else
static inline int x86_pev_guest_init(void)
{
	return -ENODEV;
}
#endif

#endif
