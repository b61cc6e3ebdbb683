// SPDX-License-Identifier: GPL-2.0
/* Runs all unit tests of perfctl's modules and prints TAP. */
#include "base/say.h"
#include "tests.h"

/* The modules' words to the user are of no interest here. */
void note(const char *fmt, ...)
{
	(void)fmt;
}

int main(void)
{
	test_util();
	test_tally();
	test_structs();
	test_later();
	test_fds();
	test_by();
	test_hist();
	test_fold();
	test_proc();
	test_owed();
	test_bus();
	test_text();
	test_opt();
	test_event_spec();
	test_cpulist();
	test_object();
	test_machine();
	test_guest();
	test_profile();
	test_rows();
	test_diff();
	test_stat();
	test_pmu_text();
	test_processor();
	test_doctor();
	test_way();
	test_workload();
	test_operand();
	test_probe_fields();
	test_members();
	test_dynamic();
	test_store();
	test_relay();
	test_inventory();
	return tap_plan();
}
