// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens the directory of a trace: metadata, an index of every packet, info.
 *
 * Files are untrusted. Invalid packets are skipped up to the next place where a valid
 * one begins; the last packet of a file that ends too early is kept as far as it goes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/error.h"
#include "core/file.h"
#include "core/packet.h"
#include "ctf/decode.h"
#include "trace/index.h"
#include "trace/index_read.h"
#include "trace/pack.h"
#include "trace/trace.h"
#include "trace/unpack.h"

void trace_warn(struct pev_trace *trace, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&trace->lock);
	if (trace->nr_warnings < MAX_WARNINGS - 1) {
		trace->warnings[trace->nr_warnings] = strdup(text);
		if (trace->warnings[trace->nr_warnings])
			trace->nr_warnings++;
	} else {
		trace->more_warnings++;
		trace->nr_warnings = MAX_WARNINGS;
	}
	pthread_mutex_unlock(&trace->lock);
}

/* Warns, once for each, of a packet with records that stop making sense. */
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
			   pub->name, packet,
			   (unsigned long long)pub->packets[packet].offset, why);
}

/* ---- Index of a stream ---- */

#define SKIP_STEP	(1U << 20)	/* bytes of rubbish between two looks for a hole */

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
	if (packet->stream_id != s->pub.stream_id ||
	    packet->stream_instance_id != s->pub.instance)
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

	for (offset = align_up(offset, 8); offset < s->pub.size &&
	     s->pub.size - offset >= PACKET_HEADER; offset += 8) {
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

void stream_forget(const struct pev_stream *pub, uint64_t from, uint64_t to)
{
	from &= ~(uint64_t)(DROP_ALIGN - 1);
	to &= ~(uint64_t)(DROP_ALIGN - 1);
	if (to > from)
		madvise((void *)(pub->data + from), to - from, MADV_DONTNEED);
}

/* Drops pages, so that a walk through a recording of any length takes little memory. */
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

static void free_stream(struct stream *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->nr_maps; i++)
		munmap(s->maps[i], FIRST_MAP << i);
	unpack_close(s);
	if (s->pub.data && !s->nr_maps)
		munmap((void *)s->pub.data, s->pub.size);
	if (s->fd >= 0)
		close(s->fd);
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

int stream_grow(struct stream *s)
{
	struct stat st;
	int ret;

	if (fstat(s->fd, &st))
		return -errno;
	if ((uint64_t)st.st_size < s->pub.size)
		return -EBADMSG;
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

/* Leaves the file open in s->fd. */
static int map_file(struct stream *s, const char *dir)
{
	struct stat st;
	void *data;

	s->fd = open(s->pub.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &st))
		return -errno;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	if (cut_suffix(s))
		return s->trace->follow		     ? -EOPNOTSUPP :
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

static void close_file(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Links may lead to one file by several names. */
static const struct stream *same_file(const struct pev_trace *trace, const struct stream *s)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (trace->streams[i]->dev == s->dev && trace->streams[i]->ino == s->ino)
			return trace->streams[i];
	return NULL;
}

static bool is_known(const struct pev_trace *trace, const char *name)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (!strcmp(trace->streams[i]->pub.name, name))
			return true;
	return false;
}

/* Learns where the packets are: from an index, and from the stream behind what that has. */
static int find_packets(struct stream *s, const char *dir)
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

static const char *why_not(int err)
{
	return err == -EOPNOTSUPP ? "what is compressed cannot be followed, but read when the "
				    "recording has ended" :
	       err == -EEXIST	  ? "the compressed stream is left out, as it is there plainly, too" :
	       err == -ELIBACC	  ? "it is compressed, and there is no libzstd.so.1 to read it" :
				    strerror(-err);
}

static int add_stream(struct pev_trace *trace, const struct pev_meta *meta, const char *dir,
		      const char *name)
{
	struct stream *s = calloc(1, sizeof(*s)), **more;
	const struct stream *other;
	char *path;
	int ret;

	if (!s)
		return -ENOMEM;
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		free(s);
		return -ENOMEM;
	}
	s->trace = trace;
	s->pub.meta = meta;
	s->pub.cpu = -1;
	s->pub.path = path;
	s->pub.name = path + strlen(dir) + 1;
	ret = map_file(s, dir);
	other = ret ? NULL : same_file(trace, s);
	if (ret || other) {
		if (ret)
			trace_warn(trace, "%s: %s", path, why_not(ret));
		else
			trace_warn(trace, "%s: left out: it is %s", path, other->pub.path);
		close_file(s);
		free_stream(s);
		return 0;
	}
	ret = find_packets(s, dir);
	if (!trace->follow)
		close_file(s);
	more = ret ? NULL : realloc(trace->streams, (trace->nr_streams + 1) * sizeof(*more));
	if (!more) {
		free_stream(s);
		return ret ? ret : -ENOMEM;
	}
	trace->streams = more;
	s->pub.index = trace->nr_streams;
	trace->streams[trace->nr_streams++] = s;
	return 0;
}

/* ---- Directories ---- */

static bool is_regular(const char *dir, const char *name, bool *is_dir)
{
	struct stat st;
	char *path;
	int ret;

	*is_dir = false;
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	ret = stat(path, &st);
	free(path);
	if (ret)
		return false;
	*is_dir = S_ISDIR(st.st_mode);
	return S_ISREG(st.st_mode);
}

/* Returns 1 if the directory has usable metadata, 0 if it has none, or -errno. */
static int open_meta(struct pev_trace *trace, const char *dir, struct pev_meta **out,
		     struct pev_error *err)
{
	struct pev_error own = { 0 };
	struct pev_meta *meta, **more;
	char *path, *text;
	size_t len;
	int ret;

	if (asprintf(&path, "%s/metadata", dir) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, &text, &len);
	if (ret) {
		if (ret != -ENOENT)
			pev_fail(err, -ret, 0, "%s: %s", path,
				 ret == -ENXIO ? "it is no file" : strerror(-ret));
		free(path);
		return ret == -ENOENT ? 0 : ret;
	}
	meta = meta_new();
	more = realloc(trace->metas, (trace->nr_metas + 1) * sizeof(*more));
	if (more)
		trace->metas = more;
	if (!meta || !more) {
		ret = -ENOMEM;
	} else {
		meta->first_index = pev_trace_nr_classes(trace);
		ret = meta_parse_more(meta, text, len, &own);
		if (!ret && !meta_usable(meta))
			ret = pev_fail(&own, EBADMSG, 0,
				       "the metadata lacks a trace, clock or stream block");
		if (ret && ret != -ENOMEM && meta_usable(meta)) {
			trace_warn(trace, "%s: %s; events described below are left out", path,
				   own.text);
			ret = 0;
		}
	}
	if (ret) {
		pev_fail(err, -ret, own.line, "%s: %s", path,
			 own.error ? own.text : strerror(-ret));
		pev_meta_free(meta);
	} else {
		trace->metas[trace->nr_metas++] = meta;
		*out = meta;
	}
	free(text);
	free(path);
	return ret ? ret : 1;
}

/* A link in a trace may lead back to it. */
static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * Opens one directory with its stream files, and at the top the directories in it.
 * Returns -ENOENT if no metadata was found.
 */
static int open_dir(struct pev_trace *trace, const char *path, bool top,
		    struct pev_error *err)
{
	struct pev_meta *meta = NULL;
	const struct dirent *e;
	bool is_dir, found;
	char *sub;
	DIR *dir;
	int ret;

	dir = opendir(path);
	if (!dir)
		return pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
	ret = open_meta(trace, path, &meta, err);
	found = ret > 0;
	while (ret >= 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "metadata") ||
		    !strcmp(e->d_name, "metadata.new"))
			continue;
		if (is_regular(path, e->d_name, &is_dir)) {
			if (meta)
				ret = add_stream(trace, meta, path, e->d_name);
		} else if (is_dir && top && strcmp(e->d_name, "info") &&
			   strcmp(e->d_name, INDEX_DIR)) {
			struct pev_error own = { 0 };

			if (asprintf(&sub, "%s/%s", path, e->d_name) < 0) {
				ret = -ENOMEM;
				break;
			}
			ret = is_same(path, sub) ? -ENOENT : open_dir(trace, sub, false, &own);
			free(sub);
			if (!ret)
				found = true;
			else if (ret != -ENOMEM && own.text[0])
				trace_warn(trace, "%s", own.text);
			if (ret != -ENOMEM)
				ret = 0;
		}
	}
	closedir(dir);
	if (ret < 0)
		return ret;
	return found ? 0 : -ENOENT;
}

int trace_new_streams(struct pev_trace *trace)
{
	DIR *dir = opendir(trace->path);
	const struct dirent *e;
	bool is_dir;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir)))
		if (!strncmp(e->d_name, "stream_", 7) && !is_known(trace, e->d_name) &&
		    is_regular(trace->path, e->d_name, &is_dir))
			ret = add_stream(trace, trace->metas[0], trace->path, e->d_name);
	closedir(dir);
	return ret;
}

/* Puts streams of the first metadata first; those with a name before those of rings. */
static int compare(const void *a, const void *b)
{
	const struct pev_stream *x = &(*(struct stream *const *)a)->pub;
	const struct pev_stream *y = &(*(struct stream *const *)b)->pub;
	bool x_ring, y_ring;

	if (x->meta != y->meta)
		return x->meta->first_index < y->meta->first_index ? -1 :
		       x->meta->first_index > y->meta->first_index ? 1 :
		       strcmp(x->path, y->path);
	x_ring = !strncmp(x->name, "stream_", 7) && x->name[7] >= '0' && x->name[7] <= '9';
	y_ring = !strncmp(y->name, "stream_", 7) && y->name[7] >= '0' && y->name[7] <= '9';
	if (x_ring != y_ring)
		return x_ring ? 1 : -1;
	if (x_ring && x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	if (x_ring && x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---- Info ---- */

static void unescape(char *value)
{
	char *to = value;

	for (; *value; value++) {
		if (*value == '\\' && value[1])
			*to++ = *++value == 'n' ? '\n' : *value;
		else
			*to++ = *value;
	}
	*to = '\0';
}

static int open_info(struct pev_trace *trace)
{
	size_t lines = 1, len;
	char *line, *end, *eq;

	if (asprintf(&trace->info_path, "%s/info", trace->path) < 0) {
		trace->info_path = NULL;
		return -ENOMEM;
	}
	/* a trace may lack it */
	if (pev_trace_info_file(trace, "record", &trace->info_text, &len))
		return 0;
	for (size_t i = 0; i < len; i++)
		lines += trace->info_text[i] == '\n';
	trace->info = calloc(lines, sizeof(*trace->info));
	if (!trace->info)
		return -ENOMEM;
	for (line = trace->info_text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		eq = strchr(line, '=');
		if (!eq)
			continue;
		*eq = '\0';
		unescape(eq + 1);
		trace->info[trace->nr_info].key = line;
		trace->info[trace->nr_info++].value = eq + 1;
	}
	return 0;
}

int trace_new_info(struct pev_trace *trace)
{
	trace->first_text = trace->info_text;
	trace->first_info = trace->info;
	free(trace->info_path);
	trace->info = NULL;
	trace->info_text = NULL;
	trace->nr_info = 0;
	return open_info(trace);
}

PEV_EXPORT const char *pev_trace_info(const struct pev_trace *trace, const char *key)
{
	/* the last line of a key counts */
	for (size_t i = trace->nr_info; i-- > 0;)
		if (!strcmp(trace->info[i].key, key))
			return trace->info[i].value;
	return NULL;
}

PEV_EXPORT int pev_trace_info_file(const struct pev_trace *trace, const char *name,
				   char **text, size_t *len)
{
	char *path;
	int ret;

	*text = NULL;
	if (!*name || strchr(name, '/') || !strcmp(name, "..") || !strcmp(name, "."))
		return -EINVAL;
	if (asprintf(&path, "%s/%s", trace->info_path, name) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, text, len);
	free(path);
	return ret;
}

/* ---- The whole ---- */

static bool same_clock(const struct pev_meta *a, const struct pev_meta *b)
{
	return a->clock.freq == b->clock.freq && a->clock.offset_s == b->clock.offset_s &&
	       a->clock.offset == b->clock.offset;
}

PEV_EXPORT int pev_trace_open(const char *path, unsigned int flags, struct pev_trace **out,
			      struct pev_error *err)
{
	struct pev_error own = { 0 };
	struct pev_trace *trace;
	int ret = -ENOMEM;

	*out = NULL;
	if (flags & ~PEV_TRACE_FOLLOW)
		return pev_fail(err, EINVAL, 0, "pev_trace_open() has no flags 0x%x", flags);
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	pthread_mutex_init(&trace->lock, NULL);
	trace->follow = flags & PEV_TRACE_FOLLOW;
	trace->path = strdup(path);
	if (trace->path)
		ret = open_dir(trace, path, true, &own);
	if (!ret)
		ret = open_info(trace);
	if (ret) {
		if (ret == -ENOENT && !own.error)
			pev_fail(err, ENOENT, 0, "%s is no trace: it has no file metadata",
				 path);
		else
			pev_fail(err, -ret, own.line, "%s",
				 own.error ? own.text : strerror(-ret));
		pev_trace_close(trace);
		return ret;
	}
	if (trace->nr_streams)
		qsort(trace->streams, trace->nr_streams, sizeof(*trace->streams), compare);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		trace->streams[i]->pub.index = i;
	trace->one_clock = true;
	for (unsigned int i = 1; i < trace->nr_metas; i++)
		if (!same_clock(trace->metas[0], trace->metas[i]))
			trace->one_clock = false;
	*out = trace;
	return 0;
}

PEV_EXPORT void pev_trace_close(struct pev_trace *trace)
{
	if (!trace)
		return;
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		free_stream(trace->streams[i]);
	for (unsigned int i = 0; i < trace->nr_metas; i++)
		pev_meta_free(trace->metas[i]);
	for (unsigned int i = 0; i < MAX_WARNINGS - 1; i++)
		free(trace->warnings[i]);
	arena_free(&trace->texts);
	free(trace->streams);
	free(trace->metas);
	free(trace->info);
	free(trace->info_text);
	free(trace->first_info);
	free(trace->first_text);
	free(trace->info_path);
	free(trace->path);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

PEV_EXPORT const char *pev_trace_path(const struct pev_trace *trace)
{
	return trace->path;
}

PEV_EXPORT unsigned int pev_trace_nr_streams(const struct pev_trace *trace)
{
	return trace->nr_streams;
}

PEV_EXPORT const struct pev_stream *pev_trace_stream(const struct pev_trace *trace,
						     unsigned int nr)
{
	return nr < trace->nr_streams ? &trace->streams[nr]->pub : NULL;
}

PEV_EXPORT unsigned int pev_trace_nr_metas(const struct pev_trace *trace)
{
	return trace->nr_metas;
}

PEV_EXPORT const struct pev_meta *pev_trace_meta(const struct pev_trace *trace,
						 unsigned int nr)
{
	return nr < trace->nr_metas ? trace->metas[nr] : NULL;
}

PEV_EXPORT unsigned int pev_trace_nr_classes(const struct pev_trace *trace)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace->nr_metas; i++)
		nr += trace->metas[i]->nr_classes;
	return nr;
}

PEV_EXPORT const struct pev_class *pev_trace_class(const struct pev_trace *trace,
						   unsigned int index)
{
	const struct pev_meta *meta;

	for (unsigned int i = 0; i < trace->nr_metas; i++) {
		meta = trace->metas[i];
		if (index - meta->first_index < meta->nr_classes)
			return &meta->classes[index - meta->first_index]->pub;
	}
	return NULL;
}

PEV_EXPORT int64_t pev_trace_begin_ns(const struct pev_trace *trace)
{
	int64_t begin = INT64_MAX, ns;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct pev_stream *s = &trace->streams[i]->pub;

		if (!s->nr_packets)
			continue;
		ns = pev_meta_ns(s->meta, s->packets[0].begin);
		begin = ns < begin ? ns : begin;
	}
	return begin == INT64_MAX ? 0 : begin;
}

PEV_EXPORT int64_t pev_trace_end_ns(const struct pev_trace *trace)
{
	int64_t end = INT64_MIN, ns;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct pev_stream *s = &trace->streams[i]->pub;

		if (!s->nr_packets)
			continue;
		ns = pev_meta_ns(s->meta, s->packets[s->nr_packets - 1].end);
		end = ns > end ? ns : end;
	}
	return end == INT64_MIN ? 0 : end;
}

PEV_EXPORT uint64_t pev_trace_lost(const struct pev_trace *trace)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < trace->nr_streams; i++)
		lost += trace->streams[i]->pub.lost;
	return lost;
}

/*
 * The functions below read what cursors in other threads may change: the trace is
 * const for the caller, but has to be locked.
 */
static struct pev_trace *locked(const struct pev_trace *trace)
{
	struct pev_trace *t = (struct pev_trace *)trace;

	pthread_mutex_lock(&t->lock);
	return t;
}

PEV_EXPORT uint64_t pev_trace_damaged(const struct pev_trace *trace)
{
	struct pev_trace *t = locked(trace);
	uint64_t damaged = t->damaged;

	pthread_mutex_unlock(&t->lock);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		damaged += trace->streams[i]->pub.damaged;
	return damaged;
}

PEV_EXPORT unsigned int pev_trace_nr_warnings(const struct pev_trace *trace)
{
	struct pev_trace *t = locked(trace);
	unsigned int nr = t->nr_warnings;

	pthread_mutex_unlock(&t->lock);
	return nr;
}

/* Older texts of the last warning stay, as a caller may be reading them. */
static const char *last_warning(struct pev_trace *t)
{
	char text[64], *copy;
	int len;

	if (t->last_counts != t->more_warnings) {
		len = snprintf(text, sizeof(text), "%llu more warnings",
			       (unsigned long long)t->more_warnings);
		copy = arena_strndup(&t->texts, text, len);
		if (copy) {
			t->warnings[MAX_WARNINGS - 1] = copy;
			t->last_counts = t->more_warnings;
		}
	}
	return t->warnings[MAX_WARNINGS - 1];
}

PEV_EXPORT const char *pev_trace_warning(const struct pev_trace *trace, unsigned int nr)
{
	struct pev_trace *t = locked(trace);
	const char *text = NULL;

	if (nr < t->nr_warnings)
		text = nr < MAX_WARNINGS - 1 ? t->warnings[nr] : last_warning(t);
	pthread_mutex_unlock(&t->lock);
	return text;
}

/* What stands for a packet that cannot be read */
static const struct pev_packet no_packet;

PEV_EXPORT int pev_decoder_stream_packet(struct pev_decoder *dec,
					 const struct pev_stream *stream, size_t nr)
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
