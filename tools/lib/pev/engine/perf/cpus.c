// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Follows CPUs that come and go. The kernel takes the events of whole CPUs off a CPU
 * that goes, for good: where it comes back they are opened again.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "core/file.h"
#include "engine/perf/cpus.h"
#include "engine/perf/event.h"

#define FOLDER	"/sys/devices/system/cpu/"
/* looking takes two system calls: not with each wake-up */
#define LOOK_NS	100000000

int perf_cpus_read(const char *list, struct cpu_mask *mask)
{
	char path[64], *text, *at;
	int ret;

	*mask = (struct cpu_mask){ 0 };
	snprintf(path, sizeof(path), FOLDER "%s", list);
	ret = pev_read_file(path, &text, NULL);
	if (ret)
		return ret;
	for (at = text; *at >= '0' && *at <= '9';) {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		for (unsigned long cpu = first; cpu <= last && cpu < MOST_CPUS; cpu++)
			mask->words[cpu / 64] |= 1ULL << cpu % 64;
		at += *at == ',';
	}
	ret = at == text ? -ENODATA : 0;
	free(text);
	return ret;
}

unsigned int perf_cpus_room(void)
{
	struct cpu_mask possible;
	unsigned int room = 0;

	if (!perf_cpus_read("possible", &possible))
		for (unsigned int cpu = 0; cpu < MOST_CPUS; cpu++)
			if (perf_cpus_has(&possible, cpu))
				room = cpu + 1;
	return room ? room : (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
}

static int listen_to_kernel(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&to, sizeof(to))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Adds the CPUs that came online, which may have been offline for a moment only. */
static void take_uevents(int fd, struct cpu_mask *came)
{
	char text[4096];
	unsigned int cpu;
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		if (sscanf(text, "online@/devices/system/cpu/cpu%u", &cpu) == 1 && cpu < MOST_CPUS)
			came->words[cpu / 64] |= 1ULL << cpu % 64;
	}
}

/* The first look begins to listen: without one no descriptor is needed. */
static bool is_time(struct perf_engine *engine)
{
	struct timespec t;
	uint64_t now;

	if (!engine->looked)
		engine->uevents = listen_to_kernel();
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (engine->looked && now - engine->looked < LOOK_NS)
		return false;
	engine->looked = now;
	return true;
}

/* Leaders come first: members need theirs. Returns the first error, or how many were opened. */
static int open_on(struct perf_engine *engine, unsigned int cpu)
{
	int opened = 0, ret = 0, one;

	for (int members = 0; members < 2; members++) {
		for (size_t i = 0; i < engine->room; i++) {
			struct event *event = engine->events[i];

			if (!event || (event->leader != NULL) != members)
				continue;
			one = perf_event_add_cpu(event, cpu);
			opened += one > 0;
			if (one < 0 && !ret)
				ret = one;
		}
	}
	return ret ? ret : opened;
}

static int look_at(struct perf_engine *engine, unsigned int cpu, bool was, bool is, bool came,
		   pev_engine_cpu_fn changed, void *arg)
{
	int opened = is && (!was || came) ? open_on(engine, cpu) : 0;

	if (changed && was && (!is || opened))
		changed(arg, cpu, false);
	if (changed && is && (!was || opened))
		changed(arg, cpu, true);
	return opened < 0 ? opened : 0;
}

int perf_cpus_refresh(struct pev_engine *base, pev_engine_cpu_fn changed, void *arg)
{
	struct perf_engine *engine = perf_of(base);
	struct cpu_mask came = { 0 }, is;
	int ret = 0, one;

	if (!is_time(engine))
		return 0;
	take_uevents(engine->uevents, &came);
	one = perf_cpus_read(CPUS_ONLINE, &is);
	if (one)
		return one == -ENODATA ? 0 : one;
	for (unsigned int cpu = 0; cpu < MOST_CPUS; cpu++) {
		bool was = perf_cpus_has(&engine->online, cpu), now = perf_cpus_has(&is, cpu);

		if (was == now && !perf_cpus_has(&came, cpu))
			continue;
		one = look_at(engine, cpu, was, now, perf_cpus_has(&came, cpu), changed, arg);
		ret = ret ? ret : one;
	}
	engine->online = is;
	return ret;
}

void perf_cpus_watch(struct perf_engine *engine)
{
	engine->uevents = -1;
	if (perf_cpus_read(CPUS_ONLINE, &engine->online))
		engine->online = (struct cpu_mask){ 0 };
}
