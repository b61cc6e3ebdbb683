/* SPDX-License-Identifier: GPL-2.0 */
/* A table for people. */
#ifndef PERFCTL_REPORT_PRINT_H
#define PERFCTL_REPORT_PRINT_H

#include "report.h"

/* Prints one event's table; @event is its name for the heading. */
void report_print(const struct rows *rows, const struct report_style *s, const char *event,
		  const struct strtab *events);

/* Formats one cell of a row, such as "symbol", for tables and JSON. */
void report_cell(const struct rows *rows, const struct row *row, enum sort_key key,
		 const struct strtab *events, struct strbuf *b);

#endif
