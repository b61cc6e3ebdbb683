/* SPDX-License-Identifier: GPL-2.0 */
/* The catalog: what can be opened here and now, as text. */
#ifndef _PEV_CATALOG_H
#define _PEV_CATALOG_H

#include <linux/types.h>

struct file;
struct pev_text;

/**
 * pev_catalog_file() - the catalog as of now
 *
 * Return: a file that can be read at any position, or an ERR_PTR().
 */
struct file *pev_catalog_file(void);

/**
 * pev_text_file() - a file whose contents are @text
 * @name: of its inode
 * @text: from kzalloc(); freed with the file, or if there is none
 *
 * Return: the file, or an ERR_PTR(), that of @text if it has one.
 */
struct file *pev_text_file(const char *name, struct pev_text *text);

/* By the sources: their lines, and how many there are. Process context. */
void pev_tracepoint_catalog(struct pev_text *text);
u32 pev_tracepoint_count(void);
void pev_marker_catalog(struct pev_text *text);
u32 pev_marker_count(void);

#endif
