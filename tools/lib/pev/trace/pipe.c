// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces in pipes: a writer's calls as frames, and their replay by another writer, so
 * that what arrives is checked as what is written.
 *
 * A frame is a header, a name and data. What comes through a pipe is untrusted: the
 * writer refuses names that lead elsewhere and packets that are none.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/error.h"
#include "core/packet.h"
#include "trace/writer.h"

#define FRAME_MAGIC 0x46766550U /* "PevF" in the file */
#define FRAME_VERSION 1U
#define FRAME_MOST (256U << 20) /* bytes of data */
#define NAME_MOST 255U
/* a pipe that can be written to at all takes so much without blocking */
#define PIECE 4096U
#define FULL_MS 200

/* What a frame in a pipe holds; numbers that are sent never change their meaning. */
enum pipe_kind {
	PIPE_BEGIN = 1, /* version of the format, 4 bytes */
	PIPE_METADATA, /* all of it */
	PIPE_RING, /* whole packets; the name is the number of the ring */
	PIPE_NAMED, /* whole packets of an encoder, by its name */
	PIPE_INFO, /* a value; the name is the key */
	PIPE_INFO_FILE,
	PIPE_END, /* nothing is missing */
	PIPE_SYNC, /* see pev_writer_sync(); 8 bytes, ticks */
};

/* In the byte order of the machine that was recorded, as packets are */
struct frame {
	uint32_t magic;
	uint16_t kind;
	uint16_t name;
	uint64_t len;
};

/* ---- Sending ---- */

/**
 * struct pipe_out - where a writer's frames go
 * @socket: write() would wait for room
 * @full:   NULL, or called while there is no room
 */
struct pipe_out {
	int fd;
	bool socket;
	bool file;
	int (*full)(void *arg);
	void *arg;
};

/* Waits for room. Returns 0 or -errno. */
static int wait_for_room(const struct pipe_out *p)
{
	struct pollfd poll_fd = { .fd = p->fd, .events = POLLOUT };
	int n, ret = 0;

	while (!ret) {
		n = poll(&poll_fd, 1, FULL_MS);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		ret = p->full ? p->full(p->arg) : 0;
	}
	return ret;
}

static ssize_t put_some(const struct pipe_out *p, const void *data, size_t len)
{
	if (p->file)
		return write(p->fd, data, len);
	if (p->socket)
		return send(p->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	return write(p->fd, data, len < PIECE ? len : PIECE);
}

static int put_all(const struct pipe_out *p, const void *data, size_t len)
{
	const char *at = data;
	ssize_t n;
	int ret;

	while (len) {
		ret = p->file ? 0 : wait_for_room(p);
		if (ret)
			return ret;
		n = put_some(p, at, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Sends a frame, whose data is in two parts. Returns 0 or -errno. */
static int pipe_put(struct pipe_out *p, enum pipe_kind kind, const char *name, const void *data,
		    size_t len, const void *more, size_t more_len)
{
	size_t name_len = strlen(name);
	struct frame frame = { .magic = FRAME_MAGIC,
			       .kind = kind,
			       .name = (uint16_t)name_len,
			       .len = len + more_len };
	int ret;

	if (name_len > NAME_MOST)
		return -EINVAL;
	if (frame.len > FRAME_MOST)
		return -EFBIG;
	ret = put_all(p, &frame, sizeof(frame));
	if (!ret)
		ret = put_all(p, name, name_len);
	if (!ret)
		ret = put_all(p, data, len);
	return ret ? ret : put_all(p, more, more_len);
}

static int pipe_metadata(void *arg, const char *text, size_t len)
{
	return pipe_put(arg, PIPE_METADATA, "", text, len, NULL, 0);
}

static int pipe_packets(void *arg, const char *stream, bool ring, const void *head, size_t head_len,
			const void *data, size_t len)
{
	return pipe_put(arg, ring ? PIPE_RING : PIPE_NAMED, stream, head, head_len, data, len);
}

static int pipe_info(void *arg, const char *key, const char *value)
{
	return pipe_put(arg, PIPE_INFO, key, value, strlen(value), NULL, 0);
}

static int pipe_info_file(void *arg, const char *name, const void *data, size_t len)
{
	return pipe_put(arg, PIPE_INFO_FILE, name, data, len, NULL, 0);
}

static int pipe_synced(void *arg, uint64_t ticks)
{
	return pipe_put(arg, PIPE_SYNC, "", &ticks, sizeof(ticks), NULL, 0);
}

static int pipe_end(void *arg)
{
	return pipe_put(arg, PIPE_END, "", NULL, 0, NULL, 0);
}

static const struct pev_sink_ops pipe_ops = {
	.metadata = pipe_metadata,
	.packets = pipe_packets,
	.info = pipe_info,
	.info_file = pipe_info_file,
	.synced = pipe_synced,
	.end = pipe_end,
	.release = free,
};

PEV_EXPORT int pev_writer_pipe(int fd, int (*full)(void *arg), void *arg, struct pev_writer **out,
			       struct pev_error *err)
{
	const uint32_t version = FRAME_VERSION;
	struct pipe_out *p;
	struct stat st;
	int ret;

	*out = NULL;
	if (fstat(fd, &st))
		return pev_fail(err, errno, 0, "the pipe: %s", strerror(errno));
	p = calloc(1, sizeof(*p));
	if (!p)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	*p = (struct pipe_out){ .fd = fd,
				.socket = S_ISSOCK(st.st_mode),
				.file = S_ISREG(st.st_mode),
				.full = full,
				.arg = arg };
	ret = pipe_put(p, PIPE_BEGIN, "", &version, sizeof(version), NULL, 0);
	if (!ret)
		ret = pev_writer_sink(&pipe_ops, p, out);
	if (ret) {
		free(p);
		return pev_fail(err, -ret, 0, "the pipe: %s", strerror(-ret));
	}
	return 0;
}

/* ---- Receiving ---- */

/**
 * struct pev_pipe - a trace that arrives
 * @data: the frame that is read, @have bytes of it, with @room
 * @begun: a frame of the right version was the first
 * @nr:    frames that were taken
 */
struct pev_pipe {
	int fd;
	struct pev_writer *writer;
	uint8_t *data;
	size_t have;
	size_t room;
	bool begun;
	uint64_t nr;
};

PEV_EXPORT bool pev_pipe_begins(const void *head, size_t len)
{
	const uint32_t magic = FRAME_MAGIC;

	return len >= sizeof(magic) && !memcmp(head, &magic, sizeof(magic));
}

PEV_EXPORT int pev_pipe_open(int fd, const void *head, size_t len, struct pev_writer *writer,
			     struct pev_pipe **out)
{
	struct pev_pipe *p;

	*out = NULL;
	if (len > sizeof(struct frame))
		return -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->room = PIECE;
	p->data = malloc(p->room);
	if (!p->data) {
		free(p);
		return -ENOMEM;
	}
	p->fd = fd;
	p->writer = writer;
	p->have = len;
	if (len)
		memcpy(p->data, head, len);
	*out = p;
	return 0;
}

PEV_EXPORT void pev_pipe_close(struct pev_pipe *p)
{
	if (!p)
		return;
	free(p->data);
	free(p);
}

/*
 * Reads until there are @need bytes of the frame. Room grows with what has come, not with
 * what a header promises. Returns 1, 0 at the end of the input, or -errno.
 */
static int fill(struct pev_pipe *p, size_t need)
{
	uint8_t *more;
	ssize_t n;

	while (p->have < need) {
		if (p->have == p->room) {
			more = realloc(p->data, p->room * 2);
			if (!more)
				return -ENOMEM;
			p->data = more;
			p->room *= 2;
		}
		n = read(p->fd, p->data + p->have, (need < p->room ? need : p->room) - p->have);
		if (n <= 0)
			return n ? -errno : 0;
		p->have += (size_t)n;
	}
	return 1;
}

/* Reads a whole frame. Returns 1, 0 where the input ends, or -errno. */
static int read_frame(struct pev_pipe *p, struct frame *frame, struct pev_error *err)
{
	int ret = fill(p, sizeof(*frame));

	if (ret > 0) {
		memcpy(frame, p->data, sizeof(*frame));
		if (frame->magic != FRAME_MAGIC || frame->name > NAME_MOST ||
		    frame->len > FRAME_MOST)
			return pev_fail(err, EBADMSG, 0,
					p->nr ? "what comes through the pipe is damaged" :
						"what comes through the pipe is no trace");
		ret = fill(p, sizeof(*frame) + frame->name + frame->len);
	}
	if (ret < 0 && ret != -EINTR)
		pev_fail(err, -ret, 0, "reading the pipe: %s", strerror(-ret));
	return ret;
}

static int ring_packets(struct pev_pipe *p, const char *name, const void *data, size_t len)
{
	char *end;
	unsigned long ring = strtoul(name, &end, 10);

	if (*name < '0' || *name > '9' || *end || ring > UINT32_MAX)
		return -EINVAL;
	return pev_writer_packets(p->writer, (unsigned int)ring, data, len);
}

static int info(struct pev_pipe *p, const char *name, const uint8_t *data, size_t len)
{
	char *value = malloc(len + 1);
	int ret;

	if (!value)
		return -ENOMEM;
	memcpy(value, data, len);
	value[len] = '\0';
	ret = pev_writer_info(p->writer, name, value);
	free(value);
	return ret;
}

static int take(struct pev_pipe *p, const struct frame *frame, const char *name,
		const uint8_t *data)
{
	uint32_t version;
	uint64_t ticks;

	switch (frame->kind) {
	case PIPE_BEGIN:
		if (p->begun || frame->len != sizeof(version))
			return -EINVAL;
		memcpy(&version, data, sizeof(version));
		p->begun = version == FRAME_VERSION;
		return p->begun ? 0 : -ENOTSUP;
	case PIPE_METADATA:
		return pev_writer_metadata(p->writer, (const char *)data, frame->len);
	case PIPE_RING:
		return ring_packets(p, name, data, frame->len);
	case PIPE_NAMED:
		return pev_writer_named(p->writer, name, data, frame->len);
	case PIPE_INFO:
		return info(p, name, data, frame->len);
	case PIPE_INFO_FILE:
		return pev_writer_info_file(p->writer, name, data, frame->len);
	case PIPE_SYNC:
		if (frame->len != sizeof(ticks))
			return -EINVAL;
		memcpy(&ticks, data, sizeof(ticks));
		return writer_synced(p->writer, ticks);
	default:
		/* of a later version: it can be done without */
		return 0;
	}
}

static int take_frame(struct pev_pipe *p, const struct frame *frame, struct pev_error *err)
{
	const uint8_t *at = p->data + sizeof(*frame);
	char name[NAME_MOST + 1];
	int ret = -EINVAL;

	memcpy(name, at, frame->name);
	name[frame->name] = '\0';
	/* packets are aligned */
	memmove(p->data, at + frame->name, frame->len);
	if (strlen(name) == frame->name && (p->begun || frame->kind == PIPE_BEGIN))
		ret = take(p, frame, name, p->data);
	p->have = 0;
	p->nr++;
	if (ret == -EINVAL)
		return pev_fail(err, EBADMSG, 0, "what comes through the pipe is damaged");
	if (ret == -ENOTSUP)
		return pev_fail(err, ENOTSUP, 0,
				"what comes through the pipe was written by a "
				"later version of libpev");
	return ret ? pev_fail(err, -ret, 0, "writing what comes through the pipe: %s",
			      strerror(-ret)) :
		     0;
}

PEV_EXPORT int pev_pipe_read(struct pev_pipe *p, struct pev_error *err)
{
	struct frame frame;
	int ret = read_frame(p, &frame, err);

	if (ret < 0)
		return ret;
	if (!ret)
		return pev_fail(err, ENODATA, 0,
				p->nr ? "the pipe ended before the recording did" :
					"the pipe ended before anything came");
	if (frame.kind == PIPE_END && p->begun)
		return 0;
	ret = take_frame(p, &frame, err);
	return ret ? ret : frame.kind == PIPE_SYNC ? 2 : 1;
}
