/* SPDX-License-Identifier: GPL-2.0 */
/* Help by topic. */
#ifndef PERFCTL_CLI_TOPICS_H
#define PERFCTL_CLI_TOPICS_H

#include "suggest.h"
#include "base/util.h"

/* Prints a topic; returns false if there is none of that name. */
bool topic_print(const char *name, FILE *out);
void topic_list(FILE *out);
void topic_suggest(struct suggestion *n);

#endif
