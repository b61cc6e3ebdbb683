/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The engine on perf_event_open(2): what its files share.
 *
 * An event of ours is a perf event for each task and CPU of its target. Those of a
 * CPU that record write into one ring of perf's. channel.c reads it and writes what
 * it finds into a ring of our form, which everything above reads.
 */
#ifndef _PEV_ENGINE_PERF_H
#define _PEV_ENGINE_PERF_H

#include <linux/perf_event.h>
#include "core/compiler.h"
#include "core/text.h"
#include "engine/ops.h"
#include "engine/perf/convert.h"

#define PERF_FORMAT_LOST_BIT	(1U << 4)

/* Features of the running kernel's perf, which were added over time */
#define PERF_HAS_BUILD_ID	(1U << 0)	/* 5.12 */
#define PERF_HAS_INHERIT_THREAD	(1U << 1)	/* 5.13 */
#define PERF_HAS_LOST		(1U << 2)	/* 6.0: losses of each event */
#define PERF_HAS_CGROUP (1U << 3) /* 5.7, with CONFIG_CGROUP_PERF */

#define MOST_CPUS	8192

struct cpu_mask {
	uint64_t	words[MOST_CPUS / 64];
};

/**
 * struct place - where one perf event counts, as perf_event_open(2) takes it
 * @pid: a task, -1: all; a cgroup's descriptor with places.cgroup
 * @cpu: -1: all
 */
struct place {
	int	pid;
	int	cpu;
};

/**
 * struct places - where an event counts
 * @mask:    of an event of whole CPUs or a cgroup: where it is to be; NULL: it is of tasks
 * @inherit: children of the tasks are counted, too
 * @threads: of these only those that are threads of the same process
 */
struct places {
	struct place	*at;
	size_t		nr;
	struct cpu_mask	*mask;
	bool		cgroup;
	bool		inherit;
	bool		threads;
};

struct channel;
struct calls;

/**
 * struct event - an event of ours
 * @handle:  the first of @fds, or a copy of a descriptor for sideband events, all
 *           of which are one perf event
 * @fds:     one for each of @places, -1 where the task or CPU is gone
 * @pid:     attr.target_id
 * @on:      it was switched on
 * @some:    its PMU need not be on each CPU: that of one kind of core
 * @filter:  NULL: none
 * @cls:     class of its records, with a channel
 * @plan:    how they are made, if samples need not be parsed
 * @calls:   with PEV_EF_CALLS: the classes of its records; else NULL
 * @samples: records so far
 * @skipped: occurrences that are to leave none
 */
struct event {
	int			handle;
	uint32_t		type;
	uint64_t		config;
	uint32_t		target;
	int			pid;
	bool			read_group;
	bool			on;
	bool			some;
	char			*filter;
	struct perf_event_attr	attr;
	struct places		places;
	int			*fds;
	struct channel		*channel;
	struct event		*leader;
	struct event		**members;
	size_t			nr_members;
	struct perf_class	cls;
	struct perf_plan plan;
	struct calls		*calls;
	uint64_t		samples;
	uint64_t		skipped;
};

/**
 * struct held - where the last event was that an exec switches on
 * @rings: it recorded, and so is on each CPU
 */
struct held {
	uint32_t	target;
	int		pid;
	bool		rings;
	struct places	places;
};

/**
 * struct perf_engine - the engine
 * @features: PERF_HAS_*
 * @tracefs:  where it is mounted, NULL: nowhere
 * @events:   indexed by handle, as @channels
 * @online:   CPUs, when that was @looked at, ns
 * @uevents:  what the kernel says of devices; -1: nothing here
 * @mapped:   bytes of all of perf's rings
 */
struct perf_engine {
	struct pev_engine	base;
	unsigned int		features;
	const char		*tracefs;
	struct event		**events;
	struct channel		**channels;
	size_t			room;
	struct cpu_mask		online;
	uint64_t		looked;
	int			uevents;
	uint64_t mapped;
	struct held		held;
};

static inline struct perf_engine *perf_of(struct pev_engine *engine)
{
	return (struct perf_engine *)engine;
}

int engine_perf_new(struct pev_engine **engine, struct pev_error *err);

struct event *perf_event_of(struct pev_engine *engine, int handle);
struct channel *perf_channel_of(struct pev_engine *engine, int handle);
/* Remembers an event or a channel by its handle; both NULL: the handle is gone */
int perf_remember(struct perf_engine *engine, int handle, struct event *event,
		  struct channel *channel);

#endif /* _PEV_ENGINE_PERF_H */
