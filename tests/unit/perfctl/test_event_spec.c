// SPDX-License-Identifier: GPL-2.0
/* Event lists and CPU lists as typed. */
#include "base/cpulist.h"
#include "event/plan.h"
#include "event/spec.h"
#include "event/kernel.h"
#include "tests.h"

#include <errno.h>
#include <pev/engine.h>

static void names(void)
{
	struct event_list l = { 0 };
	struct msg m;

	OK(!event_list_parse(&l, "cs,page-faults,sched:*,pev:test", &m) && l.n == 4,
	   "four events in one -e");
	OK(l.specs[0].kind == SPEC_SOFTWARE && l.specs[0].config == PEV_SW_CONTEXT_SWITCHES,
	   "cs is context-switches");
	IS_STR(l.specs[0].name, "context-switches", "... and is called so");
	OK(l.specs[2].kind == SPEC_NAMED && !strcmp(l.specs[2].name, "sched:*"), "sched:* is a glob");
	event_list_free(&l);
	OK(!event_list_parse(&l, "cycles:u,branch-instructions,r01c4:k,LLC-loads", &m) && l.n == 4 &&
	   l.specs[0].kind == SPEC_HARDWARE && l.specs[0].config == PEV_HW_CYCLES &&
	   l.specs[0].modes == SPEC_USER && l.specs[1].config == PEV_HW_BRANCHES &&
	   l.specs[3].config == PEV_HW_LLC_LOADS, "perf's hardware events");
	OK(l.specs[2].kind == SPEC_RAW && l.specs[2].config == 0x1c4 &&
	   l.specs[2].modes == SPEC_KERNEL, "raw codes");
	event_list_free(&l);
	OK(!event_list_parse(&l, "cpu-clock:u,task-clock:k,sched:sched_switch:u,faults:uk", &m) &&
	   l.specs[0].modes == SPEC_USER && l.specs[1].modes == SPEC_KERNEL &&
	   l.specs[2].modes == SPEC_USER && !l.specs[3].modes, "modifiers");
	IS_STR(l.specs[2].name, "sched:sched_switch", "a modifier is not part of the name");
	event_list_free(&l);
	OK(!event_list_parse(&l, "marker/pev:test,timer/cpu-clock", &m) && l.n == 2,
	   "a type before the name");
	IS_STR(l.specs[0].type, "marker", "... is kept");
	IS_STR(l.specs[0].name, "pev:test", "... apart from the name");
	event_list_free(&l);
}

static void trigger_specs(void)
{
	struct event_list l = { 0 }, all = { 0 };
	struct msg m;

	OK(!event_list_parse(&all, "{cs,faults}", &m) &&
		   !event_list_triggers(&l, "sched:a,cs if x > 1 if y", PEV_F_STOP, &m) && l.n == 2,
	   "triggers");
	OK(l.specs[0].trigger == PEV_F_STOP && l.specs[1].trigger == PEV_F_STOP, "... do it");
	IS_STR(l.specs[0].filter, "x > 1 if y", "... if");
	OK(!event_list_triggers(&l, "cycles/period=1000/", PEV_F_START, &m) &&
		   l.specs[2].trigger == PEV_F_START && l.specs[0].trigger == PEV_F_STOP,
	   "... by a counter's overflow");
	OK(!event_list_triggers(&l, "{cs,faults}", PEV_F_FREEZE, &m), "... in a group");
	event_list_take(&all, &l);
	OK(all.n == 7 && !l.n && !all.specs[0].trigger && all.specs[2].trigger == PEV_F_STOP,
	   "... behind other events");
	OK(all.specs[0].group != all.specs[5].group && all.specs[5].group == all.specs[6].group,
	   "... whose groups are others");
	event_list_free(&all);
	OK(event_list_triggers(&l, "cycles", PEV_F_STOP, &m) == -EINVAL &&
		   strstr(m.text, "cycles/period=N/"),
	   "what takes samples is no trigger");
	event_list_free(&l);
	OK(event_list_triggers(&l, "cpu-clock", PEV_F_STOP, &m) == -EINVAL, "nor is a timer");
	event_list_free(&l);
	OK(event_list_triggers(&l, "user:shop:order", PEV_F_STOP, &m) == -EINVAL &&
		   strstr(m.text, "a probe of the program can"),
	   "nor is a mark");
	event_list_free(&l);
	OK(event_list_triggers(&l, " if x", PEV_F_STOP, &m) == -EINVAL, "an event is missing");
	event_list_free(&l);
}

static void probes(void)
{
	struct event_list l = { 0 };
	struct msg m;

	OK(!event_list_parse(&l, "uprobe:/lib/a.so:f/name=x,period=2/,{kprobe:g+0x4,cs},"
			     "uretprobe:b:0x10", &m) && l.n == 4, "probes");
	IS_STR(l.specs[0].name, "uprobe:/lib/a.so:f", "... in a file");
	OK(l.specs[0].kind == SPEC_PROBE && l.specs[0].period == 2, "... with terms");
	IS_STR(l.specs[1].name, "kprobe:g+0x4", "... in the kernel");
	IS_NUM(l.specs[2].group, l.specs[1].group, "... in a group");
	IS_STR(l.specs[3].name, "uretprobe:b:0x10", "... by an offset");
	event_list_free(&l);
	OK(!event_list_parse(&l, "kprobe:g(a,b=arg1[0]:str)/name=x/,uprobe:/b:f(c),cs", &m) &&
		   l.n == 3 && l.specs[0].kind == SPEC_PROBE,
	   "... with fields");
	IS_STR(l.specs[0].name, "kprobe:g(a,b=arg1[0]:str)", "... whose commas are their own");
	IS_STR(l.specs[1].name, "uprobe:/b:f(c)", "... in a file");
	event_list_free(&l);
	OK(!event_list_parse(&l, "uprobes:x", &m) && l.specs[0].kind == SPEC_NAMED,
	   "what only begins like one");
	event_list_free(&l);
}

static void modifiers(void)
{
	struct event_list l = { 0 };
	char text[16];
	struct msg m;

	OK(!event_list_parse(&l, "cycles:ukh,cycles:GH,cycles:GD,cycles:He,cycles:h", &m) && l.n == 5,
	   "modifiers of hardware events");
	OK(!l.specs[0].modes && !l.specs[1].modes, "all of them are the same as none");
	OK(event_modes_flags(&l.specs[2]) == (PEV_F_EXCLUDE_HOST | PEV_F_PINNED) &&
	   event_modes_flags(&l.specs[3]) == (PEV_F_EXCLUDE_GUEST | PEV_F_EXCLUSIVE) &&
	   event_modes_flags(&l.specs[4]) == (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL),
	   "... as flags");
	IS_STR(event_modes_text(text, &l.specs[2]), "GD", "... and as text");
	event_list_free(&l);
	OK(!event_list_parse(&l, "cycles:u,cycles:k", &m) && l.n == 2 &&
	   event_modes_flags(&l.specs[0]) == PEV_F_EXCLUDE_KERNEL &&
	   event_modes_flags(&l.specs[1]) == PEV_F_EXCLUDE_USER, "user and kernel mode as flags");
	event_list_free(&l);
	OK(!event_list_parse(&l, "cycles:ppu,instructions:p,{r1c4,cycles}:ppp,cycles:ukp", &m) &&
	   l.n == 5 && event_modes_flags(&l.specs[0]) == (PEV_F_EXCLUDE_KERNEL | PEV_EF_PRECISE(2)) &&
	   event_modes_flags(&l.specs[1]) == PEV_EF_PRECISE(1) &&
	   event_modes_flags(&l.specs[2]) == PEV_EF_PRECISE(3) &&
	   event_modes_flags(&l.specs[4]) == PEV_EF_PRECISE(1), "levels of precision");
	IS_STR(event_modes_text(text, &l.specs[0]), "upp", "... and as text");
	event_list_free(&l);
	OK(!event_list_parse(&l, "{task-clock,cycles}:uD", &m) && l.n == 2 &&
		   l.specs[0].modes == SPEC_USER && l.specs[1].modes == (SPEC_USER | SPEC_PINNED),
	   "of a group: which events they apply to");
	event_list_free(&l);
	OK(!event_list_parse(&l, "hardware/cycles,cpu/config=0x1c4,period=1000,name=x/u,cs", &m) &&
	   l.n == 3 && l.specs[1].kind == SPEC_RAW && l.specs[1].config == 0x1c4 &&
	   l.specs[1].period == 1000 && l.specs[1].modes == SPEC_USER, "cpu/.../ with terms of ours");
	IS_STR(l.specs[1].name, "cpu/config=0x1c4/", "... is called by its code");
	IS_STR(l.specs[1].label, "x", "... or as it is wanted");
	event_list_free(&l);
	OK(!event_list_parse(&l, "r1c4/config1=0x5,config2=6,pmu=2/k,"
			     "cpu/config=0x1c4,config1=7/,cycles/pmu=1/", &m) &&
	   l.n == 3 && l.specs[0].kind == SPEC_RAW && l.specs[0].config == 0x1c4 &&
	   l.specs[0].config1 == 5 && l.specs[0].config2 == 6 && l.specs[0].pmu == 2 &&
	   l.specs[0].modes == SPEC_KERNEL && l.specs[1].config1 == 7 && !l.specs[1].config2 &&
	   l.specs[2].pmu == 1, "the further words of a code, and the PMU");
	IS_STR(l.specs[1].name, "cpu/config=0x1c4/", "... are no part of its name");
	event_list_free(&l);
}

static void terms(void)
{
	struct event_list l = { 0 };
	struct msg m;

	OK(!event_list_parse(&l, "page-faults/period=10,name=pf/u,sched:x/freq=5/", &m) && l.n == 2,
	   "terms between slashes");
	OK(l.specs[0].period == 10 && l.specs[0].modes == SPEC_USER && l.specs[1].freq == 5,
	   "period and freq");
	IS_STR(l.specs[0].label, "pf", "name");
	event_list_free(&l);
}

static void groups(void)
{
	struct event_list l = { 0 };
	struct msg m;

	OK(!event_list_parse(&l, "{cs,faults},task-clock,{cs,sched:a}:u", &m) && l.n == 5,
	   "two groups and one alone");
	OK(l.specs[0].group == 1 && l.specs[1].group == 1 && l.specs[2].group == 0 &&
	   l.specs[3].group == 2 && l.specs[4].group == 2, "groups are numbered");
	OK(l.specs[3].modes == SPEC_USER && l.specs[4].modes == SPEC_USER && !l.specs[2].modes,
	   "a group's modifier is for its members");
	event_list_free(&l);
}

static void refused(const char *text, int err, const char *why)
{
	struct event_list l = { 0 };
	struct msg m;

	IS_NUM(event_list_parse(&l, text, &m), err, text);
	IS_STR(m.text, why, "... and why");
	event_list_free(&l);
}

static void filters(void)
{
	struct event_list l = { 0 };
	struct msg m;

	OK(event_list_filter(&l, "a == 1", &m), "--filter needs an event before it");
	OK(!event_list_parse(&l, "sched:a,sched:b", &m) && !event_list_filter(&l, "x > 1", &m) &&
	   !strcmp(l.specs[0].filter, "x > 1") && !strcmp(l.specs[1].filter, "x > 1"),
	   "a filter is for all events of the last -e");
	OK(!event_list_parse(&l, "cs", &m) && !event_list_filter(&l, "cpu == 1", &m) &&
	   !strcmp(l.specs[2].filter, "cpu == 1"), "software events and timers take filters");
	OK(!event_list_parse(&l, "cycles", &m) && event_list_filter(&l, "cpu == 1", &m) == -EINVAL,
	   "hardware events take none");
	OK(!event_list_parse(&l, "r1c2", &m) && event_list_filter(&l, "cpu == 1", &m) == -EINVAL,
	   "... and raw codes");
	event_list_free(&l);
}

static void reasons(void)
{
	static const struct {
		const char *said, *shown;
	} tries[] = {
		{ "LLC-loads: pev has no table; give its code by PEV_TYPE_RAW",
		  "LLC-loads: pev has no table; give its code, as in -e r01c4" },
		{ "what the kernel does needs CAP_PERFMON: set PEV_F_EXCLUDE_KERNEL",
		  "what the kernel does needs CAP_PERFMON: add :u to the event for user mode alone" },
		{ "PEV_F_EXCLUDE_HOST: this processor can't run guests, there is nothing to count",
		  ":G: this processor can't run guests, there is nothing to count" },
		{ "period 1000 would fire too often", "period 1000 would fire too often" },
		{ "", "" },
	};
	struct pev_error why;
	struct msg m;

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		snprintf(why.text, sizeof(why.text), "%s", tries[i].said);
		IS_STR(kernel_reason(&why), tries[i].shown, "what the kernel says, for who types");
	}
	/* it cannot grow beyond its room */
	memset(why.text, 'x', sizeof(why.text));
	strcpy(why.text + sizeof(why.text) - strlen(tries[0].said) - 1, tries[0].said);
	OK(strlen(kernel_reason(&why)) == sizeof(why.text) - 1, "... cut to its room");
	strcpy(why.text, tries[0].said);
	kernel_refused(&m, -EOPNOTSUPP, &why, "LLC-loads");
	IS_STR(m.text, tries[0].shown, "... in a message");
	IS_STR(why.text, tries[0].said, "... and the kernel's own stays");
}

static void without_system(void)
{
	static const char text[] = "software page-faults\ntracepoint sched:sched_switch\n"
				   "tracepoint a:open\nmarker b:open\n";
	struct pev_catalog *catalog;
	static const struct {
		const char *name, *want;
		bool exact;
	} tries[] = {
		{ "sched_switch", "\"sched:sched_switch\"", true },
		{ "sched_swtich", "\"sched:sched_switch\"", false },
		{ "open", "\"a:open\" or \"b:open\"", true },
		{ "opeen", "\"a:open\"", false },
		{ "sched_*", "\"*:sched_*\"", true },
		{ "page-fault", "", false },
		{ "xyz*", "", false },
		{ "", "", false },
	};

	OK(!pev_catalog_parse(text, strlen(text), &catalog), "a catalog of four events");
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct strbuf b = { 0 };
		bool exact = event_without_system(&b, tries[i].name, catalog);

		IS_STR(b.len ? b.s : "", tries[i].want, tries[i].name);
		OK(exact == tries[i].exact, "... %s", exact ? "to the letter" : "nearly");
		strbuf_free(&b);
	}
	pev_catalog_free(catalog);
}

static uint32_t type_for(const char *text, enum plan_for what)
{
	struct event_list l = { 0 };
	struct event_plan plan = { 0 };
	struct msg m;
	uint32_t type = UINT32_MAX;

	if (!event_list_parse(&l, text, &m) && !event_plan_make(&plan, &l, what, &m) && plan.n == 1)
		type = plan.events[0].attr.type;
	event_plan_free(&plan);
	event_list_free(&l);
	return type;
}

static void clocks(void)
{
	IS_NUM(type_for("task-clock", PLAN_COUNT), PEV_TYPE_SOFTWARE, "task-clock is counted");
	IS_NUM(type_for("timer/task-clock", PLAN_COUNT), PEV_TYPE_SOFTWARE,
	       "... also where the timer of that name is asked for, which counts nothing");
	IS_NUM(type_for("task-clock", PLAN_SAMPLE), PEV_TYPE_TIMER, "a timer samples it");
	IS_NUM(type_for("timer/cpu-clock", PLAN_RECORD), PEV_TYPE_TIMER, "... and records it");
	IS_NUM(type_for("cpu-clock:G", PLAN_COUNT), PEV_TYPE_TIMER, "of guests, ticks are counted");
	IS_NUM(type_for("cpu-clock:H", PLAN_COUNT), PEV_TYPE_TIMER, "... also of the host");
	IS_NUM(type_for("cpu-clock:u", PLAN_COUNT), PEV_TYPE_SOFTWARE, "... but not of modes");
	IS_NUM(type_for("cpu-clock", PLAN_GUESTS), PEV_TYPE_TIMER,
	       "... and of what is a guest anyway");
}

void test_event_spec(void)
{
	names();
	clocks();
	trigger_specs();
	probes();
	modifiers();
	terms();
	groups();
	filters();
	without_system();
	reasons();
	refused("page-fualts", -ENOENT,
		"unknown event \"page-fualts\"; did you mean \"page-faults\"?");
	refused("zzzzzz", -ENOENT, "unknown event \"zzzzzz\"; \"perfctl list\" shows the events");
	refused("uncore_zzz/reads/", -ENOENT,
		"there is neither a PMU nor an event \"uncore_zzz\" here; "
		"\"perfctl list\" shows what this machine has");
	refused("page-fualts/period=3/", -ENOENT,
		"unknown event \"page-fualts\"; did you mean \"page-faults\"?");
	refused("{cs,faults", -EINVAL, "a group is not closed by \"}\": \"{cs,faults\"");
	refused("cs}", -EINVAL, "\"}\" without \"{\": \"cs}\"");
	refused("{cs,{faults}}", -EINVAL, "a group within a group: \"{cs,{faults}}\"");
	refused("cs:q", -EINVAL,
		"event modifier \"q\" is not known: u (user mode), k (kernel mode), for hardware "
		"events and clocks G (guests), H (host), and for hardware events h (hypervisor), D "
		"(pinned), e (exclusive), p, pp, ppp (exact addresses of samples) are");
	refused("cs:D", -EINVAL, "context-switches: \":D\" is for hardware events only");
	refused("cs:G", -EINVAL, "context-switches: \":G\" is for hardware events and clocks only");
	refused("cycles:pppp", -EINVAL, "cycles: \":ppp\" is as exact as samples get");
	refused("kprobe:f/period=2/u", -EINVAL, "kprobe:f: a probe has no modifiers");
	refused("cs:p", -EINVAL, "context-switches: \":p\" is for hardware events only");
	refused("cylces", -ENOENT, "unknown event \"cylces\"; did you mean \"cycles\"?");
	refused("cpu/event=0x3c", -EINVAL, "\"cpu/event=0x3c\" is not of the form cpu/event=N,umask=N/");
	refused(":x", -EINVAL, "\":x\" is not of the form system:event");
	refused("sched:", -EINVAL, "\"sched:\" is not of the form system:event");
	refused("cs,", -EINVAL, "\",\" in the list of events \"cs,\"");
	refused("cs,,faults", -EINVAL, "an event name is missing");
	refused("", -EINVAL, "an event name is missing");
	refused("r1c4/config1=x/", -EINVAL, "event term \"config1\" takes a whole number");
	refused("r1c4/config2=/", -EINVAL, "event term \"config2\" takes a whole number");
	refused("r1c4/pmu=4294967296/", -EINVAL, "r1c4: there is no PMU 4294967296");
	refused("cycles/config1=1/", -EINVAL, "cycles: config1 and config2 are for events by "
		"their code: r1c4/config1=5/, cpu/event=0xc4,config1=5/");
	refused("cs/pmu=1/", -EINVAL, "context-switches: \"pmu\" is for hardware events");
	refused("cs/period=x/", -EINVAL, "event term \"period\" takes a whole number");
}

void test_cpulist(void)
{
	static const char *const lists[] = { "0", "63-64", "0-1,3,62-130", "127" };
	struct cpulist l;
	struct msg m;

	OK(!cpulist_parse(&l, "0-2,8", &m) && cpulist_count(&l) == 4 && cpulist_has(&l, 8) &&
	   !cpulist_has(&l, 3), "0-2,8");
	cpulist_free(&l);
	OK(!cpulist_parse(&l, "64,130\n", &m) && l.n == 3 && cpulist_has(&l, 130), "64,130");
	cpulist_free(&l);
	OK(cpulist_parse(&l, "3-1", &m) && cpulist_parse(&l, "", &m) &&
	   cpulist_parse(&l, "1,", &m) && cpulist_parse(&l, "a", &m) &&
	   cpulist_parse(&l, "0-9999999", &m), "no lists: 3-1, nothing, \"1,\", a, 0-9999999");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct strbuf b = { 0 };

		OK(!cpulist_parse(&l, lists[i], &m), "%s", lists[i]);
		cpulist_put(&b, &l);
		IS_STR(b.s, lists[i], "... and as text");
		cpulist_free(&l);
		strbuf_free(&b);
	}
}
