/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl record: a recording of a command or a target, until it ends. */
#ifndef PERFCTL_RECORD_RECORDING_H
#define PERFCTL_RECORD_RECORDING_H

#include "options.h"

/*
 * @argv: NULL if there is no command. Frees the lists of @opts; returns the status
 * to exit with.
 */
int recording_measure(const struct record_opts *opts, char **argv, struct msg *m);

#endif
