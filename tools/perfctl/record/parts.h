/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a recording, DIR.1, DIR.2 and so on: when the next one begins, and which of the
 * older ones make room. Knows nothing of what is in them.
 */
#ifndef PERFCTL_RECORD_PARTS_H
#define PERFCTL_RECORD_PARTS_H

#include "base/util.h"

/**
 * struct parts_opts - as typed
 * @on:        there are parts; at SIGUSR2, too
 * @size:      bytes of a part, 0: any
 * @ns:        time of a part, 0: any
 * @max_files: parts to keep, 0: all
 * @max_size:  bytes of all of them; without parts, bytes after which the recording ends
 */
struct parts_opts {
	bool on;
	uint64_t size;
	uint64_t ns;
	uint64_t max_files;
	uint64_t max_size;
};

/**
 * struct part - a part that is complete
 * @number: behind the name of all
 * @bytes:  of its files
 */
struct part {
	uint64_t number;
	uint64_t bytes;
};

/**
 * struct parts - those of one name, also of earlier recordings
 * @base:    the name
 * @path:    of the one that is written; NULL before parts_next()
 * @before:  of the one before, as messages may name it
 * @number:  of it
 * @done:    the others, the oldest first
 * @bytes:   of @done
 * @own:     of the files that the part that is written began with, as the kernel's symbols; 0: not
 *           known yet
 * @first:   of this recording
 * @removed: so many of all
 */
struct parts {
	const struct parts_opts *opts;
	char *base;
	char *path;
	char *before;
	uint64_t number;
	struct part *done;
	size_t n, cap;
	uint64_t bytes;
	uint64_t own;
	uint64_t first;
	uint64_t removed;
};

/* "signal", a size or a time; NULL: at SIGUSR2 alone */
int parts_parse(struct parts_opts *o, const char *arg, struct msg *m);
/* Looks for parts of that name that there are. */
int parts_open(struct parts *p, const char *base, const struct parts_opts *o, struct msg *m);
/* The part that is written is complete, if there is one. Returns the path of the next one. */
const char *parts_next(struct parts *p);
/* Is the part that is written, of @bytes by now, as large as it may become? */
bool parts_full(const struct parts *p, uint64_t bytes);
/* Would parts_trim() remove any? */
bool parts_over(struct parts *p, uint64_t bytes);
/*
 * Removes the oldest until the limits are kept; what cannot be removed is left, with a note. All
 * parts but the one that is written are complete.
 */
void parts_trim(struct parts *p, uint64_t bytes);
/* "DIR.3 to DIR.7", those of this recording that there are; to be freed; NULL: there are none */
char *parts_text(const struct parts *p);
void parts_close(struct parts *p);

#endif
