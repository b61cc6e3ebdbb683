// SPDX-License-Identifier: GPL-2.0
/*
 * Finds checkpoints, which record/checkpoint.c writes: packets of one time, and an empty one of the
 * time at which it was complete. What is cut out of a recording has no empty packet, and so none.
 */
#include "since.h"

#include <string.h>

/* So much may the clock that the recorder asked differ from that of the events, in ns */
#define MARGIN 100000000

static bool is_end(const struct pev_stream *s, size_t nr)
{
	return nr && s->packets[nr].content == sizeof(struct pev_packet) &&
	       s->packets[nr - 1].begin == s->packets[nr - 1].end &&
	       s->packets[nr - 1].content > sizeof(struct pev_packet);
}

/* There is one for each 64 MiB at most. */
static int64_t last_before(const struct pev_stream *s, int64_t from)
{
	int64_t limit, begin;

	if (__builtin_sub_overflow(from, MARGIN, &limit))
		return INT64_MIN;
	for (size_t nr = s->nr_packets; nr-- > 0;) {
		if (!is_end(s, nr) || pev_meta_ns(s->meta, s->packets[nr].begin) > limit)
			continue;
		begin = pev_meta_ns(s->meta, s->packets[nr - 1].begin);
		return __builtin_sub_overflow(begin, MARGIN, &begin) ? INT64_MIN : begin;
	}
	return INT64_MIN;
}

int64_t since_checkpoint(const struct pev_trace *trace, int64_t from)
{
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++)
		if (!strcmp(pev_trace_stream(trace, i)->name, "stream_checkpoint"))
			return last_before(pev_trace_stream(trace, i), from);
	return INT64_MIN;
}
