/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of waits share: a channel, what an event of waits has counted, and its records.
 */
#ifndef WAIT_UTIL_H
#define WAIT_UTIL_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define MS 1000000ULL
#define HOUR (3600 * 1000 * MS)

struct readings {
	struct pev_value value;
	struct pev_waits waits;
};

static UNUSED struct readings read_waits(int fd)
{
	struct readings r;

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		memset(&r, 0xff, sizeof(r));
	return r;
}

static UNUSED uint64_t sum_of(const struct pev_waits *w)
{
	return w->run + w->blocked + w->runnable + w->folded;
}

/* Return: by how much the law is broken. */
static UNUSED int64_t off_by(int fd)
{
	struct readings r = read_waits(fd);

	return r.waits.enabled - sum_of(&r.waits);
}

static UNUSED struct pev_attr attr_of(uint32_t target, int id, int channel)
{
	return (struct pev_attr){
		.type = PEV_TYPE_WAIT,
		.target = target,
		.target_id = id,
		.channel_fd = channel,
		.group_fd = -1,
	};
}

FIXTURE(wait)
{
	int channel;
	int fd;
	struct pev_map map;
	struct pev_child child;
};

FIXTURE_SETUP(wait)
{
	self->fd = -1;
	self->channel = -1;
	self->child.pid = 0;
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 22, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(wait)
{
	if (self->child.pid > 0) {
		kill(self->child.pid, SIGKILL);
		pev_child_end(&self->child);
	}
	if (self->fd >= 0)
		close(self->fd);
	if (self->channel >= 0) {
		pev_unmap_channel(&self->map);
		close(self->channel);
	}
}

/* ---- records ---- */

struct wait {
	uint32_t tid;
	uint32_t pid;
	struct pev_wait_record record;
	const uint64_t *kstack;
	uint32_t nr_kstack;
	uint32_t nr_ustack;
};

/* As pev_walk_next(), of the only event of a channel. */
static UNUSED int next_wait(struct pev_walk *walk, uint64_t sample, struct wait *w)
{
	static const int sizes[] = { 0 };
	struct pev_record record;
	size_t size, chain = 0;
	uint64_t pid;
	int ret;

	walk->sizes = sizes;
	walk->nr_sizes = 1;
	ret = pev_walk_next(walk, &record);
	if (ret <= 0)
		return ret;
	memset(w, 0, sizeof(*w));
	w->tid = record.tid;
	if (sample & PEV_SAMPLE_PID) {
		memcpy(&pid, record.payload, sizeof(pid));
		w->pid = pid;
		chain = sizeof(pid);
	}
	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK)) {
		uint32_t nr[2];

		memcpy(nr, record.payload + chain, sizeof(nr));
		w->nr_kstack = nr[0];
		w->nr_ustack = nr[1];
		w->kstack = (const void *)(record.payload + chain + sizeof(nr));
		chain += sizeof(nr) + 8 * ((size_t)nr[0] + nr[1]);
	}
	size = sample & PEV_SAMPLE_KSTACK ? sizeof(w->record) :
					    offsetof(struct pev_wait_record, stack);
	memcpy(&w->record, record.payload + chain, size);
	walk->pos += chain + size;
	return 1;
}

/* Call @see for each record there is. Return: how many, or -1. */
static UNUSED int64_t each_wait(int channel, struct pev_map *map, uint64_t sample,
			 void (*see)(const struct wait *w, void *to), void *to)
{
	int64_t nr = 0;

	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < map->info.nr_rings; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, NULL, 0);
		struct wait w;
		int ret;

		while ((ret = next_wait(&walk, sample, &w)) > 0) {
			see(&w, to);
			nr++;
		}
		if (ret < 0)
			return -1;
		pev_walk_release(&walk);
	}
	return nr;
}

/* ---- what waits ---- */

static UNUSED void *nap(void *unused)
{
	struct timespec ts = { .tv_nsec = 100000 };

	for (int i = 0; i < 10; i++) {
		nanosleep(&ts, NULL);
		sched_yield();
	}
	return NULL;
}

static UNUSED void in_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, nap, NULL))
			_exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

#endif /* WAIT_UTIL_H */
