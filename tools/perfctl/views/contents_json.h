/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording holds, for programs. */
#ifndef PERFCTL_VIEWS_CONTENTS_JSON_H
#define PERFCTL_VIEWS_CONTENTS_JSON_H

#include "contents.h"

void contents_json(const struct contents *c, bool whole, FILE *out);

#endif
