/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds events by the names that vendors of processors give them.
 */
#ifndef _PEV_SYS_PFM_H
#define _PEV_SYS_PFM_H

#include <pev/pev.h>

/* As pev_pmu_code(), for names only */
int pev_pfm_code(const char *name, uint64_t *code, struct pev_error *err);

#endif /* _PEV_SYS_PFM_H */
