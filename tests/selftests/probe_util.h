/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of probes share: functions to be probed, a probe of them, and its records. */
#ifndef PROBE_UTIL_H
#define PROBE_UTIL_H

#include "kselftest_harness.h"
#include "pev_place.h"
#include "pev_util.h"

#define PR PEV_TYPE_PROBE
#define NR 100

/*
 * The probed functions. Called by pointers, so that they begin where these point. Of a page
 * of 64 KiB that gets a breakpoint, QEMU 7.2 forgets what it translated of the first 4 KiB
 * only, and goes on with the old code of the others until another process runs.
 */
#define PROBED __attribute__((noinline, aligned(65536)))

static PROBED long work(long number, const char *text)
{
	asm volatile("" : : "r"(number), "r"(text) : "memory");
	return number * 2;
}

static PROBED long play(long number, const char *text)
{
	asm volatile("" : : "r"(number), "r"(text) : "memory");
	return number * 3;
}

static UNUSED long (*volatile work_fn)(long number, const char *text) = work;
static UNUSED long (*volatile play_fn)(long number, const char *text) = play;

FIXTURE(probe)
{
	int channel;
	struct pev_map map;
	int exe;
	struct pev_probe probe;
	struct pev_probe_place places[4];
	struct pev_probe_field fields[4];
};

/* Offsets in @strings. */
static const char strings[] = "work\0play\0number\0text\0do_filp_open\0result\0time\0"
			      "no_such_function\0pev_probe_hit\0get_kprobe";
enum {
	WORK = 0,
	PLAY = 5,
	NUMBER = 10,
	TEXT = 17,
	OPEN = 22,
	RESULT = 35,
	TIME = 42,
	NONE = 47,
	UNTRACED = 64,
	UNPROBED = 78
};

FIXTURE_SETUP(probe)
{
	PEV_NEEDS_ROOT(return );
	self->channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	self->exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->exe);
	self->probe = (struct pev_probe){
		.size = sizeof(self->probe),
		.kind = PEV_PROBE_USER,
		.fd = self->exe,
		.nr_places = 1,
		.places = (uintptr_t)self->places,
		.fields = (uintptr_t)self->fields,
		.strings = (uintptr_t)strings,
		.strings_size = sizeof(strings),
	};
	self->places[0] = (struct pev_probe_place){ .name = WORK, .offset = pev_place_of(work) };
	self->places[1] = (struct pev_probe_place){ .name = PLAY, .offset = pev_place_of(play) };
	ASSERT_NE(0, self->places[0].offset);
	self->fields[0] = (struct pev_probe_field){ .name = NUMBER,
						    .type = PEV_PROBE_S64,
						    .from = PEV_PROBE_ARGUMENT };
	self->fields[1] = (struct pev_probe_field){ .name = TEXT,
						    .type = PEV_PROBE_TEXT,
						    .from = PEV_PROBE_ARGUMENT,
						    .number = 1,
						    .nr_loads = 1 };
}

FIXTURE_TEARDOWN(probe)
{
	pev_unmap_channel(&self->map);
	close(self->channel);
	close(self->exe);
}

static UNUSED struct pev_attr attr_of(const struct pev_probe *probe, int channel)
{
	return (struct pev_attr){
		.type = PR,
		.target = PEV_TARGET_PROCESS,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t) "a_probe",
		.config = (uintptr_t)probe,
		.channel_fd = channel,
		.group_fd = -1,
		.period = channel >= 0,
		.sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};
}

static UNUSED int open_probe(const struct pev_probe *probe, int channel)
{
	struct pev_attr attr = attr_of(probe, channel);

	return pev_open(&attr);
}

static UNUSED void make_kernel(struct pev_probe *probe, struct pev_probe_place *place,
			       uint32_t kind)
{
	probe->kind = kind;
	probe->fd = 0;
	*place = (struct pev_probe_place){ .name = OPEN };
}

/* What follows struct pev_probe_record with a number and a text. */
struct payload {
	struct pev_probe_record head;
	uint32_t pad;
	int64_t number;
	uint16_t off;
	uint16_t len;
};

#define PAYLOAD_SIZE ((int)offsetofend(struct payload, len))
#ifndef offsetofend
#define offsetofend(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#endif

/* Calls @check for each record of event 0; returns their number, -1: a ring is damaged. */
static UNUSED int each_record(const struct pev_map *map, int size,
			      void (*check)(struct __test_metadata *_metadata,
					    const uint8_t *payload, int nr),
			      struct __test_metadata *_metadata)
{
	struct pev_record record;
	int more = 0, nr = 0;

	for (unsigned int cpu = 0; cpu < map->nr && more >= 0; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, &size, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0)
			check(_metadata, record.payload, nr++);
	}
	return more < 0 ? -1 : nr;
}

static UNUSED void open_files(int nr)
{
	for (int i = 0; i < nr; i++)
		close(open("/dev/null", O_RDONLY));
}

#endif
