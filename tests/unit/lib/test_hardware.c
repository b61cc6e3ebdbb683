// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Hardware events: names, codes by their parts, and what of reading one's own
 * counter can be tried without one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <pev/pev.h>
#include "tap.h"

static void test_names(void)
{
	struct pev_attr attr;
	int named = 0;

	pev_attr_event(&attr, PEV_TYPE_HARDWARE, 0, NULL);
	for (int i = 0; i < PEV_HW_MAX; i++) {
		const char *name = pev_config_name(PEV_TYPE_HARDWARE, i);

		named += name && !pev_attr_by_name(&attr, name) &&
			 attr.type == PEV_TYPE_HARDWARE && attr.config == (unsigned int)i;
	}
	check(named == PEV_HW_MAX, "each hardware event has a name that finds it");
	check(!pev_attr_by_name(&attr, "cpu-cycles") && attr.config == PEV_HW_CYCLES &&
	      !pev_attr_by_name(&attr, "branch-instructions") &&
	      attr.config == PEV_HW_BRANCHES, "perf's other names");
	check(!pev_attr_by_name(&attr, "hardware/LLC-loads") &&
	      attr.type == PEV_TYPE_HARDWARE && attr.config == PEV_HW_LLC_LOADS,
	      "hardware/LLC-loads");
	check(!pev_attr_by_name(&attr, "r01c4") && attr.type == PEV_TYPE_RAW &&
	      attr.config == 0x1c4 && !strcmp((char *)(uintptr_t)attr.name, "r01c4"), "r01c4");
	check(pev_attr_by_name(&attr, "pmu/x") == -EINVAL, "pmu/x is no event");
	check(!strcmp(pev_type_name(PEV_TYPE_RAW), "raw") &&
	      pev_type_by_name("hardware") == PEV_TYPE_HARDWARE, "names of types");
}

static bool perf_is(uint32_t type, uint64_t config, uint32_t perf_type, uint64_t perf_config)
{
	uint64_t c = ~0ULL;
	uint32_t t = ~0U;

	return !pev_config_perf(type, config, &t, &c) && t == perf_type && c == perf_config;
}

static void test_perf(void)
{
	static const struct {
		uint32_t type, nr;
	} all[] = {
		{ PEV_TYPE_SOFTWARE, PEV_SW_MAX },
		{ PEV_TYPE_TIMER, PEV_TIMER_MAX },
		{ PEV_TYPE_HARDWARE, PEV_HW_MAX },
		{ PEV_TYPE_SIDEBAND, 0 },
		{ PEV_TYPE_RAW, 0 },
		{ PEV_TYPE_MAX, 0 },
	};
	uint64_t config;
	uint32_t type;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint32_t nr = 0;

		while (!pev_config_perf(all[i].type, nr, &type, &config))
			nr++;
		check(nr == all[i].nr &&
			      pev_config_perf(all[i].type, ~0ULL, &type, &config) == -ENOENT,
		      "perf has %u events of type %u", all[i].nr, all[i].type);
	}
	check(perf_is(PEV_TYPE_SOFTWARE, PEV_SW_CONTEXT_SWITCHES, PERF_TYPE_SOFTWARE,
		      PERF_COUNT_SW_CONTEXT_SWITCHES),
	      "context-switches of perf");
	check(perf_is(PEV_TYPE_TIMER, PEV_TIMER_TASK_CLOCK, PERF_TYPE_SOFTWARE,
		      PERF_COUNT_SW_TASK_CLOCK),
	      "a timer is perf's clock");
	check(perf_is(PEV_TYPE_HARDWARE, PEV_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE,
		      PERF_COUNT_HW_INSTRUCTIONS),
	      "instructions of perf");
	check(perf_is(PEV_TYPE_HARDWARE, PEV_HW_LLC_MISSES, PERF_TYPE_HW_CACHE,
		      PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 |
			      PERF_COUNT_HW_CACHE_RESULT_MISS << 16),
	      "LLC-load-misses of perf");
}

static bool code_is(const char *name, uint64_t want)
{
	uint64_t code = ~0ULL;

	return !pev_pmu_code(name, &code, NULL) && code == want;
}

static bool refused(const char *name, const char *why)
{
	struct pev_error err = { .text = "" };
	uint64_t code = 17;

	return pev_pmu_code(name, &code, &err) == -EINVAL && code == 17 &&
	       err.error == EINVAL && strstr(err.text, why);
}

static void test_codes(void)
{
	check(code_is("r1", 1) && code_is("rffffffffffffffff", ~0ULL), "raw codes");
	check(!code_is("rfffffffffffffffff", ~0ULL), "68 bits are too many");
	check(code_is("cpu/config=0x1c4/", 0x1c4) && code_is("cpu/config=0xabcdef/", 0xabcdef),
	      "cpu/config=N/");
	check(refused("cpu/event=0x3c", "is not of the form") &&
	      refused("cpu//", "is not of the form") &&
	      refused("cpu/event=x/", "\"event=x\" is no number") &&
	      refused("cpu/event=/", "is no number") &&
	      refused("cpu/evnt=1/", "no part \"evnt\""), "parts that are none");
#if defined(__x86_64__)
	check(code_is("cpu/event=0x3c/", 0x3c), "x86: event");
	check(code_is("cpu/event=0xd1,umask=0x20,cmask=2,inv=1,edge/", 0x28420d1),
	      "x86: umask, cmask, inv, edge");
	check(code_is("cpu/event=0x1c2,any/", 0x1002000c2), "x86: AMD's high bits of event");
	check(refused("cpu/umask=0x100/", "is no number of 8 bits") &&
	      refused("cpu/event=0x1000/", "is no number of 12 bits"), "x86: too many bits");
#else
	check(code_is("cpu/event=0x67200301ea/", 0x67200301ea), "PowerPC: event is the code");
	check(refused("cpu/umask=1/", "no part \"umask\""), "PowerPC: and there is no umask");
#endif
}

/* A page that says that there is no counter, or one elsewhere, makes it read() */
static void test_self(void)
{
	struct pev_value value = { .value = 4711 };
	struct pev_user_page page = { .version = PEV_ABI_VERSION, .seq = 2, .base = 1 };
	struct pev_self self;
	uint64_t got = 0;
	int ends[2];

	if (!check(!pipe(ends), "a pipe in place of an event"))
		return;
	check(!pev_self_map(ends[0], &self), "what cannot be mapped is read()");
	check(write(ends[1], &value, sizeof(value)) == sizeof(value) &&
	      !pev_self_read(&self, &got) && got == 4711, "... and gives its value");
	pev_self_unmap(&self);
	self.page = &page;
	value.value = 4712;
	check(write(ends[1], &value, sizeof(value)) == sizeof(value) &&
	      !pev_self_read(&self, &got) && got == 4712, "no counter: read()");
	page.counter = 1;
	page.cpu = UINT32_MAX - 16;
	value.value = 4713;
	check(write(ends[1], &value, sizeof(value)) == sizeof(value) &&
	      !pev_self_read(&self, &got) && got == 4713, "a counter of another CPU: read()");
	close(ends[1]);
	check(pev_self_read(&self, &got) == -EIO && got == 4713,
	      "read() fails: so does pev_self_read(), and the value is left alone");
	close(ends[0]);
}

int main(void)
{
	test_names();
	test_perf();
	test_codes();
	test_self();
	return tap_done();
}
