/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's functions, from the text of /proc/kallsyms.
 */
#ifndef _PEV_SYM_NAMES_KALLSYMS_H
#define _PEV_SYM_NAMES_KALLSYMS_H

#include "names/symtab.h"

/**
 * typedef kallsyms_module_fn - the number of the object of a module, for symbol.owner
 * @name: without brackets
 */
typedef int (*kallsyms_module_fn)(void *arg, const char *name);

/**
 * kallsyms_parse() - fill a table
 * @text:   of /proc/kallsyms; "ADDRESS e -" ends the function before. Written to, and must stay as long as @table: names point into it
 * @kernel: symbol.owner of the kernel's own functions
 * @stext:  set to the address of _stext, if it is there
 *
 * Return: whether there is any function.
 */
bool kallsyms_parse(char *text, struct symtab *table, int kernel, uint64_t *stext,
		    kallsyms_module_fn module, void *arg);

#endif /* _PEV_SYM_NAMES_KALLSYMS_H */
