/* SPDX-License-Identifier: GPL-2.0 */
/* Which cgroup has a number. */
#ifndef PERFCTL_EVENT_CGROUPS_H
#define PERFCTL_EVENT_CGROUPS_H

#include "base/util.h"

struct pev_engine;

/**
 * struct cgroup_name - a cgroup
 * @id:     never given to another one
 * @path:   from the root of the hierarchy: "/", "/system.slice"
 * @parent: index of the one that it is in; its own of the root
 */
struct cgroup_name {
	uint64_t id;
	char *path;
	size_t parent;
};

/**
 * struct cgroup_names - cgroups that are there, or were when it was looked
 * @looked: they were read, for this time
 */
struct cgroup_names {
	struct cgroup_name *v;
	size_t n;
	size_t cap;
	struct htab by_id;
	bool looked;
};

/* Cgroups may have come since: reads them when the next number is to be looked up. */
void cgroup_names_refresh(struct cgroup_names *c);
/* Reads them now, if they were not read since the last refresh. */
void cgroup_names_look(struct cgroup_names *c);
/* Returns the path, which stays until the next look; NULL: it was gone before it was seen. */
const char *cgroup_names_path(struct cgroup_names *c, uint64_t id);
/* Returns a descriptor of its directory, or -errno. */
int cgroup_names_open(const struct cgroup_name *c);
/* Returns the path of the cgroup that a thread is in now; NULL: it has ended, or there are none. */
char *cgroup_of_thread(int tid);
/* Does perf count by a hierarchy of the first version, whose numbers are others? */
bool cgroup_perf_is_first(void);
/*
 * Has no cgroup but the root the controller perf_event? They have it once any other was enabled;
 * until then samples are told to be of the root. @engine: perf's, which is asked
 */
bool cgroup_perf_is_nowhere(struct pev_engine *engine);
void cgroup_names_free(struct cgroup_names *c);

#endif
