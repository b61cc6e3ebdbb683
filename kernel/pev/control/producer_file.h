/* SPDX-License-Identifier: GPL-2.0 */
/* The files of producers. */
#ifndef _PEV_PRODUCER_FILE_H
#define _PEV_PRODUCER_FILE_H

struct file;
struct pev_family;

/* Takes over the reference on @family. Return: the file, or an ERR_PTR() and it does not. */
struct file *pev_producer_file(struct pev_family *family);

#endif
