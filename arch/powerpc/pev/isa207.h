/* SPDX-License-Identifier: GPL-2.0 */
/* Event codes of Power ISA 2.07 and later. */
#ifndef _PPC_PEV_ISA207_H
#define _PPC_PEV_ISA207_H

#include <linux/types.h>

struct pev_pmu_code;
struct pev_pmu_request;
struct pev_refuse;
struct ppc_pev_model;

/* @hv: this kernel is the machine's hypervisor */
int ppc_pev_encode(const struct ppc_pev_model *model, bool hv,
		   const struct pev_pmu_request *req, struct pev_pmu_code *code,
		   struct pev_refuse *r);

#endif
