/* SPDX-License-Identifier: GPL-2.0 */
/* Completion for shells, from the tables of options. */
#ifndef PERFCTL_CLI_COMPLETION_H
#define PERFCTL_CLI_COMPLETION_H

#include "opt.h"

/* @shell: bash, zsh or fish; returns false for others. */
bool completion_write(const char *shell, const struct command *const *commands, size_t n,
		      FILE *out);

#endif
