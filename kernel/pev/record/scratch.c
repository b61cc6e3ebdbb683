// SPDX-License-Identifier: GPL-2.0
/* Owns the scratch memory of the CPUs. Must not know what is written there. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "base/work.h"
#include "scratch.h"

DEFINE_PER_CPU(struct pev_scratch, pev_scratch);
static DEFINE_MUTEX(scratch_lock);

int pev_scratch_alloc(void)
{
	unsigned int cpu;

	guard(mutex)(&scratch_lock);
	for_each_possible_cpu(cpu) {
		struct pev_scratch *scratch = per_cpu_ptr(&pev_scratch, cpu);
		u8 *buf;

		if (scratch->buf)
			continue;
		buf = kmalloc_node(PEV_SCRATCH_SIZE, GFP_KERNEL, cpu_to_node(cpu));
		if (!buf)
			return -ENOMEM;
		WRITE_ONCE(scratch->buf, buf);
	}
	return 0;
}

void __pev_teardown pev_scratch_teardown(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu_ptr(&pev_scratch, cpu)->buf);
}
