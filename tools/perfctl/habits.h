/* SPDX-License-Identifier: GPL-2.0 */
/* Help by topic, completion for shells, the user's configuration. */
#ifndef PERFCTL_HABITS_H
#define PERFCTL_HABITS_H

#include "opt.h"

/* topics.c: prints a topic, or says that there is none. */
bool topic_print(const char *name, FILE *out);
void topic_list(FILE *out);
void topic_offer(struct nearest *n);

/* completion.c: for bash, zsh or fish, from the tables of options; false: another shell */
bool completion_write(const char *shell, const struct command *const *commands, size_t n,
		      FILE *out);

/*
 * config.c: options of a command from ~/.config/perfctl/config, or from the file
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
