/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table describes the options of a command: parsing, --help, completion
 * and the man page's list all come from it. Knows nothing of what they mean.
 */
#ifndef PERFCTL_CLI_OPT_H
#define PERFCTL_CLI_OPT_H

#include "base/util.h"

/**
 * enum opt_kind - what is stored at opt.offset of the command's options
 * @OPT_END:     ends a table
 * @OPT_HEADING: a heading of --help
 * @OPT_FLAG:    bool; --no-NAME clears it
 * @OPT_COUNT:   int, incremented
 * @OPT_STRING:  const char *
 * @OPT_U64:     uint64_t, a number
 * @OPT_POSITIVE: uint64_t, a number, not 0
 * @OPT_SIZE:    uint64_t, a number of bytes with K, M, G; a small one without is refused
 * @OPT_TIME:    uint64_t, ns, see parse_time()
 * @OPT_MS:      uint64_t, ms, not 0: a number alone, as perf takes it, or a time with its unit
 * @OPT_DOUBLE:  double, not negative
 * @OPT_CALL:    opt.call is given what is there and the argument (NULL if it
 *               takes none); --no-NAME gives it "no" if opt.maybe takes that
 */
enum opt_kind {
	OPT_END,
	OPT_HEADING,
	OPT_FLAG,
	OPT_COUNT,
	OPT_STRING,
	OPT_U64,
	OPT_POSITIVE,
	OPT_SIZE,
	OPT_TIME,
	OPT_MS,
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
 * @about:    a paragraph for --help, or NULL
 * @examples: lines for --help, or NULL
 * @opts:     ends with OPT_END
 * @runs_command: options end at the first word that is not one
 * @parts_operands: "--" stays among the operands, as those behind it are of another kind
 * @opts_size: of the structure that @opts fill
 * @defaults: what is in it before; NULL: zeros
 * @run:      given that structure and @n operands, behind which is NULL; returns an
 *            exit status, or -errno with @m set
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const char *about;
	const char *examples;
	const struct opt *opts;
	bool runs_command;
	bool parts_operands;
	size_t opts_size;
	const void *defaults;
	int (*run)(const void *opts, int n, char **args, struct msg *m);
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

#endif
