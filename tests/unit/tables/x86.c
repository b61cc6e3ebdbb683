// SPDX-License-Identifier: GPL-2.0
/*
 * What arch/x86/pev makes of events on one processor, for check.py:
 *
 *	x86 intel|amd FAMILY MODEL COUNTERS [MODEL...] < CODES
 *
 *	model NAME			and of each of more models, of which that is all
 *	generic NAME CODE COUNTERS	0: on a fixed counter alone
 *	code CODE COUNTERS PERIOD	for each line of the input; the shortest period
 *	refused CODE TEXT
 */
#include "../pmu-x86/core.h"
#include "../../../arch/x86/pev/hw.h"
#include "../../../kernel/pev/pmu/names.h"

/* no cases here: core.h is shared with the tests of the backend */
const struct test_case count_cases[] = { {} }, pmi_cases[] = { {} };
const struct test_case owner_cases[] = { {} }, encode_cases[] = { {} };

/* The part of @code that is for the counters for any event. */
static const struct pev_pmu_alt *any_event(const struct pev_pmu_code *code)
{
	int i;

	for (i = 0; i < PEV_PMU_MAX_ALTS && code->alt[i].counters; i++)
		if (code->alt[i].counters & X86_PEV_GP_MASK)
			return &code->alt[i];
	return NULL;
}

static void print_generics(void)
{
	const struct pev_pmu_alt *alt;
	struct pev_pmu_code code;
	struct pev_refuse r;
	int i;

	for (i = 0; i < PEV_HW_MAX; i++) {
		if (encode(PEV_TYPE_HARDWARE, i, 0, &code, &r))
			continue;
		alt = any_event(&code);
		printf("generic %s %#llx %#llx\n", pev_hardware_names[i],
		       alt ? alt->config & x86_pev_hw.raw : 0, alt ? alt->counters : 0);
	}
}

static void start(char **argv, const char *number)
{
	if (!strcmp(argv[1], "amd"))
		amd(strtol(argv[2], NULL, 0) < 0x17 ? 0 : 1);
	else
		intel(4);
	m.family = strtol(argv[2], NULL, 0);
	m.number = strtol(number, NULL, 0);
	m.gp = strtol(argv[4], NULL, 0);
	boot();
	printf("model %s\n", x86_pev_hw.model->name ? x86_pev_hw.model->name : "-");
}

int main(int argc, char **argv)
{
	const struct pev_pmu_alt *alt;
	struct pev_pmu_code code;
	struct pev_refuse r;
	u64 config;

	if (argc < 5)
		return 2;
	for (int i = 5; i < argc; i++)
		start(argv, argv[i]);
	start(argv, argv[3]);
	print_generics();
	while (scanf("%llx", &config) == 1) {
		if (encode(PEV_TYPE_RAW, config, 0, &code, &r)) {
			printf("refused %#llx %s\n", config, r.text);
			continue;
		}
		alt = any_event(&code);
		printf("code %#llx %#llx %llu\n", config, alt ? alt->counters : 0,
		       (u64)code.period_min);
	}
	return failed;
}
