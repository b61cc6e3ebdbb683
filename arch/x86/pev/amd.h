/* SPDX-License-Identifier: GPL-2.0 */
/* What there is on processors of AMD. */
#ifndef _X86_PEV_AMD_H
#define _X86_PEV_AMD_H

/* Fill in x86_pev_hw. Return: 0, or -ENODEV having said why. */
int x86_pev_amd_detect(void);

#endif
