// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how what an earlier boot left is read: the bounds of it, which are all that the kernel
 * believes. Whether packets are whole is for user space to see, which gets them as they are.
 */
#include <linux/array_size.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pev.h>
#include "persist.h"
#include "persist_format.h"
#include "persist_old.h"

/**
 * struct old_ring - a ring
 * @crash: what user space gets of its state
 * @data:  its packets
 */
struct old_ring {
	struct pev_crash_ring	crash;
	const void		*data;
};

/**
 * struct pev_persist_old - what an earlier boot left
 * @head:  where it lies
 * @crash: what user space gets first
 * @rings: @crash.nr_rings of them
 */
struct pev_persist_old {
	const struct pev_persist_head	*head;
	struct pev_crash		crash;
	struct old_ring			rings[];
};

/* Is all of the text there? @len has the bytes that there should be. */
static bool text_is_whole(const struct pev_persist_head *head, const struct pev_persist_text *text)
{
	return text->check == pev_persist_text_check(text) && text->len <= head->text_room &&
	       text->sum == pev_persist_sum((void *)head + head->text_at, text->len);
}

/* Return: bytes of the text that are whole. */
static u64 find_text(const struct pev_persist_head *head)
{
	u64 len = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(head->text); i++)
		if (head->text[i].len > len && text_is_whole(head, &head->text[i]))
			len = head->text[i].len;
	return len;
}

/* Return: was there a ring in the slot? */
static bool read_slot(const struct pev_persist_head *head, unsigned int nr, struct old_ring *ring)
{
	const struct pev_persist_slot *slot = (void *)head + head->slots_at + head->stride * nr;
	const struct pev_ring_kernel *kernel = (void *)slot + PAGE_SIZE;

	if (slot->magic != PEV_PERSIST_SLOT || slot->check != pev_persist_slot_check(slot))
		return false;
	ring->crash.cpu = slot->cpu;
	ring->crash.head = kernel->head;
	ring->crash.oldest = kernel->oldest;
	ring->crash.lost = kernel->lost;
	ring->crash.reserved = *(const u64 *)((const void *)slot + head->state_at);
	ring->data = (const void *)slot + PAGE_SIZE * 3;
	return true;
}

/**
 * pev_persist_old_open() - read what an earlier boot left
 * @r: says why not
 *
 * Context: Process context, may sleep.
 * Return: it, until pev_persist_old_close(); or an ERR_PTR().
 */
struct pev_persist_old *pev_persist_old_open(struct pev_refuse *r)
{
	const struct pev_persist_head *head = pev_persist_enter(r);
	struct pev_persist_old *old;

	if (IS_ERR(head))
		return ERR_CAST(head);
	old = kvzalloc(struct_size(old, rings, head->nr_slots), GFP_KERNEL_ACCOUNT);
	if (!old) {
		pev_persist_leave();
		return ERR_PTR(-ENOMEM);
	}
	old->head = head;
	old->crash.size = sizeof(old->crash);
	old->crash.packet_size = head->packet_size;
	old->crash.ring_size = head->ring_size;
	old->crash.metadata_size = find_text(head);
	old->crash.began = head->began;
	memcpy(old->crash.uuid, head->uuid, sizeof(head->uuid));
	for (unsigned int i = 0; i < head->nr_slots; i++)
		if (read_slot(head, i, &old->rings[old->crash.nr_rings]))
			old->crash.nr_rings++;
	return old;
}

/* The opposite; nothing of it is dropped. Context: Process context, may sleep. */
void pev_persist_old_close(struct pev_persist_old *old)
{
	kvfree(old);
	pev_persist_leave();
}

static u64 ring_bytes(const struct pev_persist_old *old)
{
	return sizeof(struct pev_crash_ring) + old->crash.ring_size;
}

/* Return: bytes that there are. Context: Any. */
u64 pev_persist_old_size(const struct pev_persist_old *old)
{
	return sizeof(old->crash) + old->crash.metadata_size +
	       ring_bytes(old) * old->crash.nr_rings;
}

/* Return: the bytes of the part of @size bytes at @from that begin @pos bytes behind it. */
static const void *part_at(const void *from, u64 size, u64 pos, size_t *len)
{
	*len = size - pos;
	return from + pos;
}

/**
 * pev_persist_old_at() - the bytes at a place
 * @old: from pev_persist_old_open()
 * @pos: the place
 * @len: gets how many lie there in a row; 0: the end
 *
 * Context: Any.
 * Return: where they are.
 */
const void *pev_persist_old_at(const struct pev_persist_old *old, u64 pos, size_t *len)
{
	const struct old_ring *ring;
	u64 nr;

	*len = 0;
	if (pos >= pev_persist_old_size(old))
		return NULL;
	if (pos < sizeof(old->crash))
		return part_at(&old->crash, sizeof(old->crash), pos, len);
	pos -= sizeof(old->crash);
	if (pos < old->crash.metadata_size)
		return part_at((void *)old->head + old->head->text_at, old->crash.metadata_size,
			       pos, len);
	pos -= old->crash.metadata_size;
	nr = div64_u64_rem(pos, ring_bytes(old), &pos);
	ring = &old->rings[nr];
	if (pos < sizeof(ring->crash))
		return part_at(&ring->crash, sizeof(ring->crash), pos, len);
	return part_at(ring->data, old->crash.ring_size, pos - sizeof(ring->crash), len);
}
