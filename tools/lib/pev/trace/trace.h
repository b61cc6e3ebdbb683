/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An opened trace, as the files of this folder know it.
 */
#ifndef _PEV_TRACE_TRACE_H
#define _PEV_TRACE_TRACE_H

#include <pthread.h>
#include "core/compiler.h"
#include "ctf/meta.h"
#include "trace/stream.h"

#define MAX_WARNINGS	64

struct info_entry {
	char	*key;
	char	*value;
};

/**
 * struct pev_trace - a directory, with all its traces
 * @lock:      warnings, and what cursors count
 * @more_warnings: that found no room
 * @last_counts: so many of them, the text of the last warning says
 * @texts:     of the last warning
 * @follow:    it is being written
 * @ended:     it was, and nothing is held back
 * @limit:     what is older is complete, in ticks
 * @updates:   calls of pev_trace_update()
 * @first_info: as it was opened, with its text; later ones are in @info
 * @one_clock: all metadata have the same clock: ticks can be compared
 */
struct pev_trace {
	char			*path;
	char			*info_path;
	struct pev_meta		**metas;
	unsigned int		nr_metas;
	struct stream		**streams;
	unsigned int		nr_streams;
	bool			one_clock;
	bool follow;
	bool ended;
	uint64_t limit;
	uint64_t updates;
	char *first_text;
	struct info_entry *first_info;
	char			*info_text;
	struct info_entry	*info;
	size_t			nr_info;
	pthread_mutex_t		lock;
	char			*warnings[MAX_WARNINGS];
	unsigned int		nr_warnings;
	uint64_t		more_warnings;
	uint64_t		last_counts;
	struct arena		texts;
	uint64_t		damaged;
};

/* Adds streams of a trace that is followed and has one metadata. Returns 0 or -errno. */
int trace_new_streams(struct pev_trace *trace);

void trace_warn(struct pev_trace *trace, const char *fmt, ...) PEV_PRINTF(2, 3);

#endif /* _PEV_TRACE_TRACE_H */
