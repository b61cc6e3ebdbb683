// SPDX-License-Identifier: GPL-2.0
/* Options by table, and what was meant by mistyped words. */
#include "cli/opt.h"
#include "cli/suggest.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>

struct wanted {
	bool all;
	bool graph;
	int verbose;
	uint64_t freq;
	uint64_t size;
	uint64_t count;
	uint64_t ms;
	double percent;
	const char *out;
	char events[64];
	const char *mode;
};

static int add_event(void *opts, const char *arg, struct msg *m)
{
	struct wanted *w = opts;

	if (!strcmp(arg, "bad"))
		return msg_set(m, -EINVAL, "bad event");
	strcat(w->events, arg);
	return 0;
}

static int set_mode(void *opts, const char *arg, struct msg *m)
{
	(void)m;
	((struct wanted *)opts)->graph = true;
	((struct wanted *)opts)->mode = arg ? arg : "default";
	return 0;
}

static bool is_mode(const char *word)
{
	return !strcmp(word, "fp") || !strncmp(word, "dwarf", 5);
}

static const struct opt table[] = {
	{ 0, OPT_HEADING, .help = "Heading" },
	{ 'a', OPT_FLAG, "all", NULL, "all of it", offsetof(struct wanted, all) },
	{ 'v', OPT_COUNT, "verbose", NULL, "more", offsetof(struct wanted, verbose) },
	{ 'F', OPT_U64, "freq", "HZ", "frequency", offsetof(struct wanted, freq) },
	{ 'c', OPT_POSITIVE, "count", "N", "count", offsetof(struct wanted, count) },
	{ 'I', OPT_MS, "interval", "TIME", "interval", offsetof(struct wanted, ms) },
	{ 'm', OPT_SIZE, "size", "BYTES", "size", offsetof(struct wanted, size) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT", "limit", offsetof(struct wanted, percent) },
	{ 'o', OPT_STRING, "output", "DIR", "where to", offsetof(struct wanted, out) },
	{ 'e', OPT_CALL, "event", "EVENT", "an event", 0, add_event },
	{ 'g', OPT_CALL, "call-graph", "MODE", "chains", 0, set_mode, is_mode },
	{ 0 },
};

static const struct command runs = { "cmd", "", "", "About it.", NULL, table, .runs_command = true };
static const struct command silent = { "silent", "", "", NULL, NULL, table };
static const struct command plain = { "cmd", "", "", "About it.", NULL, table };
static const struct command parts = {
	"cmd", "", "", "About it.", NULL, table, .parts_operands = true
};

/* Parses a line of words separated by blanks; the operands are left in rest. */
static int parse(const struct command *c, struct wanted *w, const char *line, char *rest,
		 struct msg *m)
{
	char *copy = xstrdup(line), *argv[32] = { "cmd" };
	int argc = 1, n = 0, err;

	*w = (struct wanted){ 0 };
	m->text[0] = 0;
	rest[0] = 0;
	for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
		argv[argc++] = xstrdup(p);
	err = opt_parse(c, w, argc, argv, &n, m);
	for (int i = 1; i <= n; i++) {
		strcat(rest, argv[i]);
		strcat(rest, " ");
	}
	free(copy); /* words stay: options point to them */
	return err;
}

static void accepted(void)
{
	struct wanted w;
	struct msg m;
	char rest[128];

	OK(!parse(&runs, &w, "-F99 -ag -- sleep 10", rest, &m) && w.freq == 99 && w.all && w.graph &&
	   !strcmp(rest, "sleep 10 "), "-F99 -ag -- sleep 10");
	OK(!parse(&runs, &w, "-F 99 --all ls -F", rest, &m) && w.freq == 99 && w.all &&
	   !strcmp(rest, "ls -F "), "options end at the command");
	OK(!parse(&plain, &w, "x -a y --freq=7", rest, &m) && w.all && w.freq == 7 &&
	   !strcmp(rest, "x y "), "without a command, options may follow words");
	OK(!parse(&plain, &w, "x -- -a", rest, &m) && !w.all && !strcmp(rest, "x -a "),
	   "... but not behind \"--\"");
	OK(!parse(&parts, &w, "x -a y -- z -- -F", rest, &m) && w.all &&
		   !strcmp(rest, "x y -- z -- -F "),
	   "two kinds of words: the first \"--\" parts them");
	OK(!parse(&runs, &w, "--fre 5 --size=64K", rest, &m) && w.freq == 5 && w.size == 65536,
	   "a long option may be shortened");
	OK(!parse(&runs, &w, "-a --no-all", rest, &m) && !w.all, "--no-all takes -a back");
	OK(!parse(&runs, &w, "-e a -eb --event=c", rest, &m) && !strcmp(w.events, "abc"),
	   "an option may be repeated");
	OK(!parse(&runs, &w, "-g true", rest, &m) && !strcmp(w.mode, "default") &&
	   !strcmp(rest, "true "), "-g without a mode leaves the command alone");
	OK(!parse(&runs, &w, "-g fp true", rest, &m) && !strcmp(w.mode, "fp"), "-g fp");
	OK(!parse(&runs, &w, "-gF 9 true", rest, &m) && w.freq == 9 && w.graph, "-gF 9");
	OK(!parse(&runs, &w, "-I 10s true", rest, &m) && w.ms == 10000, "-I 10s");
	OK(!parse(&runs, &w, "-I 100 true", rest, &m) && w.ms == 100, "-I 100: milliseconds");
	OK(!parse(&runs, &w, "-vvv", rest, &m) && w.verbose == 3, "-vvv counts");
	IS_NUM(parse(&runs, &w, "-a --help", rest, &m), OPT_HELP_ASKED, "--help");
	IS_NUM(parse(&runs, &w, "-h", rest, &m), OPT_HELP_ASKED, "-h");
}

static void refused(const char *line, const char *text)
{
	struct wanted w;
	struct msg m;
	char rest[128];

	IS_NUM(parse(&runs, &w, line, rest, &m), -EINVAL, line);
	IS_STR(m.text, text, "... and why");
}

static void suggestions(void)
{
	struct suggestion n = { .word = "recrod" };

	suggest_offer(&n, "report");
	suggest_offer(&n, "record");
	suggest_offer(&n, "stat");
	IS_STR(n.best, "record", "recrod is near to record");
	n = (struct suggestion){ .word = "sched:sched_swich" };
	suggest_offer(&n, "sched:sched_wakeup");
	suggest_offer(&n, "sched:sched_switch");
	IS_STR(n.best, "sched:sched_switch", "sched:sched_swich");
	n = (struct suggestion){ .word = "zzzz" };
	suggest_offer(&n, "record");
	OK(!n.best, "zzzz is near to nothing");
}

void test_opt(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	accepted();
	refused("-I 10us", "-I takes milliseconds, or a time such as 10s, not \"10us\"");
	refused("-I 0", "-I takes milliseconds, or a time such as 10s, not \"0\"");
	refused("--frq 9", "unknown option --frq; did you mean --freq?");
	refused("-Z", "unknown option -Z; see \"perfctl cmd --help\"");
	refused("-F abc", "-F takes a whole number, not \"abc\"");
	refused("-F", "-F needs HZ");
	refused("--freq", "--freq needs HZ");
	refused("--all=1", "--all takes no argument");
	refused("-e bad", "bad event");
	refused("-c 0", "-c takes a whole number, 1 or more, not \"0\"");
	refused("-c -1", "-c takes a whole number, 1 or more, not \"-1\"");
	refused("-m 512", "-m 512 is bytes, and too few; if you mean pages of 4 KiB, as perf does, "
			  "write 2048K");
	refused("-m 65535", "-m 65535 is bytes, and too few; if you mean pages of 4 KiB, as perf "
			    "does, write 262140K");
	refused("-m 5Q", "-m takes a size such as 64K or 2M, not \"5Q\"");
	refused("--percent-limit x", "--percent-limit takes a number, not \"x\"");
	suggestions();
	opt_help(&runs, f);
	/* one that says nothing about itself */
	opt_help(&silent, f);
	fclose(f);
	OK(strstr(text, "Usage: perfctl cmd [OPTION]...") && strstr(text, "  -F, --freq HZ") &&
		   strstr(text, "Usage: perfctl silent") && strstr(text, "--call-graph [MODE]") &&
		   strstr(text, "Heading:\n"),
	   "--help shows the table");
	free(text);
}
