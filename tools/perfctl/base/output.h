/* SPDX-License-Identifier: GPL-2.0 */
/* A file that a command writes, or a standard stream in its place. */
#ifndef PERFCTL_BASE_OUTPUT_H
#define PERFCTL_BASE_OUTPUT_H

#include "util.h"

/**
 * enum out_kind - what becomes of the file
 * @OUT_WHOLE:  it is of use if it is complete: otherwise it is removed
 * @OUT_LINES:  each line is of use
 * @OUT_APPEND: these follow what is there already
 */
enum out_kind {
	OUT_WHOLE,
	OUT_LINES,
	OUT_APPEND,
};

/**
 * struct out - the file that is written
 * @f:       where to
 * @path:    for messages
 * @fd:    below it
 * @error:   errno of the first failed write, 0: none
 * @is_file: a regular file: can be sought in
 * @remove:  if it stays incomplete
 */
struct out {
	FILE *f;
	const char *path;
	int fd;
	int error;
	bool is_file;
	bool remove;
};

/* @path: "-" for the standard output, NULL for the error output */
int out_open(struct out *o, const char *path, enum out_kind kind, struct msg *m);
/* @err: what happened so far; an incomplete file is removed. Returns it, or that writing failed. */
int out_close(struct out *o, int err, struct msg *m);

static inline void out_write(struct out *o, const void *data, size_t len)
{
	fwrite_unlocked(data, 1, len, o->f);
}

static inline void out_puts(struct out *o, const char *s)
{
	out_write(o, s, strlen(s));
}

void out_printf(struct out *o, const char *fmt, ...) PRINTF(2, 3);

static inline bool out_failed(const struct out *o)
{
	return ferror_unlocked(o->f);
}

#endif
