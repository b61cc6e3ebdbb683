/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl symbols: sends functions of files to a store, by build id. */
#ifndef PERFCTL_SYMBOLS_UPLOAD_H
#define PERFCTL_SYMBOLS_UPLOAD_H

#include "store/http.h"

/**
 * struct upload - what became of it
 * @h:         the store
 * @verbose:   print each file
 * @files:     that were sent
 * @functions: in these
 * @there:     files all of whose functions the store had
 * @without:   files that have no functions, no build id, or are not to be found
 */
struct upload {
	struct http *h;
	bool verbose;
	uint64_t files;
	uint64_t functions;
	uint64_t there;
	uint64_t without;
};

/* Sends what a file has, or each one below a directory; links there are not followed. */
int upload_path(struct upload *u, const char *path, struct msg *m);
/*
 * Sends those that the store has frames of and no functions, as far as this machine or a debuginfod
 * server has the same file.
 */
int upload_missing(struct upload *u, struct msg *m);
/* Prints the files that the store has frames of, and whether it has their functions. */
int upload_list(struct http *h, FILE *out, struct msg *m);

#endif
