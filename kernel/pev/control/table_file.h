/* SPDX-License-Identifier: GPL-2.0 */
/* The files of tables. */
#ifndef _PEV_TABLE_FILE_H
#define _PEV_TABLE_FILE_H

struct file;
struct pev_channel;
struct pev_table_set;

/*
 * Takes over the references on @table, and on @channel, which its records go to, unless NULL.
 * Return: the file, or an ERR_PTR() and it does not.
 */
struct file *pev_table_file(struct pev_table_set *table, struct pev_channel *channel);

/* Return: the table of @file, NULL if it is something else. */
struct pev_table_set *pev_table_from_file(struct file *file);

/* The channel of its records; @file is a table's. NULL: it has none. */
struct pev_channel *pev_table_file_channel(struct file *file);

#endif
