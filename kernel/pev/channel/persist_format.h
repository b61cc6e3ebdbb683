/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How rings lie in memory that outlives the kernel. Documentation/design/crash.rst has the
 * picture. Another kernel reads it after a crash: whatever changes here takes another
 * PEV_PERSIST_VERSION, and what is found there is bytes that anything may have written.
 */
#ifndef _PEV_PERSIST_FORMAT_H
#define _PEV_PERSIST_FORMAT_H

#include <linux/crc32.h>
#include <linux/sizes.h>
#include <linux/types.h>

#define PEV_PERSIST_MAGIC	0x6873617263766570ULL	/* "pevcrash" */
#define PEV_PERSIST_SLOT	0x676e697268736172ULL	/* "rashring" */
#define PEV_PERSIST_VERSION	1U

/* Of the text that describes the records */
#define PEV_PERSIST_TEXT_MIN	SZ_64K
#define PEV_PERSIST_TEXT_MAX	SZ_16M

/**
 * struct pev_persist_text - how much of the text is there
 * @len:   bytes
 * @sum:   CRC-32 of them
 * @check: of @len and @sum
 */
struct pev_persist_text {
	u64	len;
	u32	sum;
	u32	check;
};

/**
 * struct pev_persist_head - first page of the memory
 * @magic:       PEV_PERSIST_MAGIC, written last; 0: there is nothing
 * @version:     PEV_PERSIST_VERSION
 * @page_size:   bytes
 * @size:        of the memory
 * @text_at:     where the text begins
 * @text_room:   bytes for it
 * @slots_at:    where the slots begin
 * @stride:      bytes of a slot
 * @nr_slots:    of the rings
 * @packet_size: bytes
 * @ring_size:   bytes of data of each ring
 * @began:       ns since the epoch
 * @uuid:        of the trace
 * @state_at:    where in a slot the ring's state begins, the end of what is reserved first
 * @check:       CRC-32 of all before
 * @text:        the one with more is that of the last change; half a change leaves the other
 */
struct pev_persist_head {
	u64			magic;
	u32			version;
	u32			page_size;
	u64			size;
	u64			text_at;
	u64			text_room;
	u64			slots_at;
	u64			stride;
	u32			nr_slots;
	u32			packet_size;
	u64			ring_size;
	u64			began;
	u8			uuid[16];
	u32			state_at;
	u32			check;
	struct pev_persist_text	text[2];
};

/**
 * struct pev_persist_slot - first page of a slot; a ring's area follows it, see map.c
 * @magic: PEV_PERSIST_SLOT, written last; 0: no ring is there
 * @cpu:   whose ring it is
 * @check: CRC-32 of @magic and @cpu
 * @state: the ring, of which another kernel reads the first member alone
 */
struct pev_persist_slot {
	u64	magic;
	u32	cpu;
	u32	check;
	u8	state[] __aligned(64);
};

static inline u32 pev_persist_sum(const void *data, size_t len)
{
	return ~crc32_le(~0U, data, len);
}

static inline u32 pev_persist_head_check(const struct pev_persist_head *head)
{
	return pev_persist_sum(head, offsetof(struct pev_persist_head, check));
}

static inline u32 pev_persist_slot_check(const struct pev_persist_slot *slot)
{
	return pev_persist_sum(slot, offsetof(struct pev_persist_slot, check));
}

static inline u32 pev_persist_text_check(const struct pev_persist_text *text)
{
	return pev_persist_sum(text, offsetof(struct pev_persist_text, check));
}

#endif
