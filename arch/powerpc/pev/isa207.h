/* SPDX-License-Identifier: GPL-2.0 */
/* Event codes of Power ISA 2.07 and later. */
#ifndef _PPC_PEV_ISA207_H
#define _PPC_PEV_ISA207_H

#include <linux/types.h>

struct pev_pmu_code;
struct pev_pmu_request;
struct pev_refuse;
struct ppc_pev_model;

/* @hv: this kernel is the machine's hypervisor; @guests: counters can go on in its guests */
int ppc_pev_encode(const struct ppc_pev_model *model, bool hv, bool guests,
		   const struct pev_pmu_request *req, struct pev_pmu_code *code,
		   struct pev_refuse *r);

/* Does this very chip count @req as the others of its model do? 0, or a refusal. */
int ppc_pev_check_faulty(u32 pvr, const struct pev_pmu_request *req, struct pev_refuse *r);

#endif
