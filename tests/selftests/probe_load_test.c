// SPDX-License-Identifier: GPL-2.0
/*
 * Loads of probes: what they reach through pointers, and what becomes of each that can't be
 * followed. Filters look at the fields as records would have them.
 */
#include <stdio.h>
#include "probe_util.h"

struct link {
	struct link *next;
	int64_t value;
};

static struct link links[PEV_MAX_PROBE_LOADS];

/* One that no program has, one of the kernel, and one of nobody */
static void *const bad[] = {
	(void *)16,
	(void *)0xffffffff81000000UL,
	(void *)0x8000000000000000UL,
};

/* Two fields: the first argument, and what @loads find behind the second one. */
static void set_loads(struct pev_probe *probe, struct pev_probe_field *fields, uint8_t loads,
		      int64_t last)
{
	probe->nr_fields = 2;
	fields[0] = (struct pev_probe_field){ .name = NUMBER,
					      .type = PEV_PROBE_S64,
					      .from = PEV_PROBE_ARGUMENT };
	fields[1] = (struct pev_probe_field){ .name = RESULT,
					      .type = PEV_PROBE_S64,
					      .from = PEV_PROBE_ARGUMENT,
					      .number = 1,
					      .nr_loads = loads };
	fields[1].offsets[loads - 1] = last;
}

/* How often the fields pass a filter while @run runs */
static uint64_t passes(struct __test_metadata *_metadata, const struct pev_probe *probe,
		       const char *filter, void (*run)(const void *arg), const void *arg)
{
	struct pev_attr attr = attr_of(probe, -1);
	struct pev_value value;
	int fd;

	attr.filter = (uintptr_t)filter;
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s: %s", filter, pev_reason());
	if (fd < 0)
		return 0;
	pev_on(fd);
	run(arg);
	pev_off(fd);
	value = pev_read(fd);
	close(fd);
	return value.value;
}

static void call_work(const void *arg)
{
	work_fn(7, arg);
}

static void call_open(const void *arg)
{
	open_files(1);
}

/* The pointer of each load in turn leads nowhere: the others are not hurt. */
TEST_F(probe, loads_of_a_process)
{
	char filter[80];

	for (int loads = 1; loads <= PEV_MAX_PROBE_LOADS; loads++) {
		for (int i = 0; i < PEV_MAX_PROBE_LOADS; i++)
			links[i] = (struct link){ .next = &links[i + 1], .value = 100 + i };
		set_loads(&self->probe, self->fields, loads, offsetof(struct link, value));
		snprintf(filter, sizeof(filter), "faults == 0 && number == 7 && result == %d",
			 99 + loads);
		EXPECT_EQ(1, passes(_metadata, &self->probe, filter, call_work, links))
		TH_LOG("%d loads", loads);
		for (int at = 0; at < loads; at++) {
			for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
				struct link *old = at ? links[at - 1].next : NULL;

				if (at)
					links[at - 1].next = bad[i];
				EXPECT_EQ(1, passes(_metadata, &self->probe,
						    "faults == 2 && number == 7 && result == 0",
						    call_work, at ? links : bad[i]))
				TH_LOG("load %d of %d, %p", at, loads, bad[i]);
				if (at)
					links[at - 1].next = old;
			}
		}
	}
}

/* From the kernel's memory to where none is: arm64 takes no notice of the first eight bits. */
#ifdef __aarch64__
#define OUTSIDE (1LL << 54)
#else
#define OUTSIDE (1LL << 62)
#endif

/*
 * do_filp_open() is given where the name is: in the kernel, and behind that in the process. Loads from
 * one don't reach the other.
 */
TEST_F(probe, loads_of_the_kernel)
{
	static const struct {
		uint8_t loads, flags;
		int64_t offsets[PEV_MAX_PROBE_LOADS];
		const char *filter;
	} cases[] = {
		{ 1, 0, { 0 }, "faults == 0 && result != 0" },
		{ 2, 0, { 0, 0 }, "faults == 0 && result != 0" },
		/* what the name begins with is no address */
		{ 3, 0, { 0, 0, 0 }, "faults == 2 && result == 0" },
		{ 4, 0, { 0, 0, 0, 0 }, "faults == 2 && result == 0" },
		{ 1, 0, { OUTSIDE }, "faults == 2 && result == 0" },
		{ 2, 0, { 0, OUTSIDE }, "faults == 2 && result == 0" },
		/* where the process has its name is no memory of the kernel's */
		{ 1, 0, { 8 }, "faults == 0 && result != 0" },
		{ 2, 0, { 8, 0 }, "faults == 2 && result == 0" },
		/* nor is the kernel's one of a process */
		{ 1, PEV_PROBE_USER_MEMORY, { 0 }, "faults == 2 && result == 0" },
		{ 2, PEV_PROBE_USER_MEMORY, { 0, 0 }, "faults == 2 && result == 0" },
	};

	make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_loads(&self->probe, self->fields, cases[i].loads, 0);
		memcpy(self->fields[1].offsets, cases[i].offsets, sizeof(cases[i].offsets));
		self->fields[1].flags = cases[i].flags;
		EXPECT_EQ(1, passes(_metadata, &self->probe, cases[i].filter, call_open, NULL))
		TH_LOG("case %u", i);
	}
}

/* A text behind each of them, whose last load is its own */
TEST_F(probe, loads_of_texts)
{
	static struct link *first = links;

	links[0].next = (struct link *)"hello";
	set_loads(&self->probe, self->fields, 3, 0);
	self->fields[1].type = PEV_PROBE_TEXT;
	EXPECT_EQ(1, passes(_metadata, &self->probe, "faults == 0 && result == \"hello\"",
			    call_work, &first));
	links[0].next = (struct link *)"";
	EXPECT_EQ(1, passes(_metadata, &self->probe, "faults == 0 && result == \"\"", call_work,
			    &first));
	links[0].next = bad[0];
	EXPECT_EQ(1, passes(_metadata, &self->probe, "faults == 2 && result == \"\"", call_work,
			    &first));
	first = bad[1];
	EXPECT_EQ(1, passes(_metadata, &self->probe, "faults == 2 && result == \"\"", call_work,
			    &first));
	EXPECT_EQ(1, passes(_metadata, &self->probe, "faults == 2 && result == \"\"", call_work,
			    bad[2]));
}

TEST_HARNESS_MAIN
