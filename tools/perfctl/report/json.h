/* SPDX-License-Identifier: GPL-2.0 */
/* A table as JSON. */
#ifndef PERFCTL_REPORT_JSON_H
#define PERFCTL_REPORT_JSON_H

#include "report.h"
#include "base/json.h"

/* Prints rows as members of an open JSON object. */
void report_json(const struct rows *rows, const struct report_style *s, struct json *j,
		 const struct strtab *events);

#endif
