// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes a trace of what an earlier kernel left in memory. The bytes may be anything: a machine
 * that is reset loses what its caches had not written, and something else may have written
 * there. So a packet is taken only if its header is that of this place in this ring, and of it
 * what can be decoded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/error.h"
#include "core/packet.h"
#include "crc32.h"
#include "ctf/decode.h"

#define METADATA_MOST	(64u << 20)
#define CPUS_MOST	(1u << 16)
#define TIME_MASK	((1ULL << PEV_TIME_BITS) - 1)
#define ID_MASK		((1U << PEV_ID_BITS) - 1)

/**
 * struct crash - what is read
 * @at:     of the ring that is read
 * @ring:   that ring
 * @packet: one of its packets
 * @end:    time at which the last packet of the ring ended
 * @seen:   CPUs that had a ring already
 */
struct crash {
	int			fd;
	struct pev_crash	head;
	struct pev_meta		*meta;
	struct pev_decoder	*decoder;
	struct pev_writer	*writer;
	struct pev_crash_report	*report;
	uint64_t		at;
	struct pev_crash_ring	ring;
	struct pev_packet	*packet;
	uint64_t		end;
	uint8_t			*seen;
};

PEV_EXPORT int pev_crash_open(struct pev_error *err)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CRASH, .config = PEV_CRASH_READ, .channel_fd = -1, .group_fd = -1,
	};

	return pev_attr_open(&attr, 0, err);
}

PEV_EXPORT int pev_crash_drop(struct pev_error *err)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CRASH, .config = PEV_CRASH_DROP, .channel_fd = -1, .group_fd = -1,
	};

	return pev_attr_open(&attr, 0, err);
}

static int read_at(const struct crash *c, void *to, size_t len, uint64_t at)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(c->fd, (char *)to + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EBADMSG;
		done += (size_t)n;
	}
	return 0;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* ---- The beginning ---- */

static uint64_t ring_bytes(const struct crash *c)
{
	return sizeof(struct pev_crash_ring) + c->head.ring_size;
}

static int read_head(struct crash *c, struct pev_error *err)
{
	struct pev_crash *head = &c->head;
	off_t size = lseek(c->fd, 0, SEEK_CUR), end = lseek(c->fd, 0, SEEK_END);
	int ret;

	if (size < 0 || end < 0 || lseek(c->fd, size, SEEK_SET) < 0)
		return pev_fail(err, errno, 0, "reading what is left: %s", strerror(errno));
	ret = read_at(c, head, sizeof(*head), 0);
	if (ret)
		return pev_fail(err, -ret, 0, "it is too short");
	if (head->size < sizeof(*head) || head->size > 4096 ||
	    !power_of_two(head->ring_size) || head->ring_size > PEV_MAX_RING ||
	    !power_of_two(head->packet_size) || head->packet_size < PEV_MIN_PACKET ||
	    head->packet_size > PEV_MAX_PACKET ||
	    head->ring_size / head->packet_size < PEV_MIN_PACKETS ||
	    head->nr_rings > CPUS_MOST || head->metadata_size > METADATA_MOST ||
	    (uint64_t)end != head->size + head->metadata_size + head->nr_rings * ring_bytes(c))
		return pev_fail(err, EBADMSG, 0, "its sizes make no sense");
	if (!head->metadata_size)
		return pev_fail(err, EBADMSG, 0,
				"the text that describes its records is damaged");
	c->report->began = head->began;
	return 0;
}

static int read_metadata(struct crash *c, struct pev_error *err)
{
	char *text = malloc(c->head.metadata_size);
	int ret = -ENOMEM;

	if (!text)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	ret = read_at(c, text, c->head.metadata_size, c->head.size);
	if (ret)
		pev_fail(err, -ret, 0, "reading the metadata: %s", strerror(-ret));
	if (!ret)
		ret = pev_meta_parse(text, c->head.metadata_size, 0, &c->meta, err);
	if (!ret && memcmp(c->meta->uuid, c->head.uuid, sizeof(c->meta->uuid)))
		ret = pev_fail(err, EBADMSG, 0, "its metadata are those of another trace");
	if (!ret) {
		ret = pev_writer_metadata(c->writer, text, c->head.metadata_size);
		if (ret)
			pev_fail(err, -ret, 0, "writing the metadata: %s", strerror(-ret));
	}
	free(text);
	return ret;
}

/* ---- Packets ---- */

static uint32_t seal_of(const struct pev_packet *p)
{
	const uint64_t words[] = {
		p->packet_seq_num, p->timestamp_end, p->content_size, p->events_discarded,
	};

	return crc32_add(0, words, sizeof(words));
}

/*
 * Does the time of the first record, which lies in another line of the caches, agree with
 * that of the packet's begin? It is the same by the way that packets are opened.
 */
static bool begins_alike(const struct pev_packet *p)
{
	const uint8_t *record = (const uint8_t *)(p + 1);
	uint64_t time;
	uint32_t word;

	memcpy(&word, record, sizeof(word));
	if ((word & ID_MASK) != PEV_ID_EXTENDED)
		return word >> PEV_ID_BITS == (p->timestamp_begin & TIME_MASK);
	memcpy(&time, record + sizeof(word), sizeof(time));
	return time == p->timestamp_begin;
}

/* Is the header that of the packet at @pos, as it was opened? There is a record behind it. */
static bool is_opened(const struct crash *c, uint64_t pos)
{
	const struct pev_packet *p = c->packet;

	return p->magic == PEV_PACKET_MAGIC &&
	       !memcmp(p->uuid, c->head.uuid, sizeof(p->uuid)) && !p->stream_id &&
	       p->stream_instance_id == c->ring.cpu && p->cpu_id == c->ring.cpu &&
	       p->packet_size == (uint64_t)c->head.packet_size * 8 &&
	       p->packet_seq_num == pos / c->head.packet_size &&
	       p->timestamp_begin >= c->end && begins_alike(p);
}

static bool is_closed(const struct crash *c)
{
	return c->packet->reserved == seal_of(c->packet) && !packet_check(c->meta, c->packet);
}

/* Decodes all there is; returns where that ends. @time: of the last record, or before */
static size_t decode_all(struct crash *c, uint64_t *time)
{
	const struct pev_event *ev;
	size_t end;

	do {
		end = pev_decoder_offset(c->decoder);
		if (pev_decoder_next(c->decoder, &ev) != 1)
			break;
		*time = ev->time;
		c->report->records++;
	} while (true);
	return end;
}

/* What does not belong to a packet is not written, nor what no reader could make sense of. */
static int write_packet(struct crash *c, size_t content, size_t used)
{
	struct pev_packet *p = c->packet;

	if (used < content) {
		c->report->cut_packets++;
		c->report->cut_bytes += content - used;
	}
	if (used <= PACKET_HEADER)
		return 0;
	memset((char *)p + used, 0, c->head.packet_size - used);
	p->content_size = used * 8;
	p->reserved = 0;
	c->end = p->timestamp_end;
	c->report->packets++;
	return pev_writer_packets(c->writer, c->ring.cpu, p, c->head.packet_size);
}

static int take_closed(struct crash *c, uint64_t pos)
{
	size_t content;
	uint64_t time;

	if (!is_closed(c) || !is_opened(c, pos) ||
	    pev_decoder_packet(c->decoder, c->meta, c->packet, c->head.packet_size)) {
		c->report->torn_packets++;
		return 0;
	}
	content = c->packet->content_size / 8;
	return write_packet(c, content, decode_all(c, &time));
}

/* @len: bytes of it that were published */
static int take_open(struct crash *c, uint64_t pos, size_t len)
{
	uint64_t time = c->packet->timestamp_begin;
	size_t used;

	if (len < PACKET_HEADER + 8 || !is_opened(c, pos) ||
	    pev_decoder_partial(c->decoder, c->meta, c->packet, len, 0, 0)) {
		c->report->torn_packets++;
		return 0;
	}
	used = decode_all(c, &time);
	c->packet->timestamp_end = time;
	c->packet->events_discarded = c->ring.lost;
	return write_packet(c, len, used);
}

static int take_packet(struct crash *c, uint64_t pos)
{
	uint64_t size = c->head.packet_size, left = c->ring.head - pos;
	uint64_t in_ring = pos & (c->head.ring_size - 1);
	int ret = read_at(c, c->packet, size, c->at + sizeof(c->ring) + in_ring);

	if (ret)
		return ret;
	return left < size ? take_open(c, pos, left) : take_closed(c, pos);
}

/* ---- Rings ---- */

static bool ring_makes_sense(const struct crash *c)
{
	const struct pev_crash_ring *r = &c->ring;

	return r->cpu < CPUS_MOST && !(c->seen[r->cpu / 8] >> r->cpu % 8 & 1) &&
	       r->head <= INT64_MAX && r->oldest <= r->head &&
	       r->head - r->oldest <= c->head.ring_size && !(r->oldest % c->head.packet_size);
}

/* In the writer's words: nothing of it is trusted but what is said to have no room. */
static void count_unpublished(struct crash *c)
{
	const struct pev_crash_ring *r = &c->ring;

	if (r->reserved > r->head && r->reserved - r->head <= c->head.ring_size)
		c->report->unpublished += r->reserved - r->head;
}

static int take_ring(struct crash *c)
{
	int ret = read_at(c, &c->ring, sizeof(c->ring), c->at);

	if (ret)
		return ret;
	if (!ring_makes_sense(c)) {
		c->report->bad_rings++;
		return 0;
	}
	c->seen[c->ring.cpu / 8] |= (uint8_t)(1u << c->ring.cpu % 8);
	c->end = 0;
	c->report->rings++;
	c->report->lost += c->ring.lost;
	count_unpublished(c);
	for (uint64_t pos = c->ring.oldest; pos < c->ring.head && !ret;
	     pos += c->head.packet_size)
		ret = take_packet(c, pos);
	if (!ret)
		ret = pev_writer_lost(c->writer, c->ring.cpu, (int)c->ring.cpu, c->ring.lost, 0);
	return ret;
}

static int take_rings(struct crash *c, struct pev_error *err)
{
	int ret = 0;

	c->at = c->head.size + c->head.metadata_size;
	for (uint32_t i = 0; i < c->head.nr_rings && !ret; i++) {
		ret = take_ring(c);
		c->at += ring_bytes(c);
	}
	return ret ? pev_fail(err, -ret, 0, "%s", strerror(-ret)) : 0;
}

PEV_EXPORT int pev_crash_write(int fd, struct pev_writer *writer,
			       struct pev_crash_report *report, struct pev_error *err)
{
	struct crash c = { .fd = fd, .writer = writer, .report = report };
	int ret;

	*report = (struct pev_crash_report){ 0 };
	ret = read_head(&c, err);
	if (!ret)
		ret = read_metadata(&c, err);
	if (!ret) {
		c.packet = aligned_alloc(64, c.head.packet_size);
		c.seen = calloc(1, CPUS_MOST / 8);
		if (!c.packet || !c.seen || pev_decoder_new(0, &c.decoder))
			ret = pev_fail(err, ENOMEM, 0, "out of memory");
	}
	if (!ret)
		ret = take_rings(&c, err);
	pev_decoder_free(c.decoder);
	free(c.packet);
	free(c.seen);
	pev_meta_free(c.meta);
	return ret;
}
