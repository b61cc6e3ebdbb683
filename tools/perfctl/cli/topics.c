// SPDX-License-Identifier: GPL-2.0
/* perfctl help TOPIC: explains how to do things. See topics.h. */
#include "topics.h"
#include "other_tools.h"

static const struct topic {
	const char *name;
	const char *summary;
	const char *text;
	void (*more)(FILE *out);
} topics[] = {
	{ "start", "what to do first",
	  "  perfctl doctor                       what this machine can do\n"
	  "  perfctl stat -- COMMAND              count: is it slow, and at what?\n"
	  "  perfctl record -g -- COMMAND         sample, with call chains\n"
	  "  perfctl report                       browse: where did the time go?\n"
	  "  perfctl report --html page.html      the same as a page to pass on\n"
	  "  perfctl annotate                     which instructions\n"
	  "  perfctl diff before after            what changed, and is it chance?\n" },
	{ "slow", "a program is slow and no processor is busy",
	  "Then it waits: for a lock, for another program, for a disk, or for a processor that\n"
	  "others have. Record its waits, and let perfctl say what ended them:\n\n"
	  "  perfctl record --waits -g dwarf -- COMMAND\n"
	  "  perfctl report                       how much it ran, was blocked, was runnable\n"
	  "  perfctl off-cpu --wakers             what it waited for, and what woke it\n"
	  "  perfctl off-cpu --comm NAME --sort user,waker   by the program's functions\n"
	  "  perfctl sched latency                how long it was ready, without a processor\n"
	  "  perfctl timeline --threads           who ran when\n\n"
	  "Documentation/admin-guide/waits.rst shows a lock, a pipe, a disk and a starved\n"
	  "thread.\n" },
	{ "call-chains", "chains that break off in [unknown]",
	  "Chains by frame pointers (record -g) need code that keeps them:\n"
	  "-fno-omit-frame-pointer. Without, record a piece of the stack and let it be\n"
	  "unwound when it is read:\n\n"
	  "  perfctl record -g dwarf -- COMMAND\n" },
	{ "symbols", "functions that have no names",
	  "\"object+0x1234\" is a place without a symbol: the object was stripped. Install its\n"
	  "debug symbols (Debian: package NAME-dbgsym), or set DEBUGINFOD_URLS. If the notes\n"
	  "below a report say that a file has changed, it is not the one that was recorded.\n"
	  "Kernel functions need the right to see their addresses when recording:\n"
	  "kernel.kptr_restrict=0, or record as root.\n" },
	{ "lost", "records were lost",
	  "They came faster than they could be written. How many is exact. Then\n\n"
	  "  perfctl record -m 16M ...            larger rings\n"
	  "  perfctl record --filter 'EXPR' ...   fewer records, refused in the kernel\n"
	  "  perfctl record -F 99 ...             fewer samples\n" },
	{ "fleet", "one question to many machines",
	  "A ClickHouse server keeps the samples of all of them:\n\n"
	  "  apt install clickhouse-server              on one machine, here called store\n"
	  "  perfctl store init http://store:8123       once\n"
	  "  perfctl agent http://store:8123            on each machine, as root; sends each minute\n"
	  "  perfctl push http://store:8123 pev.trace   or recordings, when you like\n"
	  "  perfctl symbols upload http://store:8123   names of functions that this machine has\n"
	  "  perfctl report --from http://store:8123 --since 2h --sort host,symbol\n"
	  "  perfctl report --from http://store:8123 --since 1d --html fleet.html\n"
	  "  perfctl diff --from http://store:8123 --before 26h..25h --after 2h..1h\n\n"
	  "The server listens on its own machine alone until you say otherwise: how, and\n"
	  "passwords, and the agent as a service are in\n"
	  "Documentation/admin-guide/fleet.rst, which goes on from here.\n" },
	{ "config", "options that you always want",
	  "~/.config/perfctl/config (or the file that PERFCTL_CONFIG names):\n\n"
	  "  [report]\n"
	  "  sort = dso,symbol\n"
	  "  children = yes\n\n"
	  "  [record]\n"
	  "  freq = 499\n\n"
	  "What is typed goes before it.\n" },
	{ "output", "output for people and for programs",
	  "On a terminal there are colours, a pager ($PAGER) and progress bars; in a pipe there\n"
	  "are none. NO_COLOR or --color never switches colours off. For programs:\n\n"
	  "  perfctl report --json - | jq .       also --csv -\n"
	  "  perfctl stat -x , ...\n"
	  "  perfctl flame --folded\n"
	  "  perfctl script\n"
	  "  perfctl completion bash              also zsh, fish: what the shell completes\n" },
	{ "perf", "what you type with perf and strace, and what does the same here",
	  "What has the same name and meaning is not listed.\n\n", other_tools_print },
};

bool topic_print(const char *name, FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (!strcmp(topics[i].name, name)) {
			fprintf(out, "%s: %s\n\n%s", topics[i].name, topics[i].summary,
				topics[i].text);
			if (topics[i].more)
				topics[i].more(out);
			return true;
		}
	return false;
}

void topic_list(FILE *out)
{
	fprintf(out, "\nTopics of \"perfctl help\":\n");
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		fprintf(out, "  %-11s  %s\n", topics[i].name, topics[i].summary);
}

void topic_suggest(struct suggestion *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		suggest_offer(n, topics[i].name);
}
