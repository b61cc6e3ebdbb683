// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the directory of a trace. Packets go to disk as they lie in the ring, but for the empty
 * rest of those that were closed early, and for call chains that are written once; each stream file
 * ends with a whole packet at any time, also after a disk has filled up in the middle of a write.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/error.h"
#include "core/packet.h"
#include "ctf/encoder.h"
#include "ring/ring.h"
#include "trace/index_write.h"
#include "trace/intern.h"
#include "trace/older.h"
#include "trace/pack.h"
#include "trace/part.h"
#include "trace/team.h"
#include "trace/writer.h"

PEV_EXPORT int pev_writer_open(const char *path, unsigned int flags,
			       struct pev_writer **out, struct pev_error *err)
{
	struct pev_writer *w;
	int dir, ret;

	*out = NULL;
	dir = older_make_dir(path, flags, err);
	if (dir < 0)
		return dir;
	w = calloc(1, sizeof(*w));
	if (!w) {
		close(dir);
		return pev_fail(err, ENOMEM, 0, "out of memory");
	}
	w->info_dir = w->index_dir = w->sync = -1;
	w->dir = dir;
	if (!mkdirat(dir, "info", 0700))
		w->info_dir = openat(dir, "info", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ret = w->info_dir < 0 ? -errno : pev_writer_info(w, "complete", "no");
	if (ret) {
		pev_fail(err, -ret, 0, "%s: %s", path, strerror(-ret));
		if (w->info_dir >= 0)
			close(w->info_dir);
		close(dir);
		free(w);
		return ret;
	}
	*out = w;
	return 0;
}

/* The first error stays. Returns @ret. */
static int writer_failed(struct pev_writer *w, int ret)
{
	int none = 0;

	if (ret)
		__atomic_compare_exchange_n(&w->error, &none, ret, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return ret;
}

void writer_free_hand(struct pev_writer *w, struct hand *h)
{
	pack_free_hand(w, h);
	intern_free_hand(h);
}

static void close_stream(struct pev_writer *w, struct out_file *f)
{
	index_flush(w, f);
	free(f->index);
	free(f->ends);
	if (f->fd >= 0 && close(f->fd))
		writer_failed(w, -errno);
}

PEV_EXPORT int pev_writer_close(struct pev_writer *w)
{
	int ret;

	if (!w)
		return 0;
	team_end(w);
	for (unsigned int i = 0; i < w->nr_files; i++)
		close_stream(w, &w->files[i]);
	for (unsigned int i = 0; i < w->nr_named; i++)
		close_stream(w, &w->named[i]);
	if (w->sink)
		w->error = w->error ? w->error : w->sink->end(w->sink_arg);
	else if (w->error)
		pev_writer_info(w, "error", strerror(-w->error));
	else
		w->error = pev_writer_info(w, "complete", "yes");
	if (w->sync >= 0) {
		close(w->sync);
		unlinkat(w->info_dir, SYNCED_FILE, 0);
	}
	if (w->sink) {
		w->sink->release(w->sink_arg);
	} else {
		if (w->index_dir >= 0)
			close(w->index_dir);
		close(w->info_dir);
		close(w->dir);
	}
	team_free(w);
	writer_free_hand(w, &w->own);
	part_free(w);
	pack_free(w);
	intern_free(w);
	free(w->files);
	free(w->named);
	free(w->meta);
	ret = w->error;
	free(w);
	return ret;
}

/* Returns 0 or -errno; @done: bytes that were written in any case */
static int write_all(int fd, const void *data, size_t len, size_t *done)
{
	ssize_t n;

	*done = 0;
	while (*done < len) {
		n = write(fd, (const char *)data + *done, len - *done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		*done += n;
	}
	return 0;
}

/*
 * @flags: O_APPEND, or 0 for a new file. In a directory that others may write to,
 * what a name leads to may be theirs.
 */
static int open_own(int dir, const char *name, int flags)
{
	int how = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, fd;
	struct stat st;

	if (!(flags & O_APPEND)) {
		fd = openat(dir, name, how | O_EXCL, 0600);
		return fd < 0 ? -errno : fd;
	}
	fd = openat(dir, name, how | O_APPEND, 0600);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink > 1) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int write_file(int dir, const char *name, int flags, const void *data, size_t len)
{
	int fd = open_own(dir, name, flags), ret;
	off_t before;
	size_t done;

	if (fd < 0)
		return fd;
	before = lseek(fd, 0, SEEK_END);
	ret = write_all(fd, data, len, &done);
	/* half an addition would be worse than none */
	if (ret && ftruncate(fd, before))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int replace_file(int dir, const char *name, const void *data, size_t len)
{
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return -errno;
	return write_file(dir, name, 0, data, len);
}

static bool extends(const struct pev_writer *w, const char *text, size_t len)
{
	return w->meta && len >= w->meta_written && w->meta_written &&
	       !memcmp(text, w->meta, w->meta_written);
}

PEV_EXPORT int pev_writer_sink(const struct pev_sink_ops *ops, void *arg, struct pev_writer **out)
{
	struct pev_writer *w = calloc(1, sizeof(*w));

	*out = w;
	if (!w)
		return -ENOMEM;
	w->sink = ops;
	w->sink_arg = arg;
	w->dir = w->info_dir = w->index_dir = w->sync = -1;
	return 0;
}

static int put_metadata(struct pev_writer *w, const char *text, size_t len)
{
	bool more = extends(w, text, len);
	char *copy;
	int ret;

	if (more && len == w->meta_written)
		return 0;
	if (w->sink) {
		/* one that failed once takes nothing any more: half a frame may be in a pipe */
		ret = w->error;
		if (!ret)
			ret = writer_failed(w, w->sink->metadata(w->sink_arg, text, len));
	} else if (more) {
		ret = write_file(w->dir, "metadata", O_APPEND, text + w->meta_written,
				 len - w->meta_written);
	} else {
		ret = replace_file(w->dir, "metadata.new", text, len);
		if (!ret && renameat(w->dir, "metadata.new", w->dir, "metadata"))
			ret = -errno;
		if (ret)
			unlinkat(w->dir, "metadata.new", 0);
	}
	if (ret)
		return ret;
	copy = realloc(w->meta, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	copy[len] = '\0';
	w->meta = copy;
	w->meta_len = len;
	w->meta_written = len;
	return 0;
}

PEV_EXPORT int pev_writer_metadata(struct pev_writer *w, const char *text, size_t len)
{
	char *own = NULL, *named = NULL;
	size_t named_len = 0;
	int ret = part_metadata(w, text, len, &own);

	if (!ret)
		ret = intern_metadata(w, text, own ? own : text, len, &named, &named_len);
	if (!ret && named)
		ret = put_metadata(w, named, named_len);
	else if (!ret)
		ret = put_metadata(w, own ? own : text, len);
	free(named);
	free(own);
	return ret;
}

/* Returns the bytes of whole packets in the first @len of @data, and the last one's place */
static size_t whole_packets(const uint8_t *data, size_t len, size_t *last,
			    uint64_t *count)
{
	const struct pev_packet *packet;
	size_t pos = 0;

	*count = 0;
	while (len - pos >= PACKET_HEADER) {
		packet = (const struct pev_packet *)(data + pos);
		if (packet->magic != PEV_PACKET_MAGIC || packet->packet_size % 64 ||
		    packet->packet_size / 8 < PACKET_HEADER ||
		    packet->packet_size / 8 > len - pos)
			break;
		*last = pos;
		pos += packet->packet_size / 8;
		(*count)++;
	}
	return pos;
}

/* The file ends with its last whole packet again. */
static int cut_back(struct pev_writer *w, struct out_file *f, int ret)
{
	off_t end = (off_t)(w->packer ? f->on_disk : f->size);

	/* what a sink has no room for is not lost */
	if (w->sink && ret == -EAGAIN)
		return ret;
	if (!w->sink && (ftruncate(f->fd, end) || lseek(f->fd, end, SEEK_SET) < 0))
		ret = -errno;
	return writer_failed(w, ret);
}

static void count_packets(struct out_file *f, uint64_t bytes, uint64_t count, const void *last)
{
	f->size += bytes;
	f->packets += count;
	if (!count)
		return;
	memcpy(&f->last, last, sizeof(f->last));
	f->said = f->more;
}

static bool of_ring(const struct pev_writer *w, const struct out_file *f)
{
	return w->nr_files && f >= w->files && f < w->files + w->nr_files;
}

/* Writes a header and what follows it. @done: bytes that were written in any case */
static int put_parts(struct pev_writer *w, const struct out_file *f, const void *head,
		     size_t head_len, const void *data, size_t len, size_t *done)
{
	size_t more = 0;
	int ret;

	if (w->sink) {
		ret = w->sink->packets(w->sink_arg, f->name, of_ring(w, f), head, head_len, data,
				       len);
		*done = ret ? 0 : head_len + len;
		return ret;
	}
	ret = write_all(f->fd, head, head_len, done);
	if (!ret)
		ret = write_all(f->fd, data, len, &more);
	*done += more;
	return ret;
}

/* @done: bytes of the packets that were written in any case */
static int put_packets(struct pev_writer *w, struct out_file *f, const uint8_t *data, size_t len,
		       size_t *done)
{
	size_t last = 0;
	uint64_t count;
	int ret = put_parts(w, f, data, len, NULL, 0, done);

	*done = whole_packets(data, *done, &last, &count);
	index_add(w, f, f->size, data, *done);
	count_packets(f, *done, count, data + last);
	return ret ? cut_back(w, f, ret) : 0;
}

/* Bytes of a packet that are written: its empty rest counts only if it is large. */
static size_t used_of(const struct pev_packet *packet)
{
	uint64_t used = align_up(packet->content_size / 8, 8), size = packet->packet_size / 8;

	return used >= PACKET_HEADER && used < size - size / 4 ? used : size;
}

/* Bytes of the packets at the start of @data that are written as they are */
static size_t full_packets(const struct pev_writer *w, const struct out_file *f,
			   const uint8_t *data, size_t len)
{
	bool changed = w->part || w->packer || f->more || intern_any(w);
	size_t run = 0;

	while (!changed && run < len && run < WRITE_MOST) {
		const struct pev_packet *packet = (const struct pev_packet *)(data + run);

		if (used_of(packet) != packet->packet_size / 8)
			break;
		run += packet->packet_size / 8;
	}
	return run;
}

/*
 * Writes a packet with another header, without its empty rest if it was closed early, and with call
 * chains only once.
 */
static int put_changed(struct pev_writer *w, struct out_file *f, const uint8_t *data)
{
	size_t used = used_of((const struct pev_packet *)data), done;
	int ret = intern_any(w) ? intern_packet(w, f, &data, &used) : 0;
	struct pev_packet packet;

	if (ret)
		return ret;
	memcpy(&packet, data, sizeof(packet));
	packet.packet_size = used * 8;
	part_header(w, f, &packet);
	packet.events_discarded += f->more;
	if (w->packer)
		ret = pack_packet(w, f, &packet, data, used);
	else
		ret = put_parts(w, f, &packet, sizeof(packet), data + sizeof(packet),
				used - sizeof(packet), &done);
	if (ret)
		return cut_back(w, f, ret);
	index_add(w, f, f->size, &packet, sizeof(packet));
	count_packets(f, used, 1, data);
	return 0;
}

/* @taken: bytes of @data that are in the file */
static int append(struct pev_writer *w, struct out_file *f, const void *data, size_t len,
		  size_t *taken)
{
	const uint8_t *at = data, *end = at + len;
	size_t run, last = 0, done;
	uint64_t count;
	int ret = 0;

	*taken = 0;
	if (whole_packets(data, len, &last, &count) != len)
		return -EINVAL;
	while (!ret && at < end) {
		const struct pev_packet *first = (const struct pev_packet *)at;

		run = full_packets(w, f, at, (size_t)(end - at));
		if (run) {
			ret = put_packets(w, f, at, run, &done);
		} else {
			ret = put_changed(w, f, at);
			done = ret ? 0 : first->packet_size / 8;
		}
		at += done;
		*taken += done;
	}
	return ret;
}

/* @name: without "stream_" */
static int open_stream(struct pev_writer *w, struct out_file *f, const char *name)
{
	char path[64];

	*f = (struct out_file){ .hand = f->hand, .more = f->more };
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(path, sizeof(path), "stream_%s%s", name, w->packer ? PACK_SUFFIX : "");
	f->fd = w->sink ? -1 : open_own(w->dir, path, 0);
	return f->fd < 0 && !w->sink ? f->fd : 0;
}

/* The place of a ring's stream, which may not be open yet */
static int find_file(struct pev_writer *w, unsigned int ring, struct out_file **out)
{
	struct out_file *more;

	if (ring > 1U << 20)
		return -EINVAL;
	if (ring >= w->nr_files) {
		more = realloc(w->files, (ring + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		for (unsigned int i = w->nr_files; i <= ring; i++)
			more[i] = (struct out_file){ .hand = team_hand(w, i), .fd = -1 };
		w->files = more;
		w->nr_files = ring + 1;
	}
	*out = &w->files[ring];
	return 0;
}

PEV_EXPORT int pev_writer_add_lost(struct pev_writer *w, unsigned int ring, uint64_t records)
{
	struct out_file *f;
	int ret = find_file(w, ring, &f);

	if (!ret)
		f->more += records;
	return ret;
}

static int get_file(struct pev_writer *w, unsigned int ring, struct out_file **out)
{
	char name[32];
	int ret = find_file(w, ring, out);

	if (ret || *(*out)->name)
		return ret;
	snprintf(name, sizeof(name), "%u", ring);
	ret = open_stream(w, *out, name);
	(*out)->base = part_base(w, ring);
	return writer_failed(w, ret);
}

static int put_ring(struct pev_writer *w, unsigned int ring, const void *data, size_t len,
		    size_t *taken)
{
	struct out_file *f;
	int ret = writer_error(w);

	*taken = 0;
	if (!ret)
		ret = get_file(w, ring, &f);
	return ret ? ret : append(w, f, data, len, taken);
}

PEV_EXPORT int pev_writer_packets(struct pev_writer *w, unsigned int ring, const void *data,
				  size_t len)
{
	size_t taken;

	return put_ring(w, ring, data, len, &taken);
}

/* Makes the header of a first packet for a ring that has none. */
static int first_packet(struct pev_writer *w, unsigned int ring, int cpu, uint64_t time,
			struct pev_packet *packet)
{
	struct pev_meta *meta;
	int ret;

	if (!w->meta)
		return -EINVAL;
	ret = pev_meta_parse(w->meta, w->meta_len, 0, &meta, NULL);
	if (ret)
		return ret;
	memset(packet, 0, sizeof(*packet));
	packet->magic = PEV_PACKET_MAGIC;
	memcpy(packet->uuid, pev_meta_uuid(meta), sizeof(packet->uuid));
	packet->stream_instance_id = ring;
	packet->timestamp_end = time;
	packet->cpu_id = (uint32_t)cpu;
	pev_meta_free(meta);
	return 0;
}

PEV_EXPORT int pev_writer_lost(struct pev_writer *w, unsigned int ring, int cpu,
			       uint64_t lost, uint64_t time)
{
	struct pev_packet packet;
	struct out_file *f = NULL;
	size_t taken;
	int ret;

	if (w->error)
		return w->error;
	if (ring < w->nr_files)
		f = &w->files[ring];
	if (lost <= (f && f->size ? f->last.events_discarded : part_base(w, ring)) &&
	    (!f || f->more == f->said))
		return 0;
	if (f && f->size) {
		packet = f->last;
		packet.packet_seq_num++;
	} else {
		ret = first_packet(w, ring, cpu, time, &packet);
		if (!ret)
			ret = get_file(w, ring, &f);
		if (ret)
			return ret;
	}
	packet.timestamp_begin = packet.timestamp_end;
	if (time > packet.timestamp_end)
		packet.timestamp_end = time;
	packet.events_discarded = lost;
	packet.content_size = PACKET_HEADER * 8;
	packet.packet_size = PACKET_HEADER * 8;
	return append(w, f, &packet, sizeof(packet), &taken);
}

static uint64_t bytes_of(const struct pev_writer *w, const struct out_file *f)
{
	return w->packer ? f->on_disk : f->size;
}

static uint64_t bytes_of_ring(const struct pev_writer *w, unsigned int nr)
{
	return nr < w->nr_files ? bytes_of(w, &w->files[nr]) : 0;
}

/* Returns 0, also if the sink has no room for the rest or the metadata lack it, or -errno. */
static int drain_ring(struct pev_writer *w, unsigned int nr, struct pev_ring *ring, int64_t *bytes)
{
	struct pev_piece piece;
	uint64_t before;
	size_t taken;
	int ret;

	while (pev_ring_next(ring, &piece) > 0) {
		before = bytes_of_ring(w, nr);
		ret = put_ring(w, nr, piece.data, piece.len, &taken);
		*bytes += (int64_t)(bytes_of_ring(w, nr) - before);
		if (ret) {
			pev_ring_release_to(ring, piece.position + taken);
			piece.position += taken;
			ring_put_back(ring, &piece);
			return ret == -EAGAIN || ret == -ESTALE ? 0 : ret;
		}
		pev_ring_release(ring);
	}
	return 0;
}

int writer_drain_share(struct pev_writer *w, struct pev_channel *channel, unsigned int first,
		       unsigned int of, int64_t *bytes)
{
	struct pev_ring *ring;
	int ret = 0;

	for (unsigned int nr = first; nr < pev_channel_nr_rings(channel) && !ret; nr += of) {
		ring = pev_channel_ring(channel, nr);
		if (!ring)
			continue;
		ret = channel_fetch(channel, nr);
		if (!ret)
			ret = drain_ring(w, nr, ring, bytes);
	}
	return ret;
}

/* Makes the places of the streams, which threads must not move. */
static int make_places(struct pev_writer *w, const struct pev_channel *channel)
{
	unsigned int nr = pev_channel_nr_rings(channel);
	struct out_file *ignored;

	return nr ? find_file(w, nr - 1, &ignored) : 0;
}

PEV_EXPORT int64_t pev_writer_drain(struct pev_writer *w, struct pev_channel *channel)
{
	int64_t bytes = 0;
	int ret;

	if (w->error)
		return w->error;
	ret = channel_prepare(channel);
	if (ret < 0)
		return ret;
	if (w->team) {
		ret = make_places(w, channel);
		if (!ret)
			ret = team_drain(w, channel, &bytes);
	} else {
		ret = writer_drain_share(w, channel, 0, 1, &bytes);
	}
	return ret ? ret : bytes;
}

int writer_synced(struct pev_writer *w, uint64_t ticks)
{
	char text[SYNCED_LEN + 1];

	if (w->error)
		return w->error;
	if (w->sink)
		return writer_failed(w, w->sink->synced(w->sink_arg, ticks));
	if (w->sync < 0)
		w->sync = open_own(w->info_dir, SYNCED_FILE, 0);
	if (w->sync < 0)
		return w->sync;
	snprintf(text, sizeof(text), SYNCED_FORMAT, (unsigned long long)ticks,
		 (unsigned long long)ticks);
	return pwrite(w->sync, text, SYNCED_LEN, 0) == SYNCED_LEN ? 0 : -ENOSPC;
}

PEV_EXPORT int pev_writer_sync(struct pev_writer *w)
{
	int ret = writer_synced(w, w->newest);

	for (unsigned int i = 0; i < w->nr_files; i++) {
		index_flush(w, &w->files[i]);
		if (w->files[i].last.timestamp_end > w->newest)
			w->newest = w->files[i].last.timestamp_end;
	}
	return ret;
}

PEV_EXPORT uint64_t pev_writer_bytes(const struct pev_writer *w)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < w->nr_files; i++)
		bytes += bytes_of(w, &w->files[i]);
	for (unsigned int i = 0; i < w->nr_named; i++)
		bytes += bytes_of(w, &w->named[i]);
	return bytes;
}

PEV_EXPORT uint64_t pev_writer_packets_written(const struct pev_writer *w)
{
	uint64_t packets = 0;

	for (unsigned int i = 0; i < w->nr_files; i++)
		packets += w->files[i].packets;
	for (unsigned int i = 0; i < w->nr_named; i++)
		packets += w->named[i].packets;
	return packets;
}

/* Backslashes and newlines are escaped, so that a line is a value. */
PEV_EXPORT int pev_writer_info(struct pev_writer *w, const char *key, const char *value)
{
	size_t len = strlen(key), used;
	char *line;
	int ret;

	if (!len || strpbrk(key, "=\n"))
		return -EINVAL;
	if (w->sink)
		return w->error ? w->error :
				  writer_failed(w, w->sink->info(w->sink_arg, key, value));
	line = malloc(len + 2 * strlen(value) + 3);
	if (!line)
		return -ENOMEM;
	used = sprintf(line, "%s=", key);
	for (; *value; value++) {
		if (*value == '\n' || *value == '\\')
			line[used++] = '\\';
		line[used++] = *value == '\n' ? 'n' : *value;
	}
	line[used++] = '\n';
	ret = write_file(w->info_dir, "record", O_APPEND, line, used);
	free(line);
	return ret;
}

PEV_EXPORT int pev_writer_info_file(struct pev_writer *w, const char *name,
				    const void *data, size_t len)
{
	int ret = 0;

	if (!*name || strpbrk(name, "/\n\\") || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EINVAL;
	if (w->sink && !w->error)
		writer_failed(w, w->sink->info_file(w->sink_arg, name, data, len));
	if (w->sink)
		return w->error;
	if (!older_info_known(name) && faccessat(w->info_dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
		ret = pev_writer_info(w, OLDER_FILE_KEY, name);
	return ret ? ret : replace_file(w->info_dir, name, data, len);
}

/* ---- Packets of encoders ---- */

struct named_target {
	struct pev_writer	*writer;
	unsigned int		index;
};

static int take_packet(void *arg, const void *packet, size_t len)
{
	struct named_target *t = arg;
	size_t taken;

	if (!packet) {
		free(t);
		return 0;
	}
	if (t->writer->error)
		return t->writer->error;
	return append(t->writer, &t->writer->named[t->index], packet, len, &taken);
}

/* Adds a stream that is no ring's, at the end of w->named. */
static int add_named(struct pev_writer *w, const char *name)
{
	struct out_file *more;
	int ret;

	if (!*name || strlen(name) > 40 || strchr(name, '/'))
		return -EINVAL;
	more = realloc(w->named, (w->nr_named + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	w->named = more;
	w->named[w->nr_named] = (struct out_file){ .hand = &w->own, .fd = -1 };
	ret = open_stream(w, &w->named[w->nr_named], name);
	if (!ret)
		w->nr_named++;
	return ret;
}

PEV_EXPORT int pev_writer_named(struct pev_writer *w, const char *name, const void *data,
				size_t len)
{
	unsigned int i = 0;
	size_t taken;
	int ret = w->error;

	while (i < w->nr_named && strcmp(w->named[i].name, name))
		i++;
	if (!ret && i == w->nr_named)
		ret = add_named(w, name);
	return ret ? ret : append(w, &w->named[i], data, len, &taken);
}

/* An encoder that is closed calls with a packet of NULL: see encoder.c. */
PEV_EXPORT int pev_writer_encoder(struct pev_writer *w, const struct pev_meta *meta,
				  const char *name, uint32_t cpu, struct pev_encoder **enc)
{
	struct named_target *target;
	int ret;

	*enc = NULL;
	ret = add_named(w, name);
	if (ret)
		return ret;
	target = calloc(1, sizeof(*target));
	if (!target)
		return -ENOMEM;
	target->writer = w;
	target->index = w->nr_named - 1;
	ret = pev_encoder_new(meta, 16384, PEV_STREAM_USER + target->index, cpu, take_packet,
			      target, enc);
	if (ret)
		free(target);
	else
		encoder_own(*enc);
	return ret;
}
