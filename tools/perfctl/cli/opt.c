// SPDX-License-Identifier: GPL-2.0
/* Parses options by table, and writes their --help. See opt.h. */
#include "opt.h"
#include "other_tools.h"
#include "suggest.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* State of one parse: the position, and where the values go. */
struct opt_run {
	const struct command *cmd;
	char *into;
	char **argv;
	int argc;
	int next;
	struct msg *m;
};

static int parse_ms(const char *arg, uint64_t *ms)
{
	uint64_t ns = 0;

	if (parse_u64(arg, ms)) {
		if (parse_time(arg, &ns))
			return -EINVAL;
		*ms = ns / 1000000;
	}
	return *ms ? 0 : -EINVAL;
}

/* Other tools have the same letter for something else. */
static int no_number(struct opt_run *r, const char *shown, const char *arg)
{
	const struct other_tool *h = other_tools_option(r->cmd->name, shown);

	return msg_set(r->m, -EINVAL, "%s takes a whole number, not \"%s\"%s%s", shown, arg,
		       h ? "; " : "", h ? h->answer : "");
}

/* perf counts pages where bytes are meant here: such a ring would be tiny. */
#define BARE_LEAST 65536

static int parse_bytes(const char *arg, const char *shown, uint64_t *bytes, struct msg *m)
{
	if (parse_size(arg, bytes))
		return msg_set(m, -EINVAL, "%s takes a size such as 64K or 2M, not \"%s\"", shown,
			       arg);
	if (*bytes < BARE_LEAST && !arg[strspn(arg, "0123456789")])
		return msg_set(m, -EINVAL, "%s %s is bytes, and too few; if you mean pages of 4 KiB, "
			       "as perf does, write %" PRIu64 "K", shown, arg, *bytes * 4);
	return 0;
}

static int store(struct opt_run *r, const struct opt *o, const char *shown, const char *arg)
{
	char *p = r->into + o->offset, *end;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)p = true;
		return 0;
	case OPT_COUNT:
		++*(int *)p;
		return 0;
	case OPT_STRING:
		*(const char **)p = arg;
		return 0;
	case OPT_U64:
		if (parse_u64(arg, (uint64_t *)p))
			return no_number(r, shown, arg);
		return 0;
	case OPT_POSITIVE:
		if (parse_u64(arg, (uint64_t *)p) || !*(uint64_t *)p)
			return msg_set(r->m, -EINVAL,
				       "%s takes a whole number, 1 or more, not \"%s\"", shown, arg);
		return 0;
	case OPT_TIME:
		if (parse_time(arg, (uint64_t *)p))
			return msg_set(r->m, -EINVAL, "%s takes a time such as 5s or 100ms, not \"%s\"",
				       shown, arg);
		return 0;
	case OPT_MS:
		if (parse_ms(arg, (uint64_t *)p))
			return msg_set(r->m, -EINVAL,
				       "%s takes milliseconds, or a time such as 10s, not \"%s\"",
				       shown, arg);
		return 0;
	case OPT_SIZE:
		return parse_bytes(arg, shown, (uint64_t *)p, r->m);
	case OPT_DOUBLE:
		*(double *)p = strtod(arg, &end);
		if (end == arg || *end || !(*(double *)p >= 0))
			return msg_set(r->m, -EINVAL, "%s takes a number, not \"%s\"", shown, arg);
		return 0;
	case OPT_CALL:
		return o->call((char *)r->into + o->offset, arg, r->m);
	default:
		return 0;
	}
}

/* Takes the option's argument: @attached ("-F99", "--freq=99") or the next word. */
static int take(struct opt_run *r, const struct opt *o, const char *shown, const char *attached)
{
	const char *arg = attached;

	if (!o->arg) {
		if (attached)
			return msg_set(r->m, -EINVAL, "%s takes no argument", shown);
		return store(r, o, shown, NULL);
	}
	if (!arg && r->next < r->argc && (!o->maybe || o->maybe(r->argv[r->next])))
		arg = r->argv[r->next++];
	if (!arg && !o->maybe)
		return msg_set(r->m, -EINVAL, "%s needs %s", shown, o->arg);
	return store(r, o, shown, arg);
}

static const struct opt *find_letter(const struct command *cmd, char letter)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_END; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

/* Finds an option by its full name, else by an unambiguous beginning. */
static const struct opt *find_name(const struct command *cmd, const char *name, size_t len,
				   bool *ambiguous)
{
	const struct opt *begun = NULL;

	*ambiguous = false;
	for (const struct opt *o = cmd->opts; o->kind != OPT_END; o++) {
		if (!o->name || strncmp(o->name, name, len))
			continue;
		if (!o->name[len])
			return o;
		*ambiguous = begun != NULL;
		begun = o;
	}
	return *ambiguous ? NULL : begun;
}

/* @near: an option that it may mean, NULL: none */
static int unknown_option(struct opt_run *r, const char *shown, const char *near)
{
	const struct other_tool *h = other_tools_option(r->cmd->name, shown);

	if (h && h->ignored)
		return 0;
	if (h)
		return msg_set(r->m, -EINVAL, "unknown option %s, which %s has: %s", shown, h->tool,
			       h->answer);
	if (near)
		return msg_set(r->m, -EINVAL, "unknown option %s; did you mean --%s?", shown, near);
	return msg_set(r->m, -EINVAL, "unknown option %s; see \"perfctl %s --help\"", shown,
		       r->cmd->name);
}

static int unknown_name(struct opt_run *r, const char *name, size_t len, bool ambiguous)
{
	char *typed = xasprintf("--%.*s", (int)len, name);
	struct suggestion n = { .word = typed + 2 };
	int err;

	for (const struct opt *o = r->cmd->opts; o->kind != OPT_END; o++)
		if (o->name)
			suggest_offer(&n, o->name);
	if (ambiguous)
		err = msg_set(r->m, -EINVAL, "%s can be more than one option", typed);
	else
		err = unknown_option(r, typed, n.best);
	free(typed);
	return err;
}

static int parse_long(struct opt_run *r, const char *word)
{
	const char *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word);
	const struct opt *o;
	bool ambiguous;
	char *shown;
	int err;

	if (len == 4 && !strncmp(word, "help", 4))
		return OPT_HELP_ASKED;
	o = find_name(r->cmd, word, len, &ambiguous);
	if (!o && len > 3 && !strncmp(word, "no-", 3)) {
		bool unused;

		o = find_name(r->cmd, word + 3, len - 3, &unused);
		if (o && o->kind == OPT_FLAG && !eq) {
			*(bool *)(r->into + o->offset) = false;
			return 0;
		}
		if (o && o->kind == OPT_CALL && o->maybe && o->maybe("no") && !eq)
			return store(r, o, word, "no");
		o = NULL;
	}
	if (!o)
		return unknown_name(r, word, len, ambiguous);
	shown = xasprintf("--%s", o->name);
	err = take(r, o, shown, eq ? eq + 1 : NULL);
	free(shown);
	return err;
}

/* Parses "-ag", "-F99", "-F 99". */
static int parse_letters(struct opt_run *r, const char *word)
{
	for (; *word; word++) {
		const struct opt *o = find_letter(r->cmd, *word);
		char shown[3] = { '-', *word, 0 };
		int err;

		if (!o && *word == 'h')
			return OPT_HELP_ASKED;
		if (!o) {
			err = unknown_option(r, shown, NULL);
			if (err)
				return err;
			continue;
		}
		if (o->arg && word[1] && (!o->maybe || o->maybe(word + 1)))
			return take(r, o, shown, word + 1);
		if (o->maybe && word[1])
			err = store(r, o, shown, NULL);
		else
			err = take(r, o, shown, NULL);
		if (err)
			return err;
	}
	return 0;
}

int opt_parse(const struct command *cmd, void *into, int argc, char **argv, int *n_operands,
	      struct msg *m)
{
	struct opt_run r = {
		.cmd = cmd, .into = into, .argv = argv, .argc = argc, .next = 1, .m = m
	};
	int kept = 0;

	while (r.next < argc) {
		char *word = argv[r.next++];
		int err = 0;

		if (!strcmp(word, "--")) {
			if (cmd->parts_operands)
				argv[1 + kept++] = word;
			break;
		}
		if (word[0] == '-' && word[1] == '-') {
			err = parse_long(&r, word + 2);
		} else if (word[0] == '-' && word[1]) {
			err = parse_letters(&r, word + 1);
		} else if (cmd->runs_command) {
			r.next--;
			break;
		} else {
			argv[1 + kept++] = word;
		}
		if (err)
			return err;
	}
	while (r.next < argc)
		argv[1 + kept++] = argv[r.next++];
	*n_operands = kept;
	return 0;
}

static void help_option(FILE *out, const struct opt *o)
{
	const int indent = 28;
	int n = fprintf(out, "  ");

	if (o->letter)
		n += fprintf(out, "-%c%s", o->letter, o->name ? ", " : "");
	else
		n += fprintf(out, "    ");
	if (o->name)
		n += fprintf(out, "--%s", o->name);
	if (o->arg)
		n += fprintf(out, o->maybe ? " [%s]" : " %s", o->arg);
	if (n >= indent)
		n = fprintf(out, "\n") - 1;
	fprintf(out, "%*s", indent - n, "");
	text_wrapped(out, o->help, indent, indent);
}

void opt_help(const struct command *cmd, FILE *out)
{
	fprintf(out, "Usage: perfctl %s [OPTION]...%s%s\n\n", cmd->name, *cmd->operands ? " " : "",
		cmd->operands);
	if (cmd->about) {
		text_wrapped(out, cmd->about, 0, 0);
		fprintf(out, "\n");
	}
	for (const struct opt *o = cmd->opts; o->kind != OPT_END; o++) {
		if (o->kind == OPT_HEADING)
			fprintf(out, "%s%s:\n", o == cmd->opts ? "" : "\n", o->help);
		else
			help_option(out, o);
	}
	fprintf(out, "  -h, --help                show this\n");
	if (cmd->examples)
		fprintf(out, "\nExamples:\n%s", cmd->examples);
	fprintf(out, "\nThe manual: man perfctl-%s\n", cmd->name);
}
