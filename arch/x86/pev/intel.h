/* SPDX-License-Identifier: GPL-2.0 */
/* What there is on processors of Intel. */
#ifndef _X86_PEV_INTEL_H
#define _X86_PEV_INTEL_H

/* Fill in x86_pev_hw. Return: 0, or -ENODEV having said why. */
int x86_pev_intel_detect(void);

#endif
