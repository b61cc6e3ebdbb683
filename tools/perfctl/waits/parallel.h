/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many threads of what was recorded ran at each moment. While several ran, none of them alone
 * is why the time passed: what a sample says of wall-clock time is divided by their number.
 */
#ifndef PERFCTL_WAITS_PARALLEL_H
#define PERFCTL_WAITS_PARALLEL_H

#include "waits.h"

/**
 * struct parallel_step - from here on, so many ran
 * @ns: since the epoch
 * @n:  threads
 */
struct parallel_step {
	int64_t ns;
	int64_t n;
};

/**
 * struct parallel - a recording's moments
 * @session: reads the recording, for itself
 * @waits:   in it
 * @family:  the command's processes, if there was one
 * @steps:   in order of time, each at another one
 */
struct parallel {
	struct session session;
	struct waits waits;
	struct family family;
	struct parallel_step *steps;
	size_t n, cap;
};

/**
 * parallel_read() - read when threads ran
 * @p: filled in; parallel_free() is needed after an error, too
 * @s: the recording
 *
 * Return: 0, or a negative errno with @m set: -EBADMSG if the recording does not tell.
 */
int parallel_read(struct parallel *p, const struct session *s, struct msg *m);
void parallel_free(struct parallel *p);

/* Returns how many ran at a time, at least 1: who was sampled ran. */
uint64_t parallel_at(const struct parallel *p, int64_t ns);

/**
 * parallel_weigh() - what a sample says of the time that passed; see load_config.weigh
 * @arg:    struct parallel
 * @thread: that was sampled
 * @weight: of the sample
 * @ns:     when it was taken, since the epoch
 *
 * Return: the weight, divided by the number of threads that ran; 0: the thread is none of the
 * command's.
 */
uint64_t parallel_weigh(const void *arg, const struct thread *thread, uint64_t weight, int64_t ns);

/* Calls @fn for each number of threads that ran at once, from 1 on, with the ns that they did. */
void parallel_each(const struct parallel *p,
		   void (*fn)(void *arg, uint64_t threads, uint64_t ns, uint64_t of), void *arg);

#endif
