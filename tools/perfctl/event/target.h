/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured: a command, processes, CPUs, a cgroup. */
#ifndef PERFCTL_EVENT_TARGET_H
#define PERFCTL_EVENT_TARGET_H

#include "base/cpulist.h"
#include "cli/opt.h"

#include <linux/pev.h>

/* The text of a target that is all CPUs, in recordings, too */
#define TARGET_MACHINE "the whole machine"

/**
 * struct target_opts - as typed
 */
struct target_opts {
	const char *pids;
	const char *tids;
	const char *subtree;
	const char *cpus;
	const char *cgroup;
	const char *guests;
	const char *guest_root;
	bool all;
};

#define TARGET_COMMAND "the command and all that it starts"
/* @without: what is measured if none of them is given */
#define TARGET_OPTS(type, member, without)                                                   \
	{ 0, OPT_HEADING, .help = "What to measure (default: " without ")" },                \
	{ 'a', OPT_FLAG, "all-cpus", NULL, "the whole machine",                              \
	  offsetof(type, member.all) },                                                      \
	{ 'p', OPT_STRING, "pid", "PID[,PID]", "running processes with all their threads, "  \
						"by number or by the program's name",        \
	  offsetof(type, member.pids) },                                                     \
	{ 't', OPT_STRING, "tid", "TID[,TID]", "running threads",                            \
	  offsetof(type, member.tids) },                                                     \
	{ 0, OPT_STRING, "subtree", "PID", "a running process and all its present and "      \
					   "future descendants",                             \
	  offsetof(type, member.subtree) },                                                  \
	{ 'C', OPT_STRING, "cpu", "LIST", "only these CPUs, e.g. 0-3,8",                     \
	  offsetof(type, member.cpus) },                                                     \
	{ 'G', OPT_STRING, "cgroup", "PATH", "tasks of a cgroup v2 and of those below it",   \
	  offsetof(type, member.cgroup) }

#define GUEST_OPT(type, member)                                                                               \
	{                                                                                                     \
		0, OPT_STRING, "guest", "PID[,PID]",                                                          \
			"guests of KVM, by the number or name of the process that runs each; all: of all of " \
			"them; -a --guest all: the host, too",                                                \
			offsetof(type, member.guests)                                                         \
	}

#define GUEST_ROOT_OPT(type, member)                                                         \
	{                                                                                    \
		0, OPT_STRING, "guest-mount", "DIR",                                         \
			"with --guest: the root of the one guest, mounted here at DIR with " \
			"its proc and sys: the recording gets the names of its kernel",      \
			offsetof(type, member.guest_root)                                    \
	}

/**
 * struct target - where events are opened
 * @type:     enum pev_target
 * @ids:      pids or tids; one 0 for CPUs; a directory's fd for a cgroup
 * @n_ids:    at least 1
 * @cpus:     mask, empty for all
 * @workload: the command's name, if that is the target: ids[0] is set once it
 *            was forked. Else NULL
 * @guest_root: of the guest, mounted here; NULL: it is not, or there are several
 * @text:     for headings: "'sleep 1'", "process 17", "the whole machine"
 */
struct target {
	uint32_t type;
	int *ids;
	size_t n_ids;
	struct cpulist cpus;
	const char *workload;
	const char *guest_root;
	char *text;
};

/**
 * target_make() - make the target that options ask for
 * @argv: the command and its arguments, NULL if there is none
 */
int target_make(struct target *t, const struct target_opts *o, char **argv, struct msg *m);
/* Returns 0 if @t is processes or threads, else -EINVAL with a sentence. */
int target_has_threads(const struct target *t, struct msg *m);
/* Makes a target of the threads that @from has now, see target_has_threads(). */
int target_threads(struct target *t, const struct target *from, struct msg *m);
void target_free(struct target *t);

#endif
