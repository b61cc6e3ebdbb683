// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The ring reader against rings that the test fills as a kernel would, also
 * with a second thread as the writer.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "tap.h"

#define PACKET	4096U
#define RING	(8 * PACKET)

static struct pev_ring_kernel kernel;
static struct pev_ring_user user;
static _Alignas(8) uint8_t data[RING];
static struct pev_ring *ring;

static void start(struct pev_ring_user *u)
{
	pev_ring_detach(ring);
	memset(&kernel, 0, sizeof(kernel));
	memset(&user, 0, sizeof(user));
	pev_ring_attach(&kernel, u, data, RING, PACKET, &ring);
}

/* Packet k carries its number in each word. */
static void fill(uint64_t k)
{
	uint64_t *at = (uint64_t *)(data + k * PACKET % RING);

	for (unsigned int i = 0; i < PACKET / 8; i++)
		__atomic_store_n(&at[i], k, __ATOMIC_RELAXED);
}

static bool holds(const void *at, uint64_t k)
{
	const uint64_t *words = at;

	for (unsigned int i = 0; i < PACKET / 8; i++)
		if (words[i] != k)
			return false;
	return true;
}

static void test_discard(void)
{
	struct pev_piece piece;

	start(&user);
	check(!pev_ring_next(ring, &piece) && !pev_ring_partial(ring, &piece), "an empty ring");
	for (uint64_t k = 0; k < 3; k++)
		fill(k);
	kernel.head = 3 * PACKET + 200;
	check(pev_ring_unread(ring) == 3 * PACKET + 200, "bytes unread");
	check(!pev_ring_partial(ring, &piece), "whole packets come first");
	check(pev_ring_next(ring, &piece) == 1 && piece.data == data &&
	      piece.len == 3 * PACKET && !piece.position && !piece.flags,
	      "whole packets in one piece");
	check(!pev_ring_next(ring, &piece), "and no more");
	check(pev_ring_partial(ring, &piece) == 1 && piece.len == 200 &&
	      piece.flags == PEV_PIECE_PARTIAL &&
	      piece.position == 3 * PACKET, "then the open packet");
	check(!user.tail, "the tail stays until the release");
	pev_ring_release_to(ring, PACKET);
	check(user.tail == PACKET, "part of it is given back");
	pev_ring_release_to(ring, 0);
	pev_ring_release_to(ring, 100 * PACKET);
	check(user.tail == PACKET, "never backwards, never more than was read");
	pev_ring_release(ring);
	check(user.tail == 3 * PACKET, "then all");
	kernel.head = 10 * PACKET;
	for (uint64_t k = 3; k < 10; k++)
		fill(k);
	check(pev_ring_next(ring, &piece) == 1 && piece.len == 5 * PACKET &&
	      piece.data == data + 3 * PACKET && holds(piece.data, 3), "up to the ring's end");
	check(pev_ring_next(ring, &piece) == 1 && piece.len == 2 * PACKET &&
	      piece.data == data && piece.position == 8 * PACKET && holds(piece.data, 8),
	      "then from its start");
}

static void test_nonsense(void)
{
	struct pev_piece piece;
	struct pev_ring *other;

	start(&user);
	kernel.head = 100 * PACKET + 8;
	check(pev_ring_next(ring, &piece) == -EOVERFLOW && !pev_ring_next(ring, &piece),
	      "a head too far away");
	kernel.head = PACKET;
	check(pev_ring_next(ring, &piece) == -EOVERFLOW, "a head that goes backwards");
	kernel.head = 3 * PACKET;
	check(pev_ring_next(ring, &piece) == 1 && piece.position == PACKET &&
	      piece.len == 2 * PACKET, "and on from there");
	kernel.head = UINT64_MAX;
	check(pev_ring_next(ring, &piece) == -EOVERFLOW && !pev_ring_partial(ring, &piece) |
	      (piece.len < PACKET), "the largest head");
	check(pev_ring_attach(&kernel, &user, data, RING - 1, PACKET, &other) == -EINVAL &&
	      pev_ring_attach(&kernel, &user, data, PACKET, PACKET, &other) == -EINVAL &&
	      pev_ring_attach(&kernel, &user, data, RING, 0, &other) == -EINVAL &&
	      pev_ring_attach(&kernel, &user, data, RING, 8, &other) == -EINVAL,
	      "sizes that make no ring");
	user.tail = 5 * PACKET + 17;
	kernel.head = 7 * PACKET;
	pev_ring_attach(&kernel, &user, data, RING, PACKET, &other);
	check(pev_ring_next(other, &piece) == 1 && piece.position == 5 * PACKET,
	      "a second reader goes on where the first stopped");
	pev_ring_detach(other);
}

static void test_overwrite(void)
{
	static _Alignas(8) uint8_t copy[PACKET];

	start(NULL);
	for (uint64_t k = 0; k < 12; k++)
		fill(k);
	kernel.head = 12 * PACKET + 300;
	kernel.oldest = 5 * PACKET;
	check(pev_ring_copy(ring, 5 * PACKET, copy) == 1 && holds(copy, 5), "a copy");
	check(pev_ring_copy(ring, 4 * PACKET, copy) == -ESTALE &&
	      pev_ring_copy(ring, 0, copy) == -ESTALE, "overwritten already");
	check(!pev_ring_copy(ring, 12 * PACKET, copy) && !pev_ring_copy(ring, 20 * PACKET, copy),
	      "not complete yet");
	check(pev_ring_copy(ring, 100, copy) == -EINVAL, "no packet begins there");
}

static void *discard_writer(void *arg)
{
	uint64_t total = *(uint64_t *)arg, k;

	for (k = 0; k < total; k++) {
		while ((k + 1) * PACKET - __atomic_load_n(&user.tail, __ATOMIC_ACQUIRE) > RING)
			;
		fill(k);
		__atomic_store_n(&kernel.head, (k + 1) * PACKET, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void test_threads(void)
{
	uint64_t total = 20000, next = 0, wrong = 0;
	struct pev_piece piece;
	pthread_t writer;

	start(&user);
	pthread_create(&writer, NULL, discard_writer, &total);
	while (next < total) {
		while (pev_ring_next(ring, &piece) > 0)
			for (size_t at = 0; at < piece.len; at += PACKET)
				wrong += !holds((const uint8_t *)piece.data + at, next++);
		pev_ring_release(ring);
	}
	pthread_join(writer, NULL);
	check(!wrong && next == total, "%llu packets from another thread",
	      (unsigned long long)total);
}

static void *overwrite_writer(void *arg)
{
	uint64_t total = *(uint64_t *)arg, k;

	for (k = 0; k < total; k++) {
		if (k >= RING / PACKET)
			__atomic_store_n(&kernel.oldest, (k + 1) * PACKET - RING, __ATOMIC_RELAXED);
		/* F: oldest moves before the space is written */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		fill(k);
		__atomic_store_n(&kernel.head, (k + 1) * PACKET, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void test_overrun(void)
{
	static _Alignas(8) uint8_t copy[PACKET];
	uint64_t total = 60000, wrong = 0, copied = 0, head;
	pthread_t writer;

	start(NULL);
	pthread_create(&writer, NULL, overwrite_writer, &total);
	do {
		head = pev_ring_head(ring);
		for (uint64_t p = head > RING ? head - RING : 0; p < head; p += PACKET)
			if (pev_ring_copy(ring, p, copy) == 1) {
				copied++;
				wrong += !holds(copy, p / PACKET);
			}
	} while (head < total * PACKET);
	pthread_join(writer, NULL);
	check(!wrong && copied, "no copy is torn: %llu copied", (unsigned long long)copied);
}

int main(void)
{
	test_discard();
	test_nonsense();
	test_overwrite();
	test_threads();
	test_overrun();
	pev_ring_detach(ring);
	return tap_done();
}
