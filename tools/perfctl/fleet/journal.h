/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which batches of a recording a store has. A batch is noted before it is sent, and when the store
 * has acknowledged it: after a crash, at most one is in doubt.
 */
#ifndef PERFCTL_FLEET_JOURNAL_H
#define PERFCTL_FLEET_JOURNAL_H

#include "base/util.h"

/**
 * struct journal_batch - of a recording
 * @id:   under which it was sent last
 * @day:  of its rows
 * @doubt: it is not known whether the store has it
 * @done: the store has it
 */
struct journal_batch {
	uint64_t id;
	uint32_t day;
	bool doubt;
	bool done;
};

/**
 * struct journal - a file of lines
 * @batches: by their number in the recording
 */
struct journal {
	char *path;
	int fd;
	struct journal_batch *batches;
	size_t n, cap;
};

/* @recording: a directory; @store: the journal is of what was sent there */
int journal_open(struct journal *j, const char *recording, const char *store, struct msg *m);
void journal_close(struct journal *j);
/* Returns a batch, one that was never sent if the journal does not have it. */
struct journal_batch *journal_batch(struct journal *j, size_t nr);
/* Notes, on the disk, that a batch is about to be sent under an id. */
int journal_begin(struct journal *j, size_t nr, uint64_t id, uint32_t day, struct msg *m);
int journal_done(struct journal *j, size_t nr, struct msg *m);

#endif
