// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a record looks like as a line: time, CPU, thread, and then the print format of its
 * event. Must not know where the record comes from.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pev_clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include "types.h"
#include "line.h"

/* Seconds and nanoseconds of the clock. */
static void put_time(struct trace_seq *seq, const struct pev_trace_clock *clock, u64 time)
{
	u64 rest, seconds = div64_u64_rem(time, clock->freq, &rest);

	trace_seq_printf(seq, "%6llu.%09llu", seconds,
			 mul_u64_u64_div_u64(rest, NSEC_PER_SEC, clock->freq));
}

/**
 * pev_line_alloc() - memory for lines
 * @line: gets it
 * @room: bytes of the longest payload
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM; pev_line_free() in any case.
 */
int pev_line_alloc(struct pev_line *line, u32 room)
{
	line->room = room;
	line->iter = kvzalloc(sizeof(*line->iter), GFP_KERNEL);
	if (!line->iter)
		return -ENOMEM;
	line->iter->ent = kvzalloc(sizeof(*line->iter->ent) + room, GFP_KERNEL);
	return line->iter->ent ? 0 : -ENOMEM;
}

/* The opposite. */
void pev_line_free(struct pev_line *line)
{
	if (line->iter)
		kvfree(line->iter->ent);
	kvfree(line->iter);
	line->iter = NULL;
}

/**
 * pev_line_put() - make a line, with its newline unless it is too long
 * @line:  where; what was there goes
 * @clock: of @time
 * @event: has a print format
 * @time:  of the record
 * @cpu:   of the record
 * @tid:   of the record
 * @data:  its payload
 * @size:  bytes of that; what has no room is left out
 *
 * Context: Process context, or a panic.
 */
void pev_line_put(struct pev_line *line, const struct pev_trace_clock *clock,
		  struct pev_event *event, u64 time, u32 cpu, u32 tid,
		  const void *data, u32 size)
{
	struct trace_iterator *iter = line->iter;
	struct trace_entry *entry = iter->ent;

	trace_seq_init(&iter->seq);
	put_time(&iter->seq, clock, time);
	trace_seq_printf(&iter->seq, " [%03u] %6u ", cpu, tid);
	size = min(size, line->room);
	memcpy(entry + 1, data, size);
	*entry = (struct trace_entry){ .pid = tid };
	iter->ent_size = sizeof(*entry) + size;
	iter->cpu = cpu;
	iter->ts = time;
	event->ops->print(event, iter);
}
