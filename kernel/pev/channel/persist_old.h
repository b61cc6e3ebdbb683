/* SPDX-License-Identifier: GPL-2.0 */
/* What an earlier boot left, as one run of bytes: struct pev_crash and what follows it. */
#ifndef _PEV_PERSIST_OLD_H
#define _PEV_PERSIST_OLD_H

#include <linux/types.h>

struct pev_persist_old;
struct pev_refuse;

struct pev_persist_old *pev_persist_old_open(struct pev_refuse *r);
void pev_persist_old_close(struct pev_persist_old *old);
u64 pev_persist_old_size(const struct pev_persist_old *old);
const void *pev_persist_old_at(const struct pev_persist_old *old, u64 pos, size_t *len);

#endif
