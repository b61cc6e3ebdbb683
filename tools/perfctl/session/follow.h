/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is read while it is made: in a directory, or through a pipe. */
#ifndef PERFCTL_SESSION_FOLLOW_H
#define PERFCTL_SESSION_FOLLOW_H

#include "received.h"

/**
 * struct follow - where more comes from
 * @on:       the trace is followed
 * @ended:    nothing more comes
 * @notify:   tells when files change; -1: they are looked at now and then
 * @received: of a pipe
 */
struct follow {
	bool on;
	bool ended;
	int notify;
	struct received received;
};

/* Follows a directory. */
void follow_directory(struct follow *f, const char *path);
/* Follows what comes through a pipe into a writer's directory; waits until it can be opened. */
int follow_pipe(struct follow *f, struct pev_writer *w, const void *head, size_t len,
		struct msg *m);
/* Waits until there may be more, and lets the trace see it; sets follow.ended. */
int follow_more(struct follow *f, struct pev_trace *trace, struct msg *m);
void follow_close(struct follow *f);

#endif
