/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libzstd, which is looked for when it is first needed: programs that read and write no compressed
 * traces do without it.
 */
#ifndef _PEV_CORE_ZSTD_H
#define _PEV_CORE_ZSTD_H

#include <stddef.h>

/**
 * struct zstd - the functions that are used, as <zstd.h> declares them
 */
struct zstd {
	void *(*create)(void);
	size_t (*destroy)(void *ctx);
	size_t (*bound)(size_t len);
	size_t (*compress)(void *ctx, void *to, size_t room, const void *from, size_t len,
			   int level);
	size_t (*decompress)(void *to, size_t room, const void *from, size_t len);
	size_t (*frame_len)(const void *from, size_t len);
	unsigned long long (*content)(const void *from, size_t len);
	unsigned int (*failed)(size_t code);
};

/* NULL: there is no libzstd */
const struct zstd *zstd_get(void);

/* The first bytes of a frame */
#define ZSTD_FRAME_MAGIC 0xfd2fb528u

#endif /* _PEV_CORE_ZSTD_H */
