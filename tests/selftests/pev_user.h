/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of user marks share: listening, and reading what a producer's rings hold. */
#ifndef PEV_USER_H
#define PEV_USER_H

#include <linux/pev_user.h>
#include "pev_util.h"

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))
#define PACKET_UNITS (PEV_USER_PACKET / 8)

static UNUSED int user_listen(const char *name, uint32_t target, int id, uint64_t flags)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_USER,
		.target = target,
		.target_id = id,
		.flags = flags,
		.name = (uintptr_t)name,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

/* A producer as a listener sees it. */
struct user_seen {
	struct pev_user_next next;
	struct pev_user_mark marks[PEV_MAX_USER_MARKS];
	char strings[65536];
};

/* The first from @number on. Returns 0 or -errno. */
static UNUSED int user_next(int fd, uint32_t number, struct user_seen *seen)
{
	memset(&seen->next, 0, sizeof(seen->next));
	seen->next.size = sizeof(seen->next);
	seen->next.number = number;
	seen->next.marks = (uintptr_t)seen->marks;
	seen->next.strings = (uintptr_t)seen->strings;
	seen->next.nr_marks = PEV_MAX_USER_MARKS;
	seen->next.strings_size = sizeof(seen->strings);
	return ioctl(fd, PEV_IOC_USER_NEXT, &seen->next) ? -errno : 0;
}

/* That of a process; its number, or -1. */
static UNUSED int user_find(int fd, int pid, struct user_seen *seen)
{
	for (uint32_t number = 0; !user_next(fd, number, seen); number = seen->next.number + 1)
		if ((int)seen->next.inner_pid == pid)
			return (int)seen->next.number;
	return -1;
}

static UNUSED const volatile struct pev_user_gate *user_gate(int fd, const struct user_seen *seen)
{
	void *gate = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)seen->next.mmap_offset);

	return gate == MAP_FAILED ? NULL : gate;
}

static UNUSED uint64_t user_stride(const struct user_seen *seen)
{
	return PAGE + (seen->next.ring_size + PAGE - 1) / PAGE * PAGE;
}

/* NULL with errno set if it is not there. */
static UNUSED const char *user_ring(int fd, const struct user_seen *seen, unsigned int nr)
{
	void *ring = mmap(NULL, user_stride(seen), PROT_READ, MAP_SHARED, fd,
			  (off_t)(seen->next.mmap_offset + PAGE + nr * user_stride(seen)));

	return ring == MAP_FAILED ? NULL : ring;
}

/* What a walk over rings found. @sum: of the first field of all records */
struct user_sums {
	uint64_t records;
	uint64_t lost;
	uint64_t damaged;
	uint64_t sum;
	uint64_t unordered;
	uint64_t rings;
};

/* Reads a ring that is not written to at this time, by the rules of linux/pev_user.h. */
static UNUSED void user_walk(const char *ring, uint32_t ring_size, struct user_sums *sums,
			     void (*fn)(const struct pev_user_record *, const uint64_t *, void *),
			     void *arg)
{
	const uint64_t *data = (const void *)(ring + PAGE);
	uint64_t head = __atomic_load_n((const uint64_t *)ring, __ATOMIC_ACQUIRE), time = 0;
	uint32_t units = ring_size / 8, end = (uint32_t)head, count = 0, at = 0;

	sums->rings++;
	if (end > units)
		at = (end - units + 2 * PACKET_UNITS + PACKET_UNITS - 1) / PACKET_UNITS *
		     PACKET_UNITS;
	while (at != end) {
		const uint64_t *p = data + at % units;
		const struct pev_user_record *record = (const void *)p;
		uint32_t left = PACKET_UNITS - at % PACKET_UNITS;

		if (left == PACKET_UNITS) {
			const struct pev_user_packet *packet = (const void *)p;

			sums->damaged += packet->unit != at;
			sums->lost += packet->count - count;
			count = packet->count;
			at++;
			continue;
		}
		if (!*p) {
			at += left;
			continue;
		}
		if (record->units < 2 || record->units > left || record->units > end - at) {
			sums->damaged++;
			return;
		}
		sums->unordered += record->time < time;
		time = record->time;
		sums->records++;
		if (record->units > 2)
			sums->sum += p[2];
		if (fn)
			fn(record, p + 2, arg);
		count++;
		at += record->units;
	}
	sums->lost += (uint32_t)(head >> 32) - count;
}

/* All rings of a producer. */
static UNUSED struct user_sums
user_walk_all(int fd, const struct user_seen *seen,
	      void (*fn)(const struct pev_user_record *, const uint64_t *, void *), void *arg)
{
	struct user_sums sums = {};

	for (unsigned int nr = 0; nr < seen->next.nr_rings; nr++) {
		const char *ring = user_ring(fd, seen, nr);

		if (!ring)
			continue;
		user_walk(ring, seen->next.ring_size, &sums, fn, arg);
		munmap((void *)ring, user_stride(seen));
	}
	return sums;
}

#endif
