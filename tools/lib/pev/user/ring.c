// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reading the ring of a program that goes on writing, and may write anything anywhere in it
 * at any time. Each packet is copied once, and only the copy is looked at.
 */
#include "user/ring.h"

#include <string.h>

/* How far behind the head a copy is whole: the program may be busy with a packet and a record. */
static uint32_t most_behind(const struct user_ring *r)
{
	return r->units - 2 * PACKET_UNITS;
}

static uint64_t load_head(const struct user_ring *r)
{
	/* V, pairs with U in pev/mark.h */
	return __atomic_load_n(r->head, __ATOMIC_ACQUIRE);
}

/* To the oldest packet that is whole, if the next one is not any more. */
static void skip_overwritten(struct user_ring *r, uint32_t head)
{
	uint32_t behind = head - r->unit, to;

	if (behind <= most_behind(r))
		return;
	to = head - most_behind(r);
	to += -to % PACKET_UNITS;
	r->unit = to;
}

static void damaged(struct user_ring *r, uint32_t units)
{
	r->damaged++;
	r->unit += units;
}

/* The beginning of a packet says how many records came before. */
static bool begin_packet(struct user_ring *r, uint64_t word)
{
	if ((uint32_t)word != r->unit)
		return false;
	r->lost += (uint32_t)((uint32_t)(word >> 32) - r->count);
	r->count = (uint32_t)(word >> 32);
	r->unit++;
	return true;
}

/* A record at @words, of which @left units were copied and @room are left of the packet. */
static int take_record(struct user_ring *r, const uint64_t *words, uint32_t left, uint32_t room,
		       uint32_t *used, user_ring_fn fn, void *arg)
{
	uint32_t units = words[0] & 0xffff;

	*used = left;
	if (!words[0]) {
		/* the rest of the packet is empty, and its end was published with it */
		if (left == room)
			r->unit += left;
		else
			damaged(r, left);
		return 0;
	}
	if (units < 2 || units > left) {
		damaged(r, left);
		return 0;
	}
	*used = units;
	r->unit += units;
	r->count++;
	return fn(arg, words, units);
}

/* @n units of the packet that r->unit is in, copied. */
static int take_packet(struct user_ring *r, const uint64_t *words, uint32_t n, user_ring_fn fn,
		       void *arg)
{
	uint32_t at = 0, used, room = PACKET_UNITS - r->unit % PACKET_UNITS;
	int err = 0;

	if (room == PACKET_UNITS) {
		if (!begin_packet(r, words[0])) {
			damaged(r, n);
			return 0;
		}
		at = 1;
	}
	while (at < n && !err) {
		err = take_record(r, words + at, n - at, room - at, &used, fn, arg);
		at += used;
	}
	return err;
}

/* Copies the next packet up to @head. Returns how much, 0: it was written over meanwhile. */
static uint32_t copy_packet(struct user_ring *r, uint64_t *words, uint32_t head)
{
	uint32_t n = PACKET_UNITS - r->unit % PACKET_UNITS, behind;

	if (n > head - r->unit)
		n = head - r->unit;
	memcpy(words, r->data + (r->unit & (r->units - 1)), n * sizeof(*words));
	/* V: the copy comes before the head is looked at again */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	behind = (uint32_t)load_head(r) - r->unit;
	return behind <= most_behind(r) ? n : 0;
}

int user_ring_read(struct user_ring *r, user_ring_fn fn, void *arg)
{
	/* a program that turns its head back and forth does not keep the reader */
	uint32_t most = r->units / PACKET_UNITS + 2, head, n;
	uint64_t words[PACKET_UNITS], first = load_head(r);
	int err = 0;

	head = (uint32_t)first;
	skip_overwritten(r, head);
	while (r->unit != head && most-- && !err) {
		n = copy_packet(r, words, head);
		if (n) {
			err = take_packet(r, words, n, fn, arg);
			continue;
		}
		first = load_head(r);
		head = (uint32_t)first;
		skip_overwritten(r, head);
	}
	if (!err && r->unit == head) {
		r->lost += (uint32_t)((uint32_t)(first >> 32) - r->count);
		r->count = (uint32_t)(first >> 32);
	}
	return err;
}
