// SPDX-License-Identifier: GPL-2.0
/*
 * What arch/powerpc/pev makes of events on one processor, for check.py:
 *
 *	ppc PVR < CODES
 *
 * prints what x86.c prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/pev_refuse.h>
#include "../../../arch/powerpc/pev/isa207.h"
#include "../../../arch/powerpc/pev/power.h"
#include "../pmu-ppc/core.h"
#include "../../../kernel/pev/pmu/names.h"

int failed;

static const struct ppc_pev_model *find(unsigned int pvr)
{
	unsigned int i, j;

	for (i = 0; i < ppc_pev_nr_models; i++)
		for (j = 0; j < 4; j++)
			if (pvr && ppc_pev_models[i].pvr[j] == pvr)
				return &ppc_pev_models[i];
	return NULL;
}

static void print_generics(const struct ppc_pev_model *model)
{
	unsigned int i, j;

	for (i = 0; i < PEV_HW_MAX; i++)
		for (j = 0; j < PPC_PEV_CODES && model->events[i][j]; j++)
			printf("generic %s %#llx 0\n", pev_hardware_names[i],
			       (unsigned long long)model->events[i][j] & ~CFG_IDLE_TOO);
}

int main(int argc, char **argv)
{
	u32 pvr = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	const struct ppc_pev_model *model = find(pvr >> 16);
	struct pev_pmu_code code;
	unsigned long long raw;

	if (!model)
		return 2;
	printf("model %s\n", model->name);
	print_generics(model);
	while (scanf("%llx", &raw) == 1) {
		struct pev_pmu_request req = {
			.type = PEV_TYPE_RAW,
			.config = raw,
			.name = "the event",
		};
		struct pev_refuse r = { 0 };

		refusal[0] = 0;
		if (ppc_pev_check_faulty(pvr, &req, &r) ||
		    ppc_pev_encode(model, false, false, &req, &code, &r))
			printf("refused %#llx %s\n", raw, refusal);
		else
			printf("code %#llx %#llx %llu\n", raw,
			       (unsigned long long)code.alt[0].counters,
			       (unsigned long long)code.period_min);
	}
	return 0;
}
