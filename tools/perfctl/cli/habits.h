/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What people type who know other tools, and what is typed here instead.
 * Documentation/admin-guide/from-perf.rst has the same list.
 */
#ifndef PERFCTL_CLI_HABITS_H
#define PERFCTL_CLI_HABITS_H

#include "base/util.h"

/**
 * struct habit - a command or an option of another tool
 * @tool:    which one
 * @command: perfctl's command that was typed; NULL: @typed is the command
 * @typed:   the option as typed, or the command, with a second word if it matters
 * @answer:  a clause that says what to type; of @ignored ones, why nothing is needed
 * @ignored: the option is taken without effect
 */
struct habit {
	const char *tool;
	const char *command;
	const char *typed;
	const char *answer;
	bool ignored;
};

/* An option, with its dashes, that @command does not have; NULL: nothing is known of it. */
const struct habit *habit_option(const char *command, const char *typed);
/* A command that is none, and the word behind it or NULL. */
const struct habit *habit_command(const char *name, const char *next);
/* For "perfctl help perf" */
void habits_print(FILE *out);

#endif
