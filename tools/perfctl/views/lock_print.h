/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl lock: its table, as text and as JSON. */
#ifndef PERFCTL_VIEWS_LOCK_PRINT_H
#define PERFCTL_VIEWS_LOCK_PRINT_H

#include "lock.h"

/* @most: rows at most, 0: all */
void lock_print(struct locks *l, uint64_t most, FILE *out);
void lock_json(struct locks *l, FILE *out);

#endif
