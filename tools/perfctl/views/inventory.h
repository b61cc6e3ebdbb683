/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl info: what the recorded machine had. */
#ifndef PERFCTL_VIEWS_INVENTORY_H
#define PERFCTL_VIEWS_INVENTORY_H

#include "base/json.h"
#include "inventory/table.h"

/* "1 package, 4 cores, 8 threads; 1 NUMA node; up to 3.40 GHz"; empty if it is not known */
void inventory_topology(const struct inventory *v, struct strbuf *b);
/* "19 interrupts, 4 network interfaces"; empty if there is nothing */
void inventory_counts(const struct inventory *v, struct strbuf *b);
/* What there was that the recording does not have, as clauses; empty: nothing */
void inventory_missing(const struct inventory *v, struct strbuf *b);
/* All of it, as tables. */
void inventory_print(const struct inventory *v, FILE *out);
/* The numbers of each kind; @whole: with all of it */
void inventory_json(const struct inventory *v, bool whole, struct json *j);

#endif
