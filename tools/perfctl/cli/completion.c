// SPDX-License-Identifier: GPL-2.0
/* Writes completions for shells, from the tables that are parsed. See completion.h. */
#include "completion.h"

/* Returns whether an argument is a file or directory, by its name in the table. */
static bool is_path(const struct opt *o)
{
	return o->arg && (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "DIR") ||
			  !strcmp(o->arg, "PATH"));
}

/* Events are what -e takes, and what is named after them. */
static bool is_event(const struct opt *o)
{
	return o->arg && (!strncmp(o->arg, "EVENT", 5) || !strcmp(o->name, "syscall"));
}

static bool is_option(const struct opt *o)
{
	return o->kind != OPT_HEADING && o->name;
}

static void put_commands(const struct command *const *commands, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s ", commands[i]->name);
	fputs("help version", out);
}

/*
 * Colons part words for bash, and what is completed is what comes behind the last one: the
 * whole place is taken from the line.
 */
static const char bash_probes[] =
	"_perfctl_probes()\n{\n"
	"\tlocal word=${COMP_LINE:0:${COMP_POINT:-0}} kind rest what from\n"
	"\tword=${word##*[ ,\\'\\\"]}\n"
	"\tkind=${word%%:*} rest=${word#*:}\n"
	"\tcase $word in\n"
	"\tkprobe:*:*|kretprobe:*:*|function:*:*)\n"
	"\t\twhat=${rest%%:*} rest=${rest#*:} from=kprobe ;;\n"
	"\tkprobe:*|kretprobe:*|function:*)\twhat=kernel from=kprobe ;;\n"
	"\tuprobe:*:*|uretprobe:*:*)\twhat=${rest%%:*} rest=${rest#*:} from=uprobe ;;\n"
	"\tusdt:*:*)\twhat=${rest%%:*} rest=${rest#*:} from=usdt ;;\n"
	"\t*)\treturn 1 ;;\n"
	"\tesac\n"
	"\tmapfile -t COMPREPLY < <(perfctl probe --names list \"$what\" \"$rest*\" 2>/dev/null |\n"
	"\t\tsed -n \"s/^$from:/$kind:/p\")\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*:}\"}\"}\")\n"
	"}\n";

/*
 * zsh has the whole word, without its quotes. What is completed is what comes behind a comma or
 * the "=" of an option.
 */
static const char zsh_probes[] =
	"_perfctl_probes() {\n"
	"\tlocal word=${PREFIX##*[ ,]} kind rest what from\n"
	"\tlocal -a found\n"
	"\t[[ $word != --*=* ]] || word=${word#*=}\n"
	"\tkind=${word%%:*} rest=${word#*:}\n"
	"\tcase $word in\n"
	"\t(kprobe:*:*|kretprobe:*:*|function:*:*)\n"
	"\t\twhat=${rest%%:*} rest=${rest#*:} from=kprobe ;;\n"
	"\t(kprobe:*|kretprobe:*|function:*)\twhat=kernel from=kprobe ;;\n"
	"\t(uprobe:*:*|uretprobe:*:*)\twhat=${rest%%:*} rest=${rest#*:} from=uprobe ;;\n"
	"\t(usdt:*:*)\twhat=${rest%%:*} rest=${rest#*:} from=usdt ;;\n"
	"\t(uprobe:*|uretprobe:*|usdt:*)\n"
	"\t\tcompset -P '*:'\n\t\t_files -S :\n\t\treturn 0 ;;\n"
	"\t(*)\treturn 1 ;;\n"
	"\tesac\n"
	"\tcompset -P \"${(b)PREFIX%$word}\"\n"
	"\tfound=(${(f)\"$(perfctl probe --names list \"$what\" \"$rest*\" 2>/dev/null |\n"
	"\t\tsed -n \"s/^$from:/$kind:/p\")\"})\n"
	"\tcompadd -- $found\n"
	"\treturn 0\n"
	"}\n";

/* fish has the word as it was typed. */
static const char fish_probes[] =
	"function __perfctl_probes\n"
	"\tset -l word (commandline -ct | string replace -r '^--[a-z-]+=' '' | string trim -l -c '\\'\"')\n"
	"\tset -l place (string replace -r '^.*[ ,]' '' -- $word)\n"
	"\tset -l before (string sub -l (math (string length -- $word) - (string length -- $place)) -- $word)\n"
	"\tset -l parts (string split -m 2 : -- $place)\n"
	"\tset -l kind $parts[1]\n"
	"\tset -l what $parts[2]\n"
	"\tset -l rest $parts[3]\n"
	"\tset -l from kprobe\n"
	"\tswitch $place\n"
	"\tcase 'kprobe:*:*' 'kretprobe:*:*' 'function:*:*'\n"
	"\tcase 'kprobe:*' 'kretprobe:*' 'function:*'\n"
	"\t\tset rest $what\n\t\tset what kernel\n"
	"\tcase 'uprobe:*:*' 'uretprobe:*:*'\n\t\tset from uprobe\n"
	"\tcase 'usdt:*:*'\n\t\tset from usdt\n"
	"\tcase 'uprobe:*' 'uretprobe:*' 'usdt:*'\n"
	"\t\tfor path in (__fish_complete_path $what | string replace -r '\\t.*' '')\n"
	"\t\t\techo $before$kind:$path\n\t\tend\n"
	"\t\treturn\n"
	"\tcase '*'\n\t\treturn\n"
	"\tend\n"
	"\tfor name in (perfctl probe --names list $what \"$rest*\" 2>/dev/null | string match \"$from:*\")\n"
	"\t\techo $before$kind:(string replace $from: '' -- $name)\n"
	"\tend\n"
	"end\n";

static void write_bash(const struct command *const *commands, size_t n, FILE *out)
{
	fputs("# bash completion for perfctl; generated\n", out);
	fputs(bash_probes, out);
	fputs("_perfctl()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\"\" paths=\"\"\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"", out);
	put_commands(commands, n, out);
	fputs("\" -- \"$cur\")\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\t%s)\n\t\twords=\"", commands[i]->name);
		for (const struct opt *o = commands[i]->opts; o->kind != OPT_END; o++)
			if (is_option(o))
				fprintf(out, "--%s ", o->name);
		fputs("--help\"\n\t\tpaths=\"", out);
		for (const struct opt *o = commands[i]->opts; o->kind != OPT_END; o++)
			if (is_option(o) && is_path(o))
				fprintf(out, " --%s ", o->name);
		fputs("\" ;;\n", out);
	}
	fputs("\thelp)\n\t\twords=\"", out);
	put_commands(commands, n, out);
	fputs("\" ;;\n\tesac\n"
	      "\tif _perfctl_probes; then\n\t\treturn\n"
	      "\telif [[ $prev == -- ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\"; compgen -f -- \"$cur\")\n"
	      "\telif [[ $cur == -* || ${COMP_WORDS[1]} == help ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\telif [[ $prev == --* && $paths != *\" $prev \"* ]]; then\n"
	      "\t\tCOMPREPLY=()\n"
	      "\telse\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "\tfi\n}\n"
	      "complete -o filenames -F _perfctl perfctl\n",
	      out);
}

/* Quotes text; colons and brackets would mean something to zsh. */
static void put_quoted(const char *s, const char *escape, FILE *out)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else if (strchr(escape, *s))
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
	}
}

static void write_zsh(const struct command *const *commands, size_t n, FILE *out)
{
	fputs("#compdef perfctl\n# zsh completion for perfctl; generated\n", out);
	fputs(zsh_probes, out);
	fputs("_perfctl() {\n\tlocal -a commands\n\tcommands=(\n", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\t\t'%s:", commands[i]->name);
		put_quoted(commands[i]->summary, ":", out);
		fputs("'\n", out);
	}
	fputs("\t\t'help:explain a command'\n\t\t'version:print the version'\n\t)\n"
	      "\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\t! _perfctl_probes || return 0\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	      "\tcase $command in\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments -s", commands[i]->name);
		for (const struct opt *o = commands[i]->opts; o->kind != OPT_END; o++) {
			if (!is_option(o))
				continue;
			fprintf(out, " \\\n\t\t\t'--%s%s[", o->name, o->arg && !o->maybe ? "=" : "");
			put_quoted(o->help, ":[]", out);
			fputc(']', out);
			if (o->arg) {
				fputc(':', out);
				put_quoted(o->arg, ":[]", out);
				fputs(is_path(o) ? ":_files" : ":", out);
			}
			fputc('\'', out);
		}
		fputs(" \\\n\t\t\t'*:file:_files' ;;\n", out);
	}
	fputs("\thelp)\n\t\t_describe command commands ;;\n\tesac\n}\n_perfctl \"$@\"\n", out);
}

static void write_fish(const struct command *const *commands, size_t n, FILE *out)
{
	fputs("# fish completion for perfctl; generated\n", out);
	fputs(fish_probes, out);
	for (size_t i = 0; i < n; i++) {
		const struct command *c = commands[i];

		fprintf(out, "complete -c perfctl -n __fish_use_subcommand -f -a %s -d '", c->name);
		put_quoted(c->summary, "", out);
		fputs("'\n", out);
		for (const struct opt *o = c->opts; o->kind != OPT_END; o++) {
			if (!is_option(o))
				continue;
			fprintf(out, "complete -c perfctl -n '__fish_seen_subcommand_from %s' -l %s",
				c->name, o->name);
			if (o->letter)
				fprintf(out, " -s %c", o->letter);
			if (o->arg && !o->maybe)
				fputs(is_path(o) ? " -r -F" : " -x", out);
			if (is_event(o))
				fputs(" -a '(__perfctl_probes)'", out);
			fputs(" -d '", out);
			put_quoted(o->help, "", out);
			fputs("'\n", out);
		}
	}
	fputs("complete -c perfctl -n '__fish_seen_subcommand_from probe' -a '(__perfctl_probes)'\n"
	      "complete -c perfctl -n __fish_use_subcommand -f -a help -d 'explain a command'\n"
	      "complete -c perfctl -n __fish_use_subcommand -f -a version -d 'print the version'\n",
	      out);
}

bool completion_write(const char *shell, const struct command *const *commands, size_t n, FILE *out)
{
	if (!strcmp(shell, "bash"))
		write_bash(commands, n, out);
	else if (!strcmp(shell, "zsh"))
		write_zsh(commands, n, out);
	else if (!strcmp(shell, "fish"))
		write_fish(commands, n, out);
	else
		return false;
	return true;
}
