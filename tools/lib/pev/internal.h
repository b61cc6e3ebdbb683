/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the files of libpev share and programs do not see.
 */
#ifndef _PEV_INTERNAL_H
#define _PEV_INTERNAL_H

#include <stdarg.h>
#include <string.h>
#include <pev/pev.h>

#define PEV_EXPORT	__attribute__((visibility("default")))
#define PEV_PRINTF(f, a)	__attribute__((format(printf, f, a)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define PACKET_HEADER	sizeof(struct pev_packet)
/* Fields whose place varies, in the context or the payload of one class */
#define MAX_MOVING	64
/* Integers of fixed place that a context can have: pid, ip, addr, period, cpu */
#define MAX_LOADS	8

static inline size_t align_up(size_t pos, size_t align)
{
	return (pos + align - 1) & ~(align - 1);
}

/* error.c */
int pev_fail(struct pev_error *err, int error, unsigned int line, const char *fmt, ...)
	PEV_PRINTF(4, 5);
int pev_read_whole(int fd, char **text, size_t *len);
int pev_read_file(const char *path, char **text, size_t *len);

/* pfm.c: pev_pmu_code() of a name */
int pev_pfm_code(const char *name, uint64_t *code, struct pev_error *err);

/**
 * struct arena - memory that is freed all at once
 */
struct arena_block;
struct arena {
	struct arena_block	*blocks;
	size_t			used;
	size_t			room;
};

void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *text, size_t len);
void arena_free(struct arena *arena);

/**
 * struct load - copies an integer of the context into struct pev_event
 * @from: offset behind the record's header
 * @to:   offset in struct pev_event
 */
struct load {
	uint16_t	from;
	uint16_t	to;
};

/**
 * struct part - a class's context or payload, laid out
 * @fields: all of them
 * @nr:     number of them
 * @fixed:  number of leading fields whose offset is fixed
 * @size:   bytes of these
 */
struct part {
	struct pev_field	*fields;
	unsigned int		nr;
	unsigned int		fixed;
	uint32_t		size;
};

/**
 * struct class - struct pev_class and how to decode it
 * @pub:     must be the first member
 * @context: starts right behind the header
 * @payload: starts at the next multiple of 8
 * @head:    bytes behind the header that every record of the class has
 * @has_fields: the metadata have a payload, if only an empty one
 * @padded:  the padding behind a record belongs to the payload's structure
 * @loads:   integers of the context: @nr_wide of 8 bytes, the others of 4
 * @seen:    where to put the sequences, by field index: offsets in struct
 *           pev_event of the pointer and of the length, 0 for nowhere
 */
struct class {
	struct pev_class	pub;
	struct part		context;
	struct part		payload;
	uint32_t		head;
	bool			has_fields;
	bool			padded;
	unsigned int		nr_wide;
	unsigned int		nr_loads;
	struct load		loads[MAX_LOADS];
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
 * @tid:     places of the tid, in compact and extended records; 0: none
 * @header:  bytes before the context, in compact and extended records
 * @by_id:   classes, NULL where there is none; @nr_ids elements
 */
struct pev_meta {
	struct arena		arena;
	char			*text;
	size_t			len;
	size_t			parsed;
	unsigned int		line;

	struct named_type	*types;
	struct env_entry	*env;
	struct pev_clock_desc	clock;
	uint8_t			uuid[16];
	bool			have_trace;
	bool			have_clock;
	bool			have_stream;

	uint32_t		tid[2];
	uint32_t		header[2];

	struct class		**by_id;
	uint32_t		nr_ids;
	struct class		**classes;
	uint32_t		nr_classes;
	uint32_t		room_classes;
	uint32_t		first_index;
};

/* meta.c */
struct pev_meta *meta_new(void);
int meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
		    struct pev_error *err);
bool meta_usable(const struct pev_meta *meta);

/* layout.c */
int layout_class(struct pev_meta *meta, struct class *cls, struct pev_field *context,
		 unsigned int nr_context, struct pev_field *fields, unsigned int nr_fields,
		 const char **why);

/* tsdl.c */
int tsdl_parse(struct pev_meta *meta, struct pev_error *err);

/* encoder.c */
void encoder_own(struct pev_encoder *enc);

/* decode.c */
int decode_start(struct pev_decoder *dec, const struct pev_meta *meta, const void *data,
		 size_t content);
/* As pev_decode_next(), but only records of some classes, by pev_class.index */
int decode_next_of(struct pev_decoder *dec, const bool *wanted, struct pev_event *ev);
const char *packet_check(const struct pev_meta *meta, const struct pev_packet *packet);
/* Place of a field behind @base, walking over what varies; -1 if it is not there */
ptrdiff_t part_locate(const struct part *part, const uint8_t *base, size_t room,
		      unsigned int index, size_t *count);

#endif /* _PEV_INTERNAL_H */
