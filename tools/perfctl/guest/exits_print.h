/* SPDX-License-Identifier: GPL-2.0 */
/* Exits of guests as tables and as JSON. */
#ifndef PERFCTL_GUEST_EXITS_PRINT_H
#define PERFCTL_GUEST_EXITS_PRINT_H

#include "exits.h"

void exits_print(const struct exits *e, FILE *out);
void exits_json(const struct exits *e, FILE *out);

#endif
