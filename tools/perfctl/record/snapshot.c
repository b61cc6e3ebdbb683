// SPDX-License-Identifier: GPL-2.0
/* Copies of a flight recorder's rings. See snapshot.h. */
#include "snapshot.h"
#include "account.h"
#include "describe.h"
#include "kernel_symbols.h"
#include "event/engine.h"

#include <errno.h>
#include <stdlib.h>

/* Writes the packets that a ring held at the moment of the snapshot. */
static int copy_span(struct recorder *r, struct pev_writer *w, unsigned int nr,
		     const struct pev_span *span, void *buf)
{
	struct pev_ring *ring = pev_channel_ring(r->channel, nr);
	uint64_t size = ring ? pev_ring_packet_size(ring) : 1, pos;

	if (!ring)
		return 0;
	for (pos = (span->begin + size - 1) / size * size; pos + size <= span->end; pos += size) {
		int err = pev_ring_copy(ring, pos, buf);

		if (err == 1)
			err = pev_writer_packets(w, nr, buf, size);
		else if (err == -ESTALE)
			err = 0;
		if (err)
			return err;
	}
	return 0;
}

static int copy_rings(struct recorder *r, struct pev_writer *w)
{
	struct pev_span *spans;
	unsigned int nr;
	void *buf = xmalloc(PEV_MAX_PACKET);
	int err;

	pev_channel_map_new(r->channel);
	nr = pev_channel_nr_rings(r->channel);
	spans = xcalloc(nr, sizeof(*spans));
	err = pev_engine_snapshot(engine(), r->fd, spans, &nr);
	for (unsigned int i = 0; i < nr && !err; i++)
		err = copy_span(r, w, i, &spans[i], buf);
	free(buf);
	free(spans);
	return err;
}

int recorder_snapshot(struct recorder *r, const char *path, struct msg *m)
{
	struct trace_dir dir;
	struct pev_writer *w;
	int err = recorder_open_trace(r, path, &dir, &w, m), close_err;

	if (err)
		return err;
	err = copy_rings(r, w);
	if (!err)
		err = describe_metadata(r, w, NULL, m);
	if (!err)
		err = account_gaps(r, w);
	if (!err)
		kernel_symbols_reduce(w, path, r->config.compress);
	r->bytes = pev_writer_bytes(w);
	close_err = pev_writer_close(w);
	trace_dir_free(&dir);
	if (!err)
		err = close_err;
	return err ? recorder_write_failed(r, err, m) : 0;
}
