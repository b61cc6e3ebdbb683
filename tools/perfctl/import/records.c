// SPDX-License-Identifier: GPL-2.0
/* Walks the records of a perf.data, compressed ones unpacked. See records.h. */
#include "records.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

#define DROP_STEP    (4u << 20)
#define UNPACK_PIECE (256u << 10)

/**
 * struct unpack - compressed records on their way
 * @out:  unpacked bytes that are not a whole record yet
 */
struct unpack {
	ZSTD_DStream *z;
	uint8_t *out;
	size_t n;
};

static bool ends_here(struct import *im, uint64_t at, const char *why)
{
	im->why_end = why;
	im->end_at = at;
	return false;
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
		if (h.size < sizeof(h) || h.type == PERF_USER_COMPRESSED) {
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

static int unpack(struct import *im, struct unpack *u, const struct perf_event_header *r,
		  import_record_fn fn, uint64_t at, struct msg *m)
{
	ZSTD_inBuffer in = { r + 1, r->size - sizeof(*r), 0 };
	int err = 0;

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

/* In a pipe, formats lie behind the record with their size. */
uint64_t import_behind(const struct perf_event_header *r)
{
	uint32_t size;

	if (r->type != PERF_USER_TRACING_DATA || r->size < 12)
		return 0;
	memcpy(&size, r + 1, sizeof(size));
	return ((uint64_t)size + 7) & ~7ULL;
}

int import_each(struct import *im, import_record_fn fn, struct msg *m)
{
	uint64_t at = im->records.offset, end = at + im->records.size, dropped = 0;
	struct unpack u = { 0 };
	uint64_t buf[8192];
	int err = 0;

	while (!err && at < end) {
		const struct perf_event_header *r = (const void *)(im->data + at);
		struct perf_event_header h;
		bool stays = !((uintptr_t)r & 7);

		if (end - at < sizeof(h)) {
			ends_here(im, at, "the file ends in a record");
			break;
		}
		memcpy(&h, r, sizeof(h));
		if (h.size < sizeof(h)) {
			ends_here(im, at, "what lies there is no record");
			break;
		}
		if (h.size > end - at) {
			ends_here(im, at, "the file ends in a record");
			break;
		}
		if (!stays) {
			memcpy(buf, r, h.size);
			r = (const void *)buf;
		}
		err = h.type == PERF_USER_COMPRESSED ? unpack(im, &u, r, fn, at, m) :
						       fn(im, r, stays, m);
		at += h.size + min_u64(import_behind(r), end - at - h.size);
		/* drop the step before once more: the queue may have read it again */
		if (at - dropped >= DROP_STEP) {
			uint64_t from = dropped >= DROP_STEP ? dropped - DROP_STEP : 0;

			dropped += DROP_STEP;
			madvise((void *)(im->data + from), dropped - from, MADV_DONTNEED);
		}
	}
	ZSTD_freeDStream(u.z);
	free(u.out);
	return err < 0 ? err : 0;
}
