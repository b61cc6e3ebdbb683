// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The file of a stream: how it is mapped, and where its packets are. Must not know what
 * other streams a trace has.
 *
 * Files are untrusted. Invalid packets are skipped up to the next place where a valid
 * one begins; the last packet of a file that ends too early is kept as far as it goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "core/packet.h"
#include "ctf/decode.h"
#include "regular.h"
#include "snapshot.h"
#include "trace/index_read.h"
#include "trace/pack.h"
#include "trace/stream.h"
#include "trace/trace.h"
#include "trace/unpack.h"

void stream_damaged(const struct pev_stream *pub, size_t packet, const char *why)
{
	struct stream *s = (struct stream *)pub;
	bool first;

	pthread_mutex_lock(&s->trace->lock);
	first = !(s->bad[packet / 8] & 1U << packet % 8);
	s->bad[packet / 8] |= 1U << packet % 8;
	s->trace->damaged += first;
	pthread_mutex_unlock(&s->trace->lock);
	if (first)
		trace_warn(s->trace, "%s: packet %zu at byte %llu: %s; the rest of it is left out",
			   pub->name, packet, (unsigned long long)pub->packets[packet].offset, why);
}

/* ---- Where packets are ---- */

#define SKIP_STEP (1U << 20) /* bytes of rubbish between two looks for a hole */

static int add_packet(struct stream *s, const struct pev_packet *packet, uint64_t offset,
		      uint32_t size, uint32_t content)
{
	struct pev_packet_index *more, *i;
	size_t room;

	if (s->pub.nr_packets == s->room) {
		room = s->room ? s->room * 2 : 64;
		more = realloc(s->index, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->index = more;
		s->room = room;
		s->pub.packets = more;
	}
	i = &s->index[s->pub.nr_packets++];
	i->offset = offset;
	i->begin = packet->timestamp_begin;
	i->end = packet->timestamp_end;
	i->seq = packet->packet_seq_num;
	i->size = size;
	i->content = content;
	i->lost = 0;
	if (packet->events_discarded > s->pub.lost) {
		i->lost = packet->events_discarded - s->pub.lost;
		s->pub.lost = packet->events_discarded;
	}
	return 0;
}

/* Returns what is wrong with a packet, compared with those before it in its stream. */
static const char *check_order(const struct stream *s, const struct pev_packet *packet)
{
	const struct pev_packet_index *last;

	if (packet->cpu_id > INT32_MAX && packet->cpu_id != UINT32_MAX)
		return "a packet of a senseless CPU";
	if (!s->pub.nr_packets)
		return NULL;
	if (packet->stream_id != s->pub.stream_id || packet->stream_instance_id != s->pub.instance)
		return "a packet of another stream";
	if (packet->cpu_id != (uint32_t)s->pub.cpu)
		return "a packet of another CPU";
	last = &s->index[s->pub.nr_packets - 1];
	if (packet->timestamp_begin < last->begin)
		return "a packet that begins before the one before it";
	if (packet->packet_seq_num <= last->seq)
		return "a packet whose number does not grow";
	return NULL;
}

static void skip(struct stream *s, uint64_t offset, uint64_t bytes, const char *why)
{
	s->pub.damaged++;
	s->pub.skipped += bytes;
	trace_warn(s->trace, "%s: %llu bytes at byte %llu left out: %s", s->pub.name,
		   (unsigned long long)bytes, (unsigned long long)offset, why);
}

/* Returns the next byte at or after @offset that is not in a hole of the file. */
static uint64_t skip_hole(const struct stream *s, uint64_t offset)
{
	off_t data = s->packed ? (off_t)offset : lseek(s->fd, offset, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? s->pub.size : offset;
	return (uint64_t)data > offset ? (uint64_t)data & ~7ULL : offset;
}

/* Finds the next place at or after @offset where a packet of this trace may begin. */
static uint64_t find_packet(const struct stream *s, uint64_t offset)
{
	const struct pev_packet *packet;

	for (offset = align_up(offset, 8);
	     offset < s->pub.size && s->pub.size - offset >= PACKET_HEADER; offset += 8) {
		if (!(offset % SKIP_STEP)) {
			offset = skip_hole(s, offset);
			if (offset >= s->pub.size || s->pub.size - offset < PACKET_HEADER)
				break;
		}
		packet = (const struct pev_packet *)(s->pub.data + offset);
		if (packet->magic == PEV_PACKET_MAGIC &&
		    !memcmp(packet->uuid, s->pub.meta->uuid, sizeof(packet->uuid)))
			return offset;
	}
	return s->pub.size;
}

/* May what is missing at the end of the file still come? */
static bool waits(const struct stream *s)
{
	return s->trace->follow && !s->trace->ended;
}

/* Returns 0, 1 if the packet is not there as a whole yet, or -errno. */
static int index_packet(struct stream *s, uint64_t *offset, uint64_t *gaps)
{
	const struct pev_packet *packet = (const void *)(s->pub.data + *offset);
	uint64_t left = s->pub.size - *offset, size, next;
	size_t nr = s->pub.nr_packets;
	const char *why;

	if (left < PACKET_HEADER) {
		if (waits(s))
			return 1;
		skip(s, *offset, left, "the file ends in the header of a packet");
		*offset = s->pub.size;
		return 0;
	}
	why = packet_check(s->pub.meta, packet);
	if (!why)
		why = check_order(s, packet);
	size = packet->packet_size / 8;
	if (why) {
		next = find_packet(s, *offset + 8);
		skip(s, *offset, next - *offset, why);
		*offset = next;
		return 0;
	}
	if (size > left && waits(s))
		return 1;
	if (nr && packet->packet_seq_num > s->index[nr - 1].seq + 1)
		*gaps += packet->packet_seq_num - s->index[nr - 1].seq - 1;
	s->pub.cpu = (int)packet->cpu_id;
	s->pub.stream_id = packet->stream_id;
	s->pub.instance = packet->stream_instance_id;
	s->kind = meta_stream(s->pub.meta, packet->stream_id);
	if (size > left) {
		uint64_t content = packet->content_size / 8;

		s->pub.damaged++;
		trace_warn(s->trace, "%s: the file ends in a packet: %llu bytes are missing",
			   s->pub.name, (unsigned long long)(size - left));
		if (content > left)
			content = left & ~7ULL;
		size = left;
		*offset += left;
		return add_packet(s, packet, s->pub.size - left, size, content);
	}
	*offset += size;
	return add_packet(s, packet, *offset - size, size, packet->content_size / 8);
}

/*
 * Pages of a stream file that were read lose their memory every so many bytes;
 * pointers into them stay valid: another access reads the file again.
 */
#define DROP_STEP (1U << 20)
#define DROP_ALIGN (1U << 16) /* no page of any machine is larger */

void stream_forget(const struct pev_stream *pub, uint64_t from, uint64_t to)
{
	from &= ~(uint64_t)(DROP_ALIGN - 1);
	to &= ~(uint64_t)(DROP_ALIGN - 1);
	if (to > from)
		madvise((void *)(pub->data + from), to - from, MADV_DONTNEED);
}

void stream_drop(const struct pev_stream *pub, uint64_t *from, uint64_t to)
{
	if (to < *from || to - *from < DROP_STEP)
		return;
	stream_forget(pub, *from, to);
	*from = to;
}

/* A bit for each packet */
static int grow_bad(struct stream *s)
{
	size_t need = s->pub.nr_packets / 8 + 1;
	uint8_t *more;

	if (need <= s->bad_room)
		return 0;
	need *= 2;
	more = realloc(s->bad, need);
	if (!more)
		return -ENOMEM;
	memset(more + s->bad_room, 0, need - s->bad_room);
	s->bad = more;
	s->bad_room = need;
	return 0;
}

int stream_index(struct stream *s)
{
	uint64_t dropped = s->indexed;
	int ret = 0;

	while (!ret && s->indexed < s->pub.size) {
		ret = index_packet(s, &s->indexed, &s->gaps);
		stream_drop(&s->pub, &dropped, s->indexed);
	}
	if (ret < 0)
		return ret;
	if (s->gaps > s->told_gaps)
		trace_warn(s->trace, "%s: %llu packets are missing between others", s->pub.name,
			   (unsigned long long)(s->gaps - s->told_gaps));
	s->told_gaps = s->gaps;
	return grow_bad(s);
}

/* ---- The file ---- */

/* Of a file that is followed; each mapping is twice as long as the one before. */
#define FIRST_MAP (1ULL << 30)

void stream_free(struct stream *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->nr_maps; i++)
		munmap(s->maps[i], FIRST_MAP << i);
	unpack_close(s);
	if (s->pub.data && !s->nr_maps)
		munmap((void *)s->pub.data, s->pub.size);
	stream_close_file(s);
	free((char *)s->pub.path);
	free(s->index);
	free(s->bad);
	free(s);
}

/*
 * What is behind the end of a file can be mapped, and is there once the file has grown. Older
 * mappings stay, as events point into them.
 */
static int map_more(struct stream *s, uint64_t size)
{
	void *data;

	while (!s->nr_maps || size > FIRST_MAP << (s->nr_maps - 1)) {
		if (s->nr_maps == MAX_MAPS)
			return -EFBIG;
		data = mmap(NULL, FIRST_MAP << s->nr_maps, PROT_READ, MAP_PRIVATE, s->fd, 0);
		if (data == MAP_FAILED)
			return errno == ENOMEM ? -EFBIG : -errno;
		s->maps[s->nr_maps++] = data;
		s->pub.data = data;
	}
	s->pub.size = size;
	return 0;
}

/*
 * What a decoder has checked must not be another thing when it is used, so that nobody but root
 * and the user may write what is read.
 */
static int copy_file(struct stream *s)
{
	struct stat st;
	int ret;

	if (!snapshot_is_needed(s->fd, &st))
		return 0;
	ret = pev_temporary_file(0);
	if (ret < 0)
		return ret;
	s->source = s->fd;
	s->fd = ret;
	return 0;
}

/* What was copied stays as it was. */
static int copy_more(const struct stream *s, uint64_t size)
{
	if (s->source < 0 || size == s->pub.size)
		return 0;
	/* before what is behind it is mapped */
	if (ftruncate(s->fd, (off_t)size))
		return -errno;
	return snapshot_copy(s->source, s->fd, (off_t)s->pub.size, (off_t)size);
}

int stream_grow(struct stream *s)
{
	struct stat st;
	int ret;

	if (fstat(s->source < 0 ? s->fd : s->source, &st))
		return -errno;
	if ((uint64_t)st.st_size < s->pub.size)
		return -EBADMSG;
	ret = copy_more(s, (uint64_t)st.st_size);
	if (!ret)
		ret = map_more(s, (uint64_t)st.st_size);
	return ret ? ret : stream_index(s);
}

/* Takes the suffix away, so that a compressed stream has the name of a plain one. */
static bool cut_suffix(struct stream *s)
{
	size_t len = strlen(s->pub.name), suffix = strlen(PACK_SUFFIX);

	if (len <= suffix || strcmp(s->pub.name + len - suffix, PACK_SUFFIX))
		return false;
	((char *)s->pub.name)[len - suffix] = '\0';
	return true;
}

int stream_map(struct stream *s, const char *dir)
{
	struct stat st;
	void *data;
	int ret;

	s->fd = regular_open(s->pub.path);
	if (s->fd < 0)
		return s->fd;
	if (fstat(s->fd, &st))
		return -errno;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	ret = copy_file(s);
	if (!ret)
		ret = copy_more(s, (uint64_t)st.st_size);
	if (ret)
		return ret;
	if (cut_suffix(s))
		return s->trace->follow		  ? -EOPNOTSUPP :
		       !access(s->pub.path, F_OK) ? -EEXIST :
						    unpack_open(s, dir);
	if (s->trace->follow)
		return map_more(s, (uint64_t)st.st_size);
	if (!st.st_size)
		return 0;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (data == MAP_FAILED)
		return errno == ENOMEM ? -EFBIG : -errno;
	s->pub.data = data;
	s->pub.size = st.st_size;
	return 0;
}

void stream_close_file(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->source >= 0)
		close(s->source);
	s->fd = s->source = -1;
}

int stream_find_packets(struct stream *s, const char *dir)
{
	const char *why = NULL;
	int ret = s->trace->follow ? 0 : index_load(s, dir, &why);

	if (!ret && why && s->packed)
		ret = unpack_open(s, NULL);
	if (!ret)
		ret = stream_index(s);
	/* a stream that is damaged has been told of, and is what the index does not agree with */
	if (!ret && why && !s->pub.damaged && !s->gaps)
		trace_warn(s->trace,
			   "%s: its index is not used: %s; all packets were looked for "
			   "instead",
			   s->pub.name, why);
	return ret;
}

const char *stream_why_not(int err)
{
	return err == -EOPNOTSUPP ? "what is compressed cannot be followed, but read when the "
				    "recording has ended" :
	       err == -EEXIST  ? "the compressed stream is left out, as it is there plainly, too" :
	       err == -ELIBACC ? "it is compressed, and there is no libzstd.so.1 to read it" :
	       err == -ENOSPC  ? "it is read from a copy, for which $TMPDIR has no room" :
				 strerror(-err);
}

/* ---- Reading ---- */

/* What stands for a packet that cannot be read */
static const struct pev_packet no_packet;

PEV_EXPORT int pev_decoder_stream_packet(struct pev_decoder *dec, const struct pev_stream *stream,
					 size_t nr)
{
	struct stream *s = (struct stream *)stream;
	const struct pev_packet_index *i;

	if (nr >= stream->nr_packets)
		return -EINVAL;
	i = &stream->packets[nr];
	if (!stream_need(s, nr)) {
		stream_damaged(stream, nr, "it cannot be decompressed");
		decode_start(dec, stream->meta, s->kind, &no_packet, PACKET_HEADER);
		dec->stream = stream;
		return 0;
	}
	/* the file may have changed since: the class is that of the index */
	decode_start(dec, stream->meta, s->kind, stream->data + i->offset,
		     nr < s->by_index ? index_content(s, nr) : i->content);
	dec->stream = stream;
	return 0;
}

PEV_EXPORT const struct pev_packet *pev_stream_packet(const struct pev_stream *stream, size_t nr)
{
	if (nr >= stream->nr_packets || !stream_need((const struct stream *)stream, nr))
		return NULL;
	return (const struct pev_packet *)(stream->data + stream->packets[nr].offset);
}
