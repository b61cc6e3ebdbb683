// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds packets by their times: a binary search, which reads the headers of those that it meets only
 * where the index is to be checked. Packets of a stream are in order, so that two neighbours with
 * the time between them prove that all others lie on the right side of it.
 */
#include "core/compiler.h"
#include "trace/find.h"
#include "trace/index.h"
#include "trace/index_read.h"
#include "trace/trace.h"
#include "trace/unpack.h"

size_t stream_find(const struct pev_stream *pub, uint64_t ticks, bool *wrong)
{
	const struct stream *s = (const struct stream *)pub;
	size_t low = 0, high = pub->nr_packets, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (wrong && !index_agrees(s, mid)) {
			*wrong = true;
			break;
		}
		if (pub->packets[mid].end < ticks)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Looks for all packets of a stream, as if it had no index. */
static int search(struct stream *s)
{
	int ret;

	index_forget(s);
	s->pub.damaged = s->pub.skipped = 0;
	ret = s->packed ? unpack_open(s, NULL) : 0;
	if (!ret)
		ret = stream_index(s);
	/* a stream that is damaged has been told of, and is what the index does not agree with */
	if (!ret && !s->pub.damaged && !s->gaps)
		trace_warn(s->trace,
			   "%s: its index has other times than its packets, and is not used: all "
			   "packets were looked for instead; remove the directory " INDEX_DIR
			   ", which can be done without",
			   s->pub.name);
	return ret;
}

PEV_EXPORT int pev_trace_find(struct pev_trace *trace, int64_t ns)
{
	int ret = 0;

	for (unsigned int i = 0; i < trace->nr_streams && !ret; i++) {
		struct stream *s = trace->streams[i];
		bool wrong = false;

		stream_find(&s->pub, pev_meta_ticks(s->pub.meta, ns), &wrong);
		if (wrong)
			ret = search(s);
	}
	return ret;
}
