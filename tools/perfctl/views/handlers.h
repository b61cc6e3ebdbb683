/* SPDX-License-Identifier: GPL-2.0 */
/* A file in Python whose functions are called for the events of a recording. */
#ifndef PERFCTL_VIEWS_HANDLERS_H
#define PERFCTL_VIEWS_HANDLERS_H

#include "base/util.h"

/**
 * handlers_exec() - become the interpreter
 * @file:   with the functions
 * @trace:  path of the recording
 * @from:   ns since the epoch
 * @to:     the same
 * @events: globs, NULL: all
 *
 * Return: only -errno, with @m set.
 */
int handlers_exec(const char *file, const char *trace, int64_t from, int64_t to,
		  const char *events, struct msg *m);

#endif
