/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of files by their build ids, which a store names frames by. */
#ifndef PERFCTL_STORE_SYMBOLS_H
#define PERFCTL_STORE_SYMBOLS_H

#include "http.h"
#include "tables.h"

/**
 * struct store_functions - functions of a file on their way into a store
 * @build_id: in hexadecimal
 * @day:      days since the epoch
 * @rows:     in RowBinary; @n of them
 */
struct store_functions {
	const char *build_id;
	uint32_t day;
	struct strbuf rows;
	uint64_t n;
};

/* Adds a function. @place: offset in the file; a name that is too long is cut */
void store_functions_add(struct store_functions *f, uint64_t place, uint64_t size,
			 const char *name);
/* Sends and empties @f; may be done again: equal rows count once. */
int store_functions_insert(struct http *h, struct store_functions *f, struct msg *m);
/* Rows of a build id that the store has */
int store_functions_count(struct http *h, const char *build_id, uint64_t *n, struct msg *m);

/**
 * struct store_file - a file of which the store has frames
 * @path:   on one of the machines; others wrote it
 * @places: different ones of its code that samples met
 * @named:  rows of functions that were uploaded
 */
struct store_file {
	char *build_id;
	char *path;
	uint64_t places;
	uint64_t named;
};

/* All files with a build id, those with most places first; free each by store_files_free(). */
int store_files(struct http *h, struct store_file **files, size_t *n, struct msg *m);
void store_files_free(struct store_file *files, size_t n);

#endif
