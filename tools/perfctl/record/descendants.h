/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes below one that is measured (--subtree): the measurement ends with the
 * last of them, not with the first.
 */
#ifndef PERFCTL_RECORD_DESCENDANTS_H
#define PERFCTL_RECORD_DESCENDANTS_H

#include "event/plan.h"
#include "event/set.h"
#include "wait_loop.h"

/**
 * struct descendants - what tells about new ones
 * @open: it does
 */
struct descendants {
	bool open;
	int fd;
	struct event_plan plan;
	struct event_set set;
	struct pev_reader *reader;
};

/* Adds those of now to the loop. Where the kernel refuses, the root's end is the end. */
void descendants_open(struct descendants *d, const struct target *t, struct wait_loop *w);
/* Adds those that were forked since. */
void descendants_read(struct descendants *d, struct wait_loop *w);
void descendants_close(struct descendants *d);

#endif
