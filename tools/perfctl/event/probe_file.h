/* SPDX-License-Identifier: GPL-2.0 */
/* Finds places in files by globs and by lines of the source, and the arguments at a place. */
#ifndef PERFCTL_EVENT_PROBE_FILE_H
#define PERFCTL_EVENT_PROBE_FILE_H

#include "probe_fields.h"
#include "program/variable.h"

/* Is given the place @name, which is at an offset in the file. */
typedef void (*probe_file_fn)(void *arg, const char *name, uint64_t offset);

/* Finds a function by its name; returns 0, or -errno with a sentence. */
int probe_file_function(const char *file, const char *name, uint64_t *offset, struct msg *m);
/* Finds the functions whose names match; returns 0, or -errno with a sentence. */
int probe_file_glob(const char *file, const char *glob, probe_file_fn each, void *arg,
		    struct msg *m);
/*
 * Checks an offset behind a function, 0 for none, and that an instruction begins there, as far as
 * symbols say which function it is of. @base: of the function, or 0. Returns 0, or -EINVAL with a
 * sentence.
 */
int probe_file_check(const char *file, uint64_t base, uint64_t behind, struct msg *m);
/* Is it of the form FILE:LINE? */
bool probe_file_is_line(const char *place);
/* Finds the code of a line, once in each function; returns 0, or -errno with a sentence. */
int probe_file_line(const char *file, const char *place, probe_file_fn each, void *arg,
		    struct msg *m);

/*
 * Makes fields of arguments, as many as there are, to be freed. @result: receives what is
 * returned, or NULL.
 */
struct probe_argument *probe_file_make(const struct parameters *params,
				       const struct probe_argument **result);

/* What sort of a place it is, as it was asked for */
enum probe_file_kind {
	PROBE_FILE_CODE,
	PROBE_FILE_LINE,
	PROBE_FILE_RETURN,
};

/**
 * struct probe_file_arguments - what can be recorded at a place, by debug information
 * @program: the file
 * @debug:  has the names
 * @variables: at the place
 * @scope:  finds them, if @found
 * @kind:   of the place; at a return there is the result alone
 * @params: the arguments, if the place is the beginning of a function
 * @v:      the same as fields
 * @whys:   clauses of @v that are its own
 * @result: the same of what it returns, or NULL
 * @at:     where the function is in the source
 * @known:  @params are
 * @found:  the debug information knows the place
 */
struct probe_file_arguments {
	struct program program;
	struct debug debug;
	struct variables variables;
	struct probe_scope scope;
	enum probe_file_kind kind;
	struct parameters params;
	struct probe_argument *v;
	char **whys;
	const struct probe_argument *result;
	struct source at;
	bool known;
	bool found;
};

/* Reads what is at an offset in a file; nothing is known without debug information. */
void probe_file_arguments(struct probe_file_arguments *to, const char *file, uint64_t offset,
			  enum probe_file_kind kind);
void probe_file_arguments_free(struct probe_file_arguments *a);

#endif
