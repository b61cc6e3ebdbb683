/* SPDX-License-Identifier: GPL-2.0 */
/* What Linux's driver says to the x86 backend, and what that finds without being told. */
#ifndef _X86_PEV_OTHERS_H
#define _X86_PEV_OTHERS_H

#include <linux/types.h>

struct x86_pev_cpu;

#ifdef CONFIG_PEV
void x86_pev_after_perf(void);
void x86_pev_after_virt(void);
void x86_pev_rdpmc(unsigned long value, bool done);
#else
static inline void x86_pev_after_perf(void) { }
static inline void x86_pev_after_virt(void) { }
static inline void x86_pev_rdpmc(unsigned long value, bool done) { }
#endif

void x86_pev_check_running(struct x86_pev_cpu *c);
void x86_pev_svm_update(struct x86_pev_cpu *c);

#endif
