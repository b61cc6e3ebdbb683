/* SPDX-License-Identifier: GPL-2.0 */
/* Which service a process belongs to, by its cgroup: a systemd unit or a container; and its version. */
#ifndef PERFCTL_FLEET_SERVICES_H
#define PERFCTL_FLEET_SERVICES_H

#include "collect.h"

/**
 * struct known_process - what was found for a process
 * @name: in services.names
 * @moves: what makes services puts a process into its cgroup before it executes the program: it is
 *         looked at once more after a fork or exec
 */
struct known_process {
	uint32_t pid;
	uint32_t name;
	bool moves;
};

/**
 * struct service_version - what is known of one
 * @first: the process that the others come from; 0: the version was not looked for
 * @text: in services.names
 * @waits: for the program of @first to be mapped, which takes time after an exec
 */
struct service_version {
	uint32_t first;
	uint32_t text;
	bool waits;
};

/**
 * struct services - of all processes that were asked for
 * @session: knows programs; NULL: services have no versions
 * @names: of services, and texts of versions
 * @versions: for each name
 */
struct services {
	struct session *session;
	struct service_version *versions;
	size_t n_versions;
	struct strtab names;
	struct known_process *processes;
	size_t n, cap;
	struct htab h;
};

/*
 * For struct collect; @arg: struct services. The version of a unit or container is the build id of its
 * first process's program, by what the kernel said of mappings: nothing is read of the process itself,
 * which could hold up the reader.
 */
struct service services_find(void *arg, uint32_t pid);
/* A process was made: its cgroup is its parent's, if it has ended when it is asked for. */
void services_fork(struct services *s, uint32_t parent, uint32_t pid);
/* It has another program, which is its service's version if the process is the first one there. */
void services_exec(struct services *s, uint32_t pid);
/* Looks at processes again, as they may have moved or been replaced. */
void services_forget(struct services *s);
void services_free(struct services *s);
/*
 * The name of a service: of a unit, of a container with 12 digits of its id, of what remains.
 * @cgroup: a line of /proc/PID/cgroup of cgroup v2, or v1's of systemd, without what ends it
 */
void service_name(const char *cgroup, struct strbuf *name);

#endif
