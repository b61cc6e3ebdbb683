/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Metadata as the parser makes it and the decoder reads it.
 */
#ifndef _PEV_CTF_META_H
#define _PEV_CTF_META_H

#include <pev/pev.h>
#include "core/arena.h"

/* Fields of varying place, in the context or the payload of one class */
#define MAX_MOVING	64
/* Integers of fixed place that a context can have: layout.c has their names */
#define MAX_LOADS 10

/**
 * struct field_load - copies an integer of the context into struct pev_event
 * @from: offset behind the record's header
 * @to:   offset in struct pev_event
 */
struct field_load {
	uint16_t	from;
	uint16_t	to;
};

/**
 * struct part - a class's context or payload, laid out
 * @fields: all of them
 * @nr:     number of them
 * @fixed:  number of leading fields with a fixed offset
 * @size:   bytes of these
 */
struct part {
	struct pev_field	*fields;
	unsigned int		nr;
	unsigned int		fixed;
	uint32_t		size;
};

/**
 * struct pev_stream_class - a class of streams: the form of its records
 * @id:      in its packets
 * @tid:     places of the tid, in compact and extended records; 0: none
 * @header:  bytes before the context, in compact and extended records
 * @by_id:   classes, NULL where there is none; @nr_ids elements
 */
struct pev_stream_class {
	struct pev_stream_class	*next;
	uint32_t		id;
	uint32_t		tid[2];
	uint32_t		header[2];
	struct class		**by_id;
	uint32_t		nr_ids;
};

/**
 * struct class - struct pev_class and how to decode it
 * @pub:     must be the first member
 * @stream:  class of the streams that have it in their packets
 * @context: starts right behind the header
 * @payload: starts at the next multiple of 8
 * @head:    bytes behind the header that every record of the class has
 * @has_fields: the metadata have a payload, if only an empty one
 * @padded:  the padding behind a record belongs to the payload's structure
 * @request: where struct pev_request is, behind the header; negative: nowhere
 * @chains:  where the lengths of call chains are, behind the header, which the chains follow;
 *           negative: it has none
 * @named:   these are a struct chain_word
 * @loads:   integers of the context: @nr_wide of 8 bytes, the others of 4
 * @seen:    where to put the sequences, by field index: offsets in struct
 *           pev_event of the pointer and of the length, 0 for nowhere
 */
struct class {
	struct pev_class	pub;
	const struct pev_stream_class *stream;
	struct part		context;
	struct part		payload;
	uint32_t		head;
	bool			has_fields;
	bool			padded;
	int32_t request;
	int32_t chains;
	bool named;
	unsigned int		nr_wide;
	unsigned int		nr_loads;
	struct field_load		loads[MAX_LOADS];
	uint16_t		seen_pointer[MAX_MOVING];
	uint16_t		seen_length[MAX_MOVING];
};

struct type;
struct named_type;
struct env_entry;

/**
 * struct pev_meta - metadata of one trace
 * @parsed:  bytes of @text that were understood
 * @line:    line at @parsed
 * @types:   that have names, the newest first; @type_tree: by name
 * @streams: classes of streams, the newest first
 * @nr_ids:  sum of theirs
 */
struct pev_meta {
	struct arena		arena;
	char			*text;
	size_t			len;
	size_t			parsed;
	unsigned int		line;

	struct named_type	*types;
	void			*type_tree;
	struct env_entry	*env;
	struct pev_clock_desc	clock;
	uint8_t			uuid[16];
	bool			have_trace;
	bool			have_clock;

	struct pev_stream_class	*streams;
	unsigned int		nr_streams;
	uint32_t		nr_ids;
	struct class		**classes;
	uint32_t		nr_classes;
	uint32_t		room_classes;
	uint32_t		first_index;
};

struct pev_meta *meta_new(void);
/* @text: all of the text; what was parsed before an error stays */
int meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
		    struct pev_error *err);
/* Returns true if there is enough to read packets. */
bool meta_usable(const struct pev_meta *meta);
/* Returns NULL if no class of streams has that id. */
struct pev_stream_class *meta_stream(const struct pev_meta *meta, uint32_t id);

#endif /* _PEV_CTF_META_H */
