/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that comes through a pipe, and is kept in a directory meanwhile. */
#ifndef PERFCTL_SESSION_RECEIVED_H
#define PERFCTL_SESSION_RECEIVED_H

#include "base/util.h"

#include <pev/pev.h>
#include <sys/types.h>

/**
 * struct received - what comes
 * @writer: where it goes
 * @synced: events can be read after the last piece
 * @ended:  nothing more comes
 * @closed: received_close() was called
 */
struct received {
	struct pev_writer *writer;
	struct pev_pipe *pipe;
	bool synced;
	bool ended;
	bool closed;
};

/* Reads up to 8 bytes of the standard input, which say what it is. */
int received_head(char *head, ssize_t *len, struct msg *m);
/*
 * Begins to read the standard input into @w, which it owns from here on. @head: bytes of it
 * that were read already
 */
int received_open(struct received *r, struct pev_writer *w, const void *head, size_t len,
		  struct msg *m);
/* Takes the next piece; then received.ended is set if it was the last. */
int received_next(struct received *r, struct msg *m);
/* Takes all that comes. */
int received_all(struct received *r, struct msg *m);
/* Ends what is written; @err: the error so far. Returns it, or its own. */
int received_close(struct received *r, int err, struct msg *m);

/**
 * struct received_dir - a directory for what comes, which does not outlive the process
 * @path:   NULL: there is none
 * @keeper: a process that removes it when ...
 * @hold:   ... this end of a pipe is closed
 */
struct received_dir {
	char *path;
	int keeper;
	int hold;
};

int received_dir_make(struct received_dir *d, struct pev_writer **w, struct msg *m);
/* The directory stays until the program ends that is executed next. */
void received_dir_pass_on(const struct received_dir *d);
void received_dir_remove(struct received_dir *d);

#endif
