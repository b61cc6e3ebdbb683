/* SPDX-License-Identifier: GPL-2.0 */
/* A marker's format, parsed. For marker.c and its tests only. */
#ifndef _PEV_MARKER_H
#define _PEV_MARKER_H

#include <linux/pev_marker.h>
#include <linux/types.h>

struct trace_seq;

#define PEV_MARKER_ARGS		12	/* fields of a marker */
#define PEV_MARKER_NAME		32	/* bytes of a field's name */
#define PEV_MARKER_STRING		256	/* bytes of a string, NUL included */

/* How an argument, one word of an array, goes into the record. */
enum pev_marker_kind {
	PEV_MARKER_WORD,			/* 8 bytes */
	PEV_MARKER_INT,			/* 4 bytes */
	PEV_MARKER_SHORT,			/* 2 bytes */
	PEV_MARKER_CHAR,			/* 1 byte */
	PEV_MARKER_TEXT,			/* a string */
};

/**
 * struct pev_marker_arg - an argument
 * @kind:   enum pev_marker_kind
 * @sign:   is signed
 * @letter: a single character (%c)
 * @offset: in the trace event; of the location word for strings
 * @limit:  of a string's bytes, NUL included
 * @size:   bytes in the fixed part
 * @type:   the C type that describes it
 * @name:   of the field
 */
struct pev_marker_arg {
	u8		kind;
	bool		sign;
	bool		letter;
	u16		offset;
	u16		limit;
	u16		size;
	const char	*type;
	char		name[PEV_MARKER_NAME];
};

/**
 * struct pev_marker_layout - a format, understood
 * @nr:   arguments
 * @text: some of them are strings
 * @words: each has an aligned word of the record to itself
 * @masks: of what a word of an argument keeps, if @words
 * @size: of the trace event's fixed part, common fields included
 * @args: in order
 */
struct pev_marker_layout {
	u32			nr;
	bool			text;
	bool			words;
	u32			size;
	u64			masks[PEV_MARKER_ARGS];
	struct pev_marker_arg	args[PEV_MARKER_ARGS];
};

/**
 * pev_marker_print() - what printf() would have made of a marker
 * @format: understood by pev_marker_parse()
 * @layout: from there
 * @entry:  the record, with its common fields
 * @seq:    where to
 *
 * Context: Any; @seq is the caller's.
 */
void pev_marker_print(const char *format, const struct pev_marker_layout *layout,
		      const void *entry, struct trace_seq *seq);

/**
 * pev_marker_parse() - understand a marker's format
 * @format: as written in the source
 * @layout: filled in
 *
 * Return: NULL, or what is wrong with the format.
 */
const char *pev_marker_parse(const char *format, struct pev_marker_layout *layout);

#endif
