/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The variables that a program has at a place: arguments and locals of the function, also of
 * one that was inlined there, and variables of the file. Where each has its value there is said by
 * debug information.
 */
#ifndef PERFCTL_PROGRAM_VARIABLE_H
#define PERFCTL_PROGRAM_VARIABLE_H

#include "debug.h"
#include "value.h"

/**
 * struct variables - those at a place
 * @program:  the file
 * @debug:    its debug information
 * @eh:       of libdw, rules for unwinding of the file
 * @address:  of the place
 * @scopes:   around it, the innermost first, @n of them
 * @function: that has the code, with @params
 * @entry:    it begins there
 * @set_up:   it has its stack there, so that variables are where they are said to be
 */
struct variables {
	const struct program *program;
	const struct debug *debug;
	Dwarf_CFI *eh;
	uint64_t address;
	Dwarf_Die *scopes;
	int n;
	Dwarf_Die function;
	struct parameters params;
	bool entry;
	bool set_up;
};

/*
 * Returns whether debug information knows the place; @p and @d stay open as long as @v is. @line: it
 * is one of the source, also of what was inlined at the beginning of a function; else that is the
 * function's.
 */
bool variables_open(struct variables *v, const struct program *p, const struct debug *d,
		    uint64_t address, bool line);
void variables_close(struct variables *v);

/*
 * Finds one by its name. Returns 0; -ENOENT: there is none; else -errno with a clause that says why
 * it can't be recorded there.
 */
int variable_find(const struct variables *v, const char *name, size_t len, struct value *to,
		  struct msg *m);
/* The same of the argument @i of the function, and of what it returns */
int variable_argument(const struct variables *v, size_t i, struct value *to, struct msg *m);
int variable_result(const struct variables *v, struct value *to, struct msg *m);
/* Calls @each with the variables of the function, the innermost first. */
void variables_each(const struct variables *v, void (*each)(void *arg, const char *name),
		    void *arg);

#endif
