/* SPDX-License-Identifier: GPL-2.0 */
/* What perfctl tells the user beside its output. */
#ifndef PERFCTL_BASE_SAY_H
#define PERFCTL_BASE_SAY_H

#include "util.h"

/* Prints "perfctl: TEXT" on the error output. */
void print_error(const char *fmt, ...) PRINTF(1, 2);
/* Prints "note: TEXT", for what the user should know but which stops nothing. */
void note(const char *fmt, ...) PRINTF(1, 2);

#endif
