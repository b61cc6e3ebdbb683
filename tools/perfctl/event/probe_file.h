/* SPDX-License-Identifier: GPL-2.0 */
/* Finds places in files by globs and by lines of the source, and the arguments at a place. */
#ifndef PERFCTL_EVENT_PROBE_FILE_H
#define PERFCTL_EVENT_PROBE_FILE_H

#include "probe_fields.h"
#include "program/debug.h"

/* Is given the place @name, which is at an offset in the file. */
typedef void (*probe_file_fn)(void *arg, const char *name, uint64_t offset);

/* Finds the functions whose names match; returns 0, or -errno with a sentence. */
int probe_file_glob(const char *file, const char *glob, probe_file_fn each, void *arg,
		    struct msg *m);
/* Is it of the form FILE:LINE? */
bool probe_file_is_line(const char *place);
/* Finds the code of a line, once in each function; returns 0, or -errno with a sentence. */
int probe_file_line(const char *file, const char *place, probe_file_fn each, void *arg,
		    struct msg *m);

/**
 * struct probe_file_arguments - the arguments of a function, by debug information
 * @debug:  has their names
 * @params: as they are there
 * @v:      the same as fields
 * @at:     where the function is in the source
 * @known:  there are any, and what they are
 */
struct probe_file_arguments {
	struct debug debug;
	struct parameters params;
	struct probe_argument *v;
	struct source at;
	bool known;
};

/* Reads what begins at an offset in a file; nothing is known without debug information. */
void probe_file_arguments(struct probe_file_arguments *to, const char *file, uint64_t offset);
void probe_file_arguments_free(struct probe_file_arguments *a);

#endif
