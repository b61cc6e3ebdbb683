/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl path: the critical path of a thread, backwards from its end. Where it was blocked, what
 * woke it is followed to there; so all of the time is what some thread ran, was runnable, or was
 * blocked for something that no thread of the command did.
 */
#ifndef PERFCTL_VIEWS_PATH_H
#define PERFCTL_VIEWS_PATH_H

#include "profile/profile.h"
#include "waits/waits.h"

enum path_what {
	PATH_RUNS,
	PATH_RUNNABLE,
	PATH_BLOCKED,
};

/**
 * struct path_thread - what is known of a thread, by its number in waits.threads
 * @w: its waits in order of time
 */
struct path_thread {
	struct wait *w;
	size_t n, cap;
};

/**
 * struct path_part - time of the path that one program spent in one way
 * @place: number in path.names of where it was blocked
 * @times: parts that were added up
 */
struct path_part {
	uint32_t comm;
	enum path_what what;
	uint32_t place;
	uint64_t ns;
	uint64_t times;
};

/**
 * struct path - the path, added up
 * @ns:    of all of it
 * @jumps: from a thread to what woke it
 */
struct path {
	struct session *session;
	struct waits waits;
	struct family family;
	struct profile profile;
	struct strtab names;
	struct path_thread *threads;
	size_t n_threads;
	struct path_part *parts;
	size_t n, cap;
	struct htab h;
	uint64_t ns;
	uint64_t jumps;
};

void path_init(struct path *p, struct session *session);
void path_free(struct path *p);
/* @tid: of the thread that it ends in, 0: the recorded command's first */
int path_find(struct path *p, uint32_t tid, struct msg *m);

#endif
