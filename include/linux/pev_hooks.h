/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks inside of what the kernel tells perf: light enough to be included by
 * linux/perf_event.h.
 */
#ifndef _LINUX_PEV_HOOKS_H
#define _LINUX_PEV_HOOKS_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct pt_regs;
struct vm_area_struct;

#ifdef CONFIG_PEV

DECLARE_STATIC_KEY_FALSE(pev_software_key);
DECLARE_STATIC_KEY_FALSE(pev_mmap_key);

void __pev_software(u32 perf_id, u64 nr, struct pt_regs *regs, u64 addr);
void __pev_mmap(struct vm_area_struct *vma);

/**
 * pev_software() - perf_sw_event() was called
 * @perf_id: enum perf_sw_ids
 * @nr:      occurrences
 * @regs:    where
 * @addr:    data address or 0
 */
static __always_inline void pev_software(u32 perf_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	if (static_branch_unlikely(&pev_software_key))
		__pev_software(perf_id, nr, regs, addr);
}

/**
 * pev_mmap() - perf_event_mmap() was called
 * @vma: a mapping that is new or changed its rights
 */
static inline void pev_mmap(struct vm_area_struct *vma)
{
	if (static_branch_unlikely(&pev_mmap_key))
		__pev_mmap(vma);
}

#else

static __always_inline void pev_software(u32 perf_id, u64 nr, struct pt_regs *regs, u64 addr) { }
static inline void pev_mmap(struct vm_area_struct *vma) { }

#endif
#endif
