/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches on the disk until a store has acknowledged them. Each is a file, which tells by its name
 * how old it is, under which id it is sent, and whether that may have happened.
 */
#ifndef PERFCTL_FLEET_OUTBOX_H
#define PERFCTL_FLEET_OUTBOX_H

#include "store/insert.h"

#include <pthread.h>

/**
 * struct spooled - a file of the spool
 * @seq:   the oldest has the lowest
 * @id:    under which it is sent
 * @sent:  it may have been
 * @bytes: of the file
 * @samples: that it stands for
 */
struct spooled {
	uint64_t seq;
	uint64_t id;
	bool sent;
	uint64_t bytes;
	uint64_t samples;
};

/**
 * struct outbox - a directory, for one process
 * @fd:     of the directory, locked
 * @most:   bytes that it may take
 * @lock:   of all below
 * @files:  the oldest first
 * @bytes:  of all
 * @next:   number of the next file
 * @taken:  the first file is being sent
 * @dropped_batches: the oldest, for which there was no room ...
 * @dropped_samples: ... and what they had
 */
struct outbox {
	char *path;
	int fd;
	uint64_t most;
	pthread_mutex_t lock;
	struct spooled *files;
	size_t n, cap;
	uint64_t bytes;
	uint64_t next;
	bool taken;
	uint64_t dropped_batches;
	uint64_t dropped_samples;
};

/* What an earlier process left is there. */
int outbox_open(struct outbox *s, const char *path, uint64_t most, struct msg *m);
void outbox_close(struct outbox *s);
/* Adds a batch. The oldest ones make room; one for which there is none is counted, too. */
int outbox_add(struct outbox *s, const struct store_batch *b, struct msg *m);
/*
 * Takes the oldest file, which stays; false if there is none. A damaged one is dropped. Free @b
 * with store_batch_free().
 */
bool outbox_take(struct outbox *s, struct spooled *f, struct store_batch *b);
/* Notes, on the disk, that @f is sent from now on, under the id @id. */
int outbox_sending(struct outbox *s, struct spooled *f, uint64_t id, struct msg *m);
/* Gives the file back that was taken; @done: the store has it, and it goes. */
void outbox_give(struct outbox *s, bool done);

#endif
