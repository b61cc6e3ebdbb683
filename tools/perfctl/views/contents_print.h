/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording holds, for people. */
#ifndef PERFCTL_VIEWS_CONTENTS_PRINT_H
#define PERFCTL_VIEWS_CONTENTS_PRINT_H

#include "contents.h"

/* @most: programs that are named */
void contents_print(const struct contents *c, size_t most, FILE *out);

#endif
