/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of rings, and how user space sees it. */
#ifndef _PEV_CHANNEL_MAP_H
#define _PEV_CHANNEL_MAP_H

#include <linux/types.h>

struct file;
struct pev_channel;
struct pev_ring;
struct vm_area_struct;

struct pev_ring *pev_ring_alloc(struct pev_channel *channel, unsigned int cpu);
void pev_ring_free(struct pev_ring *ring);
int pev_channel_mmap(struct file *file, struct vm_area_struct *vma);
u64 pev_channel_stride(const struct pev_channel *channel);

#endif
