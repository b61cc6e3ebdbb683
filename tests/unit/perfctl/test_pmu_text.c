// SPDX-License-Identifier: GPL-2.0
/* What the kernel says about the counters, taken apart. */
#include "event/pmu_text.h"
#include "tests.h"

static const char text[] = "pmu 0 Intel architectural perfmon 4\n"
			   "driver perf\n"
			   "feature freezes\n"
			   "feature user-reads\n"
			   "counter 0 PMC0 48 bits user 0\n"
			   "counter 32 fixed0 40 bits user 1073741824\n"
			   "counter 33 fixed1 48 bits user -\n"
			   "holder PMC0 the hard lockup detector\n"
			   "cpu 0 PMC0 in use\n"
			   "cpu 0 fixed0 cycles:u\n"
			   "cpu 1 PMC0 free\n"
			   "incident late 3\n"
			   "incident stuck 0\n"
			   "event LLC-loads this processor has none\n"
			   "event bus-cycles bus-cycles: nor that\n"
			   "grant 42 counters 4 vcpus 2 calls 7 later 1\n"
			   "grant 43\n"
			   "future thing that is not known\n"
			   "counter 9 nonsense\n"
			   "holder nobody perf\n"
			   "pmu 1 of something else\n"
			   "pmu 2\n"
			   "pmu\n";

void test_pmu_text(void)
{
	struct pmu_text p;
	char user[24];

	pmu_text_parse(&p, text);
	IS_STR(p.name, "Intel architectural perfmon 4", "the PMU's name");
	OK(!p.id, "... and number");
	IS_STR(p.driver, "perf", "... and driver");
	OK(*pmu_driver_about("perf") && !*pmu_driver_about("else"), "what drivers are");
	OK(p.n_features == 2 && !strcmp(p.features[1].name, "user-reads"), "features");
	OK(*pmu_feature_about("marks") && !*pmu_feature_about("wings"), "what features mean");
	OK(p.n_counters == 3 && p.counters[1].nr == 32 && p.counters[1].bits == 40 &&
	   !strcmp(p.counters[1].name, "fixed0") && !strcmp(p.counters[1].user, "1073741824") &&
	   !strcmp(p.counters[2].user, "-"), "counters");
	IS_STR(pmu_counter_user(&p.counters[0], user), "0", "a number for rdpmc");
	IS_STR(pmu_counter_user(&p.counters[1], user), "0x40000000", "... with a flag");
	IS_STR(pmu_counter_user(&p.counters[2], user), "cannot read it", "... none");
	IS_STR(p.counters[0].holder, "the hard lockup detector", "who holds one");
	IS_STR(p.counters[1].holder, "", "... and one without a holder");
	OK(p.n_uses == 3 && p.uses[1].cpu == 0 && !strcmp(p.uses[1].counter, "fixed0"), "CPUs");
	IS_STR(p.uses[1].event, "cycles:u", "what a counter counts");
	IS_STR(p.uses[0].event, "in use", "... or that it does");
	OK(p.n_incidents == 2 && !strcmp(p.incidents[0].text, "3"), "incidents");
	OK(p.n_missing == 2 && !strcmp(p.missing[0].name, "LLC-loads"), "events that are missing");
	IS_STR(p.missing[0].text, "this processor has none", "... and why");
	IS_STR(p.missing[1].text, "nor that", "... without its name once more");
	OK(p.n_grants == 2 && !strcmp(p.grants[0].name, "42"), "what is lent to a guest");
	IS_STR(p.grants[0].text, "counters 4 vcpus 2 calls 7 later 1", "... as the kernel says it");
	pmu_text_free(&p);
	pmu_text_parse(&p, "");
	OK(!p.name && !p.n_counters && !*p.driver, "no PMU");
	pmu_text_free(&p);
}
