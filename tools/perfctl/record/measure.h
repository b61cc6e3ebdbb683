/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A measurement from its beginning to its end: the command is held back, what
 * measures is opened on it and switched on, the command runs, and all is closed.
 */
#ifndef PERFCTL_RECORD_MEASURE_H
#define PERFCTL_RECORD_MEASURE_H

#include "descendants.h"
#include "wait_loop.h"
#include "workload.h"
#include "cli/opt.h"

/**
 * struct span_opts - as typed: ns, 0: not at all
 * @delay:   begin so long after the command was started, or was attached to
 * @timeout: end so long after the begin
 */
struct span_opts {
	uint64_t delay;
	uint64_t timeout;
};

#define TIMEOUT_OPT(type, member)                                                            \
	{ 0, OPT_TIME, "timeout", "TIME", "end after so long, e.g. 10s or 500ms; a command "  \
	  "that still runs is ended, too", offsetof(type, member.timeout) }
#define DELAY_OPT(type, member)                                                              \
	{ 0, OPT_TIME, "delay", "TIME", "begin so long after the start, e.g. 2s",             \
	  offsetof(type, member.delay) }

/**
 * struct measure - what is measured, and what ends it
 * @argv:     the command, NULL if there is none
 * @target:   made by target_make()
 * @span:     when to begin and to end
 * @wait:     for the end
 * @descendants: of the target, if its end is theirs
 * @workload: the command's process
 * @guests:   the processes are asked for as virtual machines
 * @told:     of each process, that it has ended
 * @timed_out: span.timeout ended it
 * @status:   to exit with: the command's, or the reason why it can't be run
 */
struct measure {
	char **argv;
	struct target target;
	struct span_opts span;
	struct wait_loop wait;
	struct descendants descendants;
	struct workload workload;
	bool guests;
	bool *told;
	bool timed_out;
	int status;
};

/**
 * struct measure_ops - what measures
 * @open:  on measure.target; nothing is counted yet
 * @start: switches on, unless the command's exec does; called just before it is let go. Not with
 *         measure.span.delay: then @run does, on WAIT_BEGIN, and calls measure_begins()
 * @run:   waits for the end, see measure_goes_on()
 * @end:   called after @start, unless the command could not be run; is given the
 *         error so far, and returns it or its own; may be NULL
 * @close: called after @open, even if that failed
 */
struct measure_ops {
	int (*open)(void *arg, struct msg *m);
	int (*start)(void *arg, struct msg *m);
	int (*run)(void *arg, struct msg *m);
	int (*end)(void *arg, int err, struct msg *m);
	void (*close)(void *arg);
};

/* Signals arrive as data from here on; @argv and @target are set. */
int measure_init(struct measure *me, struct msg *m);
/* One measurement; several may follow each other. */
int measure_run(struct measure *me, const struct measure_ops *ops, void *arg, struct msg *m);
/* The time until the end counts from here on. */
int measure_begins(struct measure *me, struct msg *m);
/* False once the command or the target has ended, or the user ends it. @got: WAIT_* bits */
bool measure_goes_on(struct measure *me, unsigned int got);
/*
 * Returns what main() is to return, and frees all. @err: prints @m if the command's own
 * status is returned instead.
 */
int measure_exit(struct measure *me, int err, const struct msg *m);

#endif
