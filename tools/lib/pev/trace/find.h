/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finding packets by their times.
 */
#ifndef _PEV_TRACE_FIND_H
#define _PEV_TRACE_FIND_H

#include <pev/trace.h>

/*
 * Finds the first packet that ends at or after a time. @wrong: set if the index says otherwise than
 * a packet that was compared on the way; NULL: it is believed
 */
size_t stream_find(const struct pev_stream *pub, uint64_t ticks, bool *wrong);

#endif /* _PEV_TRACE_FIND_H */
