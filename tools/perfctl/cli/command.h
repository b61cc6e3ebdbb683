/* SPDX-License-Identifier: GPL-2.0 */
/* Runs commands with their options. */
#ifndef PERFCTL_CLI_COMMAND_H
#define PERFCTL_CLI_COMMAND_H

#include "opt.h"

/**
 * command_run() - run a command, and say what went wrong
 * @argv: from the command's name on
 *
 * Return: the exit status.
 */
int command_run(const struct command *cmd, int argc, char **argv);

#endif
