// SPDX-License-Identifier: GPL-2.0
/* Walks the records of a perf.data, compressed ones unpacked. See records.h. */
#include "records.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

#define DROP_STEP     (4u << 20)
#define UNPACK_PIECE  (256u << 10)
#define PROGRESS_STEP (64u << 10)

/**
 * struct unpack - compressed records on their way
 * @out:  unpacked bytes that are not a whole record yet
 */
struct unpack {
	ZSTD_DStream *z;
	uint8_t *out;
	size_t n;
};

static bool is_compressed(uint32_t type)
{
	return type == PERF_USER_COMPRESSED || type == PERF_USER_COMPRESSED2;
}

static void ends_here(struct import *im, uint64_t at, const char *why)
{
	im->why_end = why;
	im->end_at = at;
}

/* Passes whole records of @u to @fn and moves the rest to the front. */
static int pass_unpacked(struct import *im, struct unpack *u, import_record_fn fn, uint64_t at,
			 struct msg *m)
{
	uint64_t buf[8192];
	struct perf_event_header h;
	size_t done = 0;
	int err = 0;

	while (!err && u->n - done >= sizeof(h)) {
		memcpy(&h, u->out + done, sizeof(h));
		if (h.size < sizeof(h) || is_compressed(h.type)) {
			ends_here(im, at, "what is compressed there are no records");
			return 1;
		}
		if (h.size > u->n - done)
			break;
		memcpy(buf, u->out + done, h.size); /* aligned */
		done += h.size;
		err = fn(im, (const void *)buf, false, m);
	}
	memmove(u->out, u->out + done, u->n - done);
	u->n -= done;
	return err;
}

/* Returns the compressed data of a record of @size bytes; false if it is not as long as it says. */
static bool packed(const uint8_t *r, uint64_t size, ZSTD_inBuffer *in)
{
	struct perf_compressed2 c;

	memcpy(&c.header, r, sizeof(c.header));
	if (c.header.type == PERF_USER_COMPRESSED) {
		*in = (ZSTD_inBuffer){ r + sizeof(c.header), size - sizeof(c.header), 0 };
		return true;
	}
	if (size < sizeof(c))
		return false;
	memcpy(&c, r, sizeof(c));
	*in = (ZSTD_inBuffer){ r + sizeof(c), c.data_size, 0 };
	return c.data_size <= size - sizeof(c);
}

static int unpack(struct import *im, struct unpack *u, const uint8_t *r, uint64_t size,
		  import_record_fn fn, uint64_t at, struct msg *m)
{
	ZSTD_inBuffer in;
	int err = 0;

	if (!packed(r, size, &in)) {
		ends_here(im, at, "what is compressed there is damaged");
		return 1;
	}

	if (!u->z) {
		u->z = ZSTD_createDStream();
		u->out = xmalloc(UNPACK_PIECE);
		if (!u->z)
			return msg_set(m, -ENOMEM, "zstd: out of memory");
		ZSTD_initDStream(u->z);
	}
	for (;;) {
		ZSTD_outBuffer out = { u->out + u->n, UNPACK_PIECE - u->n, 0 };
		size_t ret = ZSTD_decompressStream(u->z, &out, &in);

		if (ZSTD_isError(ret)) {
			ends_here(im, at, "what is compressed there is damaged");
			return 1;
		}
		u->n += out.pos;
		err = pass_unpacked(im, u, fn, at, m);
		/* all input is taken and room was left: no more output is to come */
		if (err || (in.pos == in.size && out.pos < out.size) ||
		    (!out.pos && in.pos == in.size))
			return err;
	}
}

uint64_t import_behind(const struct perf_event_header *r)
{
	uint32_t size;

	if (r->type == PERF_USER_AUXTRACE && r->size >= sizeof(struct perf_auxtrace))
		return ((const struct perf_auxtrace *)r)->size;
	/* in a pipe, formats lie behind the record with their size */
	if (r->type != PERF_USER_TRACING_DATA || r->size < 12)
		return 0;
	memcpy(&size, r + 1, sizeof(size));
	return ((uint64_t)size + 7) & ~7ULL;
}

/* Returns the size of a record that is a compressed one. */
static uint64_t packed_size(const uint8_t *r, const struct perf_event_header *h, uint64_t left)
{
	struct perf_compressed2 c;
	uint64_t size;

	if (h->type != PERF_USER_COMPRESSED2 || left < sizeof(c))
		return h->size;
	memcpy(&c, r, sizeof(c));
	/* perf pads up to 64 KiB, which is 0 in 16 bits */
	size = (sizeof(c) + (c.data_size & UINT32_MAX) + 7) & ~7ULL;
	return size == 65536 && !h->size ? size : h->size;
}

/* Returns the size of the record at @at, 0 if there is none. */
static uint64_t size_at(struct import *im, uint64_t at, uint64_t end, struct perf_event_header *h)
{
	uint64_t size;

	if (end - at < sizeof(*h)) {
		ends_here(im, at, "the file ends in a record");
		return 0;
	}
	memcpy(h, im->data + at, sizeof(*h));
	size = packed_size(im->data + at, h, end - at);
	if (size >= sizeof(*h) && size <= end - at)
		return size;
	ends_here(im, at, size < sizeof(*h) ? "what lies there is no record" :
					      "the file ends in a record");
	return 0;
}

/* Drops pages from memory, those of the step before once more: the queue may have read them again. */
static uint64_t drop_read(const struct import *im, uint64_t at, uint64_t dropped)
{
	while (at - dropped >= DROP_STEP) {
		uint64_t from = dropped >= DROP_STEP ? dropped - DROP_STEP : 0;

		dropped += DROP_STEP;
		madvise((void *)(im->data + from), dropped - from, MADV_DONTNEED);
	}
	return dropped;
}

int import_each(struct import *im, import_record_fn fn, struct msg *m)
{
	uint64_t at = im->records.offset, end = at + im->records.size, dropped = 0, size;
	uint64_t told = at;
	struct perf_event_header h;
	struct unpack u = { 0 };
	uint64_t buf[8192];
	int err = 0;

	while (!err && at < end && (size = size_at(im, at, end, &h))) {
		const struct perf_event_header *r = (const void *)(im->data + at);
		bool stays = !((uintptr_t)r & 7);
		uint64_t more = 0;

		if (is_compressed(h.type)) {
			err = unpack(im, &u, im->data + at, size, fn, at, m);
		} else {
			if (!stays)
				r = memcpy(buf, r, size);
			more = import_behind(r);
			err = fn(im, r, stays, m);
		}
		at += size;
		if (more > end - at) {
			ends_here(im, at, "the file ends in the data of a record");
			break;
		}
		at += more;
		if (at - told >= PROGRESS_STEP) {
			term_progress("reading", at - im->records.offset, im->records.size);
			told = at;
		}
		dropped = drop_read(im, at, dropped);
	}
	term_progress_end();
	ZSTD_freeDStream(u.z);
	free(u.out);
	return err < 0 ? err : 0;
}
