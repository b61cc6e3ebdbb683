/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl store: makes the tables of a store, looks at them, and drops old days. */
#ifndef PERFCTL_STORE_SCHEMA_H
#define PERFCTL_STORE_SCHEMA_H

#include "http.h"

/* @cluster: also tables over all servers of that name in the store's configuration; NULL: none */
int schema_init(struct http *h, const char *cluster, struct msg *m);
/* Prints what the store has; fails if agents could not use it. */
int schema_check(struct http *h, FILE *out, struct msg *m);
/* Fails if tables are missing, and says what to do. */
int schema_ready(struct http *h, struct msg *m);
/* Drops all days before @day, days since the epoch; prints each. */
int schema_expire(struct http *h, uint32_t day, FILE *out, struct msg *m);
/* A statement that returns one UInt64 in RowBinary */
int schema_ask_number(struct http *h, const char *sql, uint64_t *v, struct msg *m);
int schema_has_table(struct http *h, const char *name, bool *exists, struct msg *m);
/* "_all" if there are tables over several servers, else "" */
int schema_suffix(struct http *h, const char **suffix, struct msg *m);

#endif
