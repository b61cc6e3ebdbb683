// SPDX-License-Identifier: GPL-2.0
/* The one command that perfctl doctor proposes, and what it takes out of bundles. */
#include "tests.h"
#include "doctor/advice.h"
#include "doctor/scrub.h"

#include <stdlib.h>

static const struct perfmon no_perfmon;

/* A user's machine, by perf_event_open(2): what works, and the level */
static struct advice user(int paranoid, bool own, bool kernel, bool machine)
{
	const bool can[NR_ABILITIES] = { own, kernel, machine };

	return advise(&(struct situation){ .can = can, .perfmon = &no_perfmon,
					    .paranoid = paranoid, .tracefs = true });
}

static void levels(void)
{
	IS_STR(user(3, false, false, false).command, "sudo sysctl kernel.perf_event_paranoid=1",
	       "Debian's level: a lower one");
	IS_STR(user(2, true, false, false).command, "sudo sysctl kernel.perf_event_paranoid=1",
	       "user mode alone: the level of the kernel side");
	IS_STR(user(1, true, true, false).command, "sudo sysctl kernel.perf_event_paranoid=0",
	       "no whole CPUs: the level of those");
	IS_STR(user(0, true, true, true).command, "", "what no level holds back: nothing");
	IS_STR(user(-1, false, false, false).command, "",
	       "what is refused at the lowest level (by seccomp): nothing");
}

static void root(void)
{
	static const bool all[NR_ABILITIES] = { true, true, true, true, true };
	static const bool most[NR_ABILITIES] = { true, true, true };
	struct situation s = { .can = most, .perfmon = &no_perfmon, .paranoid = 3, .root = true };

	IS_STR(advise(&s).command, "mount -t tracefs tracefs /sys/kernel/tracing",
	       "root: tracefs, whatever the level is");
	s.tracefs = true;
	IS_STR(advise(&s).command, "", "... mounted, without a PMU: nothing");
	s = (struct situation){ .can = all, .perfmon = &no_perfmon, .paranoid = 2, .pev = true, .root = true };
	IS_STR(advise(&s).command, "perfctl doctor --self-test", "pev and a PMU: its test");
}

static void pev(void)
{
	static const bool none[NR_ABILITIES] = { false }, own[NR_ABILITIES] = { true };
	struct situation s = { .can = none, .perfmon = &no_perfmon, .paranoid = 4, .pev = true };

	IS_STR(advise(&s).command, "sudo sysctl kernel.pev_paranoid=2", "pev is off: switch it on");
	s.root = true;
	IS_STR(advise(&s).command, "sysctl kernel.pev_paranoid=2", "... for root, too");
	s = (struct situation){ .can = own, .perfmon = &no_perfmon, .paranoid = 2, .pev = true };
	IS_STR(advise(&s).command, "sudo sysctl kernel.pev_paranoid=1",
	       "pev, user mode alone: the level of the kernel side");
}

static void perfmon(void)
{
	static const bool none[NR_ABILITIES] = { false }, own[NR_ABILITIES] = { true };
	struct perfmon p = { .path = "/usr/libexec/pev-perfmon", .there = true, .may_run = true,
			     .packaged = true };
	struct situation s = { .can = own, .perfmon = &p, .paranoid = 2, .tracefs = true };

	IS_STR(advise(&s).command, "sudo dpkg-reconfigure perfctl",
	       "the package has not given pev-perfmon its capability: its question");
	p.packaged = false;
	IS_STR(advise(&s).command, "sudo sysctl kernel.perf_event_paranoid=1",
	       "... nor has anybody else: the level");
	p = (struct perfmon){ .there = true, .perfmon = true, .group = "pev" };
	IS_STR(advise(&s).command, "sudo usermod -aG pev \"$USER\"",
	       "it has, for a group: become a member");
	s = (struct situation){ .can = none, .perfmon = &p, .paranoid = 3, .tracefs = true };
	p.may_run = true;
	IS_STR(advise(&s).command, "sudo sysctl kernel.perf_event_paranoid=2",
	       "a member, at Debian's level: the one from which CAP_PERFMON is enough");
	s.paranoid = 2;
	s.root = true;
	IS_STR(advise(&s).command, "sysctl kernel.perf_event_paranoid=1",
	       "root in a container, whom it does not serve: the level");
}

/* Checks what becomes of a text about a user "bob" of a machine "vm". */
static void scrubbed(const char *text, const char *want, const char *what)
{
	struct scrub s = { 0 };
	struct strbuf b = { 0 };

	scrub_word(&s, "bob", "(user)");
	scrub_word(&s, "vm", "(host)");
	scrub_word(&s, "root", "(user)");
	scrub_word(&s, NULL, "(user)");
	scrub_home(&s, "/data/bob/");
	scrub_home(&s, "/");
	scrub_text(&s, &b, text);
	IS_STR(b.s, want, what);
	strbuf_free(&b);
	scrub_free(&s);
}

static void scrub(void)
{
	scrubbed("bob at vm, as root", "(user) at (host), as root", "names of users and machines");
	scrubbed("bobsled svm vm-2 bob_x", "bobsled svm vm-2 bob_x", "... are whole words");
	scrubbed("in /data/bob/plan: no", "in ~/...: no", "paths in the home");
	scrubbed("/data/bobsled/x /data", "/data/bobsled/x /data", "... not beside it");
	scrubbed("\"/home/eve/x y\"", "\"~/... y\"", "... nor homes of others");
	scrubbed("http://u:p@w:1@h.org/x@y", "http://(removed)@h.org/x@y", "what URLs are opened with");
	scrubbed("http://h.org/a@b a@b", "http://h.org/a@b a@b", "... and nothing else with an @");
	OK(scrub_is_plain("dso,symbol") && scrub_is_plain("99.5%") && scrub_is_plain(""),
	   "plain values");
	OK(!scrub_is_plain("/tmp/x") && !scrub_is_plain("a@b") && !scrub_is_plain("x y"),
	   "... have no paths, addresses and sentences");
}

void test_doctor(void)
{
	scrub();
	levels();
	root();
	pev();
	perfmon();
}
