/* SPDX-License-Identifier: GPL-2.0 */
/* How events are counted. */
#ifndef _X86_PEV_ENCODE_H
#define _X86_PEV_ENCODE_H

struct pev_pmu_code;
struct pev_pmu_request;
struct pev_refuse;

int x86_pev_encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		   struct pev_refuse *r);

#endif
