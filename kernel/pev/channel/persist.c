// SPDX-License-Identifier: GPL-2.0
/*
 * Owns memory that outlives the kernel, which the command line sets aside under the name
 * "pev": which channel has it, and where rings, their state and the text that describes
 * them lie in it. Writers know nothing of it. What an earlier kernel left there stays as it
 * is until it is dropped; persist_old.c reads it.
 *
 * Locks: persist_lock, which nests in pev_channels_lock, guards who has the memory, and its
 * slots; the lock of the channel that has it, the text.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "glue/linux.h"
#include "channel.h"
#include "map.h"
#include "persist.h"
#include "persist_format.h"

#define NAME		"pev"
#define COMMAND_LINE	"reserve_mem=SIZE:4096:" NAME

/**
 * enum use - what the memory is used for
 * @FREE:    nothing
 * @OLD:     what an earlier boot left, read by nobody
 * @READER:  a process reads that
 * @CHANNEL: rings of a channel
 */
enum use { FREE, OLD, READER, CHANNEL };

/**
 * struct region - the memory
 * @head:   where it begins; NULL: there is none
 * @size:   bytes
 * @use:    what it is used for
 * @wrong:  why what an earlier boot left can't be read; NULL: it can
 * @slots:  that have a ring, of @use CHANNEL
 * @text:   bytes of the text that are there, under the channel's lock
 * @sum:    CRC-32 of them, before its last step
 */
struct region {
	struct pev_persist_head	*head;
	u64			size;
	enum use		use;
	const char		*wrong;
	unsigned long		*slots;
	size_t			text;
	u32			sum;
};

static struct region region;

static DEFINE_MUTEX(persist_lock);

/* ---- where things lie ---- */

static u64 text_room(void)
{
	return round_down(clamp_t(u64, region.size / 8, PEV_PERSIST_TEXT_MIN,
				  PEV_PERSIST_TEXT_MAX), PAGE_SIZE);
}

static u64 slots_at(void)
{
	return PAGE_SIZE + text_room();
}

/* Bytes of a slot: its first page, and a ring's area. */
static u64 stride_of(u64 ring_size)
{
	return PAGE_SIZE * 3 + max_t(u64, ring_size, PAGE_SIZE);
}

static u64 slots_of(u64 ring_size)
{
	if (region.size <= slots_at())
		return 0;
	return div64_u64(region.size - slots_at(), stride_of(ring_size));
}

static struct pev_persist_slot *slot_at(const struct pev_persist_head *head, unsigned int nr)
{
	return (void *)head + head->slots_at + head->stride * nr;
}

/* The largest that a ring of each CPU can have, or less than the least if there is no room. */
static u64 largest_ring(void)
{
	u64 size = PEV_MAX_RING;

	while (size >= PEV_MIN_PACKET * PEV_MIN_PACKETS && slots_of(size) < num_online_cpus())
		size /= 2;
	return size;
}

/**
 * pev_persist_ring_size() - the size that rings have unless their channel says another one
 *
 * Context: Any. Return: bytes; 0 if there is no memory, or too little of it.
 */
u64 pev_persist_ring_size(void)
{
	u64 size = region.head ? largest_ring() : 0;

	return size < PEV_MIN_PACKET * PEV_MIN_PACKETS ? 0 : size;
}

/* ---- what an earlier boot left ---- */

/* Return: why the memory can't be read, whatever is in it; NULL: it can. */
static const char *head_wrong(const struct pev_persist_head *head, u64 size)
{
	u64 stride = head->stride;

	if (head->version != PEV_PERSIST_VERSION)
		return "it was written in another format";
	if (head->check != pev_persist_head_check(head))
		return "its first page is damaged";
	if (head->page_size != PAGE_SIZE)
		return "its pages have another size";
	if (head->size != size)
		return "the memory had another size";
	/* the sum says that a kernel wrote them, not that it was right */
	if (head->text_at != PAGE_SIZE || head->text_room > size ||
	    head->slots_at > size || head->text_at + head->text_room > head->slots_at ||
	    !IS_ALIGNED(head->slots_at | stride, PAGE_SIZE) ||
	    !is_power_of_2(head->ring_size) || head->ring_size > size ||
	    stride != stride_of(head->ring_size) || !head->nr_slots ||
	    head->nr_slots > div64_u64(size - head->slots_at, stride) ||
	    head->state_at > PAGE_SIZE - sizeof(u64) ||
	    !IS_ALIGNED(head->state_at, sizeof(u64)))
		return "its sizes make no sense";
	return NULL;
}

/**
 * pev_persist_setup() - find the memory, and what is in it
 *
 * Context: Process context, before the first channel.
 */
void pev_persist_setup(void)
{
	phys_addr_t start, size;

	if (!reserve_mem_find_by_name(NAME, &start, &size))
		return;
	size = round_down(start + size, PAGE_SIZE);
	start = round_up(start, PAGE_SIZE);
	if (size <= start || !pfn_valid(PHYS_PFN(start)))
		return;
	region.size = size - start;
	region.head = phys_to_virt(start);
	region.use = FREE;
	region.wrong = NULL;
	if (READ_ONCE(region.head->magic) == PEV_PERSIST_MAGIC) {
		region.use = OLD;
		region.wrong = head_wrong(region.head, region.size);
	}
	pr_info("%llu bytes at %pa outlive a crash, and have %s%s\n", region.size, &start,
		region.use == FREE ? "nothing from an earlier boot" :
		region.wrong	   ? "what can't be read: " :
				     "a recording from an earlier boot",
		region.wrong ?: "");
}

static int refuse_none(struct pev_refuse *r)
{
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
			  "no memory that outlives a crash was set aside: boot with %s%s",
			  COMMAND_LINE, PEV_PERSISTS_ON);
}

static int check_readable(struct pev_refuse *r)
{
	if (!region.head)
		return refuse_none(r);
	if (region.use == CHANNEL)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD,
				  "the memory has the rings of a channel of this boot: nothing older is left");
	if (region.use == READER)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD,
				  "another process reads what an earlier boot left");
	if (region.use == FREE)
		return pev_refuse(r, ENOENT, PEV_NO_FIELD,
				  "no earlier boot left anything in the %llu bytes of memory",
				  region.size);
	if (region.wrong)
		return pev_refuse(r, EBADMSG, PEV_NO_FIELD,
				  "what an earlier boot left can't be read: %s; it can only be dropped",
				  region.wrong);
	return 0;
}

/**
 * pev_persist_enter() - become the reader of what an earlier boot left
 * @r: says why not
 *
 * Context: Process context, may sleep.
 * Return: where it begins, its sizes checked, until pev_persist_leave(); or an ERR_PTR().
 */
const struct pev_persist_head *pev_persist_enter(struct pev_refuse *r)
{
	int err;

	guard(mutex)(&persist_lock);
	err = check_readable(r);
	if (err)
		return ERR_PTR(err);
	region.use = READER;
	return region.head;
}

/* The opposite; what was read is still there. Context: Process context, may sleep. */
void pev_persist_leave(void)
{
	guard(mutex)(&persist_lock);
	region.use = OLD;
}

/* Nothing is there any more, at whatever moment the machine stops. */
static void forget(void)
{
	WRITE_ONCE(region.head->magic, 0);
	/* before anything else in it changes, and after all of what was there before */
	smp_mb();
	region.wrong = NULL;
	region.use = FREE;
}

/**
 * pev_persist_drop() - give up what an earlier boot left
 * @r: says why not
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP without memory, -ENOENT if it has nothing, -EBUSY while it is read.
 */
int pev_persist_drop(struct pev_refuse *r)
{
	guard(mutex)(&persist_lock);
	if (!region.head)
		return refuse_none(r);
	if (region.use == READER)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD,
				  "another process reads what an earlier boot left");
	if (region.use != OLD)
		return pev_refuse(r, ENOENT, PEV_NO_FIELD,
				  "no earlier boot left anything that could be dropped");
	forget();
	return 0;
}

/* ---- the memory of a channel ---- */

static void write_head(const struct pev_channel *channel, u32 nr_slots)
{
	struct pev_persist_head *head = region.head;

	memset(head, 0, PAGE_SIZE);
	head->version = PEV_PERSIST_VERSION;
	head->page_size = PAGE_SIZE;
	head->size = region.size;
	head->text_at = PAGE_SIZE;
	head->text_room = text_room();
	head->slots_at = slots_at();
	head->stride = stride_of(channel->ring_size);
	head->nr_slots = nr_slots;
	head->packet_size = channel->packet_size;
	head->ring_size = channel->ring_size;
	head->began = ktime_get_real_ns();
	memcpy(head->uuid, channel->uuid, sizeof(head->uuid));
	head->state_at = offsetof(struct pev_persist_slot, state);
	for (unsigned int i = 0; i < nr_slots; i++)
		slot_at(head, i)->magic = 0;
}

/* The sum has the magic in it, which is not to be seen before the sum is. */
static void publish_head(void)
{
	struct pev_persist_head sum = *region.head;

	sum.magic = PEV_PERSIST_MAGIC;
	region.head->check = pev_persist_head_check(&sum);
	smp_wmb();	/* nothing but another kernel reads it: what comes later is later there */
	WRITE_ONCE(region.head->magic, PEV_PERSIST_MAGIC);
}

static int refuse_used(struct pev_refuse *r)
{
	if (region.use == CHANNEL)
		return pev_refuse(r, EBUSY, PEV_FIELD(flags),
				  "another channel has the memory that outlives a crash: there is one at a time");
	return pev_refuse(r, EEXIST, PEV_FIELD(flags),
			  "the memory still has what was recorded before this boot%s%s: take it or drop it first (perfctl record --from-crash, --drop-crash)",
			  region.wrong ? ", and can't be read: " : "", region.wrong ?: "");
}

/**
 * pev_persist_claim() - let a channel have the memory
 * @channel: its sizes, uuid, and the beginning of its text are there
 * @r:       says why not
 *
 * Context: Process context, may sleep.
 * Return: 0, -EOPNOTSUPP without memory, -EBUSY, -EEXIST, -ENOSPC, -ENOMEM.
 */
int pev_persist_claim(struct pev_channel *channel, struct pev_refuse *r)
{
	u64 slots = slots_of(channel->ring_size);
	unsigned long *bitmap;

	guard(mutex)(&persist_lock);
	if (!region.head)
		return refuse_none(r);
	if (region.use != FREE)
		return refuse_used(r);
	if (slots < num_online_cpus())
		return pev_refuse(r, ENOSPC, PEV_FIELD(ring_size),
				  "%u rings of %llu bytes and what describes them do not fit into the %llu bytes that were set aside; %llu is the largest ring_size that does",
				  num_online_cpus(), channel->ring_size, region.size,
				  pev_persist_ring_size());
	slots = min_t(u64, slots, nr_cpu_ids);
	bitmap = bitmap_zalloc(slots, GFP_KERNEL_ACCOUNT);
	if (!bitmap)
		return -ENOMEM;
	region.use = CHANNEL;
	region.slots = bitmap;
	region.text = 0;
	region.sum = ~0U;
	channel->persists = true;
	write_head(channel, slots);
	publish_head();
	return 0;
}

/* The opposite: what a channel had goes with it. Context: Process context, may sleep. */
void pev_persist_release(struct pev_channel *channel)
{
	if (!channel->persists)
		return;
	guard(mutex)(&persist_lock);
	forget();
	bitmap_free(region.slots);
	region.slots = NULL;
}

/**
 * pev_persist_text() - keep what a channel's text has more than before
 * @channel: the channel, of which nothing is kept if the memory is not its own
 * @r:       says why not
 *
 * Context: Process context, under the channel's lock once others know it.
 * Return: 0, or -ENOSPC: all as before.
 */
int pev_persist_text(struct pev_channel *channel, struct pev_refuse *r)
{
	const struct pev_strbuf *text = &channel->metadata;
	struct pev_persist_head *head = region.head;
	struct pev_persist_text next;
	void *to;

	if (!channel->persists)
		return 0;
	if (text->len > head->text_room)
		return pev_refuse(r, ENOSPC, PEV_FIELD(channel_fd),
				  "the %llu bytes for descriptions of events in the memory that outlives a crash are full: open fewer events, or set more memory aside",
				  head->text_room);
	to = (void *)head + head->text_at;
	memcpy(to + region.text, text->buf + region.text, text->len - region.text);
	region.sum = crc32_le(region.sum, to + region.text, text->len - region.text);
	region.text = text->len;
	next.len = text->len;
	next.sum = ~region.sum;
	next.check = pev_persist_text_check(&next);
	smp_wmb();	/* as in publish_head() */
	/* the longer one stays as it is: half of a change leaves that */
	head->text[head->text[0].len > head->text[1].len] = next;
	return 0;
}

/* Pages of the region as one area that can be mapped for users, too. */
static void *map_area(void *at, size_t size)
{
	unsigned int nr = size >> PAGE_SHIFT;
	struct page **pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL);
	void *area;

	if (!pages)
		return NULL;
	for (unsigned int i = 0; i < nr; i++)
		pages[i] = virt_to_page(at + ((size_t)i << PAGE_SHIFT));
	area = vmap(pages, nr, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	kvfree(pages);
	return area;
}

static void clear(void *at, size_t size)
{
	for (size_t done = 0; done < size; done += PAGE_SIZE) {
		clear_page(at + done);
		cond_resched();
	}
}

static int take_slot(void)
{
	u32 nr;

	guard(mutex)(&persist_lock);
	nr = find_first_zero_bit(region.slots, region.head->nr_slots);
	if (nr == region.head->nr_slots)
		return -ENOSPC;
	__set_bit(nr, region.slots);
	return nr;
}

static void give_slot(struct pev_persist_slot *slot)
{
	u64 at = (void *)slot - (void *)region.head - region.head->slots_at;

	WRITE_ONCE(slot->magic, 0);
	guard(mutex)(&persist_lock);
	__clear_bit(div64_u64(at, region.head->stride), region.slots);
}

/**
 * pev_persist_ring() - memory of a ring, all zero
 * @channel:    which has the region
 * @cpu:        whose ring it is
 * @state_size: bytes for the state of the ring, whose first word is the end of what is reserved
 * @area:       gets the area, as long as the distance of two rings in the channel's file
 *
 * Context: Process context, may sleep.
 * Return: the state's memory; NULL: there is none.
 */
void *pev_persist_ring(struct pev_channel *channel, unsigned int cpu, size_t state_size,
		       void **area)
{
	struct pev_persist_slot *slot;
	int nr;

	if (WARN_ON_ONCE(state_size > PAGE_SIZE - sizeof(*slot)))
		return NULL;
	nr = take_slot();
	if (nr < 0)
		return NULL;
	slot = slot_at(region.head, nr);
	clear(slot, region.head->stride);
	*area = map_area((void *)slot + PAGE_SIZE, pev_channel_stride(channel));
	if (!*area) {
		give_slot(slot);
		return NULL;
	}
	slot->cpu = cpu;
	slot->magic = PEV_PERSIST_SLOT;
	slot->check = pev_persist_slot_check(slot);
	return slot->state;
}

/**
 * pev_persist_ring_free() - the opposite
 * @channel: which has the region
 * @state:   what pev_persist_ring() returned
 * @area:    and gave
 */
void pev_persist_ring_free(struct pev_channel *channel, void *state, void *area)
{
	vunmap(area);
	give_slot(container_of(state, struct pev_persist_slot, state));
}
