/* SPDX-License-Identifier: GPL-2.0 */
/* A file that a command writes, or a standard stream in its place. */
#ifndef PERFCTL_BASE_OUTPUT_H
#define PERFCTL_BASE_OUTPUT_H

#include "util.h"

/**
 * enum out_kind - what becomes of the file
 * @OUT_WHOLE:  it is of use if it is complete: it is written beside the older one of
 *              that name and takes its place at the end. A recording that perf made
 *              is not replaced.
 * @OUT_FORCE:  the same, whatever it replaces
 * @OUT_LINES:  each line is of use; the first one takes the place of what was there
 * @OUT_APPEND: these follow what is there already
 */
enum out_kind {
	OUT_WHOLE,
	OUT_FORCE,
	OUT_LINES,
	OUT_APPEND,
};

/**
 * struct out - the file that is written
 * @f:       where to
 * @path:    for messages
 * @fd:    what @f writes to
 * @error:   errno of the first failed write, 0: none
 * @is_file: a regular file: can be sought in
 * @empty:   before the first write
 * @older:   there is a file that is to be replaced
 * @real:    where links of @path lead
 * @temp:    what is renamed to @real once it is complete, or NULL
 * @next:    another file with @temp
 */
struct out {
	FILE *f;
	const char *path;
	int fd;
	int error;
	bool is_file;
	bool empty;
	bool older;
	char *real;
	char *temp;
	struct out *next;
};

/*
 * @path: "-" for the standard output, NULL for the error output. Stays where it is until
 * out_close(), as signals remove what is incomplete.
 */
int out_open(struct out *o, const char *path, enum out_kind kind, struct msg *m);
/*
 * @err: what happened so far; then the file does not come about, and an older one stays.
 * Returns it, or that writing failed.
 */
int out_close(struct out *o, int err, struct msg *m);

/* Removes what is incomplete, for a program that is about to end; signal handlers may call it. */
void out_abandon(void);

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
