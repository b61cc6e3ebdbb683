/* SPDX-License-Identifier: GPL-2.0 */
/* Status bits that stay, and counters that do not start. */
#ifndef _X86_PEV_ERRATA_H
#define _X86_PEV_ERRATA_H

#include "hw.h"

u64 x86_pev_reset(struct x86_pev_cpu *c, u64 bits);
void x86_pev_unstick(struct x86_pev_cpu *c);

#endif
