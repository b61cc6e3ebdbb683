/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl trace: the system calls of a command or a target, as lines or as a table. */
#ifndef PERFCTL_STRACE_MEASURE_H
#define PERFCTL_STRACE_MEASURE_H

#include "event/target.h"
#include "record/measure.h"

struct trace_opts {
	struct target_opts target;
	struct span_opts span;
	const char *calls;
	const char *output;
	uint64_t ring;
	uint64_t bytes;
	bool names;
	bool strings;
	bool later;
	bool signals;
	bool paths;
	bool summary;
	bool failed;
	bool json;
	bool per_thread;
	bool histogram;
	uint64_t least;
};

/* @argv: NULL if there is no command. Returns the status to exit with. */
int strace_measure(const struct trace_opts *opts, char **argv, struct msg *m);

#endif
