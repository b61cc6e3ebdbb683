/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sending end of a trace in a pipe, as a writer uses it.
 */
#ifndef _PEV_TRACE_PIPE_H
#define _PEV_TRACE_PIPE_H

#include <stddef.h>

struct pipe_out;

/* What a frame in a pipe holds; numbers that are sent never change their meaning. */
enum pipe_kind {
	PIPE_BEGIN = 1, /* version of the format, 4 bytes */
	PIPE_METADATA, /* all of it */
	PIPE_RING, /* whole packets; the name is the number of the ring */
	PIPE_NAMED, /* whole packets of an encoder, by its name */
	PIPE_INFO, /* a value; the name is the key */
	PIPE_INFO_FILE,
	PIPE_END, /* nothing is missing */
	PIPE_SYNC, /* see pev_writer_sync(); 8 bytes, ticks */
};

/* Sends a frame, whose data is in two parts. Returns 0 or -errno. */
int pipe_put(struct pipe_out *p, enum pipe_kind kind, const char *name, const void *data,
	     size_t len, const void *more, size_t more_len);
void pipe_free(struct pipe_out *p);

#endif /* _PEV_TRACE_PIPE_H */
