/* SPDX-License-Identifier: GPL-2.0 */
/* Tests the counters on known work. */
#ifndef PERFCTL_DOCTOR_SELF_TEST_H
#define PERFCTL_DOCTOR_SELF_TEST_H

#include <pev/pev.h>

/* Returns the number of tests that failed. */
unsigned int self_test(const struct pev_info *info);

#endif
