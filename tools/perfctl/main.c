// SPDX-License-Identifier: GPL-2.0
/* perfctl: finds the command and runs it. */
#include "base/bus.h"
#include "base/say.h"
#include "base/status.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/other_tools.h"
#include "cli/topics.h"
#include "cmd/commands.h"

#include <errno.h>
#include <pev/pev.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void help_all(FILE *out)
{
	fprintf(out, "Usage: perfctl COMMAND [OPTION]...\n\n"
		     "Counts, records and shows what programs and the kernel do.\n\n"
		     "Commands:\n");
	for (size_t i = 0; i < commands_n; i++)
		fprintf(out, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "  %-8s  %s\n  %-8s  %s\n", "help", "explain a command", "version",
		"print the version");
	topic_list(out);
	fprintf(out, "\n\"perfctl COMMAND --help\" lists a command's options.\n\n"
		     "Start with:\n"
		     "  perfctl stat -- COMMAND      count\n"
		     "  perfctl record -g -- COMMAND record with call chains\n"
		     "  perfctl report               see where the time went\n"
		     "  perfctl doctor               see what this machine can do\n");
}

/* Says what to type next, after "perfctl" alone. */
static void first_steps(FILE *out)
{
	fputs("perfctl counts, records and shows what programs and the kernel do. Try:\n\n"
	      "  perfctl record -g -- COMMAND   record where a program spends its time\n"
	      "  perfctl report                 see where that was, with callers\n"
	      "  perfctl stat -- COMMAND        count what a program does\n"
	      "  perfctl trace -- COMMAND       see its system calls as it makes them\n"
	      "  perfctl top                    see what the machine does now\n"
	      "  perfctl doctor                 see what works here, and what gives more\n\n"
	      "\"perfctl help\" lists all commands and topics.\n",
	      out);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < commands_n; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void suggest_commands(struct suggestion *n)
{
	for (size_t i = 0; i < commands_n; i++)
		suggest_offer(n, commands[i]->name);
	suggest_offer(n, "help");
	suggest_offer(n, "version");
}

/* @next: the word behind it, or NULL */
static int unknown(const char *name, const char *next)
{
	struct suggestion n = { .word = name }, topic = { .word = name };
	const struct other_tool *h = other_tools_command(name, next);

	suggest_commands(&n);
	topic_suggest(&topic);
	if (h)
		print_error("\"%s\" is a command of %s; here: %s", name, h->tool, h->answer);
	else if (topic.best && (!n.best || topic.distance < n.distance))
		print_error("unknown command \"%s\"; \"perfctl help %s\" explains %s", name, topic.best,
			    strcmp(topic.best, name) ? "that topic" : "it");
	else if (n.best)
		print_error("unknown command \"%s\"; did you mean \"%s\"?", name, n.best);
	else
		print_error("unknown command \"%s\"; \"perfctl help\" lists them", name);
	return STATUS_USAGE;
}

static int help(int argc, char **argv)
{
	struct suggestion n = { .word = argv[1] };
	const struct command *cmd;

	if (argc < 2) {
		help_all(stdout);
		return STATUS_OK;
	}
	if (topic_print(argv[1], stdout))
		return STATUS_OK;
	cmd = find(argv[1]);
	if (cmd) {
		opt_help(cmd, stdout);
		return STATUS_OK;
	}
	suggest_commands(&n);
	topic_suggest(&n);
	if (n.best)
		print_error("no command or topic \"%s\"; did you mean \"%s\"?", argv[1], n.best);
	else
		print_error("no command or topic \"%s\"; \"perfctl help\" lists them", argv[1]);
	return STATUS_USAGE;
}

static int dispatch(int argc, char **argv)
{
	const struct command *cmd;

	if (!argc) {
		if (isatty(STDERR_FILENO))
			first_steps(stderr);
		else
			help_all(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[0], "help") || !strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
		return help(argc, argv);
	if (!strcmp(argv[0], "version") || !strcmp(argv[0], "--version")) {
		printf("perfctl %s (libpev %s, ABI %d)\n", PERFCTL_VERSION, pev_version(),
		       PEV_ABI_VERSION);
		return STATUS_OK;
	}
	if (!strcmp(argv[0], "completion")) {
		if (argc == 2 && completion_write(argv[1], commands, commands_n, stdout))
			return STATUS_OK;
		print_error("perfctl completion takes bash, zsh or fish");
		return STATUS_USAGE;
	}
	cmd = find(argv[0]);
	return cmd ? command_run(cmd, argc, argv) : unknown(argv[0], argv[1]);
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_DFL);
	/* a file that grows too large is an error like a full disk */
	signal(SIGXFSZ, SIG_IGN);
	bus_explain();
	status = dispatch(argc - 1, argv + 1);
	if ((fflush(stdout) || ferror(stdout)) && status == STATUS_OK) {
		print_error("the output could not be written: %s", strerror(errno));
		status = STATUS_IO;
	}
	return status;
}
