// SPDX-License-Identifier: GPL-2.0
/* perfctl: finds the command and runs it. */
#include "perfctl.h"
#include "habits.h"

#include <errno.h>
#include <pev/pev.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

static const struct command *const commands[] = {
	&command_list,	 &command_stat,	  &command_record,
	&command_report, &command_script, &command_doctor,
	&command_pmu,
	&command_annotate, &command_diff, &command_flame,
	&command_offcpu, &command_timeline, &command_top,
	&command_export, &command_import, &command_trace,
};

static void say(const char *before, const char *fmt, va_list ap)
{
	fflush(stdout);
	fputs(before, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("perfctl: ", fmt, ap);
	va_end(ap);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("note: ", fmt, ap);
	va_end(ap);
}

int status_of(int err)
{
	switch (-err) {
	case ENOSYS:
		return STATUS_NO_PEV;
	case EACCES:
	case EPERM:
		return STATUS_REFUSED;
	case EINVAL:
	case ENOENT:
		return STATUS_USAGE;
	case EBADMSG:
		return STATUS_BAD_DATA;
	case ENOSPC:
	case EIO:
	case EDQUOT:
	case EFBIG:
		return STATUS_IO;
	default:
		return STATUS_FAILED;
	}
}

int command_options(const struct command *cmd, void *into, int argc, char **argv,
		    int *n_operands)
{
	struct msg m;
	char **words;
	int n_words, err;

	/* first what the user always wants, then what was typed */
	err = config_words(cmd->name, &words, &n_words, &m);
	if (!err && n_words)
		err = opt_parse(cmd, into, n_words, words, n_operands, &m);
	if (err) {
		complain("in the configuration: %s", m.text);
		return STATUS_USAGE;
	}
	err = opt_parse(cmd, into, argc, argv, n_operands, &m);
	if (err == OPT_HELP_ASKED) {
		opt_help(cmd, stdout);
		return STATUS_OK;
	}
	if (err) {
		complain("%s", m.text);
		return STATUS_USAGE;
	}
	return -1;
}

static void help_all(FILE *out)
{
	fprintf(out, "Usage: perfctl COMMAND [OPTION]...\n\n"
		     "Counts, records and shows what programs and the kernel do.\n\n"
		     "Commands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
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

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	struct nearest n = { .word = name };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&n, commands[i]->name);
	topic_offer(&n);
	nearest_offer(&n, "help");
	nearest_offer(&n, "version");
	if (n.best)
		complain("unknown command \"%s\"; did you mean \"%s\"?", name, n.best);
	else
		complain("unknown command \"%s\"; \"perfctl help\" lists them", name);
	return STATUS_USAGE;
}

static int help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2) {
		help_all(stdout);
		return STATUS_OK;
	}
	if (topic_print(argv[1], stdout))
		return STATUS_OK;
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	opt_help(cmd, stdout);
	return STATUS_OK;
}

static int dispatch(int argc, char **argv)
{
	const struct command *cmd;

	if (!argc) {
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
		if (argc == 2 && completion_write(argv[1], commands, ARRAY_SIZE(commands), stdout))
			return STATUS_OK;
		complain("perfctl completion takes bash, zsh or fish");
		return STATUS_USAGE;
	}
	cmd = find(argv[0]);
	return cmd ? cmd->run(argc, argv) : unknown(argv[0]);
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_DFL);
	status = dispatch(argc - 1, argv + 1);
	if ((fflush(stdout) || ferror(stdout)) && status == STATUS_OK) {
		complain("the output could not be written: %s", strerror(errno));
		status = STATUS_IO;
	}
	return status;
}
