/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What people type who know other tools, and what is typed here instead.
 * Documentation/admin-guide/from-perf.rst has the same list.
 */
#ifndef PERFCTL_CLI_OTHER_TOOLS_H
#define PERFCTL_CLI_OTHER_TOOLS_H

#include "base/util.h"

/**
 * struct other_tool - a command or an option of another tool
 * @tool:    which one
 * @command: perfctl's command that was typed; NULL: @typed is the command
 * @typed:   the option as typed, or the command, with a second word if it matters
 * @answer:  a clause that says what to type; of @ignored ones, why nothing is needed
 * @ignored: the option is taken without effect
 */
struct other_tool {
	const char *tool;
	const char *command;
	const char *typed;
	const char *answer;
	bool ignored;
};

/* An option, with its dashes, that @command does not have; NULL: nothing is known of it. */
const struct other_tool *other_tools_option(const char *command, const char *typed);
/* A command that is none, and the word behind it or NULL. */
const struct other_tool *other_tools_command(const char *name, const char *next);
/* For "perfctl help perf" */
void other_tools_print(FILE *out);

#endif
