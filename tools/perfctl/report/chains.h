/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains below a row. */
#ifndef PERFCTL_REPORT_CHAINS_H
#define PERFCTL_REPORT_CHAINS_H

#include "report.h"

void report_chains(const struct rows *rows, const struct row *row, const struct report_style *s);

#endif
