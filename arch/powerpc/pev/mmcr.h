/* SPDX-License-Identifier: GPL-2.0 */
/* The registers that say what counts. */
#ifndef _PPC_PEV_MMCR_H
#define _PPC_PEV_MMCR_H

#include <linux/types.h>

struct ppc_pev_model;

/*
 * MMCRs that count; @mmcr0 is without FC, and without PMCC. While a guest runs, @guest2
 * is for MMCR2, and the counters @guests count.
 */
struct ppc_pev_mmcr {
	u64	mmcr0;
	u64	mmcr1;
	u64	mmcr2;
	u64	mmcr3;
	u64	mmcra;
	u64	guest2;
	u64	guests;
};

/* MMCR0 while nothing counts. */
u64 ppc_pev_frozen(const struct ppc_pev_model *model);
/* The registers with which counters @active count their @config[] and others stand. */
void ppc_pev_compute(const struct ppc_pev_model *model, bool hv, const u64 *config,
		     u64 active, struct ppc_pev_mmcr *mmcr);

#endif
