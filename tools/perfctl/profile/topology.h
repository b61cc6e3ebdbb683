/* SPDX-License-Identifier: GPL-2.0 */
/* Where the CPUs of a recording are, as it says itself: by node, by socket, by core. */
#ifndef PERFCTL_PROFILE_TOPOLOGY_H
#define PERFCTL_PROFILE_TOPOLOGY_H

#include "session/session.h"

/**
 * struct topology_cpu - where one is: number + 1, 0: not known
 * @core: counts within its socket
 */
struct topology_cpu {
	uint32_t node;
	uint32_t socket;
	uint32_t core;
};

/**
 * struct topology - of all CPUs
 * @cpus: by number
 */
struct topology {
	struct topology_cpu *cpus;
	size_t n, cap;
};

/* Reads it; a recording that does not say it has none. */
void topology_load(struct topology *t, const struct session *session);
void topology_free(struct topology *t);
/* Nothing is known of a CPU that the recording does not name. */
struct topology_cpu topology_of(const struct topology *t, uint32_t cpu);

/* @mask: of enum sort_key. Returns 0 unless a recording can't be sorted so: -ENODATA. */
int topology_check(const struct session *session, unsigned int mask, struct msg *m);

#endif
