/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --latency: how many threads ran at once. */
#ifndef PERFCTL_REPORT_LATENCY_H
#define PERFCTL_REPORT_LATENCY_H

#include "base/json.h"
#include "waits/parallel.h"

#include <stdio.h>

/* Prints what shares mean, and for how much of the time how many threads ran. */
void latency_print(const struct parallel *p, FILE *out);
/* The same as a member "parallel": an array of { threads, ns }. */
void latency_json(const struct parallel *p, struct json *j);

#endif
