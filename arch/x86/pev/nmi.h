/* SPDX-License-Identifier: GPL-2.0 */
/* The PMI. */
#ifndef _X86_PEV_NMI_H
#define _X86_PEV_NMI_H

struct pt_regs;
struct x86_pev_cpu;

int x86_pev_pmi(unsigned int cmd, struct pt_regs *regs);
void x86_pev_expect_late(struct x86_pev_cpu *c, unsigned int nr);

#endif
