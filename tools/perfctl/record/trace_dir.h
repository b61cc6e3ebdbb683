/* SPDX-License-Identifier: GPL-2.0 */
/* The directory of a new trace. */
#ifndef PERFCTL_RECORD_TRACE_DIR_H
#define PERFCTL_RECORD_TRACE_DIR_H

#include "base/util.h"

#include <pev/pev.h>

/**
 * struct trace_dir - the directory of a trace that is being made
 * @path:    where links lead
 * @lock:    held until trace_dir_free(), so that nothing else writes there; -1: none
 * @made:    there was nothing
 * @rotated: an older trace has become PATH.old
 */
struct trace_dir {
	char *path;
	int lock;
	bool made;
	bool rotated;
};

/*
 * Makes a directory for a new trace. An older one becomes PATH.old; the one that had
 * that name is removed, unless there is anything in it that is no part of a trace. Refused
 * with -EBUSY while another process has it open.
 */
int trace_dir_open(struct trace_dir *d, const char *path, struct pev_writer **w, struct msg *m);
/* The trace did not come about: removes it, and the older one has its name again. */
void trace_dir_discard(struct trace_dir *d);
void trace_dir_free(struct trace_dir *d);
/* Is @other the trace at @path, or the older one that a new trace there removes? */
bool trace_dir_would_move(const char *path, const char *other);
/*
 * Removes a trace with its directory, if there is one; -EBUSY while another process writes it,
 * -EEXIST if there is anything in it that is no part of a trace.
 */
int trace_dir_remove(const char *path, struct msg *m);

#endif
