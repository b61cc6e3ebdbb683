// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes records into a ring. See producer.h; the letters are those of the
 * ring's contract in <linux/pev.h>.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "engine/perf/producer.h"

#define TIME_MASK	((1ULL << PEV_TIME_BITS) - 1)

static struct producer *producer_of(struct sink *sink)
{
	return (struct producer *)((uint8_t *)sink - offsetof(struct producer, sink));
}

static struct pev_packet *header(struct producer *p)
{
	return (struct pev_packet *)(p->data + (p->packet & (p->size - 1)));
}

void producer_flush(struct producer *p)
{
	uint64_t used = p->pos - p->packet;
	struct pev_packet *h = header(p);

	if (!used)
		return;
	h->content_size = used * 8;
	h->timestamp_end = p->time;
	h->events_discarded = p->lost;
	memset((uint8_t *)h + used, 0, p->packet_size - used);
	p->packet += p->packet_size;
	p->pos = p->packet;
	producer_publish(p);
}

static bool has_room(struct producer *p)
{
	uint64_t tail, end = p->packet + p->packet_size;

	if (p->overwrite) {
		/* F: a reader that copies sees it before the packet changes */
		if (end > p->size)
			__atomic_store_n(&p->kernel->oldest, end - p->size, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		return true;
	}
	/* D: pairs with the reader's C */
	tail = __atomic_load_n(&p->user->tail, __ATOMIC_ACQUIRE);
	return end - (tail & ~((uint64_t)p->packet_size - 1)) <= p->size;
}

static int open_packet(struct producer *p, uint64_t time)
{
	struct pev_packet *h = header(p);

	if (!has_room(p))
		return -EAGAIN;
	*h = p->head;
	h->timestamp_begin = time;
	h->packet_seq_num = p->seq++;
	p->pos = p->packet + PACKET_HEADER;
	p->time = time;
	return 0;
}

static uint8_t *put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static int begin_record(struct sink *sink, uint32_t size, const struct record_head *head,
			uint8_t **at)
{
	struct producer *p = producer_of(sink);
	uint64_t time = head->time, since;
	uint8_t *to;
	int ret;

	if (unlikely(size + RECORD_HEADER + 8 > p->packet_size - PACKET_HEADER))
		return -E2BIG;
	if (unlikely(time < p->time))
		time = p->time;
	if (p->pos + size + RECORD_HEADER + 8 > p->packet + p->packet_size)
		producer_flush(p);
	if (p->pos == p->packet) {
		ret = open_packet(p, time);
		if (ret)
			return ret;
	}
	since = time - p->time;
	to = p->data + (p->pos & (p->size - 1));
	p->time = time;
	if (likely(head->id < PEV_ID_EXTENDED && since <= TIME_MASK)) {
		to = put32(to, head->id | (uint32_t)(time & TIME_MASK) << PEV_ID_BITS);
	} else {
		to = put32(to, PEV_ID_EXTENDED | head->id << PEV_ID_BITS);
		memcpy(to, &time, sizeof(time));
		to += sizeof(time);
	}
	*at = put32(to, head->tid);
	return 0;
}

/* Adds the padding and commits. */
static int commit_record(struct sink *sink, uint8_t *end)
{
	struct producer *p = producer_of(sink);
	uint8_t *start = p->data + (p->pos & (p->size - 1));
	uint64_t len = (uint64_t)(end - start), size = align_up(len, 8);

	if (size != len)
		memset(end, 0, size - len);
	p->pos += size;
	return 0;
}

void producer_lose(struct producer *p, uint64_t nr)
{
	p->lost += nr;
	__atomic_store_n(&p->kernel->lost, p->lost, __ATOMIC_RELAXED);
}

void producer_publish(struct producer *p)
{
	/* A: the records are there before head says so */
	__atomic_store_n(&p->kernel->head, p->pos, __ATOMIC_RELEASE);
}

int producer_init(struct producer *p, const struct pev_channel_info *info, unsigned int ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map;

	*p = (struct producer){
		.sink = { begin_record, commit_record },
		.size = info->ring_size,
		.packet_size = info->packet_size,
		.overwrite = info->flags & PEV_CHF_OVERWRITE,
		.map_size = 2 * page + info->ring_size,
		.head = {
			.magic = PEV_PACKET_MAGIC,
			.stream_instance_id = ring,
			.packet_size = (uint64_t)info->packet_size * 8,
			.cpu_id = ring,
		},
	};
	memcpy(p->head.uuid, info->uuid, sizeof(p->head.uuid));
	map = mmap(NULL, p->map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -ENOMEM;
	p->kernel = (void *)map;
	p->user = (void *)(map + page);
	p->data = map + 2 * page;
	p->kernel->version = PEV_ABI_VERSION;
	p->kernel->ring = ring;
	p->kernel->ring_size = info->ring_size;
	p->kernel->packet_size = info->packet_size;
	p->kernel->clock = info->clock;
	p->kernel->clock_freq = info->clock_freq;
	p->kernel->cpu = (int)ring;
	return 0;
}

void producer_free(struct producer *p)
{
	if (p->kernel)
		munmap(p->kernel, p->map_size);
	p->kernel = NULL;
}
