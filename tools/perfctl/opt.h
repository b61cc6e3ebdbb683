/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table describes the options of a command: parsing, --help, completion
 * and the man page's list all come from it. Knows nothing of what they mean.
 */
#ifndef PERFCTL_OPT_H
#define PERFCTL_OPT_H

#include "util.h"

/**
 * enum opt_kind - what is stored at opt.offset of the command's options
 * @OPT_END:     ends a table
 * @OPT_HEADING: a heading of --help
 * @OPT_FLAG:    bool; --no-NAME clears it
 * @OPT_COUNT:   int, incremented
 * @OPT_STRING:  const char *
 * @OPT_U64:     uint64_t, a number
 * @OPT_SIZE:    uint64_t, a number with K, M, G
 * @OPT_DOUBLE:  double, not negative
 * @OPT_CALL:    opt.call is given the options and the argument (NULL if it
 *               takes none)
 */
enum opt_kind {
	OPT_END,
	OPT_HEADING,
	OPT_FLAG,
	OPT_COUNT,
	OPT_STRING,
	OPT_U64,
	OPT_SIZE,
	OPT_DOUBLE,
	OPT_CALL,
};

/**
 * struct opt - one option
 * @letter: its letter, 0 if it has none
 * @kind:   see enum opt_kind
 * @name:   its long name, without dashes
 * @arg:    the argument's name in --help; NULL: takes no argument
 * @help:   one sentence for --help
 * @offset: of the member it sets
 * @call:   for OPT_CALL; returns 0 or -errno with the message set
 * @maybe:  the argument may be missing: a following word is taken only if
 *          this says so, otherwise @call is given NULL
 */
struct opt {
	char letter;
	enum opt_kind kind;
	const char *name;
	const char *arg;
	const char *help;
	size_t offset;
	int (*call)(void *opts, const char *arg, struct msg *m);
	bool (*maybe)(const char *word);
};

/**
 * struct command - one of perfctl's commands
 * @name:     as typed
 * @operands: what follows the options, for the usage line
 * @summary:  half a sentence for "perfctl help"
 * @about:    a paragraph for --help
 * @examples: lines for --help, or NULL
 * @opts:     ends with OPT_END
 * @runs_command: options end at the first word that is not one
 * @run:      argv has the words from the command's name on
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const char *about;
	const char *examples;
	const struct opt *opts;
	bool runs_command;
	int (*run)(int argc, char **argv);
};

#define OPT_HELP_ASKED 1

/**
 * opt_parse - fill @into from argv[1..]
 * @n_operands: out: how many words are left; they are moved to argv[1..]
 *
 * Return: 0, OPT_HELP_ASKED after -h or --help, or -EINVAL with @m set.
 */
int opt_parse(const struct command *cmd, void *into, int argc, char **argv, int *n_operands,
	      struct msg *m);

void opt_help(const struct command *cmd, FILE *out);

/* The candidate that is nearest to a mistyped word, or NULL if none is near. */
struct nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

void nearest_offer(struct nearest *n, const char *candidate);

#endif
