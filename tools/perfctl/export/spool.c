// SPDX-License-Identifier: GPL-2.0
/* Texts in a temporary file. See spool.h. */
#include "spool.h"
#include "base/tempfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define SPOOL_DATA (SPOOL_BLOCK - sizeof(uint64_t))

int spool_open(struct spool *s, const char *beside, struct msg *m)
{
	*s = (struct spool){ .fd = tempfile_open(beside, m) };
	return s->fd < 0 ? s->fd : 0;
}

static uint64_t new_block(struct spool *s)
{
	s->end += SPOOL_BLOCK;
	return s->end - SPOOL_BLOCK;
}

static void put_block(struct spool *s, struct spool_text *t)
{
	uint64_t next = new_block(s);

	memcpy(t->block, &next, sizeof(next));
	if (!s->error && pwrite(s->fd, t->block, SPOOL_BLOCK, (off_t)t->at) != SPOOL_BLOCK)
		s->error = errno ? errno : ENOSPC;
	t->at = next;
	t->blocks++;
	t->used = 0;
}

void spool_add(struct spool *s, struct spool_text *t, const char *data, size_t len)
{
	if (!t->block) {
		t->block = xmalloc(SPOOL_BLOCK);
		t->first = t->at = new_block(s);
	}
	while (len) {
		size_t n = min_u64(len, SPOOL_DATA - t->used);

		memcpy(t->block + sizeof(uint64_t) + t->used, data, n);
		t->used += (uint32_t)n;
		data += n;
		len -= n;
		if (t->used == SPOOL_DATA)
			put_block(s, t);
	}
}

void spool_take(struct spool *s, struct spool_text *t, struct out *o)
{
	uint64_t at = t->first;
	char block[SPOOL_BLOCK];

	for (uint64_t i = 0; i < t->blocks && !s->error; i++) {
		errno = 0;
		if (pread(s->fd, block, SPOOL_BLOCK, (off_t)at) != SPOOL_BLOCK) {
			s->error = errno ? errno : EIO;
			break;
		}
		memcpy(&at, block, sizeof(at));
		out_write(o, block + sizeof(at), SPOOL_DATA);
	}
	if (t->used)
		out_write(o, t->block + sizeof(at), t->used);
	free(t->block);
	*t = (struct spool_text){ 0 };
}

void spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
