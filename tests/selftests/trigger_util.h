/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of triggers share: an event that is recorded, triggers that the test fires
 * when it wants to, and the books of both.
 */
#ifndef TRIGGER_UTIL_H
#define TRIGGER_UTIL_H

#include "pev_child.h"

/* What fires a trigger: a call with an argument that nothing else gives. */
#define FIRE_EVENT "syscalls:sys_enter_sched_get_priority_min"

/* Bytes of the payload of both calls */
#define CALL_SIZE 16

static UNUSED void fire(int argument)
{
	syscall(SYS_sched_get_priority_min, argument);
}

/* The calls of the thread; off. */
static UNUSED int open_calls(int channel)
{
	return pev_open_event(PEV_TYPE_TRACEPOINT, PEV_CALL_EVENT, NULL, channel);
}

/* fire(@argument) by the thread does @flag; on. */
static UNUSED int open_trigger(int channel, uint64_t flag, int argument)
{
	char filter[64];
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = flag,
		.name = (uintptr_t)FIRE_EVENT,
		.filter = (uintptr_t)filter,
		.channel_fd = channel,
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_TID,
	};

	snprintf(filter, sizeof(filter), "policy == %d", argument);
	return pev_open(&attr);
}

static UNUSED struct pev_counts counts_of(int fd)
{
	struct pev_counts counts = { .size = sizeof(counts) };

	if (ioctl(fd, PEV_IOC_READ_COUNTS, &counts))
		memset(&counts, 0xff, sizeof(counts));
	return counts;
}

static UNUSED struct pev_channel_state state_of(int channel)
{
	struct pev_channel_state state = { .size = sizeof(state) };

	if (ioctl(channel, PEV_IOC_CHANNEL_STATE, &state))
		memset(&state, 0xff, sizeof(state));
	return state;
}

static UNUSED int act(int channel, unsigned long action)
{
	return ioctl(channel, PEV_IOC_ACT, action) ? -errno : 0;
}

/* Where the occurrences went, of an event with a period of 1 */
static UNUSED bool books_balance(const struct pev_counts *c)
{
	return c->value == c->samples + c->lost + c->unarmed && c->acted <= c->fired;
}

/* Records by their ids in a discarding channel that nothing writes to and nobody has read */
static UNUSED int count_records(int channel, uint64_t *records, unsigned int nr)
{
	int sizes[nr], got = 0;
	struct pev_map map;

	memset(records, 0, nr * sizeof(*records));
	for (unsigned int i = 0; i < nr; i++)
		sizes[i] = CALL_SIZE;
	if (ioctl(channel, PEV_IOC_FLUSH, 0) || pev_map_channel(channel, &map))
		return -1;
	for (unsigned int cpu = 0; cpu < map.nr && !got; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, nr);
		struct pev_record record;

		while (map.rings[cpu].kernel && (got = pev_walk_next(&walk, &record)) > 0)
			records[record.id]++;
	}
	pev_unmap_channel(&map);
	return got;
}

#endif
