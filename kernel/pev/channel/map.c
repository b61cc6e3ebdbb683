// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the memory of rings and how user space sees it. A ring's area is
 *
 *	[ struct pev_ring_kernel | struct pev_ring_user | data ... ]
 *	  one page, read-only      one page, writable     read-only
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include "channel.h"
#include "map.h"
#include "persist.h"
#include "persist_format.h"

#define RING_USER	((u64)PAGE_SIZE)
#define RING_DATA	((u64)PAGE_SIZE * 2)

/**
 * struct ring_memory - a ring and where it belongs
 * @ring:    the ring
 * @channel: its channel
 */
struct ring_memory {
	struct pev_ring		ring;
	struct pev_channel	*channel;
};

static void ring_wake(struct pev_ring *ring)
{
	irq_work_queue(&container_of(ring, struct ring_memory, ring)->channel->wake);
}

/**
 * pev_channel_stride() - distance of two rings in the fd's offsets
 * @channel: the channel
 */
u64 pev_channel_stride(const struct pev_channel *channel)
{
	return RING_DATA + max_t(u64, channel->ring_size, PAGE_SIZE);
}

/* After a crash the fields of the packet's end are either these of this number, or damaged. */
static u32 ring_seal(u64 number, const struct pev_packet *packet)
{
	const u64 words[] = {
		number, packet->timestamp_end, packet->content_size, packet->events_discarded,
	};

	return pev_persist_sum(words, sizeof(words));
}

/* Gives the area, too. The pages are charged to the memory cgroup of the caller. */
static struct ring_memory *memory_alloc(struct pev_channel *channel, unsigned int cpu, void **area)
{
	int node = cpu_to_node(cpu);
	struct ring_memory *mem;

	if (channel->persists)
		return pev_persist_ring(channel, cpu, sizeof(*mem), area);
	mem = kzalloc_node(sizeof(*mem), GFP_KERNEL_ACCOUNT, node);
	if (!mem)
		return NULL;
	*area = __vmalloc_node_range(pev_channel_stride(channel), SHMLBA,
				     VMALLOC_START, VMALLOC_END,
				     GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN,
				     PAGE_KERNEL, VM_USERMAP, node,
				     __builtin_return_address(0));
	if (*area)
		return mem;
	kfree(mem);
	return NULL;
}

static void memory_free(struct ring_memory *mem, void *area)
{
	if (mem->channel->persists) {
		pev_persist_ring_free(mem->channel, mem, area);
		return;
	}
	vfree(area);
	kfree(mem);
}

/**
 * pev_ring_alloc() - the ring of @channel that @cpu writes
 * @channel: sizes, clock and uuid are set
 * @cpu:     memory comes from its node; the ring's number is the same
 *
 * Context: Process context, may sleep.
 * Return: the ring or NULL.
 */
struct pev_ring *pev_ring_alloc(struct pev_channel *channel, unsigned int cpu)
{
	struct ring_memory *mem;
	struct pev_ring *ring;
	void *area;

	mem = memory_alloc(channel, cpu, &area);
	if (!mem)
		return NULL;
	mem->channel = channel;
	ring = &mem->ring;
	ring->kernel = area;
	ring->user = area + RING_USER;
	ring->data = area + RING_DATA;
	ring->data_mask = channel->ring_size - 1;
	ring->packet_size = channel->packet_size;
	/* closed, until a writer sees that the gate is open */
	ring->limit = 0;
	ring->gate = &channel->gate;
	ring->clock = channel->clock.type;
	ring->second = channel->clock.freq;
	ring->watermark = channel->watermark;
	ring->wake_at = channel->watermark;
	ring->overwrite = channel->flags & PEV_CHF_OVERWRITE;
	ring->number = cpu;
	ring->cpu = cpu;
	ring->wake = ring_wake;
	ring->seal = channel->persists ? ring_seal : NULL;
	memcpy(ring->uuid, channel->uuid, sizeof(ring->uuid));

	ring->kernel->version = PEV_ABI_VERSION;
	ring->kernel->ring = ring->number;
	ring->kernel->ring_size = channel->ring_size;
	ring->kernel->packet_size = channel->packet_size;
	ring->kernel->clock = channel->clock.type;
	ring->kernel->clock_freq = channel->clock.freq;
	ring->kernel->stream_id = 0;
	ring->kernel->cpu = cpu;
	return ring;
}

/**
 * pev_ring_free() - free a ring that no one writes to any more
 * @ring: the ring or NULL; pages still mapped stay until they are unmapped
 */
void pev_ring_free(struct pev_ring *ring)
{
	if (!ring)
		return;
	memory_free(container_of(ring, struct ring_memory, ring), ring->kernel);
}

/* The ring at @offset of the channel's file, and where in it; NULL: there is none. */
static struct pev_ring *ring_at(struct pev_channel *channel, u64 offset, u64 *at)
{
	u64 cpu = div64_u64_rem(offset, pev_channel_stride(channel), at);

	if (cpu >= nr_cpu_ids)
		return NULL;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	/* pairs with the release in channel.c that publishes a ring */
	return smp_load_acquire(&channel->rings[cpu]);
}

/* All pages are mapped up front; this maps again those that madvise() dropped. */
static vm_fault_t ring_fault(struct vm_fault *vmf)
{
	struct pev_channel *channel = vmf->vma->vm_file->private_data;
	struct pev_ring *ring;
	u64 at;

	ring = ring_at(channel, (u64)vmf->pgoff << PAGE_SHIFT, &at);
	if (!ring)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page((void *)ring->kernel + at);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct ring_vm_ops = {
	.fault	= ring_fault,
};

/* Nothing is looked for later: what is mapped can't be dropped. */
static const struct vm_operations_struct persistent_vm_ops = { };

static int map_ring(struct vm_area_struct *vma, void *from, u64 size)
{
	int err = remap_vmalloc_range_partial(vma, vma->vm_start, from, 0, size);

	if (!err)
		vma->vm_ops = &ring_vm_ops;
	return err;
}

/*
 * The next channel gets the same memory: who holds the pages would see what it records. Nobody is
 * given pages of a mapping by frame numbers, not even without a look at the mapping. The slot of a
 * ring is one piece.
 */
static int map_persistent(struct vm_area_struct *vma, void *from, u64 size)
{
	vma->vm_ops = &persistent_vm_ops;
	return remap_pfn_range(vma, vma->vm_start, vmalloc_to_pfn(from), size, vma->vm_page_prot);
}

/**
 * pev_channel_mmap() - map one ring or a part of it
 * @file: the channel's
 * @vma:  writable for the consumer's page alone, and then shared
 *
 * A child inherits the mapping: rings are as shared as the memory of any file.
 *
 * Return: 0, -ENXIO for a ring without memory, -EINVAL for a range that is not
 * within one ring, -EACCES for rights that the range does not give.
 */
int pev_channel_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pev_channel *channel = file->private_data;
	u64 stride = pev_channel_stride(channel);
	u64 size = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct pev_ring *ring;
	u64 at;

	if (vma->vm_pgoff > U64_MAX >> PAGE_SHIFT || div64_u64(offset, stride) >= nr_cpu_ids)
		return -EINVAL;
	ring = ring_at(channel, offset, &at);
	if (!ring)
		return -ENXIO;
	if (size > stride - at)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	if (vma->vm_flags & VM_WRITE) {
		if (at != RING_USER || size != PAGE_SIZE || !(vma->vm_flags & VM_SHARED))
			return -EACCES;
	} else {
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	vm_flags_clear(vma, VM_MAYEXEC);
	return channel->persists ? map_persistent(vma, (void *)ring->kernel + at, size) :
				   map_ring(vma, (void *)ring->kernel + at, size);
}
