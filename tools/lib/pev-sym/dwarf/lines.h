/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds source lines and inlined functions.
 */
#ifndef _PEV_SYM_DWARF_LINES_H
#define _PEV_SYM_DWARF_LINES_H

#include <pev/sym.h>

struct line_table;

/* @dwarf: struct Dwarf of elfutils; @bias: to subtract from its addresses */
struct line_table *line_table_new(void *dwarf, uint64_t bias);
void line_table_free(struct line_table *l);
/* As pev_sym_lines() */
int line_table_find(struct line_table *l, uint64_t vaddr, struct pev_sym_line *out, unsigned int room);

#endif /* _PEV_SYM_DWARF_LINES_H */
