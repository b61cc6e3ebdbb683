/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What debug information says of a program's functions: their arguments, their lines, and
 * where they were inlined. By libdw.
 */
#ifndef PERFCTL_PROGRAM_DEBUG_H
#define PERFCTL_PROGRAM_DEBUG_H

#include "program.h"

#include <elfutils/libdw.h>

/**
 * struct debug - debug information of a program
 * @fd:   of the file that has it
 * @path: of the same
 * @dw:   of libdw
 */
struct debug {
	int fd;
	char *path;
	Dwarf *dw;
};

/* Returns 0, or -ENODATA with a sentence that says what would help. */
int debug_open(struct debug *d, const char *path, struct msg *m);
void debug_close(struct debug *d);

/* "struct file *", "const char *": a type as in the source, to be freed */
char *debug_type_text(Dwarf_Die *type);

/**
 * struct parameter - an argument of a function
 * @name:     NULL: it has none
 * @type:     as in the source
 * @bytes:    of it
 * @sign:     it is a number with a sign
 * @pointer:  it is an address
 * @text:     of characters
 * @structure: it has members
 * @general:  a general register has room for it, and is where it belongs
 * @position: among the arguments in general registers; -1: it is not one of these
 */
struct parameter {
	const char *name;
	char *type;
	unsigned int bytes;
	bool sign;
	bool pointer;
	bool text;
	bool structure;
	bool general;
	int position;
};

/**
 * struct parameters - all of a function
 * @result: what it returns, without name and position; its type is NULL where that is nothing or
 *          not known
 * @void_known: it is nothing
 */
struct parameters {
	struct parameter *v;
	size_t n;
	size_t cap;
	struct parameter result;
	bool void_known;
};

/*
 * Finds the register of an argument of which all else is known; @position: where it would be,
 * negative: not known. Receives the same for the next.
 */
void parameter_place(struct parameter *p, unsigned int machine, int *position);

/**
 * struct source - where in the source something is
 */
struct source {
	const char *file;
	int line;
};

/* The function whose first instruction is at an address; returns whether there is one. */
bool debug_function(const struct debug *d, uint64_t address, unsigned int machine,
		    struct parameters *to, struct source *at);
void parameters_free(struct parameters *p);

/**
 * struct inlining - a place at which a function was inlined
 * @address: of its first instruction there
 * @into:    the function that has it; NULL: not known
 */
struct inlining {
	uint64_t address;
	const char *into;
	struct source at;
};

/**
 * debug_inlined() - where a function was inlined
 * @each: called for each such place
 *
 * Return: how many there are.
 */
size_t debug_inlined(const struct debug *d, const char *name,
		     void (*each)(void *arg, const struct inlining *i), void *arg);
/**
 * debug_line() - the addresses of a line
 * @file: the end of its path
 * @each: called for the first instruction of each place where statements of it begin
 *
 * Return: how many there are.
 */
size_t debug_line(const struct debug *d, const char *file, int line,
		  void (*each)(void *arg, uint64_t address), void *arg);

#endif
