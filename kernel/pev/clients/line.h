/* SPDX-License-Identifier: GPL-2.0 */
/* A record as a line of text. */
#ifndef _PEV_CLIENTS_LINE_H
#define _PEV_CLIENTS_LINE_H

#include <linux/types.h>

struct pev_event;
struct pev_trace_clock;
struct trace_iterator;

/**
 * struct pev_line - what lines are made in
 * @iter: what print formats want to see; the line is in its @seq
 * @room: bytes of the longest payload
 */
struct pev_line {
	struct trace_iterator	*iter;
	u32			room;
};

int pev_line_alloc(struct pev_line *line, u32 room);
void pev_line_free(struct pev_line *line);
void pev_line_put(struct pev_line *line, const struct pev_trace_clock *clock,
		  struct pev_event *event, u64 time, u32 cpu, u32 tid,
		  const void *data, u32 size);

#endif
