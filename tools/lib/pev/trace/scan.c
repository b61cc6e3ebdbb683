// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Picks the events of some classes out of a stream. Other records are only measured,
 * which takes a fraction of decoding them.
 */
#include <errno.h>
#include "ctf/decode.h"
#include "trace/trace.h"

PEV_EXPORT int pev_stream_scan(const struct pev_stream *stream, size_t from, size_t to,
			       const bool *wanted, pev_scan_fn fn, void *arg)
{
	uint64_t dropped;
	int ret = 0;

	if (to > stream->nr_packets)
		to = stream->nr_packets;
	if (from >= to)
		return 0;
	dropped = stream->packets[from].offset;
	for (; from < to && !ret; from++) {
		struct pev_decoder dec;

		pev_decoder_stream_packet(&dec, stream, from);
		while (!ret && decode_next_of(&dec, wanted) > 0)
			ret = fn(arg, &dec.event);
		stream_drop(stream, &dropped, stream->packets[from].offset);
	}
	stream_forget(stream, dropped, stream->packets[to - 1].offset);
	return ret;
}
