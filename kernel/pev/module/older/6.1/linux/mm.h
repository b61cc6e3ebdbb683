/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: flags of mappings, and which mapping is the heap and the stack. */
#ifndef _PEV_OLDER_LINUX_MM_H
#define _PEV_OLDER_LINUX_MM_H

#include_next <linux/mm.h>

/* The mmap lock is held for writing. */
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vm_flags_mod(vma, 0, flags);
}

static inline bool vma_is_initial_heap(const struct vm_area_struct *vma)
{
	return vma->vm_start < vma->vm_mm->brk && vma->vm_end > vma->vm_mm->start_brk;
}

static inline bool vma_is_initial_stack(const struct vm_area_struct *vma)
{
	return vma->vm_start <= vma->vm_mm->start_stack &&
	       vma->vm_end >= vma->vm_mm->start_stack;
}

/* No memory outlives a reset. */
static inline int reserve_mem_find_by_name(const char *name, phys_addr_t *start,
					   phys_addr_t *size)
{
	return 0;
}

#endif
