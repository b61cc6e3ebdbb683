/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for what ends a measurement: the end of the command or of the measured
 * processes, Ctrl-C or SIGTERM. Signals arrive as data, so that no handler runs
 * at an unexpected moment.
 */
#ifndef PERFCTL_RECORD_WAIT_LOOP_H
#define PERFCTL_RECORD_WAIT_LOOP_H

#include "event/target.h"

#include <signal.h>

#define WAIT_CHILD    1u /* a child ended: see workload_wait() */
#define WAIT_STOP     2u /* SIGINT, SIGTERM, SIGHUP */
#define WAIT_GONE     4u /* none of the target's processes is left */
#define WAIT_SNAPSHOT 8u /* SIGUSR2 */
#define WAIT_DATA     16u /* the caller's fd is ready */
#define WAIT_HUP      32u /* the caller's fd will never be ready again */
#define WAIT_BEGIN    64u /* see wait_loop_alarm() */
#define WAIT_TIME     128u

/**
 * struct wait_loop - what to wait for
 * @old:  signal mask before
 * @sig:  signalfd
 * @pids: pidfds of the target's processes
 * @n:    their number
 * @timers: timerfds, for WAIT_BEGIN and WAIT_TIME; 0: none
 */
struct wait_loop {
	sigset_t old;
	int sig;
	int *pids;
	size_t n;
	int timers[2];
};

int wait_loop_init(struct wait_loop *w, struct msg *m);
/* Watches the measured processes, to notice when they end. */
void wait_loop_watch(struct wait_loop *w, const struct target *t);
/* Returns @bit, WAIT_BEGIN or WAIT_TIME, once, @ns from now on; 0: never. */
int wait_loop_alarm(struct wait_loop *w, unsigned int bit, uint64_t ns, struct msg *m);
/* @fd: the caller's, or -1; @timeout_ms: -1 forever. Returns WAIT_* bits, 0: time is up. */
unsigned int wait_loop_wait(struct wait_loop *w, int fd, int timeout_ms);
void wait_loop_free(struct wait_loop *w);

#endif
