/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of all kinds share. */
#ifndef PERFCTL_INVENTORY_ROWS_H
#define PERFCTL_INVENTORY_ROWS_H

#include "gather.h"

/* Hands a row on, unless there are too many. */
int rows_add(struct gather *g, struct inventory_row *row);
/* A row that there is no room for, or that may not be read: -EACCES, -EPERM. Others are gone. */
void rows_left_out(struct gather *g, enum inventory_kind kind);
void rows_unreadable(struct gather *g, enum inventory_kind kind, int err);
bool rows_full(const struct gather *g, enum inventory_kind kind);

/* Returns a file below proc or sys, or NULL after it has been counted if it may not be read. */
char *rows_file(struct gather *g, enum inventory_kind kind, const char *root, const char *name);
/* Calls @fn for each line of @text, which it may change. */
int rows_lines(struct gather *g, char *text, int (*fn)(struct gather *g, char *line));

/* Reads a small file of a directory without the newline at its end; false: there is none. */
bool rows_text(int dir, const char *name, char *text, size_t size);
/* The same as a number, @other if it is none. */
int64_t rows_number(int dir, const char *name, int64_t other);
/* Numbers that names of a directory have behind @prefix, sorted; free() them. */
uint32_t *rows_numbers(int dir, const char *prefix, size_t *n);
/* Opens a directory; -errno. */
int rows_open(const char *root, const char *name);

#endif
