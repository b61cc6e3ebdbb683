/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --from URL --where EXPR: what is asked of a store. */
#ifndef PERFCTL_STORE_WHERE_H
#define PERFCTL_STORE_WHERE_H

#include "base/util.h"

/**
 * where_sql() - an expression as a condition of SQL on columns of pev_rows
 * @expr:   such as: service = "db" and (host ~ "eu-.*" or version != "1.2")
 * @suffix: of the names of tables
 * @days:   condition on the days of these
 * @sql:    gets it, in parentheses
 */
int where_sql(const char *expr, const char *suffix, const char *days, struct strbuf *sql,
	      struct msg *m);

#endif
