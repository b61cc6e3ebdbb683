/* SPDX-License-Identifier: GPL-2.0 */
/* The catalog: what can be opened here and now, as text. */
#ifndef _PEV_CATALOG_H
#define _PEV_CATALOG_H

struct file;
struct pev_strbuf;

/**
 * pev_catalog_file() - the catalog as of now
 * @more: appends the lines that sources of events have no part in
 *
 * Context: Process context, may sleep.
 * Return: a file that can be read at any position, or an ERR_PTR().
 */
struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text));

#endif
