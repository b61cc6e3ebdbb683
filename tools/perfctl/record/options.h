/* SPDX-License-Identifier: GPL-2.0 */
/* What the options of perfctl record ask for. Knows nothing of how it is recorded. */
#ifndef PERFCTL_RECORD_OPTIONS_H
#define PERFCTL_RECORD_OPTIONS_H

#include "recording.h"

/* Do they go together? @argv: the command, NULL: none */
int record_options_check(const struct record_opts *o, char **argv, struct msg *m);
/* Adds the events that options stand for, or the usual one, and refuses what these can't do. */
int record_options_events(struct record_opts *o, const struct pev_info *info, struct msg *m);

#endif
