/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for what ends a measurement: the command's end, Ctrl-C or SIGTERM,
 * the end of the processes that were attached to. Signals arrive as data, so
 * that nothing runs at an unexpected moment.
 */
#ifndef PERFCTL_RECORD_WAIT_LOOP_H
#define PERFCTL_RECORD_WAIT_LOOP_H

#include "event/target.h"

#include <signal.h>

#define WAIT_CHILD    1u /* a child ended: see workload_wait() */
#define WAIT_STOP     2u /* SIGINT, SIGTERM, SIGHUP */
#define WAIT_GONE     4u /* none of the target's processes and threads is left */
#define WAIT_SNAPSHOT 8u /* SIGUSR2 */
#define WAIT_DATA     16u /* the caller's fd is ready */
#define WAIT_BEGIN    32u /* see wait_loop_alarm() */
#define WAIT_TIME     64u
#define WAIT_PART 128u
#define WAIT_CONTROL 256u /* @control can be read */
#define WAIT_TRIGGER 512u /* a trigger has acted on @channel */

/**
 * struct wait_loop - what to wait for
 * @old:  signal mask before
 * @sig:  signalfd
 * @pids: pidfds of the target's processes
 * @n:    their number
 * @tids: threads that have none
 * @ended: one of either has ended
 * @control: a descriptor to wait for, too; 0: none
 * @channel: the channel that triggers act on; 0: none
 * @timers: timerfds, for WAIT_BEGIN, WAIT_TIME and WAIT_PART; 0: none
 */
struct wait_loop {
	sigset_t old;
	int sig;
	int *pids;
	size_t n;
	size_t cap;
	int *tids;
	size_t n_tids;
	bool ended;
	int control;
	int channel;
	int timers[3];
};

int wait_loop_init(struct wait_loop *w, struct msg *m);
/* Watches the measured processes and threads, to notice when they end. */
void wait_loop_watch(struct wait_loop *w, const struct target *t);
/* Watches another process, if it has not ended. */
void wait_loop_add(struct wait_loop *w, int pid);
/* Returns @bit, WAIT_BEGIN, WAIT_TIME or WAIT_PART, once, @ns from now on; 0: never. */
int wait_loop_alarm(struct wait_loop *w, unsigned int bit, uint64_t ns, struct msg *m);
/* @fd: the caller's, or -1; @timeout_ms: -1 forever. Returns WAIT_* bits, 0: time is up. */
unsigned int wait_loop_wait(struct wait_loop *w, int fd, int timeout_ms);
void wait_loop_free(struct wait_loop *w);

#endif
