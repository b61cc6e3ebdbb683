/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of a CPU; see struct pev_pmu_ops. */
#ifndef _PPC_PEV_CPU_H
#define _PPC_PEV_CPU_H

#include <linux/types.h>

struct ppc_pev_model;
struct pt_regs;

void ppc_pev_model_is(const struct ppc_pev_model *model);
int ppc_pev_cpu_start(void);
void ppc_pev_cpu_stop(void);
void ppc_pev_freeze(void);
void ppc_pev_thaw(u64 active, bool user);
void ppc_pev_set(unsigned int counter, u64 config);
u64 ppc_pev_read(unsigned int counter);
void ppc_pev_write(unsigned int counter, u64 value);
/* A mapping that lets user space read counters comes or goes. Any context. */
void ppc_pev_readers(bool more);
/* The PMI; it is an NMI where interrupts are soft-disabled. */
void ppc_pev_pmi(struct pt_regs *regs);

#endif
