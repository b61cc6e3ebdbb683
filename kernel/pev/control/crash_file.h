/* SPDX-License-Identifier: GPL-2.0 */
/* The file of what an earlier boot left in memory that outlives the kernel. */
#ifndef _PEV_CRASH_FILE_H
#define _PEV_CRASH_FILE_H

struct file;
struct pev_refuse;

struct file *pev_crash_file(struct pev_refuse *r);

#endif
