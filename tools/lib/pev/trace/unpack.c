// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decompresses streams. See unpack.h, and pack.h for their form.
 *
 * Frames, their sizes and the index are untrusted: what a frame holds goes into the room that the
 * index, or its own header, gives it, and a frame that has another size leaves it empty.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "core/zstd.h"
#include "trace/index.h"
#include "trace/pack.h"
#include "trace/unpack.h"

/* No packet is larger: rings have at most PEV_MAX_PACKET, an encoder's record a little more */
#define MOST_CONTENT (64ULL << 20)
/* A stream that would be larger is none that was recorded */
#define MOST_PLAIN (1ULL << 44)

/**
 * struct packed - a compressed file
 * @ends:  of frames in the file, @nr of them
 * @at:    where their packets are in the plain stream, one more
 * @ready: by frame: it was decompressed
 * @later: of so many frames; the others are ready
 * @plain: the file that the plain stream is mapped from
 * @buf:   a packet on its way there
 * @full:  it was told that the disk has no room for it
 * @lock:  @ready while it changes, @buf, @full
 */
struct packed {
	const struct zstd *zstd;
	const uint8_t *data;
	uint64_t size;
	uint64_t *ends;
	uint64_t *at;
	size_t nr;
	size_t room;
	uint8_t *ready;
	size_t later;
	int plain;
	uint8_t *buf;
	size_t buf_room;
	bool full;
	pthread_mutex_t lock;
};

static int add_frame(struct packed *p, uint64_t end, uint64_t content)
{
	size_t room = p->room ? 2 * p->room : 64;
	uint64_t *ends, *at;

	if (p->nr + 1 >= p->room) {
		ends = realloc(p->ends, room * sizeof(*ends));
		if (!ends)
			return -ENOMEM;
		p->ends = ends;
		at = realloc(p->at, (room + 1) * sizeof(*at));
		if (!at)
			return -ENOMEM;
		p->at = at;
		p->room = room;
	}
	if (!p->nr)
		p->at[0] = 0;
	p->ends[p->nr] = end;
	p->at[p->nr + 1] = p->at[p->nr] + content;
	p->nr++;
	return p->at[p->nr] > MOST_PLAIN ? -EFBIG : 0;
}

static uint64_t begin_of(const struct packed *p, size_t nr)
{
	return nr ? p->ends[nr - 1] : 0;
}

/* Takes the frames that both the index and the file of their ends have. */
static int take_frames(struct packed *p, const char *idx, size_t idx_len, const char *ends,
		       size_t ends_len)
{
	size_t head = sizeof(struct index_head), nr = ends_len / sizeof(uint64_t);
	int ret = 0;

	if (idx_len < head)
		return 0;
	if (nr > (idx_len - head) / sizeof(struct index_entry))
		nr = (idx_len - head) / sizeof(struct index_entry);
	for (size_t i = 0; i < nr && !ret; i++) {
		struct index_entry e;
		uint64_t end, content;

		memcpy(&e, idx + head + i * sizeof(e), sizeof(e));
		memcpy(&end, ends + i * sizeof(end), sizeof(end));
		end = be64toh(end);
		content = be64toh(e.packet_size) / 8;
		/* what is wrong with it is found when the index is read */
		if (end <= begin_of(p, i) || end > p->size || content > MOST_CONTENT)
			break;
		ret = add_frame(p, end, content);
	}
	p->later = p->nr;
	return ret;
}

static char *read_beside(const struct stream *s, const char *dir, const char *ending, size_t *len)
{
	char *path, *text = NULL;

	if (asprintf(&path, "%s/" INDEX_DIR "/%s%s", dir, s->pub.name, ending) < 0)
		return NULL;
	if (pev_read_file(path, &text, len))
		text = NULL;
	free(path);
	return text;
}

static int known_frames(const struct stream *s, const char *dir)
{
	size_t idx_len, ends_len;
	char *idx = read_beside(s, dir, ".idx", &idx_len);
	char *ends = idx ? read_beside(s, dir, PACK_ENDS, &ends_len) : NULL;
	int ret = ends ? take_frames(s->packed, idx, idx_len, ends, ends_len) : 0;

	free(idx);
	free(ends);
	return ret;
}

/* Returns the length of a frame, 0: it is none, or its end is missing. */
static size_t frame_at(const struct packed *p, uint64_t pos, uint64_t *content)
{
	size_t len = p->zstd->frame_len(p->data + pos, p->size - pos);

	if (p->zstd->failed(len))
		return 0;
	*content = p->zstd->content(p->data + pos, p->size - pos);
	return *content <= MOST_CONTENT ? len : 0;
}

static uint64_t next_frame(const struct packed *p, uint64_t pos)
{
	const uint32_t magic = htole32(ZSTD_FRAME_MAGIC);
	const uint8_t *found = memmem(p->data + pos, p->size - pos, &magic, sizeof(magic));

	return found ? (uint64_t)(found - p->data) : p->size;
}

/* Walks over the frames behind those that are known. */
static int walk_frames(struct stream *s)
{
	struct packed *p = s->packed;
	uint64_t pos = begin_of(p, p->nr), content, next;
	size_t len;
	int ret = 0;

	while (pos < p->size && !ret) {
		len = frame_at(p, pos, &content);
		if (len) {
			pos += len;
			ret = add_frame(p, pos, content);
			continue;
		}
		next = next_frame(p, pos + 1);
		s->pub.damaged++;
		s->pub.skipped += next - pos;
		trace_warn(s->trace, "%s" PACK_SUFFIX ": %llu bytes at byte %llu left out: %s",
			   s->pub.name, (unsigned long long)(next - pos), (unsigned long long)pos,
			   next < p->size ? "no compressed packet begins here" :
					    "the file ends in a compressed packet");
		/* a frame without content, so that the next one begins behind it */
		ret = add_frame(p, next, 0);
		pos = next;
	}
	return ret;
}

static int map_plain(struct stream *s)
{
	struct packed *p = s->packed;
	uint64_t size = p->nr ? p->at[p->nr] : 0;
	void *data;

	if (!size)
		return 0;
	p->plain = pev_temporary_file(size);
	if (p->plain < 0)
		return p->plain;
	data = mmap(NULL, size, PROT_READ, MAP_SHARED, p->plain, 0);
	if (data == MAP_FAILED)
		return errno == ENOMEM ? -EFBIG : -errno;
	s->pub.data = data;
	s->pub.size = size;
	return 0;
}

static bool put(const struct packed *p, uint64_t at, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pwrite(p->plain, p->buf + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* It is not decompressed in place: where the disk is full, a mapping ends the program. */
static int decompress(const struct stream *s, size_t nr)
{
	struct packed *p = s->packed;
	uint64_t from = begin_of(p, nr), room = p->at[nr + 1] - p->at[nr];
	uint8_t *more = room > p->buf_room ? realloc(p->buf, room) : p->buf;

	if (!room)
		return 0;
	if (!more)
		return -ENOMEM;
	p->buf = more;
	p->buf_room = room > p->buf_room ? room : p->buf_room;
	/* half a packet, or another one, is none: zeros, for which there must be room, too */
	if (p->zstd->decompress(p->buf, room, p->data + from, p->ends[nr] - from) != room)
		memset(p->buf, 0, room);
	return put(p, p->at[nr], room) ? 0 : -errno;
}

static void tell_full(const struct stream *s, int err)
{
	if (!s->packed->full)
		trace_warn(s->trace, "%s: packets cannot be decompressed into $TMPDIR: %s",
			   s->pub.name, strerror(-err));
	s->packed->full = true;
}

bool unpack_packet(const struct stream *s, size_t nr)
{
	struct packed *p = s->packed;
	int err = 0;

	if (nr >= p->later || __atomic_load_n(&p->ready[nr], __ATOMIC_ACQUIRE))
		return true;
	pthread_mutex_lock(&p->lock);
	if (!p->ready[nr]) {
		err = decompress(s, nr);
		if (err)
			tell_full(s, err);
		else /* pairs with the load above: the bytes are there */
			__atomic_store_n(&p->ready[nr], 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&p->lock);
	return !err;
}

static int map_packed(struct stream *s, struct packed *p)
{
	struct stat st;
	void *data;

	if (fstat(s->fd, &st))
		return -errno;
	s->packed = p;
	if (!st.st_size)
		return 0;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (data == MAP_FAILED)
		return errno == ENOMEM ? -EFBIG : -errno;
	p->data = data;
	p->size = (uint64_t)st.st_size;
	return 0;
}

static int unpack(struct stream *s, const char *dir)
{
	struct packed *p = s->packed;
	int ret = dir ? known_frames(s, dir) : 0;

	if (!ret)
		ret = walk_frames(s);
	if (ret)
		return ret;
	p->ready = calloc(p->later + 1, 1);
	if (!p->ready)
		return -ENOMEM;
	ret = map_plain(s);
	for (size_t i = p->later; i < p->nr && !ret; i++)
		ret = decompress(s, i);
	return ret;
}

int unpack_open(struct stream *s, const char *dir)
{
	struct packed *p;
	int ret;

	unpack_close(s);
	s->pub.damaged = s->pub.skipped = 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->plain = -1;
	pthread_mutex_init(&p->lock, NULL);
	p->zstd = zstd_get();
	ret = p->zstd ? map_packed(s, p) : -ELIBACC;
	s->packed = p;
	return ret ? ret : unpack(s, dir);
}

void unpack_close(struct stream *s)
{
	struct packed *p = s->packed;

	if (!p)
		return;
	if (s->pub.data)
		munmap((void *)s->pub.data, s->pub.size);
	s->pub.data = NULL;
	s->pub.size = 0;
	if (p->data)
		munmap((void *)p->data, p->size);
	pthread_mutex_destroy(&p->lock);
	free(p->ends);
	free(p->at);
	free(p->ready);
	free(p->buf);
	if (p->plain >= 0)
		close(p->plain);
	free(p);
	s->packed = NULL;
}
