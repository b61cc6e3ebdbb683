// SPDX-License-Identifier: GPL-2.0
/* Reads options from the configuration and the command line. See command.h. */
#include "command.h"
#include "config.h"
#include "base/say.h"
#include "base/status.h"

#include <errno.h>
#include <stdlib.h>

/* Returns -1 to go on, else the exit status. */
static int parse(const struct command *cmd, void *into, int argc, char **argv, int *n_operands)
{
	struct msg m;
	char **words;
	int n_words, err;

	/* the configuration comes first, so that typed options override it */
	err = config_words(cmd->name, &words, &n_words, &m);
	if (!err && n_words)
		err = opt_parse(cmd, into, n_words, words, n_operands, &m);
	if (err) {
		print_error("in the configuration: %s", m.text);
		/* help is what a user asks for who is to mend it */
		if (opt_parse(cmd, into, argc, argv, n_operands, &m) == OPT_HELP_ASKED) {
			opt_help(cmd, stdout);
			return STATUS_OK;
		}
		return STATUS_USAGE;
	}
	err = opt_parse(cmd, into, argc, argv, n_operands, &m);
	if (err == OPT_HELP_ASKED) {
		opt_help(cmd, stdout);
		return STATUS_OK;
	}
	if (err) {
		print_error("%s", m.text);
		return STATUS_USAGE;
	}
	return -1;
}

int command_run(const struct command *cmd, int argc, char **argv)
{
	void *opts = xcalloc(1, cmd->opts_size);
	struct msg m;
	int n, status;

	if (cmd->defaults)
		memcpy(opts, cmd->defaults, cmd->opts_size);
	status = parse(cmd, opts, argc, argv, &n);
	if (status < 0) {
		argv[n + 1] = NULL;
		status = cmd->run(opts, n, argv + 1, &m);
	}
	if (status < 0) {
		print_error("%s", m.text);
		status = status_of(status);
	}
	free(opts);
	return status;
}
