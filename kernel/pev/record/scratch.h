/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of each CPU in which an occurrence is written before it is known whether it becomes
 * a record: its filter may refuse it, or its length isn't known.
 */
#ifndef _PEV_SCRATCH_H
#define _PEV_SCRATCH_H

#include <linux/percpu.h>
#include <linux/types.h>

/* Bytes a CPU. */
#define PEV_SCRATCH_SIZE	16384U

/* What is taken is a multiple of this. */
#define PEV_SCRATCH_ALIGN	(4 * sizeof(u64))

/**
 * struct pev_scratch - a stack: writers on a CPU nest and end in the opposite order
 * @buf:  the memory; NULL before pev_scratch_alloc()
 * @used: bytes of it; changed by its CPU alone, at any nesting
 */
struct pev_scratch {
	u8	*buf;
	u32	used;
};

DECLARE_PER_CPU(struct pev_scratch, pev_scratch);

/**
 * pev_scratch_alloc() - bring the memory, if it is not there yet
 *
 * It stays until pev goes: writers may be inside of it at any time.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_scratch_alloc(void);

/* No writer is left. */
void pev_scratch_teardown(void);

/**
 * pev_scratch_get() - take memory
 * @bytes: a multiple of PEV_SCRATCH_ALIGN
 *
 * Context: Any with preemption disabled, NMI included; after pev_scratch_alloc().
 * Return: memory with old data in it, for pev_scratch_put(), or NULL: that takes a record
 * of many KiB, or interrupts that nest in one.
 */
static __always_inline void *pev_scratch_get(u32 bytes)
{
	u32 end = this_cpu_add_return(pev_scratch.used, bytes);

	if (likely(end <= PEV_SCRATCH_SIZE))
		return (void *)this_cpu_read(pev_scratch.buf) + end - bytes;
	this_cpu_sub(pev_scratch.used, bytes);
	return NULL;
}

/* Give it back, newest first. Context: as pev_scratch_get(). */
static __always_inline void pev_scratch_put(u32 bytes)
{
	this_cpu_sub(pev_scratch.used, bytes);
}

#endif
