/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of a marker's format: inside of marker.c and its tests only. */
#ifndef _PEV_MARKER_H
#define _PEV_MARKER_H

#include <linux/pev_marker.h>
#include <linux/types.h>

/* The kernel's own places, by the linker. */
extern struct pev_mark __start___pev_marks[];
extern struct pev_mark __stop___pev_marks[];

#define PEV_MARK_ARGS		12	/* fields of a marker */
#define PEV_MARK_NAME		32	/* bytes of a field's name */
#define PEV_MARK_STRING		256	/* bytes of a string, NUL included */

/* How an argument, one word of an array, goes into the record. */
enum pev_mark_kind {
	PEV_MARK_WORD,			/* 8 bytes */
	PEV_MARK_INT,			/* 4 bytes */
	PEV_MARK_SHORT,			/* 2 bytes */
	PEV_MARK_CHAR,			/* 1 byte */
	PEV_MARK_TEXT,			/* a string */
};

/**
 * struct pev_mark_arg - an argument
 * @kind:   enum pev_mark_kind
 * @sign:   is signed
 * @letter: a single character (%c)
 * @offset: in the trace event; of the location word for strings
 * @limit:  of a string's bytes, NUL included
 * @size:   bytes in the fixed part
 * @type:   the C type that describes it
 * @name:   of the field
 */
struct pev_mark_arg {
	u8		kind;
	bool		sign;
	bool		letter;
	u16		offset;
	u16		limit;
	u16		size;
	const char	*type;
	char		name[PEV_MARK_NAME];
};

/**
 * struct pev_mark_layout - a format, understood
 * @nr:   arguments
 * @text: some of them are strings
 * @words: each has an aligned word of the record to itself
 * @masks: of what a word of an argument keeps, if @words
 * @size: of the trace event's fixed part, common fields included
 * @args: in order
 */
struct pev_mark_layout {
	u32			nr;
	bool			text;
	bool			words;
	u32			size;
	u64			masks[PEV_MARK_ARGS];
	struct pev_mark_arg	args[PEV_MARK_ARGS];
};

/**
 * pev_mark_parse() - understand a marker's format
 * @format: as written in the source
 * @layout: filled in
 *
 * Return: NULL, or what is wrong with the format.
 */
const char *pev_mark_parse(const char *format, struct pev_mark_layout *layout);

#endif
