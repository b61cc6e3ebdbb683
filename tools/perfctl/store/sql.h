/* SPDX-License-Identifier: GPL-2.0 */
/* Text of others in ClickHouse's SQL. */
#ifndef PERFCTL_STORE_SQL_H
#define PERFCTL_STORE_SQL_H

#include "base/util.h"

/*
 * Appends a string as a literal, quoted: no text ends it early, and what is read back from it is
 * the same text to the byte.
 */
void sql_text(struct strbuf *b, const char *s);
/* Letters, digits and underscores, as names of databases and clusters have to be here */
bool sql_is_name(const char *s);

#endif
