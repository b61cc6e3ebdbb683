/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl lock: which locks threads waited for, and what gave them free. A lock is known by the
 * function that takes it, as its address is not in a recording.
 */
#ifndef PERFCTL_VIEWS_LOCK_H
#define PERFCTL_VIEWS_LOCK_H

#include "profile/profile.h"
#include "waits/durations.h"
#include "waits/filter.h"

/* What has a row of its own */
enum lock_by {
	LOCK_BY_FUNCTION,
	LOCK_BY_HOLDER,
	LOCK_BY_STACK,
};

/**
 * struct lock_cell - waits of one program at one place, that one waker ended
 * @chain: from where it waited
 */
struct lock_cell {
	uint32_t comm;
	uint32_t chain;
	uint32_t waker;
	struct durations waits;
};

/**
 * struct lock_row - what is shown as one
 * @kind:     "futex", "mutex" and so on
 * @function: that takes it, as @holder a number in locks.names
 * @holder:   what gave it free; 0: not asked for
 * @chain:    of LOCK_BY_STACK
 */
struct lock_row {
	const char *kind;
	uint32_t function;
	uint32_t holder;
	uint32_t chain;
	struct durations waits;
};

struct locks {
	struct session *session;
	struct waits waits;
	struct wait_filter filter;
	struct profile profile;
	struct strtab names;
	enum lock_by by;
	struct lock_cell *cells;
	size_t n_cells, cap_cells;
	struct htab h_cells;
	struct lock_row *rows;
	size_t n, cap;
	struct htab h_rows;
};

void locks_init(struct locks *l, struct session *session);
void locks_free(struct locks *l);
/* Reads all, and sorts rows by the time waited. */
int locks_load(struct locks *l, struct msg *m);

#endif
