/* SPDX-License-Identifier: GPL-2.0 */
/* Files of grants: while one is open, a guest is lent counters. */
#ifndef _PEV_GRANT_FILE_H
#define _PEV_GRANT_FILE_H

struct file;
struct pev_attr;
struct pev_refuse;

/**
 * pev_grant_file() - lend a guest counters while a file is open
 * @attr: of PEV_TYPE_GRANT
 * @r:    says why not
 *
 * Return: the file or an ERR_PTR(), see pev_grant_open().
 */
struct file *pev_grant_file(const struct pev_attr *attr, struct pev_refuse *r);

#endif
