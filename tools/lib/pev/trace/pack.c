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
 * @ctx:    of zstd
 * @plain:  a packet with its header
 * @packed: its frame
 */
struct packer {
	const struct zstd *zstd;
	void *ctx;
	int level;
	uint8_t *plain;
	size_t plain_room;
	uint8_t *packed;
	size_t packed_room;
};

PEV_EXPORT int pev_writer_compress(struct pev_writer *w, int level)
{
	const struct zstd *z = zstd_get();

	if (w->sink || w->packets || w->packer)
		return -EINVAL;
	if (!z)
		return -ELIBACC;
	w->packer = calloc(1, sizeof(*w->packer));
	if (!w->packer)
		return -ENOMEM;
	w->packer->zstd = z;
	w->packer->level = level;
	w->packer->ctx = z->create();
	if (w->packer->ctx)
		return 0;
	pack_free(w);
	return -ENOMEM;
}

void pack_free(struct pev_writer *w)
{
	struct packer *p = w->packer;

	if (!p)
		return;
	if (p->ctx)
		p->zstd->destroy(p->ctx);
	free(p->plain);
	free(p->packed);
	free(p);
	w->packer = NULL;
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
	struct packer *p = w->packer;
	size_t len = 0, n;
	ssize_t got;
	int ret = room(&p->plain, &p->plain_room, used);

	if (!ret)
		ret = room(&p->packed, &p->packed_room, p->zstd->bound(used));
	if (ret)
		return ret;
	memcpy(p->plain, head, sizeof(*head));
	memcpy(p->plain + sizeof(*head), data + sizeof(*head), used - sizeof(*head));
	n = p->zstd->compress(p->ctx, p->packed, p->packed_room, p->plain, used, p->level);
	if (p->zstd->failed(n))
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
	w->bytes += n;
	return 0;
}
