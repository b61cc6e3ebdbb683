/* SPDX-License-Identifier: GPL-2.0 */
/* The files of tables. */
#ifndef _PEV_TABLE_FILE_H
#define _PEV_TABLE_FILE_H

struct file;
struct pev_table_set;

/* Takes over the reference on @table. Return: the file, or an ERR_PTR() and it does not. */
struct file *pev_table_file(struct pev_table_set *table);

/* Return: the table of @file, NULL if it is something else. */
struct pev_table_set *pev_table_from_file(struct file *file);

#endif
