/* SPDX-License-Identifier: GPL-2.0 */
/* How processes see gates and rings. */
#ifndef _PEV_PRODUCER_MAP_H
#define _PEV_PRODUCER_MAP_H

struct pev_family;
struct pev_producer_mm;
struct vm_area_struct;

/* At boot, before the first producer. Return: 0 or -ENOMEM. */
int pev_producers_setup(void);
void pev_producers_teardown(void);

/**
 * pev_producer_mmap() - the current process maps its gate or its rings
 * @family: the private data of the mapping's file
 * @vma:    the mapping
 *
 * Return: 0; -EINVAL for a part that is not one of the two; -EACCES for rights that it does
 * not give; -EPERM: RLIMIT_MEMLOCK; -ENOMEM.
 */
int pev_producer_mmap(struct pev_family *family, struct vm_area_struct *vma);

/**
 * pev_producer_show() - a listener maps something of a producer
 * @p:   the producer
 * @at:  where in it the mapping begins
 * @vma: the mapping
 *
 * Return: 0; -ENXIO for a ring that is not there; -EINVAL for what is not within the gate or
 * one ring; -EACCES for more than reading.
 */
int pev_producer_show(struct pev_producer_mm *p, u64 at, struct vm_area_struct *vma);

#endif
