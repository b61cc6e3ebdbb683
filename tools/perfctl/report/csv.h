/* SPDX-License-Identifier: GPL-2.0 */
/* A table as CSV. */
#ifndef PERFCTL_REPORT_CSV_H
#define PERFCTL_REPORT_CSV_H

#include "report.h"

/* Prints rows as CSV with a heading; @event is a first column, NULL: none. */
void report_csv(const struct rows *rows, const struct report_style *s, const char *sep,
		const char *event, const struct strtab *events, bool heading);

#endif
