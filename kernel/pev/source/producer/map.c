// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how processes see gates and rings. A producer's pages are all found by faults, never
 * put there before: so fork does not hand them to the child, which gets its own.
 *
 * A process whose producer can't be made has a gate on which nothing is on, and a ring that
 * can't be had is a page to which all writes go: a mark never kills a program.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/vmalloc.h>
#include "base/work.h"
#include "producer.h"
#include "map.h"

/* What no producer's gate shows. */
static struct page *all_off;
static DEFINE_MUTEX(all_off_lock);	/* a leaf */

int __init pev_producers_setup(void)
{
	all_off = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return all_off ? 0 : -ENOMEM;
}

void __pev_teardown pev_producers_teardown(void)
{
	put_page(all_off);
}

static vm_fault_t give(struct vm_fault *vmf, struct page *page)
{
	get_page(page);
	vmf->page = page;
	return 0;
}

static u64 fault_at(const struct vm_fault *vmf)
{
	return (u64)vmf->pgoff << PAGE_SHIFT;
}

/* ---- a producer's ---- */

static struct pev_family *family_of(const struct vm_area_struct *vma)
{
	return vma->vm_file->private_data;
}

/* In a child, too: what it has is counted until it ends, whether it becomes a producer or not. */
static void producer_open(struct vm_area_struct *vma)
{
	pev_member_add(family_of(vma), vma->vm_mm);
}

static void producer_close(struct vm_area_struct *vma)
{
	pev_member_drop(family_of(vma), vma->vm_mm);
}

static int producer_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static vm_fault_t gate_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct pev_producer_mm *p = pev_member_producer(family_of(vma), vma->vm_mm);

	/* a kernel thread's fault: the program would never look again at what is put here */
	if (p == ERR_PTR(-ENOENT))
		return VM_FAULT_SIGBUS;
	if (IS_ERR(p)) {
		vmf->page = pev_page_share(&all_off, &all_off_lock);
		return vmf->page ? 0 : VM_FAULT_OOM;
	}
	give(vmf, virt_to_page(p->gate));
	pev_producer_put(p);
	return 0;
}

/* Where writes go to what is not there: a thread may be in the midst of a mark. */
static vm_fault_t lose(struct vm_fault *vmf)
{
	vmf->page = pev_member_sink(family_of(vmf->vma), vmf->vma->vm_mm);
	return vmf->page ? 0 : VM_FAULT_OOM;
}

/* @at: from the first ring on. */
static vm_fault_t ring_give(struct vm_fault *vmf, struct pev_producer_mm *p, u64 at)
{
	struct pev_family *family = p->family;
	void *ring;
	u64 nr;

	nr = div64_u64_rem(at, pev_family_stride(family), &at);
	if (nr >= family->nr_rings)
		return VM_FAULT_SIGBUS;
	ring = pev_producer_ring(p, array_index_nospec(nr, family->nr_rings));
	if (!IS_ERR(ring))
		return give(vmf, vmalloc_to_page(ring + at));
	/* not for good: the program's own write may make it */
	if (ring == ERR_PTR(-ENOENT))
		return VM_FAULT_SIGBUS;
	return lose(vmf);
}

static vm_fault_t ring_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct pev_producer_mm *p = pev_member_producer(family_of(vma), vma->vm_mm);
	vm_fault_t ret;

	if (p == ERR_PTR(-ENOENT))
		return VM_FAULT_SIGBUS;
	if (p == ERR_PTR(-ENOMEM))
		return VM_FAULT_OOM;
	/* to try again would find no more room */
	if (IS_ERR(p))
		return lose(vmf);
	ret = ring_give(vmf, p, fault_at(vmf) - PAGE_SIZE);
	pev_producer_put(p);
	return ret;
}

static const struct vm_operations_struct gate_ops = {
	.open		= producer_open,
	.close		= producer_close,
	.may_split	= producer_may_split,
	.fault		= gate_fault,
};

static const struct vm_operations_struct rings_ops = {
	.open		= producer_open,
	.close		= producer_close,
	.may_split	= producer_may_split,
	.fault		= ring_fault,
};

/* VM_IO: no mlockall() makes rings that are never written to, and no core has them. */
#define PRODUCER_FLAGS	(VM_IO | VM_DONTEXPAND | VM_DONTDUMP)

static int check_mapping(const struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	return vma->vm_flags & VM_SHARED ? 0 : -EINVAL;
}

static int map_gate(struct pev_family *family, struct vm_area_struct *vma)
{
	struct pev_producer_mm *p;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	p = pev_member_producer(family, vma->vm_mm);
	if (IS_ERR(p))
		return PTR_ERR(p);
	pev_producer_put(p);
	vm_flags_mod(vma, PRODUCER_FLAGS, VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_ops = &gate_ops;
	return 0;
}

static int map_rings(struct pev_family *family, struct vm_area_struct *vma)
{
	if (vma->vm_end - vma->vm_start != family->nr_rings * pev_family_stride(family))
		return -EINVAL;
	vm_flags_mod(vma, PRODUCER_FLAGS, VM_MAYEXEC);
	vma->vm_ops = &rings_ops;
	return 0;
}

int pev_producer_mmap(struct pev_family *family, struct vm_area_struct *vma)
{
	int err = check_mapping(vma);

	if (!err && vma->vm_pgoff > 1)
		err = -EINVAL;
	if (err)
		return err;
	pev_member_add(family, vma->vm_mm);
	err = vma->vm_pgoff ? map_rings(family, vma) : map_gate(family, vma);
	if (err)
		pev_member_drop(family, vma->vm_mm);
	return err;
}

/* ---- a listener's ---- */

static void shown_open(struct vm_area_struct *vma)
{
	pev_producer_get(vma->vm_private_data);
}

static void shown_close(struct vm_area_struct *vma)
{
	pev_producer_put(vma->vm_private_data);
}

/* A part of a producer as its offsets have them: NULL if that is not there. */
static struct page *page_at(struct pev_producer_mm *p, u64 at)
{
	struct pev_family *family = p->family;
	void *ring;
	u64 nr;

	if (at < PAGE_SIZE)
		return virt_to_page(p->gate);
	nr = div64_u64_rem(at - PAGE_SIZE, pev_family_stride(family), &at);
	if (nr >= family->nr_rings)
		return NULL;
	/* pairs with the release in producer.c */
	ring = smp_load_acquire(&p->rings[array_index_nospec(nr, family->nr_rings)]);
	return IS_ERR_OR_NULL(ring) ? NULL : vmalloc_to_page(ring + at);
}

/* Which of the parts that are mapped alone: 0 is the gate, n the ring n - 1. */
static u64 part_at(struct pev_producer_mm *p, u64 at)
{
	return at < PAGE_SIZE ? 0 : div64_u64(at - PAGE_SIZE, pev_family_stride(p->family)) + 1;
}

static vm_fault_t shown_fault(struct vm_fault *vmf)
{
	u64 at = fault_at(vmf) & (PEV_USER_SPAN - 1);
	struct page *page = page_at(vmf->vma->vm_private_data, at);

	return page ? give(vmf, page) : VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct shown_ops = {
	.open	= shown_open,
	.close	= shown_close,
	.fault	= shown_fault,
};

int pev_producer_show(struct pev_producer_mm *p, u64 at, struct vm_area_struct *vma)
{
	u64 size = vma->vm_end - vma->vm_start;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	if (part_at(p, at) > p->family->nr_rings ||
	    part_at(p, at) != part_at(p, at + size - 1))
		return -EINVAL;
	if (!page_at(p, at))
		return -ENXIO;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_private_data = p;
	vma->vm_ops = &shown_ops;
	pev_producer_get(p);
	return 0;
}
