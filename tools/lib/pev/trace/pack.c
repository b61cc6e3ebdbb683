// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compresses packets. See pack.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/compiler.h"
#include "core/error.h"
#include "core/zstd.h"
#include "trace/pack.h"

/**
 * struct packer - what all streams of a trace share
 */
struct packer {
	const struct zstd *zstd;
	int level;
};

/**
 * struct packing - what a hand compresses a packet with
 * @ctx:    of zstd
 * @plain:  the packet with its header
 * @packed: its frame
 */
struct packing {
	void *ctx;
	uint8_t *plain;
	size_t plain_room;
	uint8_t *packed;
	size_t packed_room;
};

PEV_EXPORT int pev_writer_compress(struct pev_writer *w, int level)
{
	const struct zstd *z = zstd_get();

	if (w->sink || pev_writer_packets_written(w) || w->packer)
		return -EINVAL;
	if (!z)
		return -ELIBACC;
	w->packer = calloc(1, sizeof(*w->packer));
	if (!w->packer)
		return -ENOMEM;
	w->packer->zstd = z;
	w->packer->level = level;
	return 0;
}

void pack_free(struct pev_writer *w)
{
	free(w->packer);
	w->packer = NULL;
}

void pack_free_hand(struct pev_writer *w, struct hand *h)
{
	struct packing *p = h->packing;

	if (!p)
		return;
	w->packer->zstd->destroy(p->ctx);
	free(p->plain);
	free(p->packed);
	free(p);
	h->packing = NULL;
}

static struct packing *packing_of(const struct pev_writer *w, struct hand *h)
{
	if (h->packing)
		return h->packing;
	h->packing = calloc(1, sizeof(*h->packing));
	if (!h->packing)
		return NULL;
	h->packing->ctx = w->packer->zstd->create();
	if (!h->packing->ctx) {
		free(h->packing);
		h->packing = NULL;
	}
	return h->packing;
}

static int room(uint8_t **data, size_t *have, size_t need)
{
	uint8_t *more = need > *have ? realloc(*data, need) : *data;

	if (!more)
		return -ENOMEM;
	*data = more;
	*have = need > *have ? need : *have;
	return 0;
}

int pack_packet(struct pev_writer *w, struct out_file *f, const struct pev_packet *head,
		const uint8_t *data, size_t used)
{
	const struct zstd *z = w->packer->zstd;
	struct packing *p = packing_of(w, f->hand);
	size_t len = 0, n;
	ssize_t got;
	int ret = p ? room(&p->plain, &p->plain_room, used) : -ENOMEM;

	if (!ret)
		ret = room(&p->packed, &p->packed_room, z->bound(used));
	if (ret)
		return ret;
	memcpy(p->plain, head, sizeof(*head));
	memcpy(p->plain + sizeof(*head), data + sizeof(*head), used - sizeof(*head));
	n = z->compress(p->ctx, p->packed, p->packed_room, p->plain, used, w->packer->level);
	if (z->failed(n))
		return -EIO;
	while (len < n) {
		got = write(f->fd, p->packed + len, n - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENOSPC;
		len += (size_t)got;
	}
	f->on_disk += n;
	return 0;
}
