/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: metadata: classes of events and their fields.
 */
#ifndef _PEV_META_H
#define _PEV_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum pev_shape - what a field is
 * @PEV_SHAPE_INT:      one integer
 * @PEV_SHAPE_ARRAY:    a fixed number of integers
 * @PEV_SHAPE_SEQUENCE: as many integers as another field of the record says
 * @PEV_SHAPE_STRING:   bytes up to a NUL
 */
enum pev_shape {
	PEV_SHAPE_INT		= 0,
	PEV_SHAPE_ARRAY		= 1,
	PEV_SHAPE_SEQUENCE	= 2,
	PEV_SHAPE_STRING	= 3,
};

struct pev_labels;

/**
 * struct pev_field - a field of an event class
 * @name:      as in the metadata
 * @shape:     enum pev_shape
 * @size:      bytes of an element: 1, 2, 4 or 8
 * @align:     bytes
 * @is_signed: of an element
 * @is_text:   elements are characters
 * @base:      to print in: 10, 16, 8 or 2
 * @index:     in its structure
 * @count:     elements of an array, 1 for an integer
 * @length:    index of the field with the number of elements, -1 for none
 * @offset:    bytes from the start of the structure, -1 if it varies
 * @reserved0: 0
 * @labels:    of an enumeration's values: pev_field_label(); NULL: it has none
 * @reserved:  0
 *
 * Lies in arrays: its size never changes. It is a power of two, so that finding an
 * element by its number costs no multiplication.
 */
struct pev_field {
	const char	*name;
	uint8_t		shape;
	uint8_t		size;
	uint8_t		align;
	bool		is_signed;
	bool		is_text;
	uint8_t		base;
	uint16_t	index;
	uint32_t	count;
	int32_t		length;
	int32_t		offset;
	uint32_t reserved0;
	const struct pev_labels *labels;
	uint32_t reserved[6];
};

/**
 * struct pev_class - an event, as the metadata describes it
 * @id:         in the records of its streams
 * @stream_id:  class of the streams that have it, 0 for all that the kernel writes
 * @index:      dense number; unique in a trace or, without one, in the metadata
 * @name:       "sched:sched_switch"
 * @uri:        "pev:tracepoint?period=1", "" for none
 * @type:       enum pev_type from @uri, 0 if unknown
 * @period:     from @uri: period, 0 if it is not there
 * @freq:       from @uri: Hz, 0 if it is not there
 * @sample:     PEV_SAMPLE_* that its records carry
 * @context:    fields of the context
 * @fields:     fields of the payload
 *
 * Only the library allocates this structure; later versions add members at its end.
 */
struct pev_class {
	uint32_t		id;
	uint32_t		stream_id;
	uint32_t		index;
	const char		*name;
	const char		*uri;
	uint32_t		type;
	uint64_t		period;
	uint64_t		freq;
	uint64_t		sample;
	unsigned int		nr_context;
	unsigned int		nr_fields;
	const struct pev_field	*context;
	const struct pev_field	*fields;
};

/**
 * struct pev_clock_desc - the clock of a trace
 * @name:     "cycles" or "monotonic"
 * @freq:     Hz
 * @offset_s: with @offset: time of the clock's zero since the epoch, in seconds ...
 * @offset:   ... and ticks
 *
 * Only the library allocates this structure; later versions add members at its end.
 */
struct pev_clock_desc {
	const char	*name;
	uint64_t	freq;
	int64_t		offset_s;
	int64_t		offset;
};

struct pev_meta;

/**
 * pev_meta_head() - text of metadata up to its first class of events
 * @uuid:         of the trace
 * @clock_offset: ns from the epoch to the zero of the clock, which ticks in ns
 * @flags:        0
 * @text:         gets the text; free it
 *
 * The head of every trace that is written in memory with an encoder: append the classes,
 * write all with pev_writer_metadata() and parse it with pev_meta_parse().
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM.
 */
int pev_meta_head(const uint8_t uuid[16], int64_t clock_offset, unsigned int flags, char **text,
		  size_t *len);

/**
 * pev_meta_stream() - text of metadata of one more class of streams
 * @id:    of the class; that of pev_meta_head(), and of a channel, is 0
 * @flags: 0
 * @text:  gets the text; free it
 *
 * Packets and headers of events are those of class 0. Append it to the head before the classes
 * of events that name it.
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM.
 */
int pev_meta_stream(uint32_t id, unsigned int flags, char **text, size_t *len);

/**
 * pev_meta_parse() - metadata from text; free with pev_meta_free()
 * @flags: 0
 *
 * Return: 0; -EBADMSG if it makes no sense or lacks a block; -EFBIG; -EINVAL for unknown
 * @flags; -ENOMEM.
 */
int pev_meta_parse(const char *text, size_t len, unsigned int flags, struct pev_meta **meta,
		   struct pev_error *err);
/**
 * pev_meta_update() - more of the same metadata
 * @text: all of it from its start; what was parsed already is not looked at
 *
 * Classes found earlier stay where they are. Not while another thread decodes.
 *
 * Return: as pev_meta_parse(), -EINVAL if the text has become shorter.
 */
int pev_meta_update(struct pev_meta *meta, const char *text, size_t len,
		    struct pev_error *err);
void pev_meta_free(struct pev_meta *meta);
/** pev_meta_text() - the text that was parsed */
const char *pev_meta_text(const struct pev_meta *meta, size_t *len);
unsigned int pev_meta_nr_classes(const struct pev_meta *meta);
/** pev_meta_class() - by number below pev_meta_nr_classes(), in the order of the text */
const struct pev_class *pev_meta_class(const struct pev_meta *meta, unsigned int nr);
/** pev_meta_class_by_id() - of one class of streams; NULL if there is none */
const struct pev_class *pev_meta_class_by_id(const struct pev_meta *meta, uint32_t stream_id,
					     uint32_t id);
/** pev_meta_class_by_name() - the first of that name; several may share it */
const struct pev_class *pev_meta_class_by_name(const struct pev_meta *meta,
					       const char *name);
const struct pev_clock_desc *pev_meta_clock(const struct pev_meta *meta);
/** pev_meta_uuid() - 16 bytes */
const uint8_t *pev_meta_uuid(const struct pev_meta *meta);
/** pev_meta_env() - a value of the env block as text, NULL if there is none */
const char *pev_meta_env(const struct pev_meta *meta, const char *key);
/** pev_meta_ns() - ticks to ns since the epoch */
int64_t pev_meta_ns(const struct pev_meta *meta, uint64_t ticks);
/** pev_meta_ticks() - ns since the epoch to ticks, rounded down, 0 for what was before */
uint64_t pev_meta_ticks(const struct pev_meta *meta, int64_t ns);

/** pev_class_field() - a field of the payload by name, NULL if there is none */
const struct pev_field *pev_class_field(const struct pev_class *cls, const char *name);
/**
 * pev_field_label() - what an enumeration calls a value
 * @value: of pev_event_int()
 *
 * Return: the first label that has it, NULL if there is none.
 */
const char *pev_field_label(const struct pev_field *field, uint64_t value);
/** pev_class_context_field() - a field of the context by name */
const struct pev_field *pev_class_context_field(const struct pev_class *cls,
						const char *name);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_META_H */
