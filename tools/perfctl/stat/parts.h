/* SPDX-License-Identifier: GPL-2.0 */
/* What the numbers of an event are shown for: each CPU, core, socket, node or thread. */
#ifndef PERFCTL_STAT_PARTS_H
#define PERFCTL_STAT_PARTS_H

#include "event/set.h"
#include "event/target.h"

/* More kinds of cores than any processor has */
#define STAT_MOST_KINDS 8

/**
 * enum stat_by - which parts
 * @STAT_BY_NONE: none, only the sum
 */
enum stat_by {
	STAT_BY_NONE,
	STAT_BY_CPU,
	STAT_BY_CORE,
	STAT_BY_SOCKET,
	STAT_BY_NODE,
	STAT_BY_THREAD,
};

/**
 * struct stat_part - one of them
 * @socket: number, -1: not known, as the CPU was offline when the measurement began
 * @die:    of a core
 * @core:   its number within the die
 * @number: of a CPU, node or thread
 * @cpus:   measured CPUs that belong to a core, socket or node
 * @of_kind: how many of these are of each kind of core, where there are several
 * @name:   for tables: "CPU3", "S0-D0-C1", "S0", "N0", "make-1234"
 * @comm:   of a thread
 */
struct stat_part {
	int socket;
	int die;
	int core;
	int number;
	unsigned int cpus;
	unsigned int of_kind[STAT_MOST_KINDS];
	char *name;
	char *comm;
};

/**
 * struct stat_parts - all of them
 * @of_cpu: index of the part to which each CPU belongs
 */
struct stat_parts {
	enum stat_by by;
	struct stat_part *at;
	size_t n;
	size_t cap;
	size_t *of_cpu;
	size_t n_cpus;
};

/* Finds the parts of all CPUs that there can be, or the threads of @t. */
int stat_parts_make(struct stat_parts *parts, enum stat_by by, const struct target *t,
		    struct msg *m);
void stat_parts_free(struct stat_parts *parts);
/* Those of a part's measured CPUs that the PMU @type counts on */
unsigned int stat_part_cpus(const struct stat_part *p, uint64_t type);
/* May part @p have counts of several kinds of cores? */
bool stat_part_is_mixed(const struct stat_parts *parts, const struct stat_part *p);
/* "--per-core" and the like */
const char *stat_by_option(enum stat_by by);

/**
 * stat_parts_read() - read an event
 * @values: out: parts->n of them, to be freed; NULL if the event is refused
 */
int stat_parts_read(const struct stat_parts *parts, const struct event_set *set, size_t event,
		    struct pev_value **values, struct msg *m);

#endif
