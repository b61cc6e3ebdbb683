/* SPDX-License-Identifier: GPL-2.0 */
/* The unit tests of perfctl's modules, one function a file. */
#ifndef TESTS_H
#define TESTS_H

#include "../../lib/tap.h"

void test_util(void);
void test_tally(void);
void test_structs(void);
void test_later(void);
void test_fds(void);
void test_by(void);
void test_hist(void);
void test_fold(void);
void test_proc(void);
void test_owed(void);
void test_bus(void);
void test_text(void);
void test_opt(void);
void test_event_spec(void);
void test_cpulist(void);
void test_object(void);
void test_machine(void);
void test_guest(void);
void test_profile(void);
void test_rows(void);
void test_diff(void);
void test_stat(void);
void test_pmu_text(void);
void test_processor(void);
void test_doctor(void);
void test_way(void);
void test_workload(void);
void test_operand(void);
void test_probe_fields(void);
void test_members(void);
void test_dynamic(void);
void test_store(void);
void test_relay(void);
void test_inventory(void);

#endif
