/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of all events. */
#ifndef PERFCTL_REPORT_OUT_H
#define PERFCTL_REPORT_OUT_H

#include "report.h"
#include "base/json.h"

bool report_has_event(const struct profile *p, uint32_t event);
/* Leaves out columns that would be empty, unless no other is left. */
struct rows_config report_columns(const struct profile *p, const struct rows_config *config,
				  uint32_t event);
void report_text(struct profile *p, const struct rows_config *config, const struct report_style *s);
/* "events": an object for each, with its rows */
void report_json_events(struct profile *p, const struct rows_config *config,
			const struct report_style *s, struct json *j);
/* Writes to @path, "-" for the standard output. */
int report_write_json(struct profile *p, const struct rows_config *config,
		      const struct report_style *s, const char *path, struct msg *m);
int report_write_csv(struct profile *p, const struct rows_config *config,
		     const struct report_style *s, const char *sep, const char *path,
		     struct msg *m);

#endif
