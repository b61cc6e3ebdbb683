// SPDX-License-Identifier: GPL-2.0
/* Opening events of pev, perf and ftrace. See bench.h. */
#include "bench.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../selftests/pev_util.h"

/* Holds all that a loop writes, as no reader runs meanwhile. */
#define RING_SIZE	(16U << 20)
#define TRACEFS		"/sys/kernel/tracing/"

int listen_pev_channel(void)
{
	int fd = pev_open_channel(RING_SIZE, 1 << 16, 0);

	if (fd < 0)
		die("a channel: %s", pev_reason());
	return fd;
}

int listen_pev(const struct pev_listen *what, int channel)
{
	struct pev_attr attr = {
		.type = what->type,
		.target = what->target ?: PEV_TARGET_TASK,
		.target_id = what->pid,
		.config = what->config,
		.name = (uintptr_t)what->name,
		.filter = (uintptr_t)what->filter,
		.period = what->period,
		.sample = what->sample,
		.flags = what->flags | (what->off ? PEV_F_DISABLED : 0),
		.channel_fd = what->period ? channel : -1,
		.group_fd = -1,
	};
	int fd = pev_open(&attr);

	if (fd < 0)
		die("%s: %s", what->name ?: "an event", pev_reason());
	return fd;
}

uint64_t listen_pev_records(int fd)
{
	struct pev_value value = pev_read(fd);

	if (value.lost || value.value != value.samples)
		die("%llu records were lost: the ring is too small",
		    (unsigned long long)value.lost);
	return value.samples;
}

const char *listen_pev_clock(void)
{
	struct pev_info info = { .size = sizeof(info) };
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .channel_fd = -1, .group_fd = -1,
		.info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	if (pev_open(&attr) < 0)
		die("pev: %s", pev_reason());
	return info.clock == PEV_CLOCK_CYCLES ? "the cycle counter" : "CLOCK_MONOTONIC";
}

/* Opens an event with the parts of a record that `perf record` asks for. */
int listen_perf(const struct perf_listen *what)
{
	struct perf_event_attr attr = {
		.type = what->type,
		.size = sizeof(attr),
		.config = what->config,
		.config1 = what->config1,
		.config2 = what->config2,
		.sample_period = what->period,
		.inherit = what->inherit,
		.exclude_kernel = what->user,
		.watermark = 1,
		.wakeup_watermark = RING_SIZE / 2,
	};
	int fd;

	if (what->period)
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_PERIOD;
	if (what->type == PERF_TYPE_TRACEPOINT && what->period)
		attr.sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_CPU;
	if (what->callchain)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	fd = syscall(SYS_perf_event_open, &attr, what->pid, what->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open: %m");
	if (what->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, what->filter))
		die("a filter for perf: %m");
	return fd;
}

void *listen_perf_ring(int fd)
{
	void *ring = mmap(NULL, RING_SIZE + getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd, 0);

	if (ring == MAP_FAILED)
		die("the ring of perf: %m");
	return ring;
}

uint64_t listen_perf_records(void *ring)
{
	struct perf_event_mmap_page *page = ring;
	uint64_t records = 0, pos, head = page->data_head;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (pos = 0; pos < head;) {
		struct perf_event_header *h = ring + page->data_offset + pos;

		if (h->type == PERF_RECORD_LOST)
			die("perf lost records: its ring is too small");
		records += h->type == PERF_RECORD_SAMPLE;
		pos += h->size;
	}
	return records;
}

void listen_perf_unmap(void *ring)
{
	munmap(ring, RING_SIZE + getpagesize());
}

uint64_t listen_tracepoint_id(const char *system, const char *event)
{
	unsigned long id;
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), TRACEFS "events/%s/%s/id", system, event);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%lu", &id) != 1)
		die("%s: %m", path);
	fclose(f);
	return id;
}

void listen_ftrace(const char *file, const char *text)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die("%s: %m", path);
	close(fd);
}
