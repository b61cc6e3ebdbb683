/* SPDX-License-Identifier: GPL-2.0 */
/* The user's configuration. */
#ifndef PERFCTL_CLI_CONFIG_H
#define PERFCTL_CLI_CONFIG_H

#include "base/util.h"

/**
 * config_words() - options of a command from ~/.config/perfctl/config, or from the file
 * that PERFCTL_CONFIG names (empty: none), as words for opt_parse().
 *
 *	[report]
 *	sort = dso,symbol
 *	children = yes
 *
 * Return: 0 with argv-like @words, which stay (options point into them), or -errno.
 */
int config_words(const char *command, char ***words, int *n, struct msg *m);

#endif
