/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command to measure: forked at once, so that events can be opened on it,
 * and held back until workload_go().
 */
#ifndef PERFCTL_RECORD_WORKLOAD_H
#define PERFCTL_RECORD_WORKLOAD_H

#include "base/util.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

/**
 * struct workload - a child that waits to become the command
 * @pid:    0: none
 * @go:     pipe: a byte lets it exec
 * @failed: pipe: the errno of a failed exec arrives here
 * @ended:  it was waited for
 * @status: from wait()
 * @usage:  from wait4()
 */
struct workload {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
	struct rusage usage;
};

/*
 * Forks if the command can be run. It is called before anything is changed, so that
 * a mistyped command does not cost an older recording.
 * @mask:   the signal mask that the command gets
 * @status: becomes the exit status to end with if the command can't be run
 */
int workload_hold(struct workload *w, char **argv, const sigset_t *mask, int *status,
		  struct msg *m);
/* Lets it run; -ENOENT and the like if it cannot be executed. @status: see workload_hold() */
int workload_go(struct workload *w, const char *name, int *status, struct msg *m);
/* Waits if @block; true once it ended. */
bool workload_wait(struct workload *w, bool block);
/* Ends a command that is held back or still runs, and closes the pipes. */
void workload_end(struct workload *w);
/* Returns what a shell would: the exit status, or 128 + the signal. */
int workload_status(const struct workload *w);

#endif
